"""The sentences of reports, each in one place: terminal, markdown and comment say the same in the same words.

Only names and numbers are handed in. Foreign texts among them (paths, names) are shown as they are: escaping is up to
the report, which knows where they will stand.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dryfire_action.results import CASE_OUTCOMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dryfire_action.behaviour import Kind
    from dryfire_action.results import CaseOutcome, Results, State

WAS_IT_MEANT = "Was that edit meant? Then record the new answers and commit them. If not, undo it."
WERE_THEY_MEANT = "Were those edits meant? Then record the new answers and commit them. If not, undo them."
REKEY = "The rules of fingerprints changed, and no text. Bring the recordings in line, without any call of the model:"
REKEY_COMMAND = "dryfire rekey"
NOT_REACHED = "what comes after it cannot be checked before it is recorded again"


_KINDS: dict[Kind, str] = {
    "tools": "with other calls",
    "arguments": "with other arguments",
    "termination": "that end in another way",
    "wording": "with other words",
    "new": "new",
}


@dataclass(frozen=True, slots=True)
class Tally:
    """What a result comes to in numbers. ``gone`` are the cases that only the base has: they count, and are not clear.

    ``no_longer_replayed`` counts them and those that are excluded or scripted now; None where nothing was compared.
    What is counted there is in no other number but ``cases``. ``causes`` counts the edits, ``not_run`` what an early
    stop left.
    """

    state: State
    cases: int
    passed: int
    failed: int = 0
    stale: int = 0
    missing: int = 0
    damaged: int = 0
    excluded: int = 0
    skipped: int = 0
    gone: int = 0
    no_longer_replayed: int | None = None
    causes: int = 0
    not_run: int = 0
    problems: int = 0

    @property
    def total(self) -> int:
        """All cases there are, those that only the base has among them."""
        return self.cases + self.gone

    @property
    def to_record(self) -> int:
        """Cases whose recordings are stale, missing or damaged."""
        return self.stale + self.missing + self.damaged


def tally_from(
    state: State,
    outcomes: Mapping[str, CaseOutcome],
    *,
    no_longer_replayed: Iterable[str] | None,
    causes: int,
    not_run: int = 0,
    problems: int = 0,
) -> Tally:
    """The tally of a result: ``outcomes`` by the ids of its cases, and the ids of what is no longer replayed."""
    gone = None if no_longer_replayed is None else set(no_longer_replayed)
    numbers = Counter(outcome for case, outcome in outcomes.items() if not (gone and case in gone))
    return Tally(
        state=state,
        cases=len(outcomes),
        **{outcome: numbers[outcome] for outcome in CASE_OUTCOMES},
        gone=sum(case not in outcomes for case in gone or ()),
        no_longer_replayed=None if gone is None else len(gone),
        causes=causes,
        not_run=not_run,
        problems=problems,
    )


def tally_of(results: Results) -> Tally:
    """The tally of ``results``."""
    gone = results.no_longer_replayed
    return tally_from(
        results.state,
        {case.id: case.outcome for case in results.cases},
        no_longer_replayed=None if gone is None else (one.case for one in gone),
        causes=len(results.causes),
        not_run=results.not_run,
    )


def headline(tally: Tally) -> str:
    """The result in one line. Whatever keeps it from being an all-clear is in it."""
    if tally.problems:
        return f"Stopped: {count(tally.problems, 'problem')} in suites, config or command line"
    if tally.state == "stopped":
        return f"Stopped: {count(tally.not_run, 'case')} did not run" + besides(tally)
    if tally.state == "nothing_checked":
        return "Nothing was checked" + besides(tally)
    if tally.state == "stale":
        return _to_record(tally) + besides(tally)
    of_all = f"{tally.failed if tally.state == 'failed' else tally.passed:,} of {count(tally.total, 'case')}"
    if tally.state == "failed":
        return f"{of_all} {'fails' if tally.failed == 1 else 'fail'}" + besides(tally)
    return f"{of_all} clear" + besides(tally)


def besides(tally: Tally) -> str:
    """What else is to be known before anybody takes a result for an all-clear."""
    failed = tally.failed if tally.state == "stale" else 0
    parts = [
        f"{number:,} {word}"
        for number, word in (
            (failed, "failed"),
            (tally.excluded, "excluded"),
            (tally.skipped, "skipped"),
            (tally.no_longer_replayed or 0, "no longer replayed"),
        )
        if number
    ]
    return "".join(f", {part}" for part in parts)


def _to_record(tally: Tally) -> str:
    number = tally.to_record
    verb = "Record" if number == tally.missing else "Re-record"
    return f"{verb} {number:,} of {count(tally.total, 'case')}" + _why_to_record(tally)


def _why_to_record(tally: Tally) -> str:
    if tally.to_record == tally.stale:
        them = "it" if tally.stale == 1 else "all of them" if tally.causes == 1 else "them"
        if not tally.causes:
            return ""
        return (
            f": one change explains {them}"
            if tally.causes == 1
            else f": {tally.causes:,} changes explain {them}"
        )
    their = "its recording" if tally.to_record == 1 else "their recordings"
    if tally.to_record == tally.missing:
        return f": something is not in {their}"
    if tally.to_record == tally.damaged:
        return f": {their} cannot be trusted"
    by = f" by {count(tally.causes, 'change')}" if tally.causes else ""
    parts = ((tally.stale, f"stale{by}"), (tally.missing, "missing"), (tally.damaged, "damaged"))
    return ": " + ", ".join(f"{part:,} {word}" for part, word in parts if part)


def count(number: int, noun: str) -> str:
    """``1 case``, ``2 cases``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def spread(cases: int, turns: int, suites: int) -> str:
    """How far a cause reaches: ``40 cases in 3 suites, 118 turns``."""
    where = f" in {count(suites, 'suite')}" if suites > 1 else ""
    return f"{count(cases, 'case')}{where}, {count(turns, 'turn')}"


