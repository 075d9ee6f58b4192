"""A repository at any commit, or its index, read the way a folder is: a ``tree.Tree`` each.

Links and submodules are refused as links are in a folder, so that whoever reads cannot be led anywhere else.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dryfire_action.git_objects import MAX_TREE_BYTES, GitObjects
from dryfire_action.git_process import GitError, ask, refusal
from dryfire_action.tree import MAX_BYTES, IsFolder, TreeError, folder_of, inside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FOLDER, _LINK, _SUBMODULE = "40000", "120000", "160000"


@dataclass(frozen=True, slots=True)
class _Entry:
    mode: str
    oid: str


class CommitTree:
    """The files of a commit. ``revision`` is whatever git understands; ``prefix`` a folder taken as the root.

    ``commit`` is the commit itself. Raises ``GitError`` where there is no such commit here.
    """

    def __init__(
        self, objects: GitObjects, revision: str = "HEAD", *, prefix: str = "", limit: int = MAX_BYTES
    ) -> None:
        found = objects.commit(revision)
        if found is None:
            raise GitError(
                f"there is no commit {revision!r} in this checkout",
                remedy="In a workflow, have more history: fetch-depth: 2, or 0 for all of it.",
            )
        self.commit = found
        self.limit = limit
        self._objects = objects
        self._prefix = prefix

    def read(self, path: str) -> bytes | None:
        """The content of a file, None where there is none; see ``Tree.read``."""
        oid = self.oid_of(path)
        if oid is None:
            return None
        return _content(self._objects, oid, path, self.limit)

    def oid_of(self, path: str) -> str | None:
        """The id of a file's content, None where there is none. Raises ``TreeError`` as ``read`` does."""
        parts = inside(path).split("/")
        folder: str | None = self._root()
        for part in parts[:-1]:
            entry = self._entries(folder).get(part) if folder else None
            if entry is None or entry.mode not in (_FOLDER, _LINK, _SUBMODULE):
                return None
            _refuse(entry, path, part)
            folder = entry.oid
        entry = self._entries(folder).get(parts[-1]) if folder else None
        if entry is None:
            return None
        if entry.mode == _FOLDER:
            raise IsFolder(path)
        _refuse(entry, path)
        return entry.oid

    def files(self, folder: str = "", *, hidden: bool = False, odd: bool = False) -> Iterator[str]:
        """The paths of all files in ``folder`` and below; see ``Tree.files``."""
        start = inside(folder) if folder else ""
        oid = self._root()
        for part in start.split("/") if start else ():
            entry = self._entries(oid).get(part) if oid else None
            if entry is None or entry.mode != _FOLDER:
                return
            oid = entry.oid
        waiting = [(oid, f"{start}/" if start else "")] if oid else []
        while waiting:
            oid, prefix = waiting.pop()
            for name, entry in self._entries(oid).items():
                if name == ".git" or entry.mode == _SUBMODULE or (entry.mode == _LINK and not odd):
                    continue
                if entry.mode != _FOLDER:
                    yield prefix + name
                elif hidden or not name.startswith("."):
                    waiting.append((entry.oid, f"{prefix}{name}/"))

    def _root(self) -> str | None:
        oid = self.commit.tree
        for part in self._prefix.split("/") if self._prefix else ():
            entry = self._entries(oid).get(part)
            if entry is None or entry.mode != _FOLDER:
                return None
            oid = entry.oid
        return oid

    def _entries(self, oid: str) -> Mapping[str, _Entry]:
        known: dict[str, Mapping[str, _Entry]] = self._objects.trees
        if oid not in known:
            found = self._objects.find(oid, MAX_TREE_BYTES)
            data = found.data if found is not None and found.kind == "tree" else None
            known[oid] = {} if data is None else _parsed(data, len(oid) // 2)
        return known[oid]


class IndexTree:
    """The files of git's index: what the next commit will hold. Paths count from the folder of ``objects``.

    In a hook, ``objects`` must have been made with ``index=True``. The index is read once, at the first use.
    """

    def __init__(self, objects: GitObjects, *, limit: int = MAX_BYTES) -> None:
        self.limit = limit
        self._objects = objects
        self._known: dict[str, _Entry] | None = None
        self._folders: set[str] = set()

    def read(self, path: str) -> bytes | None:
        """The content of a file, None where there is none; see ``Tree.read``."""
        oid = self.oid_of(path)
        return None if oid is None else _content(self._objects, oid, path, self.limit)

    def oid_of(self, path: str) -> str | None:
        """The id of a file's content, None where there is none. Raises ``TreeError`` as ``read`` does."""
        path = inside(path)
        known = self._entries()
        parts = path.split("/")
        for length in range(1, len(parts)):
            above = known.get("/".join(parts[:length]))
            if above is not None:
                _refuse(above, path, parts[length - 1])
                return None
        entry = known.get(path)
        if entry is None:
            if path in self._folders:
                raise IsFolder(path)
            return None
        if not entry.oid:
            raise TreeError(path, "is in a merge conflict", remedy="Resolve it, and git add it.")
        _refuse(entry, path)
        return entry.oid

    def files(self, folder: str = "", *, hidden: bool = False, odd: bool = False) -> Iterator[str]:
        """The paths of all files in ``folder`` and below; see ``Tree.files``."""
        prefix = f"{inside(folder)}/" if folder else ""
        for path, entry in self._entries().items():
            if not path.startswith(prefix) or entry.mode == _SUBMODULE or (entry.mode == _LINK and not odd):
                continue
            above = path[len(prefix) :].split("/")[:-1]
            if hidden or not any(part.startswith(".") for part in above):
                yield path

    def _entries(self) -> dict[str, _Entry]:
        if self._known is None:
            root = self._objects.root
            status, said, complaint = ask(root, ["ls-files", "--stage", "-z"], index=self._objects.index)
            if status:
                raise refusal(root, "ls-files", complaint)
            self._known = {}
            for line in said.split(b"\0"):
                facts, tab, path = line.partition(b"\t")
                if tab:
                    mode, oid, stage = facts.decode().split(" ")
                    # Beside one another stand the sides of a conflict, none of which is the file.
                    name = os.fsdecode(path)
                    self._known[name] = _Entry(mode, oid if stage == "0" else "")
                    while (name := folder_of(name)) and name not in self._folders:
                        self._folders.add(name)
        return self._known


def _content(objects: GitObjects, oid: str, path: str, limit: int) -> bytes:
    found = objects.find(oid, limit)
    if found is None or found.kind != "blob":
        raise TreeError(
            path,
            "its content is not in this clone",
            remedy="A partial clone leaves out what was not needed yet; git fetch gets it.",
        )
    if found.data is None:
        raise TreeError(path, f"has {found.size:,} bytes, and the limit is {limit:,}")
    return found.data


def _parsed(data: bytes, width: int) -> dict[str, _Entry]:
    """The entries of a tree object: mode, space, name, NUL, and the id in ``width`` bytes."""
    entries: dict[str, _Entry] = {}
    at = 0
    while at < len(data):
        end = data.index(b"\0", at)
        mode, _, name = data[at:end].partition(b" ")
        at = end + 1 + width
        entries[os.fsdecode(name)] = _Entry(mode.decode("ascii").lstrip("0"), data[end + 1 : at].hex())
    return entries


def _refuse(entry: _Entry, path: str, part: str = "") -> None:
    subject = f"{part} is" if part else "is"
    if entry.mode == _LINK:
        raise TreeError(
            path, f"{subject} a symbolic link", remedy="Links are not followed. Commit the file itself."
        )
    if entry.mode == _SUBMODULE:
        raise TreeError(path, f"{subject} a submodule, whose files belong to another repository")
