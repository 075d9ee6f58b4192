"""The sentences of a comment, for reviewers who never heard of recordings: what came out, and what that means."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dryfire_action.reports import wording
from dryfire_action.reports.markdown import kinds
from dryfire_action.reports.wording import count
from dryfire_action.results import TO_RECORD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dryfire_action.comment_marker import Marker
    from dryfire_action.results import State

_WARNING, _BAD, _LOOK, _GOOD = "⚠️", "🔴", "🟡", "✅"

_RECORDED = "The tests of this agent replay answers that a model once gave, instead of asking it again."
_MEANINGS = {
    "stale": f"{_RECORDED} This commit asks the model something else than what those answers were given to, so they "
    "no longer show what the agent does.",
    "missing": f"{_RECORDED} To some of what this commit asks the model there is no answer yet.",
    "damaged": f"{_RECORDED} Some of them cannot be read, or were edited by hand.",
    "failed": f"{_RECORDED} With these answers the agent does not do what its tests expect.",
    "skipped": f"{_RECORDED} Some tests were skipped, so this is no all-clear.",
    "shrunk": f"{_RECORDED} Some that were replayed before this pull request no longer are, so nothing checks them.",
    "nothing_checked": f"{_RECORDED} None was replayed here, so nothing is known about this commit.",
    "stopped": f"{_RECORDED} Not all of them were, so this is no all-clear.",
    "changed": f"{_RECORDED} This pull request brings new ones: whether the agent is right to act like that is for you "
    "to judge.",
    "clear": f"{_RECORDED} All of them still answer what this commit asks.",
}
# By the state in a marker, which is a word that the action chose.
_BEFORE = {
    "failed": "failing",
    "changed": "changed",
    "nothing-checked": "nothing checked",
    "error": "not checked",
}


def headline(document: Mapping[str, Any], tally: wording.Tally, at: str = "") -> str:
    """What came out, in one line that needs no glossary; ``at`` is markdown that says of which commit."""
    if tally.problems and document["suites"]:
        rest = replace(tally, problems=0, state=_state_without_problems(tally))
        return f"Incomplete: {count(tally.problems, 'problem')}; of what was checked: {_lower(_plain(rest))}"
    if tally.state == "clear" and document["behaviour"]:
        number = len(document["behaviour"])
        are = "is" if number == 1 else "are"
        return f"{number:,} of {count(tally.total, 'case')} {are} recorded anew: {kinds(document)}{at}"
    return _plain(tally, at) + _not_asked(document)


def mark(document: Mapping[str, Any]) -> str:
    """The one sign in front of the headline. Only what is all clear is green."""
    if document["state"] in ("stale", "failed") and not document["problems"]:
        return _BAD
    if document["state"] != "clear" or document["problems"] or document["no_longer_replayed"]:
        return _WARNING
    return _LOOK if document["behaviour"] else _GOOD


def meaning(document: Mapping[str, Any], tally: wording.Tally) -> str:
    """What that means, in two or three sentences."""
    state = document["state"]
    if state == "stale":
        numbers = document["counts"]
        state = next((word for word in TO_RECORD if numbers[word]), state)
    elif state == "clear" and document["behaviour"]:
        return f"{_MEANINGS['changed']} Nothing is stale: {_lower(_plain(tally))}."
    return _MEANINGS[state]


def before(previous: Marker) -> str:
    """What a comment said, in words; "" where that was nothing to come back to."""
    if previous.stale:
        return f"{previous.stale:,} stale"
    return _BEFORE.get(previous.state, "")


def left_out(document: Mapping[str, Any]) -> str:
    """What a comment that holds next to nothing does not hold."""
    numbers = (
        (len(document["problems"]), "problem"),
        (len(document["causes"]), "change"),
        (document["counts"]["cases"], "case"),
        (document["counts"]["turns"], "turn"),
        (len(document["no_longer_replayed"] or ()), "case no longer replayed"),
        (len(document["behaviour"] or ()), "recording that differs from the base"),
    )
    words = [_many(number, noun) for number, noun in numbers if number]
    return f"Too long to be shown here: {', '.join(words)}. The result file and the command have all of it."


def _plain(tally: wording.Tally, at: str = "") -> str:
    if tally.state not in ("clear", "shrunk", "skipped") or tally.problems:
        return wording.headline(tally)
    its = "its recording" if 1 in (tally.total, tally.passed) else "their recordings"
    match = "matches" if 1 in (tally.total, tally.passed) else "match"
    if tally.passed < tally.total:
        which = f"{tally.passed:,} of {count(tally.total, 'case')}"
    else:
        which = "The one case" if tally.total == 1 else f"All {tally.total:,} cases"
    return f"{which} {match} {its}{at}{wording.besides(tally)}"


def _not_asked(document: Mapping[str, Any]) -> str:
    """The cases that this result is not about; an all-clear is none for them."""
    numbers = ((document["elsewhere"], "in other shards"), (document["left_out"], "left out by arguments"))
    return "".join(f", {number:,} {where}" for number, where in numbers if number)


def _state_without_problems(tally: wording.Tally) -> State:
    if tally.to_record:
        return "stale"
    if tally.failed:
        return "failed"
    if tally.skipped:
        return "skipped"
    if not tally.passed:
        return "nothing_checked"
    return "shrunk" if tally.no_longer_replayed else "clear"


def _lower(words: str) -> str:
    return words[:1].lower() + words[1:]


def _many(number: int, noun: str) -> str:
    first, _, rest = noun.partition(" ")
    verb = rest.replace("differs", "differ") if number != 1 else rest
    return f"{count(number, first)}{' ' if verb else ''}{verb}"
