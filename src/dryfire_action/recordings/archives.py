"""Archives of files (zip, and with it the documents of office programs), which are looked into but not rewritten."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dryfire_action.recordings.limits import LimitReached

if TYPE_CHECKING:
    import zipfile

_MOST_MEMBERS = 5000


class Member(NamedTuple):
    """A file of an archive; `data` is None where it is encrypted, damaged or packed in an unknown way."""

    name: str
    data: bytes | None


def members(data: bytes, *, budget: int) -> Iterator[Member]:
    """The files of an archive. Raises `LimitReached` for too many of them, or for more than `budget` bytes."""
    import zipfile  # loads more than Python itself needs to start, and few recordings hold an archive

    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        yield Member("", None)
        return
    with archive:
        listed = archive.infolist()
        if len(listed) > _MOST_MEMBERS:
            raise LimitReached(
                "too-large", f"an archive of {len(listed):,} files; {_MOST_MEMBERS:,} are opened"
            )
        for info in listed:
            if info.is_dir():
                continue
            content = _content(archive, info, budget)
            budget -= len(content or b"")
            yield Member(info.filename, content)


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: int) -> bytes | None:
    import zipfile

    try:
        with archive.open(info) as stream:
            content = stream.read(budget + 1)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, zlib.error, OSError, ValueError):
        return None
    if len(content) > budget:
        raise LimitReached("too-large", f"an archive holds more than {budget:,} bytes")
    return content
