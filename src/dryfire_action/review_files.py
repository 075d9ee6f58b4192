"""Reviewing files on disk: which there are, what is read of each, and how a fixed one is written.

It loads little (no `pathlib`, no `subprocess`): a hook runs on every commit.
"""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from typing import TYPE_CHECKING

from dryfire_action.recordings.report import NotChecked, Report
from dryfire_action.review_report import FILE_NAME, shown_name
from dryfire_action.secret_review import Reviewer, is_own_cassette

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dryfire_action.tree import Tree

_LARGEST = 200_000_001
# Folders that tools fill and nobody commits.
_SKIPPED = frozenset(
    (".git", "node_modules", ".venv", "__pycache__", ".tox", ".mypy_cache", ".ruff_cache", ".pytest_cache")
)
_CODE = frozenset(
    (
        *(
            "py",
            "pyi",
            "ipynb",
            "rb",
            "go",
            "rs",
            "js",
            "jsx",
            "mjs",
            "cjs",
            "ts",
            "tsx",
            "java",
            "kt",
            "scala",
        ),
        *(
            "c",
            "h",
            "cc",
            "cpp",
            "hpp",
            "cs",
            "php",
            "swift",
            "sh",
            "bash",
            "ps1",
            "pl",
            "lua",
            "sql",
            "md",
            "rst",
        ),
    )
)


def reviewer_of(root: str, *, uses_baseline: bool = True) -> Reviewer:
    """A reviewer of the files below a folder as they are now."""

    def read(path: str) -> bytes | None:
        place = f"{root}/{path}"
        try:
            if not stat.S_ISREG(os.lstat(place).st_mode):
                return None
            with open(place, "rb") as stream:  # noqa: PTH123
                return stream.read()
        except OSError:
            return None

    def tree() -> Tree:
        from pathlib import Path

        from dryfire_action.tree import FolderTree

        return FolderTree(Path(root))

    return Reviewer(read, tree, uses_baseline=uses_baseline)


def root_here() -> str:
    """The root of the repository that the current folder belongs to; the folder itself where there is none."""
    here = folder = os.getcwd()  # noqa: PTH109
    while True:
        if os.path.lexists(f"{folder}/.git"):
            return folder
        above = os.path.dirname(folder)  # noqa: PTH120
        if above == folder:
            return here
        folder = above


def reviewed(reviewer: Reviewer, root: str, file: str, *, fixing: bool = False) -> tuple[Report, list[str]]:
    """The report on one file, and with `fixing` what was done about it."""
    shown = file.replace(os.sep, "/").removeprefix("./")
    inside = path_in(root, file)
    try:
        status = os.lstat(file)
        if not stat.S_ISREG(status.st_mode):
            return unread(shown, "a link, a folder or a device: only plain files are read"), []
        # Room for a number of bytes is made before they are read, whether they are there or not.
        with open(file, "rb", buffering=0) as stream:  # noqa: PTH123
            # The stream's own `read` asks the system once, which may give less.
            data = stream.readall() if status.st_size < _LARGEST else BufferedReader(stream).read(_LARGEST)
    except OSError as error:
        return unread(shown, f"cannot be read: {error.strerror}"), []
    if not fixing:
        return _as_seen(reviewer.look(inside, data), shown), []
    name = shown_name(shown)
    if _is_code(inside):
        report = reviewer.look(inside, data)
        return _as_seen(report, shown), [f"{name}: source code is not rewritten: take it out by hand"][
            : len(report.findings)
        ]
    fixed = reviewer.fix(inside, data)
    notes: list[str] = []
    if fixed.data != data:
        _write(file, fixed.data)
        count = sum(found.path != FILE_NAME for found in fixed.found.findings)
        notes.append(f"{name}: {count} redacted")
        if is_own_cassette(data) and not reviewer.still_replays(inside, fixed.data):
            notes.append(f"{name}: re-record this case: dryfire run --cassette-mode auto")
    notes += [
        f"{name}: {left.rule} in the name of the file: rename it"
        if left.path == FILE_NAME
        else f"{name}:{left.line}: {left.rule} could not be removed: take it out by hand"
        for left in fixed.left.findings
    ]
    return _as_seen(fixed.found, shown), notes


def path_in(root: str, file: str) -> str:
    """A file's path in the repository; outside of it, the path as it was given."""
    inside = os.path.relpath(file, root).replace(os.sep, "/")
    return file.replace(os.sep, "/").removeprefix("./") if inside.startswith("../") else inside


def _is_code(path: str) -> bool:
    """Whether a file is a program, which a marker in the place of a value could break, or a page about one."""
    return path.rpartition(".")[2].lower() in _CODE


def _write(file: str, data: bytes) -> None:
    from pathlib import Path

    from dryfire_action.cassette_store import replace_file

    place = Path(file)
    mode = place.stat().st_mode
    replace_file(place, data)
    place.chmod(mode)


def unread(shown: str, why: str) -> Report:
    """The report on a file that could not be read at all."""
    return Report((), (NotChecked(shown, 1, "(file)", "not-a-file", why),))


def _as_seen(report: Report, shown: str) -> Report:
    """A report with the file's name as it was given."""
    return report._replace(
        findings=tuple(found._replace(file=shown) for found in report.findings),
        not_checked=tuple(missed._replace(file=shown) for missed in report.not_checked),
    )


def walked(paths: Iterable[str]) -> Iterator[str]:
    """The files that some paths name: files themselves, and all files in folders and below, sorted, links left out."""
    for path in paths:
        if os.path.islink(path) or not os.path.isdir(path):  # noqa: PTH112, PTH114
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name not in _SKIPPED)
            for name in sorted(names):
                file = f"{folder}/{name}"
                if not os.path.islink(file):  # noqa: PTH114
                    yield file
