"""Replay suites from their recordings, or record them, and judge every case.

Without a mode the recordings are replayed: no key, no network, no cost. Only `--cassette-mode record`, `auto` and
`off` ever ask a provider.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dryfire_action import console
from dryfire_action.commands import report_files, selection
from dryfire_action.commands.arguments import at_least, one_of
from dryfire_action.errors import EXIT_INTERRUPTED, EXIT_PASSED, EXIT_USAGE, DryfireError, UsageError

if TYPE_CHECKING:
    from argparse import Namespace

    from dryfire_action.commands.arguments import Parser
    from dryfire_action.foreign_recordings import ForeignRecordings
    from dryfire_action.results import Results
    from dryfire_action.runner import RunOptions
    from dryfire_action.sharding import Shard

_EPILOG = """\
modes:
  replay  answer from the recordings and from nothing else (the default)
  auto    answer from the recordings, ask the provider only for what is stale or missing, and keep its answers
  record  ask the provider for everything, and keep its answers
  off     ask the provider for everything, and keep nothing

keys:
  A live call takes its key from the provider's variable (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, ...) and
  needs its package: pip install "dryfire-action[anthropic]" (or openai, gemini, all). Whatever else speaks OpenAI's
  Chat Completions is named in dryfire.yaml:
    providers: {ours: {base_url: "https://llm.example.com/v1", api_key_env: OUR_KEY}}

the base:
  What the base replays and this tree does not, and what recordings changed since, is told with --base, --json-out
  and --markdown-out, and where the variable CI is set. It never changes the exit code.

examples:
  dryfire run                                            replay everything that dryfire.yaml names
  dryfire run evals/refunds.eval.yaml --filter late      some cases of one file
  dryfire run --cassette-mode auto --dry-run             what re-recording would take
  dryfire run --cassette-mode auto                       re-record only what is stale
  dryfire run --json-out result.json --show names        a file for other programs, without any text
  dryfire run --markdown-out "$GITHUB_STEP_SUMMARY"      the summary of a job

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
    add("--shard", metavar="K/N", help="only part K of N, for N jobs: each case is in one part")
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
    add(
        "--max-calls",
        metavar="N",
        type=at_least(0),
        help="stop before live call N+1, attempts counted; what was answered is kept, and auto goes on from there",
    )
    add(
        "--max-tokens",
        metavar="N",
        type=at_least(0),
        help="stop before the next live call once they have taken N tokens",
    )
    add(
        "--from",
        dest="source",
        metavar="dryfire:DIR",
        help="take the answers from the recordings of dryfire 0.2 to 0.4 in DIR; no provider is asked",
    )
    add(
        "--dry-run",
        action="store_true",
        help="say how many calls the run would make, and of about how many tokens; nothing is asked or written",
    )
    add("--allow-skipped", action="store_true", help="cases without a key do not fail the run")
    add("--allow-empty", action="store_true", help="a run that checks nothing does not fail")
    report_files.add_options(parser)
    add(
        "--base",
        metavar="REV",
        help="compare with what this tree branched off from REV (default: the default branch; see below)",
    )
    add(
        "-v",
        "--verbose",
        action="store_true",
        help="show all assertions, and the turns of cases that do not pass",
    )


def execute(args: Namespace) -> int:
    """Run the selected cases, write the report files, print the report."""
    if args.dry_run:
        return _forecast(args)
    source = _source(args)
    files = report_files.prepared(args)
    try:
        # The environment counts only where nothing is recorded and nothing is replayed.
        environ = os.environ if args.cassette_mode == "off" else None
        chosen = selection.load(args.paths, model=args.model, environ=environ)
        _check_names(args, chosen)
        results = _explained(args, chosen, _run(args, chosen, source), files)
    except DryfireError as error:
        files.refuse(error, args.cassette_mode)
        raise
    except Exception as error:
        files.refuse(DryfireError(f"internal error: {type(error).__name__}"), args.cassette_mode)
        raise
    code = EXIT_INTERRUPTED if results.interrupted else results.exit_code
    written = files.write(results, root=chosen.root, exit_code=code)
    _print(args, results, code, chosen)
    return code if written or code else EXIT_USAGE


