"""The history of a repository: which commits touched which files, and how commits hang together."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING

from dryfire_action.errors import UsageError
from dryfire_action.git_objects import GitObjects
from dryfire_action.git_process import NoRepository, ask, refusal, start
from dryfire_action.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# What is looked at of a long history: enough for years of a team, and seconds in a very large repository.
MAX_COMMITS = 5_000
MAX_SECONDS = 3.0
MAX_LOG_BYTES = 64 * 1024 * 1024
# Why there is nothing to compare with.
NO_REPOSITORY = "no git repository"
NO_COMMITS = "the git repository has no commits yet"
# Branches that pull requests usually go to, tried in this order.
_DEFAULT_BRANCHES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")

_OPTIONS = (
    *("log", "-z", "--name-status", "--relative", "--format=%x1e%H %P"),
    # A merge touched what differs from all its parents.
    "-c",
    *("--no-color", "--no-decorate", "--no-notes", "--no-ext-diff", "--no-textconv", "--no-show-signature"),
)


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    """One commit of a log: its id, its parents in this clone, the files it touched, and ``{new path: old path}``."""

    oid: str
    parents: tuple[str, ...]
    paths: Sequence[str]
    renamed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Log:
    """Commits, newest first. ``complete`` is False where older ones were not looked at."""

    commits: tuple[LoggedCommit, ...] = ()
    complete: bool = True

    @cached_property
    def _touching(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for position, commit in enumerate(self.commits):
            for path in commit.paths:
                found.setdefault(path, []).append(position)
        return found

    def commits_of(self, paths: Sequence[str]) -> Iterator[LoggedCommit]:
        """The commits that touched any of ``paths``, newest first; files are followed to the names they had before.

        ``paths`` may grow while commits are being taken: later, older ones are then those of the new paths too.
        """
        waiting: list[tuple[int, str]] = []
        known: set[str] = set()
        taken, last = 0, -1
        while True:
            for path in paths[taken:]:
                self._follow(path, last, known, waiting)
            taken = len(paths)
            if not waiting:
                return
            position, path = heappop(waiting)
            commit = self.commits[position]
            if path in commit.renamed:
                self._follow(commit.renamed[path], position, known, waiting)
            if position != last:
                last = position
                yield commit

    def _follow(self, path: str, after: int, known: set[str], waiting: list[tuple[int, str]]) -> None:
        if path not in known:
            known.add(path)
            for position in self._touching.get(path, ()):
                if position > after:
                    heappush(waiting, (position, path))

    def names_of(self, path: str) -> tuple[str, ...]:
        """The names that a file had, the present one first."""
        names = {path: None}
        for commit in self.commits_of([path]):
            names.update({old: None for new, old in commit.renamed.items() if new in names})
        return tuple(names)


@dataclass(frozen=True, slots=True)
class Repository:
    """Where a folder's repository is: ``git_dir``, the folder's place in the work tree, and what kind of clone it is.

    ``prefix`` is "" at the top; ``shallow`` says that history is cut off, ``bare`` that there is no work tree.
    """

    git_dir: Path
    prefix: str
    bare: bool
    shallow: bool


def repository(root: Path) -> Repository | None:
    """The repository that ``root`` belongs to, None where there is none.

    Raises ``GitError`` where git is not there or refuses to read it.
    """
    asked = ["--is-bare-repository", "--is-shallow-repository", "--absolute-git-dir", "--show-prefix"]
    status, said, complaint = ask(root, ["rev-parse", *asked])
    if status:
        error = refusal(root, "rev-parse", complaint)
        if isinstance(error, NoRepository):
            return None
        raise error
    bare, shallow, git_dir, prefix = os.fsdecode(said).split("\n", 3)
    return Repository(Path(git_dir), prefix.strip("\n").rstrip("/"), bare == "true", shallow == "true")


def merge_base(root: Path, revision: str | None = None, head: str = "HEAD") -> str | None:
    """The id of the best common ancestor of ``head`` and ``revision``; None where none is in reach.

    Without ``revision`` the default branch is meant, as far as this clone knows one. Raises ``GitError``, and
    ``UsageError`` for a revision that does not exist here.
    """
    with GitObjects(root) as objects:
        names = _DEFAULT_BRANCHES if revision is None else (revision,)
        base = next((found for name in names if (found := objects.commit(name))), None)
        top = objects.commit(head)
    if base is None and revision is not None:
        raise UsageError(
            f"there is no commit {visible(revision)!r} in this checkout",
            remedy="In a workflow, have more history: fetch-depth: 2, or 0 for all of it.",
        )
    if base is None or top is None:
        return None
    status, said, complaint = ask(root, ["merge-base", top.oid, base.oid])
    if status > 1 or complaint:
        raise refusal(root, "merge-base", complaint)
    return said.decode().split("\n")[0] or None


def log_of(
    root: Path,
    patterns: Sequence[str] = (),
    *,
    head: str = "HEAD",
    most: int = MAX_COMMITS,
    seconds: float = MAX_SECONDS,
) -> Log:
    """The commits up to ``head`` that touched a file of ``patterns`` (git's pathspecs), by one call of git.

    Paths are relative to ``root``, and what is not below it is left out. At most ``most`` commits are looked for, and
    for at most ``seconds``. Renames are found where both names fit a pattern. Raises ``GitError``.
    """
    log, complaint = _logged(root, ["-M", "-l200"], patterns, head, most, seconds)
    if complaint and not log.commits:
        # Contents that a partial clone left out are needed for files that were renamed and edited at once.
        log, complaint = _logged(root, ["-M100%"], patterns, head, most, seconds)
    if complaint and not log.commits:
        raise refusal(root, "log", complaint)
    return log


def _logged(
    root: Path, renames: Sequence[str], patterns: Sequence[str], head: str, most: int, seconds: float
) -> tuple[Log, bytes]:
    """What git told before it ended or its time was over, and its complaint if it ended badly."""
    arguments = [*_OPTIONS, *renames, f"--max-count={most + 1}", "--end-of-options", head, "--", *patterns]
    with tempfile.TemporaryFile() as complaints:
        process = start(root, arguments, complaints, feed=False)
        timer = Timer(seconds, process.kill)
        timer.daemon = True
        timer.start()
        assert process.stdout is not None
        try:
            with process.stdout:
                said = process.stdout.read(MAX_LOG_BYTES)
            if len(said) == MAX_LOG_BYTES:
                process.kill()
            status = process.wait()
        finally:
            timer.cancel()
        complaints.seek(0)
        complaint = complaints.read()
    commits = _parsed(os.fsdecode(said))
    if status:
        # Killed, or failed on the way: the last one may be told in part.
        commits = commits[:-1]
    log = Log(tuple(commits[:most]), complete=status == 0 and len(commits) <= most)
    return log, complaint if status else b""


def _parsed(said: str) -> list[LoggedCommit]:
    """The commits of a log with NUL after every part.

    After a commit's own line stand its files, a status and one path each, or two paths for a rename. Paths are taken
    by where they stand, because one may look like anything.
    """
    commits: list[LoggedCommit] = []
    paths: list[str] = []
    renamed: dict[str, str] = {}
    parts = iter(said.split("\0"))
    for part in parts:
        status = part.lstrip("\n")
        if status.startswith("\x1e"):
            oid, *parents = status[1:].split()
            paths, renamed = [], {}
            commits.append(LoggedCommit(oid, tuple(parents), paths, renamed))
        elif status:
            path = next(parts, "")
            # A merge has one letter for each parent, and one path.
            if status[0] in "RC" and status[1:].isdigit():
                paths.append(path)
                old, path = path, next(parts, "")
                renamed[path] = old
            paths.append(path)
    return commits