def equal_fields(equal: int, fields: int) -> str:
    """How much a stale request has in common with the recorded one."""
    return f"{equal:,} of {count(fields, 'field')} {'is' if fields == 1 else 'are'} equal"


def without_place(note: str) -> str:
    """The sentence of a miss without the place that it begins with, for where that stands in front of it already."""
    place, _, rest = note.partition(": ")
    return rest if rest and place.startswith(("run ", "turn ")) else note


def without_old_text(why: str) -> str:
    """Why a cause has no diff, for all of them that have none."""
    return f"without the old text: {why}"


def not_compared(why: str) -> str:
    """Why nothing can be said about the base."""
    return f"not compared with the base: {why}"


def meant(causes: int) -> str:
    """What to ask oneself, and what to do then."""
    return WAS_IT_MEANT if causes == 1 else WERE_THEY_MEANT


def only_rules_changed(tally: Tally, notes: Iterable[str | None]) -> bool:
    """Whether `rekey` makes everything fresh: all that is to be recorded is stale, and by no cause that is an edit.

    ``notes`` are those of the causes.
    """
    from dryfire_action.causes import OTHER_RULES, OTHER_VERSION

    return tally.causes > 0 and tally.to_record == tally.stale and set(notes) <= {OTHER_RULES, OTHER_VERSION}


def cost(calls: int, input_tokens: int, output_tokens: int, *, tally: Tally) -> str:
    """What recording again costs, as far as the recordings that it replaces tell; "" where nothing is known.

    How many calls a case takes of which nothing is recorded, or nothing that can be read, is not known.
    """
    if not calls:
        return ""
    least = "at least " if tally.missing or tally.damaged else ""
    words = f"{least}{count(calls, 'call')} of the model"
    if not input_tokens and not output_tokens:
        return words
    used = f"{input_tokens:,} input and {output_tokens:,} output tokens"
    return f"{words}; what is replaced took {used}"


def kinds_of_behaviour(numbers: Mapping[Kind, int]) -> str:
    """How many recordings changed in which way, in the order of the numbers."""
    return ", ".join(f"{number:,} {_KINDS[kind]}" for kind, number in numbers.items())


def behaviour(
    kind: Kind, before: Sequence[str], after: Sequence[str], whats: Sequence[str], tokens: tuple[int, int]
) -> str:
    """How a case behaves otherwise than at the base; ``before`` and ``after`` are its tool calls, in order."""
    if kind == "new":
        return f"new: {_calls(after)}"
    more = tokens[1] - tokens[0]
    used = f", {abs(more):,} tokens {'more' if more > 0 else 'fewer'}" if more else ""
    if kind == "tools":
        return f"other calls: {_calls(after)}; before: {_calls(before)}{used}"
    if kind == "arguments":
        names = dict.fromkeys(what.removeprefix("arguments of ") for what in whats if what.startswith("arg"))
        return f"the same calls with other arguments: {', '.join(names)}{used}"
    if kind == "termination":
        return f"it ends in another way{used}"
    return f"the same calls, other words{used}"


def _calls(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "no call"
