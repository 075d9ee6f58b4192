"""A set of rules: those of the table, a team's own, and what a team allows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple, Protocol

from dryfire_action.secret_allowances import Allowance
from dryfire_action.secret_keys import plain_name
from dryfire_action.secret_rule import EDGE, Rule
from dryfire_action.secret_rules import RULES

# What an address begins with. What is secret in it stands before an `@`.
_BEFORE_AT = frozenset({"://", ":\\/\\/"})


class Searchable(Protocol):
    """A compiled pattern: `re`'s, or a team's with a time limit."""

    def finditer(self, text: str, /) -> Iterable[Any]:
        """The matches, each with `span(group)`."""


class TeamRule(NamedTuple):
    """A rule of a team's own, from `redact.rules` in `dryfire.yaml`: a pattern, or names of keys, or both.

    `group` is the part of a match that is the secret; 0 is all of it. `keys` are compared as all names are.
    """

    id: str
    pattern: Searchable | None = None
    group: int | str = 0
    keys: tuple[str, ...] = ()


class Plan(NamedTuple):
    """A rule table, sorted by what shows that its rules may apply.

    One of `words`, in lower case, stands in every text in which a rule of `literals` finds something, unless there is
    an `@`. One of `near_words` stands near what a rule of `near` finds. Of the literals of `loose`, those of `telling`
    stand in few texts; where one of the `vague` is in a long run, its rule's pattern tells.
    """

    ids: frozenset[str]
    starts: Mapping[str, tuple[tuple[str, Rule], ...]]
    loose: tuple[tuple[str, Rule], ...]
    literals: Mapping[str, tuple[Rule, ...]]
    texts: Mapping[str, tuple[Rule, ...]]
    near: tuple[Rule, ...]
    digits: tuple[Rule, ...]
    words: tuple[str, ...]
    near_words: tuple[str, ...]
    telling: tuple[str, ...]
    vague: tuple[tuple[str, Rule], ...]


def _by_literal(table: tuple[Rule, ...], sight: str) -> dict[str, tuple[Rule, ...]]:
    found: dict[str, tuple[Rule, ...]] = {}
    for rule in table:
        for literal in rule.literals if rule.sight == sight else ():
            found[literal] = (*found.get(literal, ()), rule)
    return found


# A literal of so few characters stands in many texts.
_SAYS_LITTLE = 2


@cache
def _plan(table: tuple[Rule, ...]) -> Plan:
    runs = [(literal, rule) for rule in table if rule.sight == "run" for literal in rule.literals]
    starts: dict[str, tuple[tuple[str, Rule], ...]] = {}
    for literal, rule in runs:
        if rule.pattern.startswith(EDGE):
            starts[literal[:2]] = (*starts.get(literal[:2], ()), (literal, rule))
    loose = tuple((literal, rule) for literal, rule in runs if not rule.pattern.startswith(EDGE))
    literals = _by_literal(table, "literal")
    return Plan(
        ids=frozenset(rule.id for rule in table),
        starts=starts,
        loose=loose,
        literals=literals,
        texts=_by_literal(table, "text"),
        near=tuple(rule for rule in table if rule.sight == "near"),
        digits=tuple(rule for rule in table if rule.sight == "digits"),
        words=tuple(sorted({literal.lower() for literal in literals if literal not in _BEFORE_AT})),
        near_words=tuple(word for rule in table if rule.sight == "near" for word in rule.near),
        telling=tuple({literal for literal, _ in loose if len(literal) > _SAYS_LITTLE}),
        vague=tuple((literal, rule) for literal, rule in loose if len(literal) <= _SAYS_LITTLE),
    )


class Rules:
    """What is looked for: the rules of the table, a team's own, and whether published samples and plainly
    invented values count. `allow` is not applied by the search: `allowance` says what a finding's reader
    may let pass. Never changed once it is made; no dataclass, because those take longer to load than Python itself.
    """

    __slots__ = ("_outside", "_team_keys", "allow", "plan", "samples", "table", "team", "team_ids")

    def __init__(
        self,
        table: tuple[Rule, ...] = RULES,
        team: tuple[TeamRule, ...] = (),
        allow: tuple[Allowance, ...] = (),
        samples: bool = True,
    ) -> None:
        self.table = table
        self.team = team
        self.allow = allow
        self.samples = samples
        self.plan = _plan(table)
        self.team_ids = frozenset(rule.id for rule in team)
        self._team_keys = {plain_name(name): rule.id for rule in team for name in rule.keys}
        self._outside: Rules | None = None

    def _said(self) -> tuple[Any, ...]:
        return self.table, self.team, self.allow, self.samples

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rules) and self._said() == other._said()

    def __hash__(self) -> int:
        return hash(self._said())

    def __repr__(self) -> str:
        return f"Rules({len(self.table)} rules, team={self.team!r}, allow={self.allow!r}, samples={self.samples})"

    def with_more(self, team: tuple[TeamRule, ...], allow: tuple[Allowance, ...]) -> Rules:
        """These rules, and more of a team's."""
        return Rules(self.table, (*self.team, *team), (*self.allow, *allow), self.samples)

    def outside_recordings(self) -> Rules:
        """The rules for a file that is no recording: without e-mail addresses, card numbers and account
        names."""
        if self._outside is None:
            table = tuple(rule for rule in self.table if not rule.recordings_only)
            self._outside = Rules(table, self.team, self.allow, self.samples)
        return self._outside

    def team_rule_of(self, name: str) -> str | None:
        """The id of the team's rule that names a key; None where none does."""
        return self._team_keys.get(plain_name(name)) if self._team_keys else None

    def allowance(self, rule: str, value: str, *, path: str, today: str, key: str = "") -> Allowance | None:
        """The first entry that lets a finding pass; arguments as for `Allowance.holds`."""
        return next(
            (entry for entry in self.allow if entry.holds(rule, value, path=path, today=today, key=key)), None
        )


DEFAULT_RULES = Rules()
REVIEW_RULES = Rules(samples=False)
