"""Surveying suites: how many recordings they have, how old, of which models, and what a replay makes of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dryfire_action.cassette_file import SIZE_LIMIT
from dryfire_action.cassette_folder import recordings_of
from dryfire_action.cassette_store import read_cassette
from dryfire_action.errors import DryfireError
from dryfire_action.runner import RunOptions, run_suites
from dryfire_action.suite_status import SuiteStatus
from dryfire_action.tree import FolderTree

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dryfire_action.cassette import Cassette
    from dryfire_action.suite import Suite


def survey(suites: Sequence[Suite], root: Path, cwd: str = "") -> tuple[SuiteStatus, ...]:
    """The state of the recordings of ``suites``, in order. Replays every case; nothing is asked."""
    results = run_suites(
        suites,
        RunOptions(mode="replay", passthrough="skip", allow_empty=True, cwd=cwd),
        root=root,
        today="",
        environ={},
    )
    outcomes = {
        result.file: Counter(_state(case.outcome, bool(case.cassette)) for case in result.cases)
        for result in results.suites
    }
    tree = FolderTree(root, limit=SIZE_LIMIT)
    return tuple(_status(suite, outcomes.get(suite.file, Counter()), tree) for suite in suites)


def _state(outcome: str, recorded: bool) -> str:
    """What a replay's outcome says of the recording. A case without a recording of its own says nothing."""
    return outcome if outcome not in ("passed", "failed") else "fresh" if recorded else "scripted only"


def _status(suite: Suite, outcomes: Counter[str], tree: FolderTree) -> SuiteStatus:
    own: list[Cassette] = []
    beside = 0
    for case in suite.cases:
        for path in recordings_of(tree, suite.config.cassettes, case.suite, case.name):
            if "@" in path.rpartition("/")[2]:
                beside += 1
                continue
            try:
                cassette = read_cassette(tree, path)
            except DryfireError:
                continue
            own += [cassette] if cassette else []
    exchanges = [exchange for cassette in own for exchange in cassette.exchanges]
    dates = sorted(exchange.recorded for exchange in exchanges if exchange.recorded)
    served = {
        exchange.served or cassette.header.served for cassette in own for exchange in cassette.exchanges
    }
    return SuiteStatus(
        name=suite.name,
        file=suite.file,
        cases=len(suite.cases),
        turns=sum(exchange.answer is not None for exchange in exchanges),
        fresh=outcomes["fresh"],
        stale=outcomes["stale"],
        missing=outcomes["missing"],
        damaged=outcomes["damaged"],
        excluded=outcomes["excluded"],
        scripted=sum(case.scripted for case in suite.cases),
        beside=beside,
        oldest=dates[0] if dates else "",
        newest=dates[-1] if dates else "",
        asked=tuple(sorted({cassette.header.model for cassette in own})),
        served=tuple(sorted(filter(None, served))),
    )
