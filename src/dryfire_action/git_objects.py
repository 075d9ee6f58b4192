"""Objects of a git repository, read through one long-running ``git cat-file --batch``."""

from __future__ import annotations

import os
import re
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from subprocess import TimeoutExpired
from typing import TYPE_CHECKING, Any

from dryfire_action.git_process import GitError, refusal, start
from dryfire_action.tree import MAX_BYTES, TreeError

if TYPE_CHECKING:
    from pathlib import Path
    from subprocess import Popen
    from types import TracebackType

# A folder with 100,000 files has a tree object of about 5 MB.
MAX_TREE_BYTES = 64 * 1024 * 1024
MAX_COMMIT_BYTES = 4 * 1024 * 1024
MAX_STARTS = 50

_FOUND = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64}) ([a-z]+) (\d+)\n\Z")
_OID = re.compile(rb"[0-9a-f]{40,64}\Z")
_CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Found:
    """One object: its id, its kind (``blob``, ``tree``, ``commit``, ``tag``), its size, and its content.

    ``data`` is None where the object is larger than what was asked for.
    """

    oid: str
    kind: str
    size: int
    data: bytes | None


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit: its id, the id of its tree, and those of its parents as they stand in it.

    In a shallow clone a parent may be named that is not there.
    """

    oid: str
    tree: str
    parents: tuple[str, ...]

    @property
    def is_merge(self) -> bool:
        """Whether it has two parents or more."""
        return len(self.parents) > 1


class GitObjects:
    """The objects of the repository that the folder ``root`` belongs to, through one process for all reads.

    The process starts with the first read and ends with ``close``. ``index`` keeps ``GIT_INDEX_FILE``, so that in a
    hook names like ``:0:path`` mean the index of the commit that is being made. ``left_out`` says that an object was
    asked for by its id and is not there, as in a partial clone.
    """

    def __init__(self, root: Path, *, index: bool = False) -> None:
        self.root = root
        self.index = index
        self._process: Popen[bytes] | None = None
        self._complaints: Any = None
        self._broken: GitError | None = None
        self._commits: dict[str, Commit | None] = {}
        self._ended = 0
        self.left_out = False
        self.trees: dict[str, Any] = {}

    def __enter__(self) -> GitObjects:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def read(self, name: str, limit: int = MAX_BYTES) -> bytes | None:
        """The content of the file that ``name`` means (``HEAD^1:evals/a.yaml``, ``:0:path``); None where there is none.

        Raises ``TreeError`` for more than ``limit`` bytes, ``GitError`` where the repository cannot be read.
        """
        found = self.find(name, limit)
        if found is None or found.kind != "blob":
            return None
        if found.data is None:
            raise TreeError(name, f"has {found.size:,} bytes, and the limit is {limit:,}")
        return found.data

    def commit(self, revision: str) -> Commit | None:
        """The commit that ``revision`` means; None where there is no such commit here."""
        if revision not in self._commits:
            found = self.find(f"{revision}^{{commit}}", MAX_COMMIT_BYTES)
            self._commits[revision] = None if found is None or found.data is None else _commit(found)
        return self._commits[revision]

    def find(self, name: str, limit: int) -> Found | None:
        """The object that ``name`` means, without its content if that has more than ``limit`` bytes.

        None where there is none, or where a name is not clear. Raises ``GitError``.
        """
        if self._broken is not None:
            raise self._broken
        # Names go to git one a line.
        try:
            asked = os.fsencode(name)
        except UnicodeEncodeError:
            return None
        if not asked or any(byte in asked for byte in b"\n\r\0"):
            return None
        process = self._process or self._start()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(asked + b"\n")
            process.stdin.flush()
            # What is not found is answered with its name, which may be long.
            line = process.stdout.readline()
        except OSError:
            line = b""
        if not line.endswith(b"\n"):
            self._failed()
        header = _FOUND.match(line)
        if header is None:
            self.left_out = self.left_out or bool(_OID.match(asked))
            return None
        oid, kind, size = header[1].decode(), header[2].decode(), int(header[3])
        return Found(oid, kind, size, self._content(process.stdout, size, limit))

    def close(self) -> None:
        """End the process. Reading again starts another."""
        if self._process is not None:
            self._end(self._process)
            self._complaints.close()

    def _end(self, process: Popen[bytes]) -> None:
        self._process = None
        assert process.stdin is not None and process.stdout is not None
        with suppress(OSError):
            process.stdin.close()
        # What git has not yet said is of no interest to anybody.
        process.stdout.close()
        try:
            process.wait(timeout=5)
        except TimeoutExpired:
            process.kill()
            process.wait()

    def _start(self) -> Popen[bytes]:
        # A file, not a pipe: nobody reads complaints until the end, and a full pipe would block.
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._process = start(self.root, ["cat-file", "--batch"], self._complaints, index=self.index)
        except GitError as error:
            self._complaints.close()
            self._broken = error
            raise
        return self._process

    def _content(self, stream: Any, size: int, limit: int) -> bytes | None:
        """The content that follows a header, up to its closing line end; skipped where it is too large."""
        data: bytes | None = None
        rest = size
        if size <= limit:
            data = stream.read(size)
            rest = size - len(data)
        while data is None and rest > 0:
            chunk = stream.read(min(rest, _CHUNK))
            if not chunk:
                break
            rest -= len(chunk)
        if rest or stream.read(1) != b"\n":
            self._failed()
            return None
        return data

    def _failed(self) -> None:
        """Note why git ended. Raises ``GitError``, unless an object was not there: then git can be started again."""
        assert self._process is not None
        self._end(self._process)
        self._complaints.seek(0)
        said = self._complaints.read(_CHUNK)
        self._complaints.close()
        # Versions of git that would fetch what a partial clone left out end where they may not.
        self._ended += 1
        if b"promisor remote" in said and self._ended < MAX_STARTS:
            self.left_out = True
            return
        self._broken = refusal(self.root, "cat-file", said)
        raise self._broken


def checked_out_commit(root: Path) -> str | None:
    """The id of the commit that is checked out in the repository of ``root``; None without one, or without git."""
    try:
        with GitObjects(root) as objects:
            found = objects.commit("HEAD")
    except GitError:
        return None
    return found.oid if found else None


def _commit(found: Found) -> Commit | None:
    tree, parents = "", []
    assert found.data is not None
    for line in found.data.split(b"\n"):
        name, _, value = line.partition(b" ")
        if name == b"tree":
            tree = value.decode("ascii", "replace")
        elif name == b"parent":
            parents.append(value.decode("ascii", "replace"))
        else:
            break
    return Commit(found.oid, tree, tuple(parents)) if tree else None
