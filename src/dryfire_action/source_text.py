"""Files as text: decoding, lines, and the characters that may stand in a suite.

A byte order mark is no text, and lines end where editors and git see them end: at LF, CRLF or CR.
"""

from __future__ import annotations

import re
from itertools import chain

from dryfire_action.errors import Place, Problem, SpecError

# What YAML allows to stand unescaped.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Characters that are text in YAML 1.2 (or in JSON), but line breaks to the parser, or refused by it.
_FOREIGN = re.compile("[\x85\u2028\u2029\ufeff]")
_FOREIGN_JSON = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_PRIVATE_USE = (range(0xE000, 0xF900), range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE))
_ESCAPED_PAIR = re.compile(
    r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
)
_LINE_END = re.compile(r"\r\n|\n|\r")


def decoded(data: bytes, file: str) -> str:
    """``data`` as UTF-8 text. Raises ``SpecError`` with the place of the first bad byte."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The position counts from after a byte order mark, where there is one.
        body = data.removeprefix(b"\xef\xbb\xbf")
        lines = lines_of(body[: error.start].decode())
        place = Place(file, len(lines), len(lines[-1]) + 1)
        message = f"the file is not UTF-8: byte 0x{body[error.start]:02x}"
        raise SpecError([Problem(place, message, hint="Save the file as UTF-8.", slug="yaml")]) from None


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of ``text`` without their ends."""
    return tuple(_LINE_END.split(text))


def parsable(text: str, file: str) -> tuple[str, dict[int, str]]:
    """``text`` as the YAML parser can read it, and what stands in for characters that it cannot.

    The stand-ins are private characters that the text does not hold; ``str.translate`` with the map puts
    the true ones back. Lines and columns stay what they were. A ``file`` that ends in ``.json`` may hold
    what JSON allows. Raises ``SpecError`` for a character that may not stand in a file.
    """
    foreign = _FOREIGN
    if file.endswith(".json"):
        # JSON writes a character beyond U+FFFF as two escapes, which YAML does not know.
        text = _ESCAPED_PAIR.sub(_joined_pair, text)
        foreign = _FOREIGN_JSON
    stand_ins: dict[int, str] = {}
    if used := sorted(set(foreign.findall(text))):
        present = set(text)
        free = (code for code in chain(*_PRIVATE_USE) if chr(code) not in present)
        stand_ins = dict(zip(free, used, strict=False))
        text = text.translate({ord(char): code for code, char in stand_ins.items()})
    if found := _FORBIDDEN.search(text):
        raise SpecError([_forbidden(text, found.start(), file)])
    return text, stand_ins


def _forbidden(text: str, position: int, file: str) -> Problem:
    code = ord(text[position])
    before = lines_of(text[:position])
    hint = f'Remove it, or write it in double quotes as "\\u{code:04x}".'
    if 0xD800 <= code <= 0xDFFF:
        hint = "Half a surrogate pair is no character: remove it."
    return Problem(
        Place(file, len(before), len(before[-1]) + 1),
        f"the character U+{code:04X} may not stand in a file",
        hint=hint,
        source_line=lines_of(text)[len(before) - 1],
        slug="yaml",
    )


def _joined_pair(match: re.Match[str]) -> str:
    code = 0x10000 + ((int(match[2], 16) - 0xD800) << 10) + (int(match[3], 16) - 0xDC00)
    return f"{match[1]}\\U{code:08x}"
