"""What became of all tests with a cassette: gathered from all workers into one ``Results``.

With it come the words, the causes and the file of ``dryfire run``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dryfire_action.causes import Cause, rank
from dryfire_action.errors import Place
from dryfire_action.field_changes import FieldChange
from dryfire_action.field_paths import without_indices
from dryfire_action.messages import Usage
from dryfire_action.pytest_files import command_for
from dryfire_action.results import TO_RECORD, CaseResult, Results, RunResult, SuiteResult, TurnResult
from dryfire_action.text_diff import DiffLine
from dryfire_action.tree import find_root

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import pytest

Part = dict[str, Any]
NOT_COMPARED = "pytest replays this tree only, and does not look for tests that the base has"
_MOST_NAMED = 8


def gathered(
    parts: Mapping[str, Part], collected: Mapping[str, Any], *, mode: str, is_stopped: bool = False
) -> Results:
    """The results of all tests. ``collected`` says which were to run, how many were left out, and what was no test."""
    files: dict[str, list[Part]] = {}
    for part in parts.values():
        files.setdefault(part["file"], []).append(part)
    suites = tuple(
        SuiteResult(file, file, tuple(_case(part) for part in found)) for file, found in files.items()
    )
    not_run = len(set(collected["tests"]) - parts.keys())
    # With --continue-on-collection-errors the others run, and are not all there is.
    broken = collected.get("not_collected", [])
    to_record = [f"{part['file']}::{part['name']}" for part in parts.values() if part["outcome"] in TO_RECORD]
    pairs = [
        (f"{part['file']}::{part['name']}", cause) for part in parts.values() for cause in part["causes"]
    ]
    return Results(
        suites,
        mode=mode,
        complete=not not_run and not broken,
        interrupted=is_stopped,
        left_out=collected["left_out"],
        not_run=not_run,
        allow_skipped=True,  # a test that skips itself says so in code that was reviewed
        command=_command(to_record),
        causes=causes_from(pairs),
        not_compared=NOT_COMPARED,
        warnings=(
            *(f"recorded for a test that is gone: {path}" for path in collected["unused"]),
            *([f"could not be collected: {_named(broken)}"] if broken else []),
        ),
    )


def summary(
    config: pytest.Config, parts: Mapping[str, Part], collected: Mapping[str, Any], exitstatus: int
) -> tuple[Results, list[str]]:
    """The results, and what is said at the end of the session."""
    results = gathered(parts, collected, mode=config.option.cassette_mode, is_stopped=exitstatus == 2)
    lines: list[str] = []
    stale = [case for case in results.cases if case.outcome in TO_RECORD]
    if stale:
        from dryfire_action.reports.wording import headline, tally_of

        lines.append(headline(tally_of(results)))
        lines += [f"  {cause.path} {cause.change}  ({len(cause.cases)})" for cause in results.causes]
        lines += ["record what is not recorded:", f"  {results.command}"]
    wrote = [part["cassette"] for part in parts.values() if part["wrote"]]
    if wrote:
        lines.append(f"recorded: {_named(wrote)}")
    partial = [part["cassette"] for part in parts.values() if part["partial"]]
    if partial:
        lines.append(
            f"not recorded, because the test failed; its answers are kept for --cassette-mode auto: {_named(partial)}"
        )
    unplayed = [f"{case.id} ({case.unplayed})" for case in results.cases if case.unplayed]
    if unplayed:
        lines.append(f"recorded, and not asked for: {_named(unplayed)}")
    if collected["unused"]:
        lines.append(f"recorded for tests that are gone: {_named(collected['unused'])}")
    return results, lines


def write_result(path: Path, results: Results, rootpath: Path, show: Any) -> str:
    """Write the result file; returns why that was not possible, "" where it was."""
    from dryfire_action.git_objects import checked_out_commit
    from dryfire_action.reports import result_json
    from dryfire_action.reports.whole_file import write

    document = result_json.document(
        results, commit=checked_out_commit(find_root(rootpath)), show=show, exit_code=results.exit_code
    )
    try:
        write(path, result_json.text(document))
    except OSError as error:
        return f"{path}: the result could not be written: {error.strerror or error}"
    return ""


def _case(part: Part) -> CaseResult:
    usage = ("input_tokens", "output_tokens")
    turns = tuple(
        TurnResult(
            **{**turn, "changes": tuple(FieldChange(*change) for change in turn["changes"])}
            | {"usage": Usage(**dict(zip(usage, turn["usage"], strict=True)))}
        )
        for turn in part["turns"]
    )
    is_passed = part["outcome"] == "passed"
    has_miss = any(turn.outcome in ("stale", "missing") for turn in turns)
    return CaseResult(
        part["file"],
        part["name"],
        part["outcome"],
        (RunResult(0, is_passed, turns),) if turns else (),
        error="" if has_miss else part["error"],
        remedy="" if has_miss else part["remedy"],
        cassette=part["cassette"],
        unplayed=part["unplayed"],
        place=Place(part["file"], part["line"]),
    )


def causes_from(found: Iterable[tuple[str, Part]]) -> tuple[Cause, ...]:
    """The causes of tests, each with the test's id: the same edit is one."""
    edits: dict[tuple[Any, ...], list[tuple[str, Part]]] = {}
    for case, part in found:
        path, *rest = part["edit"]
        edits.setdefault((without_indices(path), *rest), []).append((case, part))
    causes = []
    for (generic, change, old, new), sightings in edits.items():
        paths = {part["edit"][0] for _, part in sightings}
        first = sightings[0][1]
        causes.append(
            Cause(
                path=paths.pop() if len(paths) == 1 else generic,
                change=change,
                old=old,
                new=new,
                cases=tuple(dict.fromkeys(case for case, _ in sightings)),
                turns=len(sightings),
                note=first["note"],
                inner=first["inner"],
                diff=tuple(
                    DiffLine(sign, text, tuple((start, end) for start, end in spans))
                    for sign, text, spans in first["diff"]
                ),
                old_found=bool(first["diff"]),
            )
        )
    return tuple(sorted(causes, key=lambda one: rank(one.path, len(one.cases), one.turns, one.old, one.new)))


def _command(nodeids: list[str]) -> str:
    if not nodeids:
        return ""
    # Without parameters, whose names may be anything: auto asks for what is not recorded, and for nothing else.
    nodeids = list(dict.fromkeys(nodeid.partition("[")[0] for nodeid in nodeids))
    # A shell has its limits, and a reader too.
    return command_for(
        nodeids if len(nodeids) <= _MOST_NAMED else dict.fromkeys(n.partition("::")[0] for n in nodeids)
    )


def _named(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
