"""How long a replay takes, and in how much memory, beside a bare script that only reads the same files."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.measured import Run, in_turns
from benchmarks.replayed_project import Shape, make

TITLE = "a replay beside the floor, whole processes, in turns"

_FLOOR = [sys.executable, Path(__file__).with_name("floor.py"), "."]
_REPLAY = [sys.executable, "-m", "dryfire_action", "run"]
_SHOWN = "`{}`"


def table() -> list[list[str]]:
    """Rows: a project, a program, seconds of the clock and of the processor, memory, and the ratios to the floor.

    Seconds are the least of all rounds. A ratio is the median of those of the rounds, in each of which the two ran one
    after the other: the floor is short, and finds a quiet moment of a busy machine more easily than a replay does. The
    last column compares the least of each all the same.
    """
    rows = [["project", "program", "wall s", "cpu s", "memory", "wall ratio", "cpu ratio", "least cpu"]]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder / "10000", Shape(2_500, 4))
        # The smaller projects are the first suites of the large one.
        _part_of(folder / "10000", folder / "1000", suites=10)
        _part_of(folder / "10000", folder / "100", suites=1)
        make(folder / "long", Shape(50, 200, result=2_000))
        for turns, rounds in ((100, 5), (1_000, 4), (10_000, 5)):
            title = f"{turns:,} turns: {turns // 4:,} cases of 4"
            rows += _compared(title, folder / str(turns), rounds)
        rows += _compared("10,000 turns: 50 cases of 200, results of 2 kB", folder / "long", 3)
    return rows


def _part_of(whole: Path, part: Path, suites: int) -> None:
    (part / "evals").mkdir(parents=True)
    shutil.copy(whole / "dryfire.yaml", part)
    for number in range(suites):
        shutil.copy(whole / f"evals/{number:04}.eval.yaml", part / "evals")
        cassettes = f".dryfire/cassettes/suite-{number:04}"
        shutil.copytree(whole / cassettes, part / cassettes)


def _compared(title: str, folder: Path, rounds: int) -> list[list[str]]:
    commands: dict[str, Sequence[str | Path]] = {"floor": _FLOOR, "dryfire run": _REPLAY}
    runs = in_turns(commands, folder, rounds)
    floors = runs["floor"]
    rows = []
    for name, made in runs.items():
        if any(one.code for one in made):
            raise SystemExit(f"{title}: {name} ended with {max(one.code for one in made)}")
        best = _best(made)
        rows.append(
            [
                title,
                _SHOWN.format(name),
                f"{best.wall:.2f}",
                f"{best.cpu:.2f}",
                f"{best.memory / 1e6:.0f} MB",
                f"{median(one.wall / other.wall for one, other in zip(made, floors, strict=True)):.1f}",
                f"{median(one.cpu / other.cpu for one, other in zip(made, floors, strict=True)):.1f}",
                f"{best.cpu / _best(floors).cpu:.1f}",
            ]
        )
    return rows


def _best(made: Sequence[Run]) -> Run:
    """The least of each, but of the memory the most."""
    return Run(
        min(one.wall for one in made),
        min(one.cpu for one in made),
        max(one.memory for one in made),
        made[0].code,
    )
