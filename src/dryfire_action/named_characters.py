"""Lines of strangers as people can read them: what cannot be seen, or looks like something else, by its name."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from dryfire_action.visible import HIDDEN_CATEGORIES, hidden, normal_form

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Spans = tuple[tuple[int, int], ...]

# Letters, marks and symbols that are drawn as nothing.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
# Scripts with letters that look like Latin ones.
_LOOKALIKE = ("CYRILLIC ", "GREEK ", "ARMENIAN ", "COPTIC ", "CHEROKEE ", "LISU ")
_NAMELESS = {"Cc": "CONTROL", "Cs": "SURROGATE", "Co": "PRIVATE USE", "Cn": "UNASSIGNED"}
_CONTROLS = {0: "NULL", 7: "BELL", 8: "BACKSPACE", 11: "VERTICAL TAB", 12: "FORM FEED", 27: "ESCAPE"}
_PLAIN = re.compile(r"[ -~]*\Z")
_WORD = re.compile(r"\w+")


def named(char: str) -> str:
    """``⟨U+200B ZERO WIDTH SPACE⟩``."""
    if char == "\t":
        return "⟨TAB⟩"
    code = ord(char)
    name = unicodedata.name(char, "") or _CONTROLS.get(code) or _NAMELESS.get(unicodedata.category(char), "")
    return f"⟨U+{code:04X} {name}⟩" if name else f"⟨U+{code:04X}⟩"


def never_seen(text: str, index: int) -> bool:
    """Whether a character is drawn as nothing, or does something to the text around it; a tab does neither."""
    char = text[index]
    if char == "\t" or " " <= char <= "~":
        return False
    return hidden(text, index) or char in _BLANK


def hard_to_see(text: str, index: int) -> bool:
    """Whether a character that makes the difference between two lines could be overlooked."""
    char = text[index]
    if " " <= char <= "~":
        return False
    return (
        unicodedata.category(char) in HIDDEN_CATEGORIES | {"Zs"}
        or char in _BLANK
        or "\ufe00" <= char <= "\ufe0f"  # variation selectors
    )


def look_the_same(old: str, new: str) -> bool:
    """Whether two texts differ only in how their characters are composed, or in letters that look like others."""
    return normal_form("NFKC", old) == normal_form("NFKC", new)


def lookalikes(text: str, span: tuple[int, int], counterpart: str) -> set[int]:
    """The letters in a part of ``text`` that look like Latin ones, where Latin ones are around or were before."""
    found: set[int] = set()
    if _PLAIN.match(text):
        return found
    begin, end = span
    for word in _WORD.finditer(text, begin, end):
        scripts = {index: unicodedata.name(text[index], "") for index in range(*word.span())}
        odd = {index for index, name in scripts.items() if name.startswith(_LOOKALIKE)}
        mixed = any(name.startswith("LATIN ") for name in scripts.values())
        if mixed or (len(counterpart) == end - begin and counterpart.isascii()):
            found |= odd
    return found


def rendered(
    text: str, spans: Spans, reveal: Callable[[int], bool], window: tuple[int, int], *, dots: bool = False
) -> tuple[str, Spans]:
    """The part ``window`` of a line with the characters that ``reveal`` picks by name, and ``spans`` in the result.

    ``dots`` shows blanks at the line's end as ``·``.
    """
    begin, end = window
    body = len(text.rstrip(" \t")) if dots else len(text)
    plain = _PLAIN.match(text, begin, min(end, body))
    pieces = ["…" if begin else ""]
    length = len(pieces[0])
    edges = {}
    wanted = {min(max(edge, begin), end) for span in spans for edge in span}
    at = begin
    if plain:
        at = max(begin, min(end, body))
        pieces.append(text[begin:at])
        edges.update({edge: length + edge - begin for edge in wanted if edge < at})
        length += at - begin
    for index in range(at, end):
        if index in wanted:
            edges[index] = length
        if index >= body:
            piece = "·" if text[index] == " " else "⟨TAB⟩"
        else:
            piece = named(text[index]) if reveal(index) else text[index]
        pieces.append(piece)
        length += len(piece)
    edges[end] = length
    if end < len(text):
        pieces.append("…")
    inside = [(max(a, begin), min(b, end)) for a, b in spans]
    return "".join(pieces), tuple((edges[a], edges[b]) for a, b in inside if a < b)


def window_of(length: int, spans: Sequence[tuple[int, int]], width: int) -> tuple[int, int]:
    """Which part of a line of ``length`` characters is shown: all of it, or ``width`` around its first span."""
    if length <= width:
        return 0, length
    first = spans[0][0] if spans else 0
    begin = max(0, min(first - width // 4, length - width))
    return begin, begin + width
