"""Texts of strangers as one harmless line: what cannot be seen is escaped, what is too long is cut.

Names, paths and recorded texts come from files that anybody can change in a pull request. Shown as they are, they
could move the cursor, turn the reading direction around, hide, or give commands to the log they are shown in.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from dryfire_action.late_pattern import late

if TYPE_CHECKING:
    from typing import Literal

# Joiners make one character of an emoji or of Persian letters; elsewhere they only hide.
_JOINERS = "\u200c\u200d"
# Unicode's controls, formats, halves of pairs, private and unassigned characters, line and paragraph separators.
HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
# Characters that are brought into a normal form at once.
_PIECE = 200
_PRINTABLE_ASCII = late(r"[ -~]*\Z")


def visible(text: str) -> str:
    """``text`` on one line, with every character that cannot be seen written as its escape (``\\u202e``).

    So are the beginnings of commands that GitHub's log viewer would carry out (``##[`` anywhere).
    """
    if not _PRINTABLE_ASCII.match(text):
        text = "".join(_shown(text, index) for index in range(len(text)))
    return text.replace("##[", "#\\x23[")


def harmless(text: str) -> str:
    """``text`` of several lines that GitHub's log viewer will not take for commands to itself."""
    text = text.replace("##[", "#\\x23[")
    return re.sub(r"(?m)^(\s*):(?=:)", r"\1\\x3a", text) if "::" in text else text


def hidden(text: str, index: int) -> bool:
    """Whether a character is drawn as nothing or changes the text around it; joiners where they join do not count."""
    return unicodedata.category(text[index]) in HIDDEN_CATEGORIES and not _joins(text, index)


def normal_form(form: Literal["NFC", "NFKC"], text: str) -> str:
    """``text`` in a normal form of Unicode, in time linear in its length.

    Marks behind a character are put in order in quadratic time, and no signal gets through meanwhile. So the text is
    taken in pieces, cut before characters that nothing before them can change; a run of marks that has no such
    place, which no writing knows, is cut where it is.
    """
    if text.isascii():
        return text
    pieces = []
    start = 0
    while start < len(text):
        end = start + _PIECE
        while end < min(len(text), start + 2 * _PIECE) and not _stands_alone(text[end]):
            end += 1
        pieces.append(unicodedata.normalize(form, text[start:end]))
        start = end
    return "".join(pieces)


def cut(text: str, most: int) -> str:
    """At most ``most`` characters of ``text``; what is missing is said in a count."""
    if len(text) <= most:
        return text
    rest = len(text) - most
    return f"{text[:most]}… ({rest} more character{'' if rest == 1 else 's'})"


def closest(word: str, known: list[str]) -> str:
    """``; did you mean 'x'?`` for the member of ``known`` that ``word`` looks most like; "" where none does."""
    from difflib import get_close_matches

    lowered = {name.lower(): name for name in reversed(known)}
    near = get_close_matches(word.lower()[:200], lowered, n=1, cutoff=0.6)
    return f"; did you mean {visible(lowered[near[0]])!r}?" if near else ""


def _shown(text: str, index: int) -> str:
    char = text[index]
    if not hidden(text, index):
        return char
    if char in _SHORT:
        return _SHORT[char]
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _stands_alone(char: str) -> bool:
    """Whether a character begins anew: no mark, nothing that is put together with what stands before it."""
    return char.isascii() or not (
        unicodedata.category(char).startswith("M")
        or unicodedata.decomposition(char)
        or "\u1100" <= char <= "\u11ff"
    )


def _joins(text: str, index: int) -> bool:
    if text[index] not in _JOINERS or not 0 < index < len(text) - 1:
        return False
    return all(ord(near) > 0x24F and not near.isspace() for near in (text[index - 1], text[index + 1]))
