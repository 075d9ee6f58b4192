"""How long the programs take that people wait for most often, beside Python doing nothing."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measured import in_turns

TITLE = "start-up, whole processes, in turns"

_ROUNDS = 15
_SHOWN = "`{}`"


def table() -> list[list[str]]:
    """Rows: a program, seconds of the clock and of the processor, and the ratios to ``python -c pass``."""
    scripts = Path(sysconfig.get_path("scripts"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _scaffold(folder)
        recording = next(folder.glob(".dryfire/cassettes/**/*.json")).relative_to(folder)
        commands: dict[str, Sequence[str | Path]] = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "import dryfire_action": [sys.executable, "-c", "import dryfire_action"],
            "dryfire --version": [scripts / "dryfire", "--version"],
            "dryfire run, on the scaffold": [scripts / "dryfire", "run"],
            "cassette-redact, one recording": [scripts / "dryfire-cassette-redact", recording],
            "cassette-passthrough, one recording staged": [scripts / "dryfire-cassette-passthrough"],
            "cassette-stale, the scaffold staged": [scripts / "dryfire-cassette-stale"],
            "suite-validate, one suite": [scripts / "dryfire-suite-validate", "evals/support.eval.yaml"],
        }
        runs = in_turns(commands, folder, _ROUNDS)
    rows = [["program", "wall ms", "cpu ms", "wall ratio", "cpu ratio"]]
    wall, cpu = (
        min(found) for found in zip(*((one.wall, one.cpu) for one in runs["python -c pass"]), strict=True)
    )
    for name, made in runs.items():
        if any(one.code for one in made):
            raise SystemExit(f"{name} ended with {max(one.code for one in made)}")
        best_wall, best_cpu = min(one.wall for one in made), min(one.cpu for one in made)
        rows.append(
            [
                _SHOWN.format(name),
                f"{best_wall * 1e3:.0f}",
                f"{best_cpu * 1e3:.0f}",
                f"{best_wall / wall:.1f}",
                f"{best_cpu / cpu:.1f}",
            ]
        )
    return rows


def _scaffold(folder: Path) -> None:
    """The project of ``dryfire init``, recorded and staged."""
    dryfire = [sys.executable, "-m", "dryfire_action"]
    for command in (
        [*dryfire, "init"],
        [*dryfire, "run", "--cassette-mode", "record"],
        ["git", "init", "-q"],
        ["git", "add", "."],
    ):
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
