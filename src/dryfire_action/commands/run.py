"""Replay suites from their recordings, or record them, and judge every case.

Without a mode the recordings are replayed: no key, no network, no cost. Only `--cassette-mode record`, `auto` and
`off` ever ask a provider.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from dryfire_action import console
from dryfire_action.commands import selection
from dryfire_action.commands.arguments import at_least, one_of
from dryfire_action.errors import EXIT_INTERRUPTED, EXIT_PASSED, EXIT_USAGE, DryfireError, UsageError

if TYPE_CHECKING:
    from argparse import Namespace

    from dryfire_action.commands.arguments import Parser
    from dryfire_action.results import Results
    from dryfire_action.runner import RunOptions

_EPILOG = """\
modes:
  replay  answer from the recordings and from nothing else (the default)
  auto    answer from the recordings, ask the provider only for what is stale or missing, and keep its answers
  record  ask the provider for everything, and keep its answers
  off     ask the provider for everything, and keep nothing

examples:
  dryfire run                                            replay everything that dryfire.yaml names
  dryfire run evals/refunds.eval.yaml --filter late      some cases of one file
  dryfire run --cassette-mode auto                       re-record only what is stale
  dryfire run --json-out result.json --show names        a file for other programs, without any text

"""


def arguments(parser: Parser) -> None:
    """Declare what ``dryfire run`` takes."""
    from dryfire_action.cli import EXIT_CODES
    from dryfire_action.suite import MODES

    parser.epilog = _EPILOG + EXIT_CODES
    selection.add_paths(parser)
    add = parser.option
    add("--cassette-mode", metavar="MODE", type=one_of(*MODES), help="replay, auto, record or off; see below")
    add("--filter", metavar="TEXT", help="only cases whose name holds TEXT")
    add("--case", metavar="SUITE::CASE", action="append", default=[], help="only this case; repeatable")
    add("--tag", metavar="TAG", action="append", default=[], help="only suites with this tag; repeatable")
    add("--fail-fast", action="store_true", help="stop at the first case that does not pass")
    add("--concurrency", metavar="N", type=at_least(1), default=4, help="cases at a time (default: 4)")
    add("--model", metavar="MODEL", help="another model; its recordings stand beside the case's own")
    add(
        "--passthrough",
        metavar="run|skip",
        type=one_of("run", "skip"),
        help="whether cases that run real code (impl:) are run (default: skip in replay, else run)",
    )
    add(
        "--max-retries",
        metavar="N",
        type=at_least(0),
        default=3,
        help="further attempts after a failure that may pass (default: 3)",
    )
    add("--allow-skipped", action="store_true", help="cases without a key do not fail the run")
    add("--allow-empty", action="store_true", help="a run that checks nothing does not fail")
    add("--json-out", metavar="FILE", help="write the results to FILE; the folder must exist")
    add(
        "--show",
        metavar="names|prompts|all",
        type=one_of("names", "prompts", "all"),
        default="prompts",
        help="how much text may stand in FILE: names only, also texts of the suites (default), or answers too",
    )
    add(
        "-v",
        "--verbose",
        action="store_true",
        help="show all assertions, and the turns of cases that do not pass",
    )


def execute(args: Namespace) -> int:
    """Run the selected cases, write the report files, print the report."""
    report_file = _report_file(args.json_out)
    try:
        # The environment counts only where nothing is recorded and nothing is replayed.
        environ = os.environ if args.cassette_mode == "off" else None
        chosen = selection.load(args.paths, model=args.model, environ=environ)
        _check_names(args, chosen)
        results = _run(args, chosen)
    except DryfireError as error:
        _write_refusal(report_file, args, error)
        raise
    except Exception as error:
        _write_refusal(report_file, args, DryfireError(f"internal error: {type(error).__name__}"))
        raise
    code = EXIT_INTERRUPTED if results.interrupted else results.exit_code
    written = _write_results(report_file, args, results, code, chosen.root)
    _print(args, results, code, chosen)
    return code if written or code else EXIT_USAGE


def _options(args: Namespace, cwd: str) -> RunOptions:
    from dryfire_action.runner import RunOptions

    return RunOptions(
        mode=args.cassette_mode,
        filter=args.filter,
        cases=tuple(args.case),
        tags=tuple(args.tag),
        fail_fast=args.fail_fast,
        concurrency=args.concurrency,
        model=args.model,
        passthrough=args.passthrough,
        max_retries=args.max_retries,
        allow_skipped=args.allow_skipped,
        allow_empty=args.allow_empty,
        cwd=cwd,
    )


def _run(args: Namespace, chosen: selection.Selection) -> Results:
    from datetime import UTC, datetime

    from dryfire_action.runner import run_suites

    tell, end = console.progress_line(os.environ)
    try:
        return run_suites(
            chosen.suites,
            _options(args, chosen.cwd),
            root=chosen.root,
            today=datetime.now(UTC).date().isoformat(),
            environ=os.environ,
            progress=tell,
        )
    finally:
        end()


def _check_names(args: Namespace, chosen: selection.Selection) -> None:
    """Raise ``UsageError`` for a case or tag that nothing has: a typo must not narrow a run to nothing."""
    from dryfire_action.visible import closest, visible

    ids, tags = chosen.ids, sorted({tag for suite in chosen.suites for tag in suite.tags})
    for option, asked, known in (("--case", args.case, ids), ("--tag", args.tag, tags)):
        for name in asked:
            if name not in known:
                what = "case" if option == "--case" else "tag"
                raise UsageError(f"{option}: no {what} is called {visible(name)!r}{closest(name, known)}")


def _report_file(name: str | None) -> Path | None:
    """The file that ``--json-out`` names. Raises ``UsageError`` where it could not be written after the run."""
    if name is None:
        return None
    path = Path(name)
    folder = path.parent
    if path.is_dir():
        raise UsageError(f"--json-out: {name} is a folder")
    if not folder.is_dir():
        raise UsageError(
            f"--json-out: there is no folder {folder}", remedy=f"Make it first: mkdir -p {folder}"
        )
    if not os.access(folder, os.W_OK):
        raise UsageError(f"--json-out: the folder {folder} cannot be written to")
    if path.is_file():
        # Should this run be killed, nobody must take the report of an earlier one for its own.
        path.unlink()
    return path


def _write_results(path: Path | None, args: Namespace, results: Results, code: int, root: Path) -> bool:
    if path is None:
        return True
    from dryfire_action.reports import result_json

    return _written(path, result_json.document(results, commit=_commit(root), show=args.show, exit_code=code))


def _write_refusal(path: Path | None, args: Namespace, error: DryfireError) -> None:
    """Leave a report behind even where nothing could be run: whoever waits for the file learns why."""
    if path is None:
        return
    from dryfire_action.errors import Place, Problem, SpecError
    from dryfire_action.reports import result_json
    from dryfire_action.results import Results
    from dryfire_action.tree import find_root

    if isinstance(error, SpecError):
        problems = error.problems
    else:
        problems = (Problem(Place(""), error.message, hint=error.remedy, slug=error.slug),)
    nothing = Results(suites=(), mode=args.cassette_mode, complete=False)
    _written(
        path,
        result_json.document(
            nothing,
            commit=_commit(find_root(Path.cwd())),
            show=args.show,
            exit_code=error.exit_code,
            problems=problems,
        ),
    )


def _written(path: Path, document: dict[str, object]) -> bool:
    from dryfire_action.reports import result_json

    try:
        result_json.write(path, document)
    except OSError as error:
        console.err(f"dryfire: {path} could not be written: {error.strerror or error}\n")
        return False
    return True


def _commit(root: Path) -> str | None:
    """The commit that is checked out, None without git."""
    import subprocess

    try:
        done = subprocess.run(
            ["git", "rev-parse", "--verify", "HEAD"],
            cwd=root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    found = done.stdout.strip()
    return found if done.returncode == EXIT_PASSED and found else None


def _print(args: Namespace, results: Results, code: int, chosen: selection.Selection) -> None:
    from dryfire_action.reports import terminal

    console.show(
        terminal.render(
            results,
            exit_code=code,
            shown_path=chosen.shown,
            verbose=args.verbose,
            fancy=console.can_show(terminal.MARKS_TEXT),
        ),
        os.environ,
    )
