"""Texts that stand for bytes: base64, hexadecimal, and one character a byte."""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from dryfire_action.late_pattern import late
from dryfire_action.recordings.byte_kinds import is_media, is_text
from dryfire_action.recordings.compression import decompressed_head, guessed
from dryfire_action.recordings.limits import LimitReached
from dryfire_action.recordings.text_encodings import encoding_of

_BASE64 = late(r"[A-Za-z0-9+/\r\n\t ]*+[=\r\n\t ]{0,8}", re.ASCII)
_BASE64URL = late(r"[A-Za-z0-9_-]*+={0,2}", re.ASCII)
_HEX = late(r"(?:[0-9a-f]{2})++|(?:[0-9A-F]{2})++", re.ASCII)
_SPACE = late(r"[\r\n\t ]+")
# The first characters of a base64 text tell whether it holds text: so many are looked at.
_HEAD = 128
# What begins so has a first byte from 128 to 191, as no text and nothing compressed has: `req_…`, `msg_…`, `toolu_…`.
_NO_BEGINNING = frozenset("ghijklmnopqrstuv")
_LEAST_GUESSED = 48
_LEAST_CHUNK = 16
LEAST_IN_CHUNKS = 32
"""So many characters have, together, the texts of a list that hold something together."""


class Decoded(NamedTuple):
    """The bytes that a text stands for, the name of the notation, and how to write other bytes in it."""

    data: bytes
    name: str
    write: Callable[[bytes], str]


def from_base64(text: str, *, declared: bool = False, least: int = 24) -> Decoded | None:
    """The bytes of a text that is base64 throughout, also over several lines, and None for any other.

    Unless it is `declared` to be base64, it must have `least` characters and hold text or something compressed:
    most long words are no base64, and most base64 is a picture or a digest.
    """
    if not declared and (len(text) < least or (len(text) < _LEAST_GUESSED * 4 // 3 and not _promises(text))):
        return None
    if not declared and _HEX.fullmatch(text):
        return None  # a digest: base64 of that length is not written with sixteen characters by chance
    if _BASE64.fullmatch(text):
        altchars = b"+/"
    elif _BASE64URL.fullmatch(text):
        altchars = b"-_"
    else:
        return None
    try:
        data = _unbase64(text, altchars)
    except ValueError:
        return None
    if not declared and _worth_opening(data) is None:
        return None
    return Decoded(data, "base64", _base64_writer(text, altchars))


def is_base64(text: str) -> bool:
    """Whether a text is made of the characters of base64."""
    return bool(_BASE64.fullmatch(text) or _BASE64URL.fullmatch(text))


def from_characters(text: str) -> Decoded | None:
    """The bytes that a text writes one a character; None where a character is more than a byte."""
    try:
        data = text.encode("latin-1")
    except UnicodeEncodeError:
        return None
    return Decoded(data, "bytes", lambda new: new.decode("latin-1"))


def from_hex(text: str) -> Decoded | None:
    """The bytes of a text that is hexadecimal throughout and compressed, or a longer text."""
    if len(text) < 32 or not _HEX.fullmatch(text):
        return None
    data = bytes.fromhex(text)
    if not (decompressed_head(data) or (len(data) >= 24 and is_text(data))):
        return None
    upper = text != text.lower()
    return Decoded(data, "hex", lambda new: new.hex().upper() if upper else new.hex())


def may_be_chunks(items: list[Any]) -> bool:
    """Whether a list that begins with a text may be one of hexadecimal or base64 texts that hold something together."""
    first = items[0]
    if len(first) < _LEAST_CHUNK:
        return False
    return _BASE64.fullmatch(first) is not None and all(isinstance(item, str) for item in items)


def chunks_of_hex(items: list[str]) -> bytes | None:
    """The bytes of a list of hexadecimal texts, if they are compressed or a text."""
    if not all(_HEX.fullmatch(item) for item in items) or sum(map(len, items)) < LEAST_IN_CHUNKS:
        return None
    return _worth_opening(bytes.fromhex("".join(items)))


def chunks_of_base64(items: list[str]) -> bytes | None:
    """The bytes of a list of base64 texts, if they are compressed or a text."""
    if sum(map(len, items)) < LEAST_IN_CHUNKS or not all(_BASE64.fullmatch(item) for item in items):
        return None
    try:
        return _worth_opening(b"".join(_unbase64(item, b"+/") for item in items))
    except ValueError:
        return None


def as_chunks(data: bytes, count: int, name: str) -> list[str]:
    """Bytes as a list of so many texts, `hex` or `base64`."""
    size = -(-len(data) // count) or 1
    parts = [data[at * size : (at + 1) * size] for at in range(count)]
    if name == "hex":
        return [part.hex() for part in parts]
    return [binascii.b2a_base64(part, newline=False).decode() for part in parts]


def _worth_opening(data: bytes) -> bytes | None:
    if decompressed_head(data) or is_text(data) or encoding_of(data) not in ("utf-8", "utf-8-sig"):
        return data
    return data if _is_guessable(data) else None


def _is_guessable(data: bytes) -> bool:
    """Whether bytes are brotli or bare deflate, which cannot be told by their beginning."""
    if len(data) < _LEAST_GUESSED or is_media(data):
        return False
    try:
        return guessed(data) is not None
    except LimitReached:
        return True  # whoever opens it says so


def _promises(text: str) -> bool:
    """Whether the beginning of a text, taken as base64, is text or compressed."""
    if text[0] in _NO_BEGINNING and _SPACE.search(text) is None:
        return False
    head = _SPACE.sub("", text[: _HEAD + 8])[:_HEAD]
    head = head.rstrip("=")
    rest = len(head) % 4
    if rest > 1 and len(text) <= _HEAD:
        # All of it: a letter of several bytes that is cut at its end would be taken for no text.
        head += "=" * (4 - rest)
    else:
        head = head[: len(head) - rest]
    if len(head) < 16:
        return len(text) >= 16
    try:
        data = binascii.a2b_base64(head.replace("-", "+").replace("_", "/"), strict_mode=True)
    except ValueError:
        return False
    return decompressed_head(data) or is_text(data + b" " * 4 if len(text) <= _HEAD else data * 6)


def _unbase64(text: str, altchars: bytes) -> bytes:
    plain = _SPACE.sub("", text).rstrip("=")
    if altchars == b"-_":
        plain = plain.replace("-", "+").replace("_", "/")
    return binascii.a2b_base64(plain + "=" * (-len(plain) % 4), strict_mode=True)


def _base64_writer(text: str, altchars: bytes) -> Callable[[bytes], str]:
    padded = "=" in text or len(_SPACE.sub("", text)) % 4 == 0
    lines = text.splitlines(keepends=True)
    first = lines[0] if lines else ""
    width = len(first.rstrip("\r\n")) if len(first) < len(text) else 0
    newline = first[width:] if width else ""
    tail = text[len(text.rstrip("\r\n\t ")) :]

    def write(new: bytes) -> str:
        plain = binascii.b2a_base64(new, newline=False).decode()
        if altchars == b"-_":
            plain = plain.replace("+", "-").replace("/", "_")
        if not padded:
            plain = plain.rstrip("=")
        if width and newline:
            plain = newline.join(plain[at : at + width] for at in range(0, len(plain), width))
        return plain + tail

    return write
