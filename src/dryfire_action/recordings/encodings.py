"""Bytes inside bytes: gzip, zlib, deflate, brotli and zstd, and base64 and hexadecimal text that stands for bytes.

Each opener tells by the first bytes whether a body is its own, and returns with the content a function that closes
it again in the same way.
"""

from __future__ import annotations

import binascii
import re
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

from dryfire_action.late_pattern import late
from dryfire_action.recordings.limits import MAX_OPENED, MAX_RATIO, LimitReached
from dryfire_action.recordings.text_encodings import encoding_of

# What begins so is a picture, a sound, a film, a document, a font or a program; nothing is compressed text in it.
_MEDIA = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"ID3", b"\xff\xfb", b"\xff\xf3", b"OggS", b"fLaC",
    b"%PDF", b"\x00\x00\x00\x18ftyp", b"\x00\x00\x00\x1cftyp", b"\x00\x00\x00 ftyp", b"wOF2", b"wOFF",
    b"\x1aE\xdf\xa3", b"\x7fELF", b"BM", b"II*\x00", b"MM\x00*", b"\x00asm",
)  # fmt: skip
_BASE64 = late(r"[A-Za-z0-9+/\r\n\t ]*+[=\r\n\t ]{0,8}", re.ASCII)
_BASE64URL = late(r"[A-Za-z0-9_-]*+={0,2}", re.ASCII)
_HEX = late(r"(?:[0-9a-f]{2})++|(?:[0-9A-F]{2})++", re.ASCII)
_ZSTD = b"\x28\xb5\x2f\xfd"
_XZ = b"\xfd7zXZ\x00"
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")
_SPACE = late(r"[\r\n\t ]+")
# The first characters of a base64 text tell whether it holds text: so many are looked at.
_HEAD = 128
_LEAST_GUESSED = 48


class Opened(NamedTuple):
    """What was in a layer: its content, the layer's name for people, how to close it around new content, and whether
    it was all there."""

    data: bytes
    name: str
    close: Callable[[bytes], bytes]
    is_whole: bool = True


class Decoded(NamedTuple):
    """The bytes that a text stands for, the name of the notation, and how to write other bytes in it."""

    data: bytes
    name: str
    write: Callable[[bytes], str]


def decompressed(data: bytes, declared: str = "", *, budget: int = MAX_OPENED) -> Opened | None:
    """The content of a compressed body; None where it is not compressed.

    `declared` is what a `content-encoding` header says, which is needed for brotli and bare deflate. Raises
    `LimitReached` for more than `budget` bytes, or more than 1,200 times what there is.
    """
    if data[:2] == b"\x1f\x8b":
        return _zlib_opened(data, 31, "gzip", budget)
    if data[:4] == _ZSTD:
        return _zstd_opened(data, budget)
    if data[:3] == b"BZh" and data[4:10] in _BZIP2_BLOCKS:
        return _by_steps(data, "bzip2", budget)
    if data[:6] == _XZ:
        return _by_steps(data, "xz", budget)
    if len(data) > 2 and data[0] & 15 == 8 and data[0] >> 4 <= 7 and (data[0] << 8 | data[1]) % 31 == 0:
        found = _zlib_opened(data, 15, "deflate", budget)
        if found:
            return found
    names = [name.strip().lower() for name in declared.split(",")]
    if "br" in names:
        return _brotli_opened(data, budget)
    if "deflate" in names:
        return _zlib_opened(data, -15, "deflate", budget)
    return None


def guessed(data: bytes, *, budget: int = MAX_OPENED) -> Opened | None:
    """The content of bytes that nobody says anything about, if they are brotli or bare deflate around text."""
    for open_ in (_brotli_opened, lambda data, budget: _zlib_opened(data, -15, "deflate", budget)):
        found = open_(data, budget)
        if found is not None and is_text(found.data):
            return found
    return None


def is_text(data: bytes) -> bool:
    """Whether bytes are UTF-8 text, or begin as such."""
    head = data[:512]
    if not head or b"\0" in head:
        return False
    try:
        text = head.decode()
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3 or len(data) <= 512:
            return False
        text = head[: error.start].decode()
    if text.isprintable():
        return True
    return sum(not (character.isprintable() or character in "\r\n\t") for character in text) * 50 <= len(text)


