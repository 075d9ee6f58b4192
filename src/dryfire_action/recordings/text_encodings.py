"""Which encoding a file's text is in: told by its mark, or, without one, by where its zero bytes stand.

Text of ASCII in UTF-16 has a zero in every second byte, in UTF-32 three in every fourth. A search that takes it for
bytes sees no word in it, so it would pass in silence.
"""

from __future__ import annotations

# The longer marks first: that of UTF-32 begins with that of UTF-16.
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
# Of the first bytes: so many are looked at, and so large a share of a place's bytes must be zero.
_HEAD = 4096
_SHARE = 0.6


def encoding_of(data: bytes) -> str:
    """The name of the encoding, `utf-8` where nothing says otherwise."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    head = data[:_HEAD]
    if len(head) < 8 or b"\0" not in head:
        return "utf-8"
    zeros = [_share(head[place::4]) for place in range(4)]
    if zeros[0] < _SHARE <= min(zeros[1:]):
        return "utf-32-le"
    if zeros[3] < _SHARE <= min(zeros[:3]):
        return "utf-32-be"
    if max(zeros[0], zeros[2]) < _SHARE <= min(zeros[1], zeros[3]):
        return "utf-16-le"
    if max(zeros[1], zeros[3]) < _SHARE <= min(zeros[0], zeros[2]):
        return "utf-16-be"
    return "utf-8"


def encoded(text: str, like: bytes) -> bytes:
    """A text in the encoding of the bytes that it was read from: with their mark, and their order of bytes."""
    encoding = encoding_of(like)
    if encoding not in ("utf-16", "utf-32"):
        return text.encode(encoding)
    is_big = like.startswith((b"\xfe\xff", b"\x00\x00\xfe\xff"))
    return f"\ufeff{text}".encode(f"{encoding}-{'be' if is_big else 'le'}")


def _share(part: bytes) -> float:
    return part.count(0) / len(part)
