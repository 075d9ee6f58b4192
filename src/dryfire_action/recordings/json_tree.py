"""JSON as a tree: fast without places, or slower with the place of every text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from dryfire_action import json_leaves
from dryfire_action.json_leaves import Fields
from dryfire_action.late_pattern import late
from dryfire_action.recordings.limits import LimitReached

_LINE = late(r"[^\r\n]+")
_FEW = 3
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[{}]")


def parsed(text: str) -> Any:
    """The tree of a JSON object or array, None for any other text. Raises `LimitReached` for one nested too deeply."""
    if not json_leaves.may_be_json(text):
        return None
    found = json_leaves.parsed(text)
    if found is None and _is_deep(text):
        raise LimitReached("too-deep", "JSON is nested too deeply to be read")
    return found


def scalar(text: str) -> str | None:
    """The text that is a JSON document by itself, "" for a number, a truth value or null; None for any other text."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, str) else "" if not isinstance(found, (dict, list)) else None


def located(text: str, plain: Any) -> Any:
    """The tree `plain` of a text with `LocatedText` for every text in it, None where that cannot be had."""
    found = json_leaves.located(text)
    return None if found is None else _with_numbers(found, plain)


def as_located(text: str) -> json_leaves.LocatedText:
    """A text that is written as it is, at the beginning of another."""
    leaf = json_leaves.LocatedText(text)
    leaf.raw, leaf.start = text, 0
    if "\\" in text:
        # A backslash is a character here, and begins no escape.
        leaf.written_as_it_is()
    return leaf


def lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text that are not blank, each with the place where it begins."""
    for line in _LINE.finditer(text):
        written = line[0]
        bare = written.strip()
        if bare:
            yield line.start() + written.index(bare[0]), bare


def is_jsonl(text: str) -> bool:
    """Whether a text is one JSON object or array a line: its first lines tell."""
    count = 0
    for _, line in lines(text):
        if not json_leaves.may_be_json(line) or json_leaves.parsed(line) is None:
            return False
        count += 1
        if count == _FEW:
            break
    return count > 1


def written(text: str) -> str:
    """A text as it stands between the quotes of a JSON string."""
    return json.dumps(text)[1:-1]


def _is_deep(text: str) -> bool:
    depth = 0
    for bracket in text.encode("latin-1", "replace").translate(None, _NO_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        if depth > 900:
            return True
    return False


def _with_numbers(placed: Any, plain: Any) -> Any:
    """A tree whose texts know their places, with the numbers of the same tree without."""
    if isinstance(placed, Fields):
        pairs = plain if isinstance(plain, Fields) else plain.items()
        return Fields(
            (name, _with_numbers(value, other))
            for (name, value), (_, other) in zip(placed, pairs, strict=False)
        )
    if isinstance(placed, dict):
        return {name: _with_numbers(value, plain[name]) for name, value in placed.items()}
    if isinstance(placed, list):
        return [_with_numbers(value, other) for value, other in zip(placed, plain, strict=False)]
    return plain if placed is None else placed
