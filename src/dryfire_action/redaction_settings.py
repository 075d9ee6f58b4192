"""What ``redact:`` in ``dryfire.yaml`` adds to the redaction rules: a team's own rules, and what it allows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dryfire_action.patterns import compile_pattern
from dryfire_action.redact import DEFAULT_RULES, RULESET_VERSION, Allowance, Rules, TeamRule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dryfire_action.messages import JsonObject


def rules_with(settings: Iterable[JsonObject], rules: Rules = DEFAULT_RULES) -> Rules:
    """``rules`` and those of ``settings``, which are ``Config.redact``: maps with ``rule`` or ``allow``."""
    team: list[TeamRule] = []
    allow: list[Allowance] = []
    for setting in settings:
        if "allow" in setting:
            allow.append(Allowance(**setting["allow"]))
            continue
        rule = setting["rule"]
        pattern = compile_pattern(rule["pattern"]) if "pattern" in rule else None
        team.append(TeamRule(rule["id"], pattern, rule.get("group", 0), tuple(rule.get("keys", ()))))
    return replace(rules, team=(*rules.team, *team), allow=(*rules.allow, *allow)) if team or allow else rules


def rules_in_force(rules: Rules) -> str:
    """The rules as a recording's header names them: the table's version and the ids of a team's own."""
    return " + ".join((RULESET_VERSION, *(rule.id for rule in rules.team)))
