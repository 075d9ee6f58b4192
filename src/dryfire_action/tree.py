"""The one way files of a repository are read: a tree with a root that nothing leaves.

Suites, prompt files, config and cassettes of a pull request are written by strangers: a link, a pipe or a
path with ``..`` must not lead anywhere else. Paths are relative to the root and use forward slashes.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from dryfire_action.errors import DryfireError

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIG_NAME = "dryfire.yaml"
MAX_BYTES = 5 * 1024 * 1024
# U+200C to U+200F, U+202A to U+202E, U+206A to U+206F and the mark of byte order.
_WITHOUT_WIDTH = frozenset(
    map(chr, (*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF))
)


# Nearly all paths: nothing in them that could mean anything else on some system.
_PLAIN = re.compile(r"(?:(?!\.*(?:/|git))[a-z0-9_.@-]*[a-z0-9_@-]/)*(?!\.*git)[a-z0-9_.@-]*[a-z0-9_@-]")


class TreeError(DryfireError):
    """A path of the repository that must not or cannot be read. ``path`` is its text, ``reason`` says why."""

    slug = "tree"

    def __init__(self, path: str, reason: str, *, remedy: str = "") -> None:
        self.path = path
        self.reason = reason
        super().__init__(f"{path}: {reason}", remedy=remedy)


class IsFolder(TreeError):
    """A path names a folder where a file is wanted."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "is a folder, not a file")


class Tree(Protocol):
    """The files of a folder, of git's index or of a commit."""

    def read(self, path: str) -> bytes | None:
        """The content of a file, None where there is none. Raises ``TreeError``."""
        ...

    def files(self, folder: str = "", *, hidden: bool = False, odd: bool = False) -> Iterator[str]:
        """The paths of all files in ``folder`` and below, in no particular order.

        ``.git`` is left out, and so are folders below ``folder`` whose names begin with a dot, unless ``hidden``.
        Links, pipes and devices are left out unless they are asked for as ``odd``, to be refused by name when read.
        """
        ...


class FolderTree:
    """The files of a folder as they are now. Files of more than ``limit`` bytes are refused."""

    def __init__(self, root: Path, *, limit: int = MAX_BYTES) -> None:
        self.root = root.resolve()
        self.limit = limit
        # Folders in which a file was read before, and so no links: a replay reads thousands from the same few.
        self._folders: set[str] = set()

    def read(self, path: str) -> bytes | None:
        """The content of a regular file, None where there is none.

        Raises ``TreeError`` for links (also above the file), folders, pipes and devices, files beyond the
        limit, and files that the system refuses to read.
        """
        parts = inside(path).split("/")
        # Texts and not `Path`: a replay reads thousands of files.
        place = str(self.root)
        try:
            for part in parts[:-1]:
                place = f"{place}{os.sep}{part}"
                if place not in self._folders:
                    if stat.S_ISLNK(os.lstat(place).st_mode):
                        raise TreeError(path, f"{part} is a symbolic link", remedy=_LINK_REMEDY)
                    self._folders.add(place)
            return self._content(f"{place}{os.sep}{parts[-1]}", path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except ValueError:
            raise TreeError(path, "the path holds a NUL character") from None
        except OSError as error:
            raise TreeError(path, f"cannot be read: {error.strerror or error}") from None

    def files(self, folder: str = "", *, hidden: bool = False, odd: bool = False) -> Iterator[str]:
        """The paths of all regular files in ``folder`` and below; see ``Tree.files``."""
        start = inside(folder) if folder else ""
        place = self.root
        for part in start.split("/") if start else ():
            place = place / part
            if place.is_symlink():
                return
        waiting = [(place, f"{start}/" if start else "")]
        while waiting:
            place, prefix = waiting.pop()
            try:
                entries = list(os.scandir(place))
            except OSError:
                continue
            for entry in entries:
                if entry.name == ".git":
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if entry.name.startswith(".") and not hidden:
                        continue
                    waiting.append((Path(entry.path), f"{prefix}{entry.name}/"))
                elif odd or entry.is_file(follow_symlinks=False):
                    yield prefix + entry.name

    def _content(self, file: str, path: str) -> bytes:
        before = os.lstat(file)
        if stat.S_ISLNK(before.st_mode):
            raise TreeError(path, "is a symbolic link", remedy=_LINK_REMEDY)
        # A pipe that nobody writes to must not block, nor a link that appears meanwhile be followed.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
        _refuse_odd(before, path)
        descriptor = os.open(file, flags | getattr(os, "O_BINARY", 0))
        try:
            found = os.fstat(descriptor)
            _refuse_odd(found, path)
            size, data = found.st_size, b""
            while size <= self.limit:
                wanted = max(size - len(data), 65_535) + 1
                piece = os.read(descriptor, wanted)
                data += piece
                size = max(size, len(data))
                if not piece or (len(piece) < wanted and len(data) >= found.st_size):
                    break
        finally:
            os.close(descriptor)
        if size > self.limit:
            raise TreeError(path, f"has {size:,} bytes, and the limit is {self.limit:,}")
        return data


def inside(path: str, base: str = "") -> str:
    """``path``, relative to the folder ``base``, as a plain path from the root.

    Backslashes are taken for slashes. Raises ``TreeError`` for absolute paths, paths that leave the root,
    git's own folder and the root itself.
    """
    if not base and _PLAIN.fullmatch(path):
        return path
    text = path.replace("\\", "/")
    if text.startswith("/") or text[1:3] == ":/":
        raise TreeError(path, "is an absolute path", remedy="Write it relative to the repository.")
    parts = base.split("/") if base else []
    for part in text.split("/"):
        if part == "..":
            if not parts:
                raise TreeError(path, "leads out of the repository")
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if not parts:
        raise TreeError(path or ".", "is the repository itself, not a file")
    if any(_is_gits_own(part) for part in parts):
        raise TreeError(path, "is git's own folder")
    return "/".join(parts)


def _is_gits_own(name: str) -> bool:
    """Whether some file system takes ``name`` for `.git`.

    Windows leaves out dots and spaces at the end and has short names, macOS leaves out characters without width.
    What git itself refuses is told by its `core.protectNTFS` and `core.protectHFS`.
    """
    if not name.isascii():
        name = "".join(char for char in name if char not in _WITHOUT_WIDTH)
    plain = name.lower()
    return plain.partition(":")[0].rstrip(" .") == ".git" or plain == "git~1"


def folder_of(path: str) -> str:
    """The folder a path of a tree stands in; "" is the root."""
    return path.rpartition("/")[0]


def find_root(start: Path) -> Path:
    """The root of the tree that ``start`` belongs to.

    That is the git root (the nearest folder at or above ``start`` with a ``.git``), else the nearest folder
    at or above with a ``dryfire.yaml``, else ``start``.
    """
    start = start.resolve()
    above = (start, *start.parents)
    for name in (".git", CONFIG_NAME):
        for folder in above:
            if (folder / name).exists():
                return folder
    return start


_LINK_REMEDY = (
    "Links are not followed, because a pull request could point them anywhere. Commit the file itself."
)


def _refuse_odd(found: os.stat_result, path: str) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsFolder(path)
    if not stat.S_ISREG(found.st_mode):
        raise TreeError(path, "is no regular file (a pipe, a socket or a device)")
