"""Rehearsing a recording: would it replay for this case, wherever its file lies and whatever names it has?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dryfire_action.ambient import run_through
from dryfire_action.case_run import Surroundings, run_case
from dryfire_action.cassette_file import encode
from dryfire_action.cassette_names import cassette_path
from dryfire_action.errors import DryfireError
from dryfire_action.fingerprint import fingerprint_of
from dryfire_action.ignore_rules import ignoring
from dryfire_action.messages import ScriptStep
from dryfire_action.patterns import PatternError, compile_pattern
from dryfire_action.retry import RetryPolicy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dryfire_action.cassette import Cassette
    from dryfire_action.results import CaseResult
    from dryfire_action.suite import Case, Config


def rehearse(case: Case, config: Config, cassette: Cassette) -> CaseResult:
    """What a replay of ``case`` from ``cassette`` gives, as if the recording were its own. No file is read."""
    path = cassette_path(config.cassettes, case.suite, case.name)
    around = Surroundings(
        tree=_OneFile(path, encode(renamed(cassette, case)).encode()),
        root=Path(),
        cwd=Path(),
        today="",
        retry=RetryPolicy(),
        passthrough="skip",
    )
    return run_through(run_case(case, config, "replay", around))


def renamed(cassette: Cassette, case: Case) -> Cassette:
    """``cassette`` with the names of ``case`` in its header."""
    return replace(cassette, header=replace(cassette.header, suite=case.suite, case=case.name))


def fresh(result: CaseResult) -> bool:
    """Whether every request of a replay was answered from the recording, whatever the assertions say."""
    return bool(result.runs) and all(
        run.turns and all(turn.outcome == "replayed" for turn in run.turns) for run in result.runs
    )


def fits(case: Case, config: Config, cassette: Cassette) -> bool:
    """Whether ``cassette`` replays fresh for ``case``, under the rules in force or under those it was made with."""
    return any(fresh(rehearse(case, rules, cassette)) for rules in _rules(config, cassette))


def begins_alike(case: Case, config: Config, cassette: Cassette) -> bool:
    """Whether the first request of ``case`` has the key of the first exchange: without that, it cannot fit."""
    first = next(iter(cassette.exchanges), None)
    try:
        return first is not None and any(
            first.key == first_key(case, rules) for rules in _rules(config, cassette)
        )
    except DryfireError:
        return False  # running the case says what is wrong with it


def first_key(case: Case, config: Config) -> str:
    """The key of the first request of ``case``."""
    request = case.first_request
    if case.scripted:
        request = replace(request, script=ScriptStep(0, case.script[0] if case.script else None))
    mask = ignoring((rule, compile_pattern(rule.pattern)) for rule in config.ignore)
    return fingerprint_of(request, mask).key


def _rules(config: Config, cassette: Cassette) -> tuple[Config, ...]:
    own = cassette.header.ignore
    try:
        for rule in own:
            compile_pattern(rule.pattern)
    except PatternError:
        return (config,)
    return (config,) if own == config.ignore else (config, replace(config, ignore=own))


class _OneFile:
    """A tree that holds one file."""

    def __init__(self, path: str, content: bytes) -> None:
        self._path = path
        self._content = content

    def read(self, path: str) -> bytes | None:
        return self._content if path == self._path else None

    def files(self, folder: str = "", *, hidden: bool = False, odd: bool = False) -> Iterator[str]:  # noqa: ARG002
        if self._path.startswith(f"{folder}/" if folder else "") and hidden:
            yield self._path
