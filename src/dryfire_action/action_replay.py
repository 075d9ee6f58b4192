"""The part of the action that reads the pull request: replays its suites, and merges the results of other jobs.

It runs in a process of its own that ``action_check`` starts with a bare environment: no token, no command files of the
runner, no network to go to. Nothing of the pull request is imported or executed; whatever happens here, the one file
that it writes says so.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dryfire_action import console
from dryfire_action.action_inputs import Inputs, read_inputs
from dryfire_action.action_result import unable, write_result
from dryfire_action.errors import EXIT_PASSED, DryfireError, UsageError
from dryfire_action.git_objects import GitObjects, checked_out_commit
from dryfire_action.git_process import GitError
from dryfire_action.tree import FolderTree, TreeError, find_root, inside
from dryfire_action.visible import harmless, visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    Document = dict[str, Any]

# The variables in which this process is told of the commits.
BASE = "DRYFIRE_BASE"
HEAD = "DRYFIRE_HEAD"
_MOST_FILES = 500
_MOST_BYTES = 100_000_000
MOST_MEMORY = 4 * 1024**3


class UntrustedEvent(DryfireError):
    """An event whose token could do harm, together with the content of a pull request."""

    slug = "pull-request-target"


@dataclass(frozen=True, slots=True)
class Occasion:
    """Why the check runs: the event's name, the commits that it is about, and the commit of the workflow itself.

    ``base`` and ``head`` are those of the pull request or of the merge queue, "" where there are none.
    """

    event: str = ""
    base: str = ""
    head: str = ""
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Checkout:
    """The workspace, the root of the repository in it, and the folder to work in, relative to that root."""

    workspace: Path
    root: Path
    cwd: str

    @property
    def folder(self) -> Path:
        """The folder to work in."""
        return self.root / self.cwd


def find_checkout(workspace: Path, working_directory: str) -> Checkout:
    """Where to work. Raises ``UsageError`` for a folder that is not there, or is not in the workspace."""
    workspace = workspace.resolve()
    folder = workspace
    try:
        if working_directory not in ("", ".", "./"):
            for part in inside(working_directory).split("/"):
                folder = folder / part
                if folder.is_symlink():
                    raise UsageError(f"working-directory: {part} is a symbolic link")
    except TreeError as error:
        raise UsageError(f"working-directory: {error.message}", remedy=error.remedy) from None
    if not folder.is_dir():
        raise UsageError(
            f"working-directory: there is no folder {working_directory}",
            remedy="The repository must be checked out first: actions/checkout, with fetch-depth: 2.",
        )
    root = find_root(folder)
    if not root.is_relative_to(workspace):
        root = workspace
    relative = folder.relative_to(root).as_posix()
    return Checkout(workspace, root, "" if relative == "." else relative)


def replayed(inputs: Inputs, where: Checkout, occasion: Occasion, *, today: str) -> Document:
    """Replay the suites beside the base: the result file's document.

    Raises ``DryfireError`` where nothing could be run.
    """
    from dryfire_action.comparison import with_comparison
    from dryfire_action.explanation import with_explanations
    from dryfire_action.reports import result_json
    from dryfire_action.runner import RunOptions, run_suites
    from dryfire_action.suite_file import load_suites

    head = checked_out_commit(where.root)
    _refuse_untrusted(occasion, head)
    suites = load_suites(FolderTree(where.root), inputs.suites, cwd=where.cwd)
    # Whatever mode a suite asks for: here nothing is ever called.
    options = RunOptions(
        mode="replay", passthrough="skip", cwd=where.cwd, allow_empty=inputs.on_empty == "pass"
    )
    results = run_suites(suites, options, root=where.root, today=today, environ={})
    base = base_of(where.root, occasion)
    results = with_comparison(
        results, suites, options, root=where.root, patterns=inputs.suites, revision=base
    )
    if results.causes:
        results = with_explanations(results, where.root, FolderTree(where.root))
    return result_json.document(results, commit=head, show=inputs.show, exit_code=results.exit_code)


def base_of(root: Path, occasion: Occasion) -> str | None:
    """What to compare with, as far as it is in this checkout; None leaves it to the default branch.

    The merge commit that is checked out for a pull request knows better than the event: its first parent is what the
    base was when the two were merged.
    """
    try:
        with GitObjects(root) as objects:
            head = objects.commit("HEAD")
            if head is None:
                return None
            merged = head.is_merge and occasion.head in head.parents[1:]
            base = head.parents[0] if merged else occasion.base
            return base if base and objects.commit(base) is not None else None
    except GitError:
        return None


def other_results(inputs: Inputs, where: Checkout, temp: Path) -> tuple[list[Document], list[str]]:
    """The documents that ``results`` names, in order, and their paths. Raises ``DryfireError`` for a file that is none.

    Files may stand in the workspace and in the runner's temp folder; links are not followed.
    """
    from dryfire_action.globs import matching_any
    from dryfire_action.result_file import SIZE_LIMIT, parse_result

    contents: dict[str, bytes] = {}
    for pattern in inputs.results:
        root, base, relative = _place_of(pattern, where, temp)
        tree = FolderTree(root, limit=SIZE_LIMIT)
        for path in matching_any(tree, [relative], base):
            contents[path] = tree.read(path) or b""
            if len(contents) > _MOST_FILES or sum(map(len, contents.values())) > _MOST_BYTES:
                raise UsageError(f"results: more than {_MOST_FILES} files or {_MOST_BYTES:,} bytes")
    return [parse_result(content, path) for path, content in contents.items()], list(contents)


def write_junit(document: Mapping[str, Any], inputs: Inputs, where: Checkout, temp: Path) -> None:
    """Write the JUnit file. Raises ``UsageError`` where it may not stand, ``OSError`` where it cannot."""
    from datetime import UTC, datetime

    from dryfire_action.reports import junit, whole_file

    path = where.folder / inputs.junit_file
    folder = path.parent.resolve()
    inside_one = any(folder.is_relative_to(root) for root in (where.workspace, temp.resolve()))
    if not inside_one or ".git" in folder.parts or path.name in ("", ".", ".."):
        raise UsageError("junit-file: is neither in the workspace nor in the runner's temp folder")
    folder.mkdir(parents=True, exist_ok=True)
    whole_file.write(folder / path.name, junit.text(document, now=datetime.now(UTC)))


def main(environ: Mapping[str, str] = os.environ) -> int:
    """Write the result file that the first argument names; the exit code is 0 wherever there is one."""
    console.prepare()
    _limit_memory()
    document = _document(environ)
    write_result(Path(sys.argv[1]), document)
    _print(document)
    return EXIT_PASSED


def _document(environ: Mapping[str, str]) -> Document:
    """The result of everything that is asked for; what goes wrong is in it."""
    inputs = Inputs()
    commit: str | None = None
    try:
        inputs = read_inputs(environ)
        temp = Path(environ["RUNNER_TEMP"])
        where = find_checkout(Path(environ["GITHUB_WORKSPACE"]), inputs.working_directory)
        commit = checked_out_commit(where.root)
        document = _joined(inputs, where, temp, _occasion(environ))
        if inputs.junit_file:
            write_junit(document, inputs, where, temp)
    except Exception as error:
        return unable(error, inputs, commit=commit)
    return document


def _print(document: Document) -> None:
    """What came out, for the log: no line of it takes effect, whoever wrote the texts in it."""
    from dryfire_action.reports import job_log

    rows = job_log.text(document).splitlines()
    console.out("".join(f"{harmless(visible(row))}\n" for row in rows))


def _joined(inputs: Inputs, where: Checkout, temp: Path, occasion: Occasion) -> Document:
    """What is replayed here and what other jobs found, as one."""
    if not inputs.results:
        return _own(inputs, where, occasion)
    from dryfire_action.reports.shown import narrowed, strictest
    from dryfire_action.result_merge import merge_results

    documents, names = other_results(inputs, where, temp)
    if inputs.replays:
        documents.insert(0, _own(inputs, where, occasion))
        names.insert(0, "this job")
    show = strictest((inputs.show, *(document["show"] for document in documents)))
    return merge_results([narrowed(document, show) for document in documents], names)


def _own(inputs: Inputs, where: Checkout, occasion: Occasion) -> Document:
    """The document of what is replayed here; other results are merged with it also where it could not be."""
    from datetime import UTC, datetime

    try:
        return replayed(inputs, where, occasion, today=datetime.now(UTC).date().isoformat())
    except DryfireError as error:
        return unable(error, inputs, commit=checked_out_commit(where.root))


def _place_of(pattern: str, where: Checkout, temp: Path) -> tuple[Path, str, str]:
    if not Path(pattern).is_absolute():
        base = where.folder.relative_to(where.workspace).as_posix()
        return where.workspace, "" if base == "." else base, pattern
    for root in (where.workspace, temp, temp.resolve()):
        if Path(pattern).is_relative_to(root):
            return root.resolve(), "", Path(pattern).relative_to(root).as_posix()
    raise UsageError(f"results: {pattern} is neither in the workspace nor in the runner's temp folder")


def _occasion(environ: Mapping[str, str]) -> Occasion:
    return Occasion(
        event=environ.get("GITHUB_EVENT_NAME", ""),
        base=environ.get(BASE, ""),
        head=environ.get(HEAD, ""),
        commit=environ.get("GITHUB_SHA", ""),
    )


def _refuse_untrusted(occasion: Occasion, head: str | None) -> None:
    """A workflow of ``pull_request_target`` has secrets and a token that writes: only the base is replayed there."""
    if occasion.event == "pull_request_target" and (
        head is None or head not in (occasion.base, occasion.commit)
    ):
        raise UntrustedEvent(
            "on pull_request_target, the content of a pull request is not replayed",
            remedy=(
                "Replay it on pull_request, with a token that may not write, and publish the result on workflow_run; "
                "the how-to on forks shows both workflows."
            ),
        )


def _limit_memory() -> None:
    """A suite may be made to need more memory than there is: then this process ends, and not the runner."""
    try:
        import resource
    except ImportError:  # Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limits = [limit for limit in (soft, hard, MOST_MEMORY) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(limits), hard))


def without_network() -> None:
    """Let this process reach no network from here on. Nothing here tries to; should anything come to, it fails."""

    def refuse(event: str, _: object) -> None:
        if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
            raise DryfireError("the check tried to reach the network")

    sys.addaudithook(refuse)


if __name__ == "__main__":
    without_network()
    sys.exit(main())
