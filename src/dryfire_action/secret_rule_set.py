"""A set of rules: those of the table, a team's own, and what a team allows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple, Protocol

from dryfire_action.secret_allowances import Allowance
from dryfire_action.secret_keys import plain_name
from dryfire_action.secret_rule import EDGE, Rule
from dryfire_action.secret_rules import RULES


class Searchable(Protocol):
    """A compiled pattern: `re`'s, or a team's with a time limit."""

    def finditer(self, text: str, /) -> Iterable[Any]:
        """The matches, each with `span(group)`."""


@dataclass(frozen=True, slots=True)
class TeamRule:
    """A rule of a team's own, from `redact.rules` in `dryfire.yaml`: a pattern, or names of keys, or both.

    `group` is the part of a match that is the secret; 0 is all of it. `keys` are compared as all names are.
    """

    id: str
    pattern: Searchable | None = None
    group: int | str = 0
    keys: tuple[str, ...] = ()


class Plan(NamedTuple):
    """A rule table, sorted by what shows that its rules may apply."""

    ids: frozenset[str]
    starts: Mapping[str, tuple[tuple[str, Rule], ...]]
    loose: tuple[tuple[str, Rule], ...]
    literals: Mapping[str, tuple[Rule, ...]]
    texts: Mapping[str, tuple[Rule, ...]]
    near: tuple[Rule, ...]
    digits: tuple[Rule, ...]


def _by_literal(table: tuple[Rule, ...], sight: str) -> dict[str, tuple[Rule, ...]]:
    found: dict[str, tuple[Rule, ...]] = {}
    for rule in table:
        for literal in rule.literals if rule.sight == sight else ():
            found[literal] = (*found.get(literal, ()), rule)
    return found


@cache
def _plan(table: tuple[Rule, ...]) -> Plan:
    runs = [(literal, rule) for rule in table if rule.sight == "run" for literal in rule.literals]
    starts: dict[str, tuple[tuple[str, Rule], ...]] = {}
    for literal, rule in runs:
        if rule.pattern.startswith(EDGE):
            starts[literal[:2]] = (*starts.get(literal[:2], ()), (literal, rule))
    return Plan(
        ids=frozenset(rule.id for rule in table),
        starts=starts,
        loose=tuple((literal, rule) for literal, rule in runs if not rule.pattern.startswith(EDGE)),
        literals=_by_literal(table, "literal"),
        texts=_by_literal(table, "text"),
        near=tuple(rule for rule in table if rule.sight == "near"),
        digits=tuple(rule for rule in table if rule.sight == "digits"),
    )


@dataclass(frozen=True, slots=True)
class Rules:
    """What is looked for: the rules of the table, a team's own, and whether published samples and plainly
    invented values count. `allow` is not applied by the search: `allowance` says what a finding's reader
    may let pass."""

    table: tuple[Rule, ...] = RULES
    team: tuple[TeamRule, ...] = ()
    allow: tuple[Allowance, ...] = ()
    samples: bool = True
    team_ids: frozenset[str] = field(init=False, repr=False, compare=False)
    plan: Plan = field(init=False, repr=False, compare=False)
    _team_keys: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        keys = {plain_name(name): rule.id for rule in self.team for name in rule.keys}
        object.__setattr__(self, "_team_keys", keys)
        object.__setattr__(self, "plan", _plan(self.table))
        object.__setattr__(self, "team_ids", frozenset(rule.id for rule in self.team))

    def outside_recordings(self) -> Rules:
        """The rules for a file that is no recording: without e-mail addresses, card numbers and account
        names."""
        return replace(self, table=tuple(rule for rule in self.table if not rule.recordings_only))

    def team_rule_of(self, name: str) -> str | None:
        """The id of the team's rule that names a key; None where none does."""
        return self._team_keys.get(plain_name(name)) if self._team_keys else None

    def allowance(self, rule: str, value: str, *, path: str, today: str, key: str = "") -> Allowance | None:
        """The first entry that lets a finding pass; arguments as for `Allowance.holds`."""
        return next(
            (entry for entry in self.allow if entry.holds(rule, value, path=path, today=today, key=key)), None
        )
