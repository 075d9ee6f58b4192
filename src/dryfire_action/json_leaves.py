"""JSON text as a tree whose texts know where they stand in it.

`json.loads` is fast and forgets the places; this reader is slow and keeps them. Redaction parses with the
first, and with the second only where something was found.
"""

from __future__ import annotations

import json
import re
from typing import Any

from dryfire_action.late_pattern import late

_SPACE = late(r"[ \t\r\n]*+")
_STRING = late(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL)
_SCALAR = late(r"[-+A-Za-z0-9.]++")
_ESCAPE = late(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_DEEPEST = 200


class Fields(list[tuple[str, Any]]):
    """The fields of an object in which a name stands twice, so that neither value is lost."""


class LocatedText(str):
    """A JSON string, decoded, that knows the text it was written as and where that begins."""

    __slots__ = ("_places", "raw", "start")

    raw: str
    start: int
    _places: list[int]

    def written_as_it_is(self) -> None:
        """Say that the text was written without escapes: each character stands for itself."""
        self._places = list(range(len(self.raw) + 1))

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The span in the JSON text that a span of the decoded text was written as."""
        if "\\" not in self.raw:
            return self.start + start, self.start + end
        if not hasattr(self, "_places"):
            self._places = _places(self.raw)
        return self.start + self._places[start], self.start + self._places[end]


def _places(raw: str) -> list[int]:
    """Where each character of the decoded text begins in the text as it is written, and where that ends."""
    places: list[int] = []
    at = 0
    for escape in _ESCAPE.finditer(raw):
        places.extend(range(at, escape.start() + 1))
        at = escape.end()
    places.extend(range(at, len(raw) + 1))
    return places


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | Fields:
    fields = dict(pairs)
    return fields if len(fields) == len(pairs) else Fields(pairs)


_DECODER = json.JSONDecoder(object_pairs_hook=_object, strict=False)


def may_be_json(text: str) -> bool:
    """Whether a text begins and ends as a JSON object or array does."""
    head = text[:64].lstrip()[:1]
    if head not in ("{", "["):
        return False
    return text[-64:].rstrip()[-1:] == ("}" if head == "{" else "]")


def parsed(text: str) -> Any:
    """The tree of a JSON text that is an object or an array; None for any other text.

    Objects are dicts, or `Fields` where a name stands twice.
    """
    if not may_be_json(text):
        return None
    try:
        tree, end = _DECODER.raw_decode(text) if text[0] in "{[" else (None, 0)
        return tree if end == len(text) else _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def located(text: str) -> Any:
    """The same tree with `LocatedText` for every string, names included; None where the text is not JSON,
    or is nested deeper than 200."""
    try:
        value, _ = _value(text, _after_space(text, 0), 0)
    except (ValueError, IndexError):
        return None
    return value


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _string(text: str, at: int) -> tuple[LocatedText, int]:
    match = _STRING.match(text, at)
    if match is None:
        raise ValueError(f"no string at {at}")
    raw = match[1]
    leaf = LocatedText(json.loads(match[0], strict=False) if "\\" in raw else raw)
    leaf.raw, leaf.start = raw, match.start(1)
    return leaf, match.end()


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    head = text[at]
    if head == '"':
        return _string(text, at)
    if head == "{":
        return _members(text, at, depth)
    if head == "[":
        return _items(text, at, depth)
    match = _SCALAR.match(text, at)
    if match is None:
        raise ValueError(f"no value at {at}")
    return None, match.end()


def _members(text: str, at: int, depth: int) -> tuple[dict[str, Any] | Fields, int]:
    pairs: list[tuple[str, Any]] = []
    at = _after_space(text, at + 1)
    while text[at] != "}":
        name, at = _string(text, at)
        at = _after_space(text, at)
        if text[at] != ":":
            raise ValueError(f"no colon at {at}")
        value, at = _value(text, _after_space(text, at + 1), depth + 1)
        pairs.append((name, value))
        at = _after_space(text, at)
        if text[at] == ",":
            at = _after_space(text, at + 1)
    return _object(pairs), at + 1


def _items(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    at = _after_space(text, at + 1)
    while text[at] != "]":
        value, at = _value(text, _after_space(text, at), depth + 1)
        items.append(value)
        at = _after_space(text, at)
        if text[at] == ",":
            at = _after_space(text, at + 1)
    return items, at + 1
