"""The old text of a changed field, recovered from git: recordings hold its digest, and some commit holds the text.

A text counts only if its digest is the recorded one, so nothing has to be known about when and against what a case was
recorded. The commits that are most likely to hold it are looked at first.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dryfire_action.case_values import Held, held_by
from dryfire_action.errors import DryfireError
from dryfire_action.git_log import NO_COMMITS, NO_REPOSITORY, Log, log_of
from dryfire_action.git_objects import GitObjects
from dryfire_action.git_process import GitError, NoRepository
from dryfire_action.git_tree import CommitTree
from dryfire_action.suite_file import load_suites
from dryfire_action.tree import CONFIG_NAME, TreeError, folder_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

    from dryfire_action.errors import Place
    from dryfire_action.ignore_rules import IgnoreRule
    from dryfire_action.messages import JsonValue
    from dryfire_action.suite import Case, Suite
    from dryfire_action.tree import Tree

# All that suites are made of, and recordings. It is the same for every case, so one log serves them all.
PATTERNS = ("*.yaml", "*.yml", "*.json", "*.md", "*.txt")
# How many commits are looked at for one field, and how many suites are read where a case has moved without a trace.
MAX_CANDIDATES = 60
MAX_SCANNED = 200

NO_HISTORY = "this checkout has no history beyond the last commit: use fetch-depth: 2"
NOT_FOUND = "no commit in reach holds a text with this digest"
CUT_OFF = f"{NOT_FOUND}, and this checkout has only the last commits: fetch-depth: 0 has them all"
LEFT_OUT = f"{NOT_FOUND}, and this clone leaves out older contents: clone without a filter"


@dataclass(frozen=True, slots=True)
class OldValue:
    """The value a field had: in which commit it was found (its id), and where in the files of that commit it stands."""

    value: JsonValue
    revision: str
    place: Place | None


@dataclass(slots=True)
class _Loaded:
    """A suite file at some commit: what it declares, and the files it was read from with the ids of their contents."""

    suites: tuple[Suite, ...]
    reads: dict[str, str | None]
    values: dict[tuple[str, str, tuple[IgnoreRule, ...]], dict[str, Held]] = field(default_factory=dict)


class History:
    """Finds old values in the history of the repository that ``root`` belongs to.

    ``tree`` is what is compared with the past: a folder, an index, or a commit, whose own history is then meant.
    ``base`` is a commit worth looking at early, as a merge base is. Everything is read through two processes of git,
    started when they are needed and ended by ``close``. Nothing here raises for what git or old files are like:
    ``why_none`` says what stood in the way.
    """

    def __init__(self, root: Path, tree: Tree, *, base: str | None = None) -> None:
        self._root = root.resolve()
        self._prefix = _prefix(self._root)
        self._base = base
        self._head = tree.commit.oid if isinstance(tree, CommitTree) else "HEAD"
        self._objects = GitObjects(self._root)
        self._log: Log | None = None
        self._trouble = ""
        self._files: dict[int, tuple[Case, list[str]]] = {}
        self._trees: dict[str, CommitTree | None] = {}
        self._loads: dict[tuple[str, str], _Loaded] = {}
        self._of_file: dict[str, list[_Loaded]] = {}
        self._names: dict[str, tuple[str, ...]] = {}
        self._suite_files: dict[str, tuple[str, ...]] = {}

    def __enter__(self) -> History:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End git's process. The history can still be asked, which starts another."""
        self._objects.close()

    def _files_of(self, case: Case) -> list[str]:
        """The files that a case is made of, looked up once: it is asked about once for each of its causes."""
        _, files = self._files.get(id(case), (None, None))
        if files is None:
            files = [case.file, *dict.fromkeys(place.file for place in case.places.values())]
            # The case is kept with them, so that no other one gets its number.
            self._files[id(case)] = case, files
        return files

    def old_value(
        self, case: Case, cassette: str, digest: str, *, ignore: Sequence[IgnoreRule] = ()
    ) -> OldValue | None:
        """The value whose digest is ``digest``; None where no commit in reach holds it, see ``why_none``.

        ``case`` is the case as it is now, ``cassette`` the path of its recording, ``ignore`` the rules that its digests
        were made with, where they are not those of the commit's own ``dryfire.yaml``.
        """
        try:
            files = list(self._files_of(case))
            for revision, scan in self._candidates(case, cassette, files):
                for loaded in self._loaded(revision, case, scan):
                    files.extend(path for path in loaded.reads if path not in files)
                    held = _held(loaded, case, digest, ignore)
                    if held is not None:
                        return OldValue(held.value, revision, held.place)
        except GitError as error:
            self._trouble = _sentence(error)
        except DryfireError:
            return None
        return None

    @property
    def why_none(self) -> str:
        """Why old texts cannot be found: a clause without a full stop, the same for all fields."""
        try:
            head = self._objects.commit(self._head)
            if head is None:
                return self._trouble or NO_COMMITS
            if head.parents and not any(self._objects.commit(parent) for parent in head.parents):
                return NO_HISTORY
            if self._trouble:
                return self._trouble
            if self._objects.left_out:
                return LEFT_OUT
            return CUT_OFF if self._is_cut_off() else NOT_FOUND
        except DryfireError as error:
            return _sentence(error)

    def _is_cut_off(self) -> bool:
        """Whether a commit that is the first in this clone was not the first when it was made."""
        first = [commit.oid for commit in self._logged().commits if not commit.parents]
        found = (self._objects.commit(oid) for oid in first[:20])
        return any(commit is not None and commit.parents for commit in found)

    def _logged(self) -> Log:
        if self._log is None:
            self._log = Log()
            if self._objects.commit(self._head) is not None:
                self._log = log_of(self._root, PATTERNS, head=self._head)
        return self._log

    def _candidates(self, case: Case, cassette: str, files: list[str]) -> Iterator[tuple[str, bool]]:
        """Commits to look at, each once, and whether the suite is to be searched for in all of it."""
        seen: set[str] = set()
        for revision, scan in self._in_order(case, cassette, files):
            if revision not in seen:
                seen.add(revision)
                yield revision, scan
            if len(seen) >= MAX_CANDIDATES:
                return

    def _in_order(self, case: Case, cassette: str, files: list[str]) -> Iterator[tuple[str, bool]]:
        head = self._objects.commit(self._head)
        if head is None:
            return
        log = self._logged()
        for touched in log.commits_of([cassette]):
            yield touched.oid, True
            break
        base = self._objects.commit(self._base) if self._base else None
        if base is not None:
            yield base.oid, True
        if head.is_merge:
            # What a pull request is merged into, in the commit that GitHub makes for it.
            yield head.parents[0], True
        yield head.oid, True
        # Also where the history is said to end here: the object may be there all the same.
        yield from ((parent, False) for parent in head.parents[:1])
        folder = folder_of(case.file)
        configs = [CONFIG_NAME]
        while folder:
            configs.append(f"{folder}/{CONFIG_NAME}")
            folder = folder_of(folder)
        files.extend(path for path in configs if path not in files)
        for commit in log.commits_of(files):
            yield commit.oid, False
            # Before it, other files may have held what these hold since.
            yield from ((parent, False) for parent in commit.parents[:1])

    def _loaded(self, revision: str, case: Case, scan: bool) -> Iterator[_Loaded]:
        """The suite file of ``case`` at ``revision``, under any name it had; else the files that hold its suite."""
        tree = self._tree(revision)
        if tree is None:
            return
        there = [path for path in self._names_of(case.file) if _exists(tree, path)]
        named = False
        for path in there:
            loaded = self._load(tree, path)
            named = named or any(suite.name == case.suite for suite in loaded.suites)
            yield loaded
        if named or not scan:
            return
        name = case.suite.encode()
        for path in self._suites_in(tree, revision, case.file)[:MAX_SCANNED]:
            if path not in there and name in (_data(tree, path) or b""):
                yield self._load(tree, path)

    def _names_of(self, file: str) -> tuple[str, ...]:
        if file not in self._names:
            self._names[file] = self._logged().names_of(file)
        return self._names[file]

    def _tree(self, revision: str) -> CommitTree | None:
        if revision not in self._trees:
            there = self._objects.commit(revision) is not None
            self._trees[revision] = (
                CommitTree(self._objects, revision, prefix=self._prefix) if there else None
            )
        return self._trees[revision]

    def _load(self, tree: CommitTree, path: str) -> _Loaded:
        key = (tree.commit.oid, path)
        if key not in self._loads:
            known = self._of_file.setdefault(path, [])
            same = next((loaded for loaded in known if _unchanged(loaded, tree)), None)
            if same is None:
                same = _load(tree, path)
                known.append(same)
            self._loads[key] = same
        return self._loads[key]

    def _suites_in(self, tree: CommitTree, revision: str, file: str) -> tuple[str, ...]:
        """The files of a commit that can be suites: those called as suites usually are, or as this one is."""
        name = file.rpartition("/")[2]
        if revision not in self._suite_files:
            found = (path for path in tree.files() if path.endswith((".yaml", ".yml")))
            self._suite_files[revision] = tuple(sorted(found))
        files = self._suite_files[revision]
        usual = [path for path in files if path.endswith((".eval.yaml", ".eval.yml"))]
        return (*usual, *(path for path in files if path.rpartition("/")[2] == name and path not in usual))


