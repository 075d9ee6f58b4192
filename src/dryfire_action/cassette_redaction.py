"""Redacting a cassette of ours so that it still replays: the case is recorded again, with the old file as its provider.

Simply replacing a secret in an answer would make the next turn stale, because that answer is part of the next request.
Through the recorder, the caller gets the redacted answer, as it will in every replay. Where the recording does not
replay now, or a mock answers otherwise once its arguments are redacted, this is not possible, and the case has to be
recorded again.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dryfire_action.ambient import ReplayClock, run_through
from dryfire_action.case_run import Script, Surroundings, run_agent
from dryfire_action.cassette import Cassette
from dryfire_action.cassette_file import decode, encode
from dryfire_action.cassette_names import cassette_path
from dryfire_action.errors import DryfireError
from dryfire_action.ignore_rules import ignoring
from dryfire_action.known_suites import find_suites
from dryfire_action.patterns import compile_pattern
from dryfire_action.placeholders import answer_json
from dryfire_action.playback import ReplayingProvider
from dryfire_action.recorder import RecordingProvider
from dryfire_action.redact import MARKER_PATTERN, redact_text
from dryfire_action.redaction_settings import rules_in_force
from dryfire_action.rehearsal import fresh, rehearse
from dryfire_action.retry import RetryPolicy
from dryfire_action.tree import FolderTree

if TYPE_CHECKING:
    from dryfire_action.agent import Run
    from dryfire_action.redact import Rules
    from dryfire_action.suite import Case, Config
    from dryfire_action.tree import Tree


def redacted_file(tree: Tree, path: str, data: bytes, rules: Rules) -> bytes | None:
    """The cassette at `path` without its secrets, as it would have been recorded; None where that is not possible."""
    try:
        cassette = decode(data.decode(), path)
        found = _case_of(tree, path, cassette)
        new = redacted(*found, cassette, rules) if found else None
    except (DryfireError, UnicodeDecodeError):
        return None
    return encode(new).encode() if new else None


def replays(tree: Tree, path: str, data: bytes) -> bool:
    """Whether the cassette at `path` replays fresh for its case."""
    try:
        cassette = decode(data.decode(), path)
        found = _case_of(tree, path, cassette)
        return found is not None and fresh(rehearse(*found, cassette))
    except (DryfireError, UnicodeDecodeError):
        return False


def redacted(case: Case, config: Config, cassette: Cassette, rules: Rules) -> Cassette | None:
    """A recording of `case` recorded again from itself, with `rules` in force; None where it would not be the same."""
    if case.passthrough_rule is not None or not fresh(rehearse(case, config, cassette)):
        return None
    new = run_through(_recorded_again(case, config, cassette, rules))
    return new if new is not None and fresh(rehearse(case, config, new)) else None


def _case_of(tree: Tree, path: str, cassette: Cassette) -> tuple[Case, Config] | None:
    """The case that a cassette belongs to, by its place and its names."""
    header = cassette.header
    for suite in find_suites(tree).suites:
        for case in suite.cases:
            if (suite.name, case.name) != (header.suite, header.case):
                continue
            folder = suite.config.cassettes
            if path == cassette_path(folder, suite.name, case.name):
                return case, suite.config
            if path == cassette_path(folder, suite.name, case.name, header.model):
                return replace(case, model=header.model), suite.config
    return None


async def _recorded_again(case: Case, config: Config, cassette: Cassette, rules: Rules) -> Cassette | None:
    here = Path()
    around = Surroundings(tree=FolderTree(here), root=here, cwd=here, today="", retry=RetryPolicy())
    retries = max((exchange.attempt for exchange in cassette.exchanges), default=0)
    mask = ignoring((rule, compile_pattern(rule.pattern)) for rule in config.ignore)
    facts = {(each.run, each.turn, each.attempt): each for each in cassette.exchanges}
    exchanges = []
    before, after = Script(case), Script(case)
    for index in range(case.repeat):
        plain = ReplayingProvider(cassette, run=index, mask=mask)
        old, _ = await run_agent(case, around, before.before(plain), ReplayClock(), retries)
        recorder = RecordingProvider(
            ReplayingProvider(cassette, run=index, mask=mask, diagnose=True),
            run=index,
            mask=mask,
            rules=rules,
        )
        new, _ = await run_agent(case, around, after.before(recorder), ReplayClock(), retries)
        if _told(old, rules) != _told(new, rules):
            return None
        for exchange in recorder.tape.exchanges:
            known = facts.get((exchange.run, exchange.turn, exchange.attempt))
            if known is None:
                return None
            exchanges.append(replace(exchange, recorded=known.recorded, served=known.served, cuts=()))
    header = replace(cassette.header, redaction=rules_in_force(rules))
    return Cassette(header, tuple(exchanges)) if len(exchanges) == len(cassette.exchanges) else None


def _told(run: Run, rules: Rules) -> list[str]:
    """What happened in a run, with one sign for everything that is secret or was."""
    told = [json.dumps(answer_json(turn.response), sort_keys=True) for turn in run.turns]
    told += [
        json.dumps(result.content, sort_keys=True)
        for message in run.messages
        for result in message.tool_results
    ]
    return [run.termination, *(_without_secrets(text, rules) for text in told)]


def _without_secrets(text: str, rules: Rules) -> str:
    def mark(_: str, rule: str) -> str:
        return f"[redacted:{rule}:0]"

    return MARKER_PATTERN.sub("*", redact_text(text, mark, rules=rules))
