"""Texts that write some of their characters as escapes: fragments of JSON and JavaScript, HTML, mail.

A text that is JSON throughout is read as such. A fragment of it among other words is not, and a `-` written `\\u002d`
would hide the key it stands in.
"""

from __future__ import annotations

from typing import NamedTuple

from dryfire_action.late_pattern import late

_ESCAPE = (
    r"\\+u00(?P<u>[0-9A-Fa-f]{2})|\\+x(?P<x>[0-9A-Fa-f]{2})|&#0{0,4}(?P<d>[0-9]{2,3});|&#[xX]0{0,4}(?P<h>[0-9A-Fa-f]{2});"
    r"|(?P<n>[\u00ad\u200b-\u200d\u2060\ufeff])"
)
_ESCAPES = late(_ESCAPE)
# Mail says so where it writes lines like that.
_MAIL_ESCAPES = late(_ESCAPE + r"|=(?P<q>[0-9A-F]{2})|=(?P<s>[ \t]{0,9}\r?\n)")
_MAIL = "quoted-printable"
_INVISIBLE = ("\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff")


class Unescaped(NamedTuple):
    """A text with its escapes read, and for each of its characters, and its end, the place it is written at."""

    text: str
    places: list[int]


def may_be_escaped(text: str) -> bool:
    """Whether a text shows a sign of an escape, or of a character that nobody sees."""
    if "\\u00" in text or "\\x" in text or "&#" in text or _MAIL in text:
        return True
    return not text.isascii() and any(mark in text for mark in _INVISIBLE)


def unescaped(text: str) -> Unescaped | None:
    """The text as it reads; None where no character is escaped. Only characters up to ÿ are looked for."""
    if not may_be_escaped(text):
        return None
    pattern = _MAIL_ESCAPES if _MAIL in text else _ESCAPES
    parts: list[str] = []
    places: list[int] = []
    at = 0
    for escape in pattern.finditer(text):
        parts.append(text[at : escape.start()])
        places.extend(range(at, escape.start()))
        at = escape.end()
        kind = escape.lastgroup or ""
        written = escape[kind]
        if kind in "ns":
            continue  # nothing is seen there
        code = int(written, 10 if kind == "d" else 16)
        if code < 256:
            parts.append(chr(code))
            places.append(escape.start())
    if not at:
        return None
    parts.append(text[at:])
    places.extend(range(at, len(text) + 1))
    return Unescaped("".join(parts), places)