class _Noting:
    """A commit's tree that notes which files are read, so that equal files need not be read again elsewhere."""

    def __init__(self, tree: CommitTree) -> None:
        self._tree = tree
        self.reads: dict[str, str | None] = {}

    def read(self, path: str) -> bytes | None:
        """See ``Tree.read``."""
        self.reads[path] = _oid(self._tree, path)
        return self._tree.read(path)

    def files(self, folder: str = "", *, hidden: bool = False, odd: bool = False) -> Iterator[str]:
        """See ``Tree.files``."""
        return self._tree.files(folder, hidden=hidden, odd=odd)


def _load(tree: CommitTree, path: str) -> _Loaded:
    noting = _Noting(tree)
    try:
        suites = load_suites(noting, [path])
    except GitError:
        raise
    except DryfireError:
        # What could not be read then is no mistake of today: the commit is no candidate.
        suites = ()
    return _Loaded(suites, noting.reads)


def _held(loaded: _Loaded, case: Case, digest: str, ignore: Sequence[IgnoreRule]) -> Held | None:
    """What has this digest in the case; where it has another name now, in any case, whose text proves as much."""
    for suite in loaded.suites:
        rules = tuple(dict.fromkeys((*suite.config.ignore, *ignore)))
        same = [other for other in suite.cases if other.name == case.name]
        for other in same or suite.cases:
            key = (other.suite, other.name, rules)
            if key not in loaded.values:
                loaded.values[key] = held_by(other, rules)
            if digest in loaded.values[key]:
                return loaded.values[key][digest]
    return None


def _unchanged(loaded: _Loaded, tree: CommitTree) -> bool:
    return all(_oid(tree, path) == oid for path, oid in loaded.reads.items())


def _oid(tree: CommitTree, path: str) -> str | None:
    try:
        return tree.oid_of(path)
    except TreeError as error:
        return error.reason


def _exists(tree: CommitTree, path: str) -> bool:
    try:
        return tree.oid_of(path) is not None
    except TreeError:
        return False


def _data(tree: CommitTree, path: str) -> bytes | None:
    try:
        return tree.read(path)
    except TreeError:
        return None


def _sentence(error: DryfireError) -> str:
    return NO_REPOSITORY if isinstance(error, NoRepository) else error.message


def _prefix(root: Path) -> str:
    """Where ``root`` stands in its repository: "" at the top."""
    for folder in (root, *root.parents):
        if os.path.lexists(folder / ".git"):
            return "" if folder == root else root.relative_to(folder).as_posix()
    return ""
