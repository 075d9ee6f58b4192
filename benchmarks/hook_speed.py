"""How long the redaction hook takes, beside gitleaks on the same files, and beside Python doing nothing."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import recordings
from benchmarks.measured import HOOK, Run, gitleaks, in_turns

TITLE = "cassette-redact beside gitleaks, whole processes, in turns"

_CASSETTES = 1000
_COMMIT = 7
_SHOWN = "`{}`"


def table() -> list[list[str]]:
    """Rows: a task, a program, seconds, processor seconds, memory, and how often the other's time it takes."""
    rows = [["task", "program", "seconds", "processor", "memory", "ratio of seconds"]]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows += _repository(folder / "all")
        rows += _commit(folder / "commit")
        rows += _one_file(folder / "one")
    return rows


def _repository(folder: Path) -> list[list[str]]:
    size = recordings.write(folder, _CASSETTES)
    files = sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())
    commands: dict[str, Sequence[str | Path]] = {
        "gitleaks": [gitleaks(), "dir", "--no-banner", "--redact", "--log-level", "error", "."],
        "cassette-redact": [HOOK, *files],
    }
    return _compared(f"{_CASSETTES:,} cassettes, {size / 1e6:.1f} MB", in_turns(commands, folder, 5))


def _commit(folder: Path) -> list[list[str]]:
    recordings.write(folder, _COMMIT, seed=1, secrets=0)
    for arguments in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    files = sorted(
        str(file.relative_to(folder))
        for file in folder.rglob("*")
        if file.is_file() and ".git" not in file.relative_to(folder).parts
    )
    commands: dict[str, Sequence[str | Path]] = {
        "gitleaks": [
            gitleaks(),
            "git",
            "--pre-commit",
            "--staged",
            "--no-banner",
            "--redact",
            "--log-level",
            "error",
            ".",
        ],
        "cassette-redact": [HOOK, *files],
    }
    return _compared(f"a commit of {_COMMIT}", in_turns(commands, folder, 7))


def _one_file(folder: Path) -> list[list[str]]:
    """One small JSON recording, as a commit has it most of the time."""
    import json

    folder.mkdir()
    content = json.loads(
        next(data for path, data in recordings.cassettes(3, secrets=0) if path.endswith(".json"))
    )
    content["interactions"] = content["interactions"][:1]
    del content["interactions"][0]["request"]
    (folder / "one.json").write_text(json.dumps(content, indent=1))
    commands: dict[str, Sequence[str | Path]] = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "cassette-redact": [HOOK, "one.json"],
    }
    size = (folder / "one.json").stat().st_size
    return _compared(f"one JSON file, {size / 1000:.1f} kB", in_turns(commands, folder, 15), by_cpu=True)


def _compared(task: str, runs: dict[str, list[Run]], *, by_cpu: bool = False) -> list[list[str]]:
    """Rows with the best of each program's runs; the first program is what the others are compared with."""
    rows = []
    base = 0.0
    for name, made in runs.items():
        wall, cpu = min(one.wall for one in made), min(one.cpu for one in made)
        took = cpu if by_cpu else wall
        base = base or took
        memory = max(one.memory for one in made) / 1e6
        rows.append(
            [task, _SHOWN.format(name), f"{wall:.3f}", f"{cpu:.3f}", f"{memory:.0f} MB", f"{took / base:.2f}"]
        )
    return rows
