"""What a run would ask of providers: how many calls, and of how many tokens, before any of them is made.

The recordings that there are say it: what would be served from them is no call, and what would be asked again is taken
to be as long as it was. A script is simply played, so its calls are exact. No provider is asked and no file written.
"""

from __future__ import annotations

from dataclasses import astuple, replace
from math import ceil
from typing import TYPE_CHECKING

from dryfire_action.ambient import ReplayClock, run_through
from dryfire_action.before_recording import moves_to_come
from dryfire_action.case_run import Script, Surroundings, run_agent, shelf_of
from dryfire_action.cassette import Cassette, complete_part
from dryfire_action.cassette_file import SIZE_LIMIT
from dryfire_action.cassette_names import cassette_path
from dryfire_action.errors import CassetteDamaged, DryfireError
from dryfire_action.expected_calls import CaseForecast, Forecast
from dryfire_action.messages import Usage, total_usage
from dryfire_action.playback import ReplayingProvider
from dryfire_action.providers.scripted import ScriptedProvider
from dryfire_action.recorder import RecordingProvider, occurrences_joined
from dryfire_action.rekey import rekeyed, under_other_rules
from dryfire_action.retry import RetryPolicy
from dryfire_action.runner import mode_of, selected
from dryfire_action.suite import Impl, Return
from dryfire_action.tree import FolderTree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from dryfire_action.cassette import Exchange
    from dryfire_action.runner import RunOptions
    from dryfire_action.shelf import Shelf
    from dryfire_action.suite import Case, Mode, Suite


def forecast(suites: Sequence[Suite], options: RunOptions, *, root: Path) -> Forecast:
    """What ``run_suites`` with the same arguments would ask. Nothing is asked, and nothing below ``root`` changes."""
    tree = FolderTree(root, limit=SIZE_LIMIT)
    around = Surroundings(
        tree=tree,
        root=root,
        cwd=root,
        today="",
        retry=RetryPolicy(max_retries=options.max_retries),
        model=options.model,
        passthrough=options.passthrough,
    )
    chosen = selected(suites, options)
    moves = moves_to_come(chosen, options.mode, root, options.model)
    return Forecast(
        tuple(_of_case(suite, case, mode_of(suite, options), around, moves) for suite, case in chosen)
    )


def _of_case(
    suite: Suite, case: Case, mode: Mode, around: Surroundings, moves: Mapping[str, Cassette]
) -> CaseForecast:
    config, runs_code = suite.config, case.passthrough_rule is not None
    if runs_code and (around.passthrough or ("skip" if mode == "replay" else "run")) == "skip":
        return CaseForecast(case, why="passthrough")
    kept = not runs_code and mode != "off" and (not case.scripted or config.scripted)
    if kept and mode == "replay":
        return CaseForecast(case, why="replayed")
    path = cassette_path(config.cassettes, case.suite, case.name, around.model)
    shelf = shelf_of(case, config, around, path)
    try:
        known = () if runs_code else _known(shelf, moves)
    except CassetteDamaged:
        if mode == "auto":
            return CaseForecast(case, why="damaged, and replaced by record only")
        known = ()
    except DryfireError as error:
        return CaseForecast(case, why=error.message)
    if case.scripted:
        return run_through(_scripted(shelf, around, known if kept and mode == "auto" else ()))
    return run_through(_recorded(shelf, around, known, asks_all=mode != "auto"))


def _known(shelf: Shelf, moves: Mapping[str, Cassette]) -> tuple[Exchange, ...]:
    """What ``auto`` would serve: the unfinished recording, and the finished one as it will be settled before."""
    unfinished, old = moves.get(shelf.partial), moves.get(shelf.path)
    left = complete_part(unfinished.exchanges) if unfinished else _exchanges(shelf.read_unfinished())
    old = old or shelf.read()
    if old is not None and under_other_rules(old, shelf.config):
        old = rekeyed(shelf.case, shelf.config, old).cassette or old
    return occurrences_joined(left, _exchanges(old))


def _exchanges(cassette: Cassette | None) -> tuple[Exchange, ...]:
    return cassette.exchanges if cassette else ()


async def _scripted(shelf: Shelf, around: Surroundings, known: Sequence[Exchange]) -> CaseForecast:
    case = _without_code(shelf.case)
    script = Script(case)
    calls = 0
    retries = max((exchange.attempt for exchange in known), default=0)
    for index in range(case.repeat):
        recorder = RecordingProvider(
            ScriptedProvider(), run=index, mask=shelf.mask, rules=shelf.rules, known=known
        )
        await run_agent(case, around, script.before(recorder), ReplayClock(), retries)
        calls += sum(played.outcome == "recorded" for played in recorder.tape.played)
    return CaseForecast(shelf.case, calls)


async def _recorded(
    shelf: Shelf, around: Surroundings, known: Sequence[Exchange], *, asks_all: bool
) -> CaseForecast:
    """Attempts that failed are not counted: they need not fail again."""
    case = shelf.case
    answered: dict[int, list[Exchange]] = {}
    for exchange in known:
        if exchange.answer is not None:
            answered.setdefault(exchange.run, []).append(exchange)
    average = ceil(sum(map(len, answered.values())) / len(answered)) if answered else 1
    calls, unknown = 0, 0
    asked: list[Exchange] = []
    cassette = Cassette(shelf.header(), tuple(known))
    for index in range(case.repeat):
        if index not in answered:
            # A run that is new is taken to be as long as the others.
            calls += average
            unknown += not answered
        elif asks_all:
            asked += answered[index]
        else:
            again, more = await _asked_again(cassette, index, shelf, around)
            asked += again
            unknown += more
            calls += more
    used = [exchange.usage for exchange in asked]
    if answered and (new := sum(index not in answered for index in range(case.repeat))):
        used += [_average(answered)] * new
    return CaseForecast(case, calls + len(asked), total_usage(used), bool(unknown))


def _average(answered: Mapping[int, Sequence[Exchange]]) -> Usage:
    """What a run took, on average."""
    total = total_usage(exchange.usage for run in answered.values() for exchange in run)
    return Usage(*(round(tokens / len(answered)) for tokens in astuple(total)))


async def _asked_again(
    cassette: Cassette, run: int, shelf: Shelf, around: Surroundings
) -> tuple[list[Exchange], int]:
    """The recorded answers of a run that would be asked for again, and how many calls nothing is recorded of."""
    replaying = ReplayingProvider(cassette, run=run, diagnose=True, mask=shelf.mask)
    retries = max((exchange.attempt for exchange in cassette.exchanges), default=0)
    await run_agent(shelf.case, around, replaying, ReplayClock(), retries)
    misses = replaying.tape.misses
    if not misses:
        return [], 0
    reached = {(played.turn, played.attempt) for played in replaying.tape.played}
    left = [e for e in replaying.left_over() if (e.turn, e.attempt) not in reached]
    again = [*(miss.recorded for miss in misses if miss.recorded), *left]
    return [exchange for exchange in again if exchange.answer], sum(not miss.recorded for miss in misses)


def _without_code(case: Case) -> Case:
    """``case`` with an empty answer in place of its real code: what a script says does not depend on it."""
    mocks = {
        name: tuple(
            replace(rule, answer=Return(None)) if isinstance(rule.answer, Impl) else rule for rule in rules
        )
        for name, rules in case.mocks.items()
    }
    return replace(case, mocks=mocks)
