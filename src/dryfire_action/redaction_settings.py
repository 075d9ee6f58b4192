"""What ``redact:`` in ``dryfire.yaml`` adds to the redaction rules: a team's own rules, and what it allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.patterns import compile_pattern
from dryfire_action.redact import DEFAULT_RULES, RULESET_VERSION, Allowance, Rules, TeamRule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dryfire_action.messages import JsonObject
    from dryfire_action.suite import Config


def rules_with(settings: Iterable[JsonObject], rules: Rules = DEFAULT_RULES) -> Rules:
    """``rules`` and those of ``settings``, which are ``Config.redact``: maps with ``rule`` or ``allow``.

    Other maps say nothing about rules.
    """
    team: list[TeamRule] = []
    allow: list[Allowance] = []
    for setting in settings:
        if "allow" in setting:
            allow.append(Allowance(**setting["allow"]))
            continue
        if "rule" not in setting:
            continue
        rule = setting["rule"]
        pattern = compile_pattern(rule["pattern"]) if "pattern" in rule else None
        team.append(TeamRule(rule["id"], pattern, rule.get("group", 0), tuple(rule.get("keys", ()))))
    return rules.with_more(tuple(team), tuple(allow)) if team or allow else rules


def digest_key_variable(settings: Iterable[JsonObject]) -> str:
    """The environment variable that ``settings`` name for the key of digests, "" where they name none."""
    return next((str(found["digest_key_env"]) for found in settings if "digest_key_env" in found), "")


def team_rules(configs: Iterable[Config], rules: Rules = DEFAULT_RULES) -> Rules:
    """``rules`` and those of every one of ``configs``, each file counted once."""
    settings = {config.file: config.redact for config in configs}
    return rules_with((one for each in settings.values() for one in each), rules)


def rules_in_force(rules: Rules) -> str:
    """The rules as a recording's header names them: the table's version and the ids of a team's own."""
    return " + ".join((RULESET_VERSION, *(rule.id for rule in rules.team)))
