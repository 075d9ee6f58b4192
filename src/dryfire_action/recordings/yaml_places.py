"""Where each character of a YAML scalar stands in the file, for every style of scalar.

A parser hands out the text of a scalar and the place where it begins and ends. An edit inside it needs more: which
piece of the file stands for which piece of the text. Each style is read here once more, keeping that; whatever
comes out must equal the parser's text, or the scalar is rewritten as a whole.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_CODES = {"x": 2, "u": 4, "U": 8}
_BREAK = re.compile(r"[ \t]*(?:\r\n|\n|\r)(?:[ \t]*(?:\r\n|\n|\r))*[ \t]*")
_NEWLINE = re.compile(r"\r\n|\n|\r")
_BLOCK_HEAD = re.compile(r"[|>][0-9+-]{0,2}[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r)")


class Places(NamedTuple):
    """The text of a scalar, and for each of its characters, and its end, the place it is written at."""

    text: str
    places: list[int]


def flow_places(raw: str, style: str | None) -> Places | None:
    """The places in a plain, single-quoted (`'`) or double-quoted (`"`) scalar; `raw` has its quotes."""
    start, end = (1, len(raw) - 1) if style else (0, len(raw))
    text: list[str] = []
    places: list[int] = []
    at = start
    while at < end:
        character = raw[at]
        if style == "'" and character == "'":
            text.append("'")
            places.append(at)
            at += 2
        elif style == '"' and character == "\\":
            at = _escape(raw, at, end, text, places)
            if at < 0:
                return None
        elif character in " \t\r\n" and (folded := _BREAK.match(raw, at, end)):
            breaks = len(_NEWLINE.findall(folded[0]))
            for written in " " if breaks == 1 else "\n" * (breaks - 1):
                text.append(written)
                places.append(at)
            at = folded.end()
        else:
            text.append(character)
            places.append(at)
            at += 1
    places.append(end)
    return Places("".join(text), places)


def _escape(raw: str, at: int, end: int, text: list[str], places: list[int]) -> int:
    """Read the escape at a place; where the next character begins, or -1 where it is none."""
    kind = raw[at + 1 : at + 2]
    if kind in ("\n", "\r"):
        # An escaped line end is nothing, and so is what the next line begins with.
        after = _NEWLINE.match(raw, at + 1)
        at = after.end() if after else at + 2
        while at < end and (raw[at] in " \t" or raw[at] in "\r\n"):
            if raw[at] in "\r\n" and (after := _NEWLINE.match(raw, at)):
                text.append("\n")
                places.append(at)
                at = after.end()
            else:
                at += 1
        return at
    if kind in _CODES:
        width = _CODES[kind]
        try:
            text.append(chr(int(raw[at + 2 : at + 2 + width], 16)))
        except ValueError:
            return -1
        places.append(at)
        return at + 2 + width
    if kind not in _ESCAPES:
        return -1
    text.append(_ESCAPES[kind])
    places.append(at)
    return at + 2


def block_places(raw: str, expected: str) -> Places | None:
    """The places in a literal or folded block scalar; `raw` begins with its `|` or `>`."""
    head = _BLOCK_HEAD.match(raw)
    if head is None:
        return None
    lines = _lines(raw, head.end())
    indent = _indent(raw[: head.end()], lines, raw, expected)
    text: list[str] = []
    places: list[int] = []
    folds = raw[0] == ">"
    before = ""
    for number, (start, end, _) in enumerate(lines):
        content = raw[start + indent : end] if end - start > indent else ""
        text.append(content)
        places.extend(range(start + indent, start + indent + len(content)))
        after = lines[number + 1][1] - lines[number + 1][0] > indent if number + 1 < len(lines) else False
        newline = "\n"
        if folds and content and content[0] not in " \t":
            following = next((raw[s + indent : e] for s, e, _ in lines[number + 1 :] if e - s > indent), "")
            if following and following[0] not in " \t":
                newline = " " if after else ""
        text.append(newline)
        places.extend([end] * len(newline))
        before = content
    del before
    whole = "".join(text)
    if not whole.startswith(expected.rstrip("\n")) or whole.rstrip("\n") != expected.rstrip("\n"):
        return None
    whole, places = whole[: len(expected)], places[: len(expected)]
    if whole != expected:
        return None
    places.append(places[-1] + 1 if places and expected[-1] != "\n" else (places[-1] if places else len(raw)))
    return Places(whole, places)


def _lines(raw: str, at: int) -> list[tuple[int, int, int]]:
    """Start, end and beginning of the next of every line from a place on."""
    found = []
    while at < len(raw):
        newline = _NEWLINE.search(raw, at)
        end, after = newline.span() if newline else (len(raw), len(raw))
        found.append((at, end, after))
        at = after
    return found


def _indent(head: str, lines: list[tuple[int, int, int]], raw: str, expected: str) -> int:
    first = next(((start, end) for start, end, _ in lines if raw[start:end].strip(" ")), None)
    if first is None:
        return 0
    start, end = first
    written = raw[start:end]
    spaces = len(written) - len(written.lstrip(" "))
    if any(digit in head for digit in "123456789"):
        # An indentation indicator: the text itself begins with spaces.
        wanted = next((line for line in expected.split("\n") if line.strip(" ")), "")
        spaces -= len(wanted) - len(wanted.lstrip(" "))
    return max(0, spaces)
