"""What a result comes to for the job: one word, and whether the job fails.

The word is the first that applies, from the worst on. What fails the job is asked for by ``fail-on``, and everything
that was asked for counts, also behind a worse word. An error always fails, and nothing checked never passes unasked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from dryfire_action.results import NOT_CHECKED, TO_RECORD

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dryfire_action.action_inputs import FailOn, OnEmpty

Result = Literal["error", "stale", "failed", "nothing-checked", "changed", "clear"]


@dataclass(frozen=True, slots=True)
class JobVerdict:
    """The ``result``, and why the job ``fails``: a reason each, none where it passes."""

    result: Result
    reasons: tuple[str, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether the job fails."""
        return bool(self.reasons)


def job_verdict(document: Mapping[str, Any], fail_on: frozenset[FailOn], on_empty: OnEmpty) -> JobVerdict:
    """The verdict on a result file's document, which must be valid."""
    counts = document["counts"]
    stale = sum(counts[name] for name in TO_RECORD)
    checked = counts["cases"] - sum(counts[name] for name in NOT_CHECKED)
    gone = document["no_longer_replayed"]
    errors = tuple(_errors(document, fail_on))
    empty = document["state"] == "nothing_checked" or not checked
    reasons = list(errors)
    if stale and "stale" in fail_on:
        reasons.append(f"{stale:,} of {counts['cases']:,} recordings are stale, missing or damaged")
    if counts["failed"] and "failure" in fail_on:
        reasons.append(f"{counts['failed']:,} of {counts['cases']:,} cases failed")
    skipped = _skipped(document) if checked else 0
    if skipped and "failure" in fail_on:
        reasons.append(f"{skipped:,} of {counts['cases']:,} cases were skipped")
    if empty and on_empty == "fail" and not errors:
        reasons.append("nothing was checked")
    if gone and "shrink" in fail_on:
        reasons.append(f"{len(gone):,} of the base's cases are no longer replayed")
    return JobVerdict(_result(document, errors, stale, empty=empty), tuple(reasons))


def outputs_of(document: Mapping[str, Any], verdict: JobVerdict) -> dict[str, str]:
    """The outputs that say what came out; ``action.yml`` declares each."""
    gone, changed = document["no_longer_replayed"], document["behaviour"]
    return {
        "result": verdict.result,
        **{f"{singular}-count": str(document["counts"][name]) for singular, name in _COUNTS.items()},
        "cause-count": str(len(document["causes"])),
        "changed-count": "" if changed is None else str(len(changed)),
        "no-longer-replayed-count": "" if gone is None else str(len(gone)),
    }


_COUNTS = {
    "case": "cases",
    "passed": "passed",
    "failed": "failed",
    "stale": "stale",
    "missing": "missing",
    "damaged": "damaged",
    "excluded": "excluded",
    "skipped": "skipped",
    "turn": "turns",
}


def _errors(document: Mapping[str, Any], fail_on: frozenset[FailOn]) -> Iterator[str]:
    """What keeps the result from being one."""
    if document["problems"]:
        number = len(document["problems"])
        yield f"the check could not be made: {number:,} problem{'s' if number > 1 else ''}"
    elif document["state"] == "stopped" or document["interrupted"] or not document["complete"]:
        yield "the check was not finished"
    if "shrink" in fail_on and document["no_longer_replayed"] is None and not document["problems"]:
        yield f"fail-on: shrink, and the base is not known: {document['not_compared'] or 'it was not compared'}"


def _skipped(document: Mapping[str, Any]) -> int:
    """How many cases were skipped and should not have been: whoever made the result says so by its exit code."""
    skipped: int = document["counts"]["skipped"]
    return skipped if document["exit_code"] else 0


def _result(document: Mapping[str, Any], errors: tuple[str, ...], stale: int, *, empty: bool) -> Result:
    if errors:
        return "error"
    if stale:
        return "stale"
    if document["counts"]["failed"] or (_skipped(document) and not empty):
        return "failed"
    if empty:
        return "nothing-checked"
    return "changed" if document["behaviour"] or document["no_longer_replayed"] else "clear"
