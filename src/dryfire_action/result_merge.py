"""Merging results: the result files of shards, of matrix legs, of packages and of pytest become one result.

What came out is recomputed from the cases, never taken from the numbers of a file, so that a merged result is an
all-clear only if each case in it is one. A shard that did not report is a problem.
"""

from __future__ import annotations

import json
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from dryfire_action.errors import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_PASSED,
    EXIT_RECORDING,
    EXIT_USAGE,
)
from dryfire_action.merged_causes import joined_causes
from dryfire_action.merged_command import joined_command
from dryfire_action.merged_shards import shard_of, shard_problems
from dryfire_action.merged_suites import joined_suites
from dryfire_action.reports.result_json import FORMAT
from dryfire_action.reports.shown import narrowed, strictest
from dryfire_action.result_file import ResultFileError, parse_result, read_result
from dryfire_action.results import CASE_OUTCOMES, NOT_CHECKED, TO_RECORD

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dryfire_action.merged_suites import Joined

    Document = Mapping[str, Any]

__all__ = ["ResultFileError", "merge_results", "parse_result", "read_result"]

# Which exit code stands for several: an interrupt, then a mistake, then a recording, then an assertion.
_WORST_FIRST = (EXIT_INTERRUPTED, EXIT_USAGE, EXIT_RECORDING, EXIT_FAILED)


def merge_results(documents: Sequence[Document], names: Sequence[str] = ()) -> dict[str, Any]:
    """One document for all of ``documents``, which must be valid. ``names`` tell them apart (default: by number).

    Raises ``ResultFileError`` where there is none, or where they are about different commits.
    """
    if not documents:
        raise ResultFileError("", "there is no result to merge", remedy="Name the result files of the jobs.")
    commit = _commit(documents)
    show = strictest(document["show"] for document in documents)
    labels = _unique([*names, *(f"result {number}" for number in range(len(names) + 1, len(documents) + 1))])
    named = [(narrowed(document, show), label) for document, label in zip(documents, labels, strict=True)]
    named.sort(key=lambda one: shard_of(one[0]) or (0, 0))
    parts = [document for document, _ in named]
    is_shard = [part["shard"] is not None for part in parts]
    joined = joined_suites(parts, [label for _, label in named], is_shard)
    problems = _distinct([*(one for part in parts for one in part["problems"]), *shard_problems(parts)])
    compared = _compared(parts, joined)
    return {
        "format": FORMAT,
        "exit_code": _exit_code(parts, joined, problems),
        "state": _state(parts, joined, problems, shrunk=bool(compared["no_longer_replayed"])),
        "commit": commit,
        "base": compared["base"],
        "not_compared": compared["not_compared"],
        "shard": None,
        "elsewhere": 0,
        "mode": _common(part["mode"] for part in parts),
        "show": show,
        "complete": all(part["complete"] for part in parts),
        "interrupted": any(part["interrupted"] for part in parts),
        "left_out": _left_out(parts),
        "not_run": sum(part["not_run"] for part in parts),
        "counts": joined.counts(CASE_OUTCOMES),
        "causes": joined_causes(parts, joined),
        "history": next((part["history"] for part in parts if part["history"]), None),
        "suites": joined.suites,
        "not_checked": joined.each("not_checked"),
        "no_longer_replayed": compared["no_longer_replayed"],
        "unplayed": joined.each("unplayed"),
        "behaviour": compared["behaviour"],
        "rerecord": {"command": joined_command(parts, joined.ids), **joined.cost()},
        "problems": problems,
        "warnings": _distinct([*(one for part in parts for one in part["warnings"]), *_idle(parts)]),
    }


def _commit(documents: Sequence[Document]) -> str | None:
    commits = _distinct(document["commit"] for document in documents if document["commit"])
    if len(commits) > 1:
        shown = ", ".join(commit[:8] for commit in commits[:5])
        remedy = "Merge the results of one run of one workflow."
        raise ResultFileError("", f"the results are about different commits: {shown}", remedy=remedy)
    return commits[0] if commits else None


