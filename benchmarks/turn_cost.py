"""What one more turn costs in a conversation that is already long: a case of 20, of 200 and of 2,000 turns."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from benchmarks.replayed_project import Shape, make

TITLE = "a turn of a short and of a long conversation"

_ROUNDS = {20: 15, 200: 7, 2_000: 3}


def table() -> list[list[str]]:
    """Rows: the turns of a case, milliseconds of its replay, microseconds for a turn, and the ratio to the shortest."""
    rows = [
        ["turns of the case", "replay, cpu ms", "a turn, cpu µs", "ratio", "bytes a turn in its cassette"]
    ]
    shortest = 0.0
    with tempfile.TemporaryDirectory() as name:
        for turns, rounds in _ROUNDS.items():
            folder = Path(name, str(turns))
            make(folder, Shape(1, turns))
            took = _replay(folder, rounds)
            shortest = shortest or took / turns
            size = sum(file.stat().st_size for file in folder.glob(".dryfire/cassettes/**/*.json"))
            rows.append(
                [
                    f"{turns:,}",
                    f"{took * 1e3:.1f}",
                    f"{took / turns * 1e6:.0f}",
                    f"{took / turns / shortest:.2f}",
                    f"{size // turns:,}",
                ]
            )
    return rows


def _replay(folder: Path, rounds: int) -> float:
    """Seconds of processor time that the best of some replays took, the suite's reading left out."""
    from dryfire_action.runner import RunOptions, run_suites
    from dryfire_action.suite_file import load_suites
    from dryfire_action.tree import FolderTree

    suites = load_suites(FolderTree(folder), ["evals/*.eval.yaml"])
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        results = run_suites(suites, RunOptions(mode="replay"), root=folder, today="", environ=os.environ)
        best = min(best, time.process_time() - start)
        if results.exit_code:
            raise SystemExit(f"the replay of {folder.name} turns ended with {results.exit_code}")
    return best