def _forecast(args: Namespace) -> int:
    """Print what the run would ask, and do nothing."""
    from dryfire_action.forecast import forecast
    from dryfire_action.providers import unset_key
    from dryfire_action.reports.forecast import render

    named = report_files.asked(args)
    if named:
        raise UsageError(f"--dry-run writes no file, so {' and '.join(named)} cannot be given with it")
    if args.shard is not None:
        raise UsageError("--dry-run tells about the whole run, so --shard cannot be given with it")
    environ = os.environ if args.cassette_mode == "off" else None
    chosen = selection.load(args.paths, model=args.model, environ=environ)
    _check_names(args, chosen)
    found = forecast(chosen.suites, _options(args, chosen.cwd), root=chosen.root)
    configs = {suite.name: suite.config for suite in chosen.suites}
    unset = {}
    for one in found.cases:
        if one.calls and (
            variable := unset_key(one.case.provider, configs[one.case.suite].providers, os.environ)
        ):
            unset[one.case.provider] = variable
    console.show(render(found, unset=unset, shown_path=chosen.shown), os.environ)
    return EXIT_PASSED if found.cases or args.allow_empty else EXIT_USAGE


def _source(args: Namespace) -> ForeignRecordings | None:
    """The recordings that are taken over. Raises ``UsageError``."""
    if args.source is None:
        return None
    from pathlib import Path

    from dryfire_action.foreign_recordings import ForeignRecordings

    kind, colon, folder = args.source.partition(":")
    if kind != "dryfire" or not colon or not folder:
        raise UsageError(f"--from: {args.source!r} must be dryfire:DIR, the folder of its recordings")
    if args.cassette_mode not in ("record", "auto"):
        raise UsageError("--from takes recordings over, so it goes with --cassette-mode record or auto")
    if args.passthrough == "run":
        raise UsageError(
            "--from asks no provider, and cases that run real code (impl:) would: leave --passthrough out"
        )
    args.passthrough = "skip"
    return ForeignRecordings(Path(folder))


def _shard(text: str | None) -> Shard | None:
    from dryfire_action.sharding import parse_shard

    try:
        return parse_shard(text) if text is not None else None
    except UsageError as error:
        raise UsageError(f"--shard: {error.message}", remedy=error.remedy) from None


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
        max_calls=args.max_calls,
        max_tokens=args.max_tokens,
        allow_skipped=args.allow_skipped,
        allow_empty=args.allow_empty,
        shard=_shard(args.shard),
        cwd=cwd,
    )


def _run(args: Namespace, chosen: selection.Selection, source: ForeignRecordings | None) -> Results:
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
            source=source,
        )
    finally:
        end()


def _explained(
    args: Namespace, chosen: selection.Selection, results: Results, files: report_files.ReportFiles
) -> Results:
    """``results`` beside the base, where anybody wants to know, and with their causes explained."""
    in_ci = os.environ.get("CI", "").casefold() not in ("", "0", "false")
    if args.base is not None or files.for_others or in_ci:
        from dryfire_action.comparison import with_comparison

        results = with_comparison(
            results,
            chosen.suites,
            _options(args, chosen.cwd),
            root=chosen.root,
            patterns=chosen.patterns,
            revision=args.base,
        )
    if not results.causes:
        return results
    from dryfire_action.explanation import with_explanations
    from dryfire_action.tree import FolderTree

    return with_explanations(results, chosen.root, FolderTree(chosen.root))


def _check_names(args: Namespace, chosen: selection.Selection) -> None:
    """Raise ``UsageError`` for a case or tag that nothing has: a typo must not narrow a run to nothing."""
    from dryfire_action.visible import closest, visible

    ids, tags = chosen.ids, sorted({tag for suite in chosen.suites for tag in suite.tags})
    for option, asked, known in (("--case", args.case, ids), ("--tag", args.tag, tags)):
        for name in asked:
            if name not in known:
                what = "case" if option == "--case" else "tag"
                raise UsageError(f"{option}: no {what} is called {visible(name)!r}{closest(name, known)}")


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
