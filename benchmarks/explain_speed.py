"""How long `dryfire explain` takes where one edit of a prompt made 100 cases stale, their old text being in git."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measured import in_turns
from benchmarks.replayed_project import Shape, make

TITLE = "`dryfire explain` over 100 stale cases, beside the replay that finds them"

_CASES = 100
_STALE = 3  # the exit code where recordings are stale


def table() -> list[list[str]]:
    """Rows: a command, seconds of the clock and of the processor, and the ratios to the replay before the edit."""
    dryfire = [sys.executable, "-m", "dryfire_action"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, Shape(_CASES, 4))
        _commit(folder)
        fresh = in_turns({"run": [*dryfire, "run"]}, folder, 3)["run"]
        for suite in folder.glob("evals/*.eval.yaml"):
            text = suite.read_text(encoding="utf-8")
            suite.write_text(
                text.replace("system: the order", "system: Be brief. the order"), encoding="utf-8"
            )
        commands: dict[str, Sequence[str | Path]] = {
            "dryfire run, all stale": [*dryfire, "run"],
            "dryfire explain": [*dryfire, "explain"],
        }
        runs = {"dryfire run, all fresh": fresh, **in_turns(commands, folder, 3)}
    rows = [["command", "wall s", "cpu s", "wall ratio", "cpu ratio"]]
    wall, cpu = min(one.wall for one in fresh), min(one.cpu for one in fresh)
    for name, made in runs.items():
        expected = 0 if made is fresh else _STALE
        if any(one.code != expected for one in made):
            raise SystemExit(f"{name} ended with {[one.code for one in made]}")
        best_wall, best_cpu = min(one.wall for one in made), min(one.cpu for one in made)
        rows.append(
            [
                f"`{name}`",
                f"{best_wall:.2f}",
                f"{best_cpu:.2f}",
                f"{best_wall / wall:.1f}",
                f"{best_cpu / cpu:.1f}",
            ]
        )
    return rows


def _commit(folder: Path) -> None:
    for arguments in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "-q", "-m", "Record"],
    ):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
