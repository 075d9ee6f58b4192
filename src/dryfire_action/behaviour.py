"""Behaviour: what new recordings changed in what the agent does, told from two cassettes of one case.

A case is of the first kind that applies: the tools it called changed, only their arguments did, only how it ended,
only the wording. Tokens are told beside, and alone are no change of behaviour.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dryfire_action.messages import NO_USAGE, total_usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dryfire_action.cassette import Cassette, Exchange
    from dryfire_action.messages import JsonObject, JsonValue, Usage

Kind = Literal["tools", "arguments", "termination", "wording", "new"]
Reason = Literal["deleted", "left_out", "passthrough", "scripted", "off"]
KINDS: tuple[Kind, ...] = ("tools", "arguments", "termination", "wording", "new")


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs, at its run and turn: what it is called, and its values before and after.

    ``what`` is ``tools`` (lists of names), ``arguments of NAME`` (maps, or the text where it was malformed),
    ``stop_reason`` or ``text``. None: there was no such turn.
    """

    run: int
    turn: int
    what: str
    before: JsonValue
    after: JsonValue


@dataclass(frozen=True, slots=True)
class BehaviourChange:
    """How one case behaves differently. ``calls_before`` and ``calls_after`` are its tool calls in order."""

    case: str
    kind: Kind
    differences: tuple[Difference, ...]
    calls_before: tuple[str, ...]
    calls_after: tuple[str, ...]
    tokens_before: Usage = NO_USAGE
    tokens_after: Usage = NO_USAGE


@dataclass(frozen=True, slots=True)
class NoLongerReplayed:
    """A case that the base replays and the head does not, and why: nobody may call that an all-clear."""

    case: str
    reason: Reason

    @property
    def sentence(self) -> str:
        """The reason in words."""
        return {
            "deleted": "no suite holds it any more",
            "left_out": "the same arguments leave it out now",
            "passthrough": "it runs real code now (impl:), so it is never replayed",
            "scripted": "it is answered by its script now, not by a recording",
            "off": "recordings are switched off for it now (mode: off)",
        }[self.reason]


def behaviour_change(case: str, before: Cassette | None, after: Cassette) -> BehaviourChange | None:
    """How ``case`` changed from one cassette to the other; None where it behaves the same. ``before`` None: new."""
    old, new = _answers(before), _answers(after)
    differences = tuple(_differences(old, new)) if before else ()
    kind = _kind(before, differences)
    if kind is None:
        return None
    return BehaviourChange(
        case=case,
        kind=kind,
        differences=differences,
        calls_before=_calls(old),
        calls_after=_calls(new),
        tokens_before=_tokens(before),
        tokens_after=_tokens(after),
    )


def _kind(before: Cassette | None, differences: Sequence[Difference]) -> Kind | None:
    if before is None:
        return "new"
    found = {difference.what.split(" ")[0] for difference in differences}
    by_what: tuple[tuple[str, Kind], ...] = (
        ("tools", "tools"),
        ("arguments", "arguments"),
        ("stop_reason", "termination"),
        ("text", "wording"),
    )
    return next((kind for what, kind in by_what if what in found), None)


_Answers = dict[tuple[int, int], "Exchange"]


def _answers(cassette: Cassette | None) -> _Answers:
    """The answered exchanges by run and turn: failures that were recovered from are no behaviour."""
    exchanges = cassette.exchanges if cassette else ()
    return {(e.run, e.turn): e for e in exchanges if e.answer is not None}


def _differences(old: _Answers, new: _Answers) -> list[Difference]:
    found: list[Difference] = []
    for run, turn in sorted({*old, *new}):
        before, after = _shown(old.get((run, turn))), _shown(new.get((run, turn)))
        if _equal(before, after):
            continue
        tools = _names(before), _names(after)
        if tools[0] != tools[1]:
            found.append(Difference(run, turn, "tools", *tools))
        else:
            for one, other in zip(before.get("tool_calls", ()), after.get("tool_calls", ()), strict=True):
                if not _equal(_arguments(one), _arguments(other)):
                    what = f"arguments of {one['name']}"
                    found.append(Difference(run, turn, what, _arguments(one), _arguments(other)))
        for what in ("stop_reason", "text"):
            if before.get(what) != after.get(what):
                found.append(Difference(run, turn, what, before.get(what), after.get(what)))
    return found


def _shown(exchange: Exchange | None) -> JsonObject:
    return exchange.answer or {} if exchange else {}


def _arguments(call: Mapping[str, JsonValue]) -> JsonValue:
    return call.get("arguments", call.get("malformed_arguments"))


def _equal(one: JsonValue, other: JsonValue) -> bool:
    # As JSON text: to Python 1, 1.0 and true are equal.
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _names(answer: Mapping[str, JsonValue]) -> list[str]:
    return [call["name"] for call in answer.get("tool_calls", ())]


def _calls(answers: _Answers) -> tuple[str, ...]:
    return tuple(name for place in sorted(answers) for name in _names(_shown(answers[place])))


def _tokens(cassette: Cassette | None) -> Usage:
    return total_usage(exchange.usage for exchange in cassette.exchanges) if cassette else NO_USAGE
