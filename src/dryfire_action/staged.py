"""What the next commit will hold: the files of git's index, and which of them it changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dryfire_action.config_file import Configs
from dryfire_action.errors import DryfireError, UsageError
from dryfire_action.git_objects import GitObjects
from dryfire_action.git_process import ask, refusal
from dryfire_action.git_tree import IndexTree
from dryfire_action.globs import NothingMatched
from dryfire_action.node import Problems
from dryfire_action.suite_file import load_suites
from dryfire_action.tree import CONFIG_NAME, find_root, folder_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from dryfire_action.suite import Suite

_LARGEST = 200_000_000
_SUITE_NAMES = (".eval.yaml", ".eval.yml", CONFIG_NAME)


class Change(NamedTuple):
    """A file that the commit changes: `A` added, `M` changed, `D` deleted, `T` another kind, `U` in conflict."""

    status: str
    path: str


class Staged:
    """The staged state of the repository that a folder belongs to. Raises `GitError` where there is none."""

    def __init__(self, here: Path | None = None) -> None:
        self.root = find_root(here or Path.cwd())
        self.objects = GitObjects(self.root, index=True)
        self.tree = IndexTree(self.objects, limit=_LARGEST)

    def __enter__(self) -> Staged:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.objects.close()

    def changes(self) -> list[Change]:
        """What the commit changes against the one before; a renamed file is one deleted and one added."""
        asked = ["diff", "--cached", "--name-status", "-z", "--no-renames", "--no-ext-diff"]
        status, said, complaint = ask(self.root, asked, index=True)
        if status:
            raise refusal(self.root, "diff", complaint)
        parts = said.decode("utf-8", "surrogateescape").split("\0")
        return [Change(kind[:1], path) for kind, path in zip(parts[::2], parts[1::2], strict=False)]

    def has_suites(self) -> bool:
        """Whether there is anything of ours in the repository."""
        return any(path.endswith(_SUITE_NAMES) for path in self.tree.files(hidden=True))

    def suites(self, patterns: Sequence[str] = ()) -> tuple[Suite, ...]:
        """The suites that ``patterns`` name, else those that the configs of all packages do.

        Raises `SpecError` with everything that is wrong, and `UsageError` where a pattern names nothing.
        """
        if patterns:
            return load_suites(self.tree, patterns)
        found: dict[str, Suite] = {}
        configs = sorted(
            path
            for path in self.tree.files(hidden=True)
            if path.rpartition("/")[2] == CONFIG_NAME and "node_modules" not in path.split("/")
        )
        problems = Problems()
        for config in configs:
            if Configs(self.tree, problems).at(config) is None:
                continue
            try:
                found |= {suite.file: suite for suite in load_suites(self.tree, [], cwd=folder_of(config))}
            except NothingMatched:
                continue
        if len(problems):
            problems.stop()
        return tuple(found[file] for file in sorted(found))


def only_patterns(words: Sequence[str]) -> Sequence[str]:
    """The arguments of a hook that takes patterns of suites and no options. Raises ``UsageError`` for an option."""
    for word in words:
        if word.startswith("-"):
            raise UsageError(f"unknown argument {word!r}; this hook takes none but patterns of suites")
    return words


def shown(error: DryfireError) -> str:
    """An error as a hook prints it."""
    from dryfire_action.errors import SpecError

    if isinstance(error, SpecError):
        from dryfire_action.problems_text import format_problems

        return f"{format_problems(error.problems)}\n\n{error.message}"
    return f"dryfire: {error}"