def is_archive(data: bytes) -> bool:
    """Whether bytes begin as a zip archive."""
    return data[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def is_media(data: bytes) -> bool:
    """Whether bytes are a picture, a sound, a document or the like."""
    return data.startswith(_MEDIA)


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


def chunks_of_hex(items: list[str]) -> bytes | None:
    """The bytes of a list of hexadecimal texts, if they are compressed or a text."""
    if not all(_HEX.fullmatch(item) for item in items) or sum(map(len, items)) < 32:
        return None
    return _worth_opening(bytes.fromhex("".join(items)))


def chunks_of_base64(items: list[str]) -> bytes | None:
    """The bytes of a list of base64 texts, if they are compressed or a text."""
    if sum(map(len, items)) < 32 or not all(_BASE64.fullmatch(item) for item in items):
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


def decompressed_head(data: bytes) -> bool:
    """Whether bytes begin as something compressed that is known by its first bytes."""
    if data[:2] == b"\x1f\x8b" or is_surely_compressed(data):
        return True
    return data[:1] == b"\x78" and data[1:2] in (b"\x01", b"\x5e", b"\x9c", b"\xda")


def is_surely_compressed(data: bytes) -> bool:
    """Whether bytes begin with so many that are found in nothing else: who cannot open them says so."""
    return (
        data[:3] == b"\x1f\x8b\x08"
        or data[:4] == _ZSTD
        or data[:6] == _XZ
        or (data[:3] == b"BZh" and data[4:10] in _BZIP2_BLOCKS)
    )


def _promises(text: str) -> bool:
    """Whether the beginning of a text, taken as base64, is text or compressed."""
    head = _SPACE.sub("", text[: _HEAD + 8])[:_HEAD]
    head = head.rstrip("=")
    head = head[: len(head) // 4 * 4]
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


def _zlib_opened(data: bytes, window: int, name: str, budget: int) -> Opened | None:
    """Every member of a gzip file, or one zlib stream; None where the bytes are no such thing, or are cut off."""
    parts: list[bytes] = []
    rest, size, is_whole = data, 0, True
    limit = min(budget, MAX_RATIO * len(data) + 4096)
    try:
        while rest:
            stream = zlib.decompressobj(window)
            parts.append(stream.decompress(rest, limit - size + 1))
            size += len(parts[-1])
            if size > limit:
                raise LimitReached("too-large", f"a {name} body holds more than {limit:,} bytes")
            if not stream.eof:
                is_whole = False  # cut off: what is there counts
                break
            rest = stream.unused_data
            if window != 31 or not rest.startswith(b"\x1f\x8b"):
                # What stands behind it is searched, too: as if it were in it.
                if rest.strip(b"\0"):
                    parts.append(rest)
                break
    except zlib.error:
        if not size:
            return None
        is_whole = False
    if not is_whole and (window != 31 or not size):
        return None
    return Opened(b"".join(parts), name, _zlib_closer(data, window), is_whole)


def _zlib_closer(data: bytes, window: int) -> Callable[[bytes], bytes]:
    if window == 31:
        import gzip

        when = int.from_bytes(data[4:8], "little")
        return lambda new: gzip.compress(new, mtime=when)

    def close(new: bytes) -> bytes:
        stream = zlib.compressobj(9, zlib.DEFLATED, window)
        return stream.compress(new) + stream.flush()

    return close


def _by_steps(data: bytes, name: str, budget: int) -> Opened | None:
    """Every stream of a bzip2 or xz file, and what stands behind them."""
    import bz2
    import lzma

    limit = min(budget, 10_000 * len(data) + 4096)
    parts: list[bytes] = []
    rest, size, is_whole = data, 0, True
    try:
        while rest and decompressed_head(rest):
            stream: Any = (
                bz2.BZ2Decompressor() if name == "bzip2" else lzma.LZMADecompressor(memlimit=1 << 28)
            )
            parts.append(stream.decompress(rest, limit - size + 1))
            size += len(parts[-1])
            if size > limit:
                raise LimitReached("too-large", f"a {name} body holds more than {limit:,} bytes")
            if not stream.eof:
                is_whole = False
                break
            rest = stream.unused_data
        else:
            parts.append(rest.strip(b"\0"))
    except (OSError, EOFError, ValueError, lzma.LZMAError):
        is_whole = False
    if not is_whole and not size:
        return None
    close = bz2.compress if name == "bzip2" else lzma.compress
    return Opened(b"".join(parts), name, close, is_whole)


def _brotli_opened(data: bytes, budget: int) -> Opened | None:
    import brotli  # type: ignore[import-untyped]

    limit = min(budget, 4000 * len(data) + 4096)
    parts: list[bytes] = []
    size = 0
    decoder: Any = brotli.Decompressor()
    try:
        chunk = decoder.process(data, output_buffer_limit=1 << 20)
        while True:
            parts.append(chunk)
            size += len(chunk)
            if size > limit:
                raise LimitReached("too-large", f"a brotli body holds more than {limit:,} bytes")
            if decoder.is_finished() or decoder.can_accept_more_data():
                break
            chunk = decoder.process(b"", output_buffer_limit=1 << 20)
    except brotli.error:
        return None
    if not decoder.is_finished():
        return None
    return Opened(b"".join(parts), "brotli", lambda new: bytes(brotli.compress(new, quality=5)))


def _zstd_opened(data: bytes, budget: int) -> Opened | None:
    import zstandard

    limit = min(budget, 4000 * len(data) + 4096)
    parts: list[bytes] = []
    size, is_whole = 0, True
    try:
        with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(
            data, read_across_frames=True
        ) as reader:
            while chunk := reader.read(1 << 20):
                parts.append(chunk)
                size += len(chunk)
                if size > limit:
                    raise LimitReached("too-large", f"a zstd body holds more than {limit:,} bytes")
    except zstandard.ZstdError:
        if not size:
            return None
        is_whole = False
    close = zstandard.ZstdCompressor().compress
    return Opened(b"".join(parts), "zstd", lambda new: bytes(close(new)), is_whole)
