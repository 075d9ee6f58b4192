"""The files that ``dryfire run`` writes its result into: checked before the run, written whatever happens in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dryfire_action import console
from dryfire_action.commands.arguments import one_of
from dryfire_action.errors import UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Mapping, Sequence

    from dryfire_action.commands.arguments import Parser
    from dryfire_action.errors import DryfireError, Problem
    from dryfire_action.reports.shown import Show
    from dryfire_action.results import Results

# option -> what is in its file
_OPTIONS = {
    "--json-out": "the results, for other programs",
    "--markdown-out": "a report for people, as GitHub shows it",
    "--junit-out": "JUnit XML, for CI systems",
}


def add_options(parser: Parser) -> None:
    """Let ``parser`` take the files to write."""
    for option, what in _OPTIONS.items():
        parser.option(option, metavar="FILE", help=f"write {what}, to FILE; the folder must exist")
    parser.option(
        "--show",
        metavar="names|prompts|all",
        type=one_of("names", "prompts", "all"),
        default="prompts",
        help="how much text may stand in these files: names only, also texts of the suites (default), or answers too",
    )


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """The files that were asked for, by option."""

    paths: Mapping[str, Path]
    show: Show

    @property
    def for_others(self) -> bool:
        """Whether one of them is read by somebody who does not see the base: it must say what the base replays."""
        return bool(self.paths.keys() & {"--json-out", "--markdown-out"})

    def write(
        self, results: Results, *, root: Path, exit_code: int, problems: Sequence[Problem] = ()
    ) -> bool:
        """Write them all; whether that succeeded. What stands in the way is told on stderr."""
        if not self.paths:
            return True
        from dryfire_action.git_objects import checked_out_commit
        from dryfire_action.patterns import PatternTimeout
        from dryfire_action.reports import result_json

        try:
            document = result_json.document(
                results,
                commit=checked_out_commit(root),
                show=self.show,
                exit_code=exit_code,
                problems=problems,
            )
        except PatternTimeout as error:
            # Of a text that could not be searched for secrets nothing is written.
            console.err(f"dryfire: a rule under redact: in dryfire.yaml: {error.message}\n")
            self.refuse(error, results.mode)
            return False
        done = [self._written(option, path, document) for option, path in self.paths.items()]
        return all(done)

    def refuse(self, error: DryfireError, mode: str | None) -> None:
        """Leave reports behind even where nothing could be run: whoever waits for them learns why."""
        from dryfire_action.errors import Place, Problem, SpecError
        from dryfire_action.results import Results
        from dryfire_action.tree import find_root

        if isinstance(error, SpecError):
            problems = error.problems
        else:
            problems = (Problem(Place(""), error.message, hint=error.remedy, slug=error.slug),)
        nothing = Results(suites=(), mode=mode, complete=False)
        root = find_root(Path.cwd())
        self.write(nothing, root=root, exit_code=error.exit_code, problems=problems)

    def _written(self, option: str, path: Path, document: Mapping[str, Any]) -> bool:
        from dryfire_action.reports.whole_file import write

        try:
            write(path, _CONTENTS[option](document))
        except OSError as error:
            console.err(f"dryfire: {path} could not be written: {error.strerror or error}\n")
            return False
        return True


def asked(args: Namespace) -> list[str]:
    """The options of ``args`` that name a file to write."""
    return [option for option in _OPTIONS if getattr(args, option[2:].replace("-", "_")) is not None]


def prepared(args: Namespace) -> ReportFiles:
    """The files that ``args`` ask for. Raises ``UsageError`` where one could not be written after the run."""
    paths = {option: _checked(option, getattr(args, option[2:].replace("-", "_"))) for option in asked(args)}
    targets = [path.resolve() for path in paths.values()]
    if len(set(targets)) < len(targets):
        raise UsageError(f"{' and '.join(paths)} name the same file")
    for path in paths.values():
        if path.is_file():
            # Should this run be killed, nobody must take the report of an earlier one for its own.
            path.unlink()
    return ReportFiles(paths, args.show)


def _checked(option: str, name: str) -> Path:
    path = Path(name)
    folder = path.parent
    if path.is_dir():
        raise UsageError(f"{option}: {name} is a folder")
    if not folder.is_dir():
        raise UsageError(f"{option}: there is no folder {folder}", remedy=f"Make it first: mkdir -p {folder}")
    if not os.access(folder, os.W_OK):
        raise UsageError(f"{option}: the folder {folder} cannot be written to")
    return path


def _json(document: Mapping[str, Any]) -> str:
    from dryfire_action.reports import result_json

    return result_json.text(document)


def _markdown(document: Mapping[str, Any]) -> str:
    from dryfire_action.reports import markdown

    return markdown.text(document)


def _junit(document: Mapping[str, Any]) -> str:
    from datetime import UTC, datetime

    from dryfire_action.reports import junit

    return junit.text(document, now=datetime.now(UTC))


_CONTENTS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "--json-out": _json,
    "--markdown-out": _markdown,
    "--junit-out": _junit,
}
