"""Bytes inside bytes: gzip, zlib, deflate, brotli, zstd, bzip2 and xz.

Each opener tells by the first bytes whether a body is its own, and returns with the content a function that closes
it again in the same way.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

from dryfire_action.recordings.byte_kinds import is_text
from dryfire_action.recordings.limits import MAX_OPENED, MAX_RATIO, LimitReached

_ZSTD = b"\x28\xb5\x2f\xfd"
_XZ = b"\xfd7zXZ\x00"
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")


class Opened(NamedTuple):
    """What was in a layer: its content, the layer's name for people, how to close it around new content, and whether
    it was all there."""

    data: bytes
    name: str
    close: Callable[[bytes], bytes]
    is_whole: bool = True


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
