"""Running the action for real: `act` carries out workflows here, with this work tree as `org/dryfire-action@v1`.

What act does not do as GitHub does is tested apart, in `test_manifest.py`: it maps inputs that are not mapped, leaks
outputs that are not declared, and knows no permissions.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.house.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ACT = Path(sys.executable).parent / "act"
ACTION = "org/dryfire-action@v1"
# The interpreter of these tests, not their environment: the action is to make its own.
PYTHON = Path(sys.base_prefix, "bin")
_SECONDS = 300
# How this machine reaches its package index, where the action installs what it needs.
_KEPT = ("PIP_", "SSL_CERT_", "REQUESTS_CA_BUNDLE", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY")


def export(place: Path) -> Path:
    """The action as GitHub would fetch it: what git tracks, or is about to, as it is now; nothing that is ignored."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        stdout=subprocess.PIPE,
        check=True,
    )
    for name in os.fsdecode(done.stdout).split("\0"):
        if name and (ROOT / name).is_file():
            target = place / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
    return place


@dataclass(frozen=True)
class ActRun:
    """What one workflow run did: the exit code of act, and its log as the objects that it prints."""

    code: int
    rows: list[dict[str, Any]]
    complaints: str = field(repr=False, default="")

    @property
    def passed(self) -> bool:
        """Whether every job passed."""
        return self.code == 0

    def outputs(self, job: str = "", step: str = "dryfire") -> dict[str, str]:
        """The outputs of the action, as the workflow's own steps see them."""
        return {
            row["name"]: row["arg"]
            for row in self.rows
            if row.get("command") == "set-output" and row["stepID"] == [step] and self._is_of(row, job)
        }

    @property
    def log(self) -> str:
        """Everything that was printed."""
        return "".join(row["msg"] for row in self.rows if row.get("raw_output"))

    @cached_property
    def summary(self) -> str:
        """The summary of the jobs. Of composite actions act says it twice, for the action and for the step in it."""
        rows = (row for row in self.rows if row.get("command") == "summary" and len(row["stepID"]) > 1)
        return "".join(row["content"] for row in rows)

    def annotations(self, level: str = "") -> list[dict[str, str]]:
        """The annotations: `level`, `message`, and what else the runner was told, as `file`, `line` and `title`."""
        return [
            {"level": row["command"], "message": row["arg"], **(row.get("kvPairs") or {})}
            for row in self.rows
            if row.get("command") in ((level,) if level else ("error", "warning", "notice"))
        ]

    @property
    def steps(self) -> dict[str, str]:
        """How each step of the action ended, by its id."""
        return {
            row["stepID"][-1]: row["stepResult"]
            for row in self.rows
            if row.get("stage") == "Main" and "stepResult" in row and len(row["stepID"]) > 1
        }

    @property
    def jobs(self) -> dict[str, str]:
        """How each job ended; the legs of a matrix have numbers."""
        return {row["job"].partition("/")[2]: row["jobResult"] for row in self.rows if "jobResult" in row}

    def save(self, place: Path) -> None:
        """Keep it in a file."""
        place.write_text(json.dumps([self.code, self.rows, self.complaints]), encoding="utf-8")

    @classmethod
    def load(cls, place: Path) -> ActRun:
        """One that was kept in a file."""
        return cls(*json.loads(place.read_text(encoding="utf-8")))

    @staticmethod
    def _is_of(row: Mapping[str, Any], job: str) -> bool:
        return not job or row["job"].partition("/")[2] == job


@dataclass(frozen=True)
class Runner:
    """A machine that runs workflows with the action in `action`; its own folders are below `home`."""

    home: Path
    action: Path
    python: Path = PYTHON
    packages: Path | None = None
    more: Mapping[str, Path] = field(default_factory=dict)

    def command(
        self,
        repository: Path,
        workflow: str,
        *,
        event: str,
        payload: Mapping[str, Any],
        environ: Mapping[str, str],
        token: str,
    ) -> list[str]:
        """The command that runs `workflow` in `repository`."""
        place = self.home / f"run{len(list(self.home.glob('run*')))}"
        place.mkdir(parents=True)
        files = (place / "evals.yml", place / "event.json")
        files[0].write_text(self._seeded(workflow), encoding="utf-8")
        files[1].write_text(json.dumps(payload), encoding="utf-8")
        found = [
            *(str(ACT), event, "-C", str(repository), "-W", str(files[0]), "-e", str(files[1])),
            *("-P", "ubuntu-latest=-self-hosted", "--action-cache-path", str(place / "cache")),
            *("--no-cache-server", "--rm", "--json", "-s", f"GITHUB_TOKEN={token}"),
        ]
        for name, place in {ACTION: self.action, **self.more}.items():
            found += ["--local-repository", f"{name}={place}"]
        for name, value in environ.items():
            found += ["--env", f"{name}={value}"]
        return found

    def environment(self) -> dict[str, str]:
        """What act itself is started with, and so what steps see: nothing of whoever runs the tests."""
        kept = {name: value for name, value in os.environ.items() if name.upper().startswith(_KEPT)}
        path = os.pathsep.join((str(self.python), "/usr/local/bin", "/usr/bin", "/bin"))
        return {**kept, "HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8"}

    def run(self, *given: Any, **options: Any) -> ActRun:
        """Run a workflow to its end; see `command`."""
        with self.started(*given, **options) as process:
            said, complaints = process.communicate(timeout=_SECONDS)
        return finished(process.returncode, said, complaints)

    @contextmanager
    def started(self, *given: Any, **options: Any) -> Iterator[subprocess.Popen[str]]:
        """Start a workflow; it is ended with the block, if it has not ended before."""
        process = subprocess.Popen(
            self.command(*given, **options),
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        with process:
            try:
                yield process
            finally:
                process.kill()

    def _seeded(self, workflow: str) -> str:
        """The workflow, in which the action finds what it installed before, as in a second step of one job."""
        seed = f'ln -s {self.packages}/* "$RUNNER_TEMP"' if self.packages else "true"
        return workflow.replace("SEED", seed)


def finished(code: int, said: str, complaints: str) -> ActRun:
    """The run that printed this."""
    rows = [json.loads(row) for row in said.splitlines() if row.startswith("{")]
    return ActRun(code, rows, complaints)
