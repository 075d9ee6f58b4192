"""What bytes are, by how they begin: text, a picture or the like, an archive."""

from __future__ import annotations

# What begins so is a picture, a sound, a film, a document, a font or a program; nothing is compressed text in it.
_MEDIA = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"ID3", b"\xff\xfb", b"\xff\xf3", b"OggS", b"fLaC",
    b"%PDF", b"\x00\x00\x00\x18ftyp", b"\x00\x00\x00\x1cftyp", b"\x00\x00\x00 ftyp", b"wOF2", b"wOFF",
    b"\x1aE\xdf\xa3", b"\x7fELF", b"BM", b"II*\x00", b"MM\x00*", b"\x00asm",
)  # fmt: skip


def is_text(data: bytes) -> bool:
    """Whether bytes are UTF-8 text, or begin as such."""
    head = data[:512]
    if not head or b"\0" in head:
        return False
    if len(data) <= len(head):
        # Most short words are no base64 of a text: to catch an error for each takes longer than to read what is left.
        text = head.decode("utf-8", "ignore")
        if len(text) != len(head) and len(text.encode()) != len(head):
            return False
        return _is_printed(text)
    try:
        text = head.decode()
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3:
            return False
        text = head[: error.start].decode()
    return _is_printed(text)


def _is_printed(text: str) -> bool:
    if text.isprintable():
        return True
    return sum(not (character.isprintable() or character in "\r\n\t") for character in text) * 50 <= len(text)


def is_archive(data: bytes) -> bool:
    """Whether bytes begin as a zip archive."""
    return data[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def is_media(data: bytes) -> bool:
    """Whether bytes are a picture, a sound, a document or the like."""
    return data.startswith(_MEDIA)
