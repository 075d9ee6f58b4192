"""The text of a cassette's file: read as JSON, told apart from what only looks like it, and searched for lines."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from dryfire_action.errors import CassetteDamaged
from dryfire_action.visible import cut, visible

if TYPE_CHECKING:
    from dryfire_action.messages import JsonObject

RECORD_AGAIN = "restore the file from git, or record the case again with --cassette-mode record"

_MARKS = ("<" * 7, "=" * 7, ">" * 7)
_CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7})(?: |\r?$)", re.MULTILINE)
_STRING = r'"(?:[^"\\]|\\.)*+"'
_CONSTANT = re.compile(rf"{_STRING}|(NaN|-?Infinity)", re.DOTALL)
_BRACKET = re.compile(rf"({_STRING})|([{{\[])|[}}\]]", re.DOTALL)


def parse(text: str, file: str) -> JsonObject:
    """The JSON object in ``text``, with a damaged file named by line. Takes CRLF and a byte order mark."""

    def damaged(what: str, at: int | None = 0, remedy: str = RECORD_AGAIN) -> CassetteDamaged:
        return CassetteDamaged(file, what, line=0 if at is None else _line_at(text, at), remedy=remedy)

    text = text.removeprefix("\N{BYTE ORDER MARK}")
    if not text.strip():
        raise damaged("the file is empty")
    # To look for the bare marks first takes a tenth of the time.
    conflict = _CONFLICT.search(text) if any(mark in text for mark in _MARKS) else None
    if conflict:
        raise damaged(
            "the file holds the markers of a merge conflict",
            conflict.start(),
            "dryfire resolve keeps the side that replays; or record the case again with --cassette-mode record",
        )
    try:
        document = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise damaged(f"not JSON: {error.msg}", error.pos) from None
    except _Refused as error:
        constant = next((found.start() for found in _CONSTANT.finditer(text) if found[1]), None)
        raise damaged(str(error), constant) from None
    except ValueError:
        raise damaged("a number in it is too long to be read", None) from None
    except RecursionError:
        raise damaged("nested too deeply", None) from None
    if not isinstance(document, dict):
        raise damaged("the file holds no JSON object")
    return document


def line_of_exchange(text: str, number: int) -> int:
    """The line on which the ``number``-th exchange begins, whatever the layout; the last one's if there are fewer."""
    depth, count, inside, name, at = 0, 0, False, "", 0
    for token in _BRACKET.finditer(text):
        string, opening = token[1], token[2]
        if depth == 2 and inside and (string or opening):
            at = token.start()
            if count == number:
                break
            count += 1
        if string and depth == 1:
            name = string
        if opening:
            inside = name == '"exchanges"' if depth == 1 else inside
            depth += 1
        elif not string:
            depth -= 1
    return _line_at(text, at)


def shown(value: Any) -> str:
    """What a file holds, as it may stand in a message: on one line, short, and harmless."""
    if isinstance(value, str):
        return f"'{cut(visible(value[:200]), 80)}'"
    return "missing" if value is None else "not a text"


class _Refused(ValueError):
    """Something that Python reads, and a cassette does not hold."""


def _refuse_constant(name: str) -> None:
    raise _Refused(f"{name} is no JSON value")


def _unique(pairs: list[tuple[str, Any]]) -> JsonObject:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise _Refused(f"the key {shown(twice)} stands twice in one object")
    return found


def _line_at(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