def _compared(parts: Sequence[Document], joined: Joined) -> dict[str, Any]:
    """What is said of the base: all that any part knows. That nothing is gone is known only where all parts know it."""
    bases = _distinct(part["base"] for part in parts if part["base"])
    gone = joined.each("no_longer_replayed", in_order=False)
    all_know = all(part["no_longer_replayed"] is not None for part in parts)
    nobody = all(part["behaviour"] is None for part in parts)
    why = next((part["not_compared"] for part in parts if part["not_compared"]), None)
    if len(bases) > 1:
        why = "the results were compared with different commits"
    elif bases and not all_know:
        why = why or "not all of the results were"
    return {
        "base": bases[0] if len(bases) == 1 else None,
        "not_compared": why,
        "no_longer_replayed": gone if gone or (all_know and len(bases) <= 1) else None,
        "behaviour": None if nobody else joined.each("behaviour"),
    }


def _exit_code(parts: Sequence[Document], joined: Joined, problems: Sequence[object]) -> int:
    """Of several the first of 130, 2, 3, 1; what the cases say counts, whatever a part says of itself."""
    codes = {part["exit_code"] for part in parts}
    outcomes = {case["outcome"] for case in joined.cases}
    if outcomes.intersection(TO_RECORD):
        codes.add(EXIT_RECORDING)
    if "failed" in outcomes:
        codes.add(EXIT_FAILED)
    if problems:
        codes.add(EXIT_USAGE)
    return next((code for code in _WORST_FIRST if code in codes), EXIT_PASSED)


def _state(parts: Sequence[Document], joined: Joined, problems: Sequence[object], *, shrunk: bool) -> str:
    """What it all comes to: as in a run of its own, but that a part which checked nothing is none that is clear."""
    outcomes = {case["outcome"] for case in joined.cases}
    if problems or any(part["interrupted"] or part["state"] == "stopped" for part in parts):
        return "stopped"
    if outcomes.intersection(TO_RECORD):
        return "stale"
    if "failed" in outcomes:
        return "failed"
    if "skipped" in outcomes:
        return "skipped"
    if not all(part["complete"] for part in parts):
        return "stopped"
    if not outcomes.difference(NOT_CHECKED) or any(map(_checked_nothing, parts)):
        return "nothing_checked"
    return "shrunk" if shrunk else "clear"


def _checked_nothing(part: Document) -> bool:
    """Whether a part says that it checked nothing, and that this was not allowed."""
    return bool(part["state"] == "nothing_checked" and part["exit_code"])


def _idle(parts: Sequence[Document]) -> list[str]:
    idle = sum(map(_checked_nothing, parts))
    return [f"{idle:,} of {len(parts):,} results checked nothing"] if idle and len(parts) > 1 else []


def _left_out(parts: Sequence[Document]) -> int:
    """Cases left out by arguments; the shards of one run leave out the same."""
    by_run: dict[int, int] = {}
    for number, part in enumerate(parts):
        shard = shard_of(part)
        run = -shard[0] if shard else number
        by_run[run] = max(by_run.get(run, 0), part["left_out"])
    return sum(by_run.values())


def _unique(names: Iterable[str]) -> list[str]:
    """``names``, with a number where one stands again."""
    found: list[str] = []
    for name in names:
        numbered = (f"{name} {number}" for number in count(2))
        found.append(next(one for one in chain((name,), numbered) if one not in found))
    return found


def _distinct(values: Iterable[Any]) -> list[Any]:
    """``values``, each once; they are JSON."""
    found: dict[str, Any] = {}
    for value in values:
        found.setdefault(json.dumps(value, sort_keys=True), value)
    return list(found.values())


def _common(values: Iterable[Any]) -> Any:
    found = _distinct(values)
    return found[0] if len(found) == 1 else None
