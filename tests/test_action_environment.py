"""The action's own environment: what is made where, whose settings count, and what is said where it cannot be made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from dryfire_action import action_environment
from dryfire_action.action_environment import main
from tests.house.repository import ROOT
from tests.test_workflow_commands import commands

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.skipif(os.name == "nt", reason="programs made here are shell scripts")
SCRIPT = next(
    step["run"]
    for step in yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["runs"]["steps"]
    if step["id"] == "environment"
)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """What the step is told."""
    for name in ("temp", "workspace"):
        (tmp_path / name).mkdir()
    return {
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "GITHUB_WORKSPACE": str(tmp_path / "workspace"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_ACTION_PATH": str(ROOT),
        "PATH": "/usr/bin:/bin",
    }


class Pip:
    """Stands in for pip, which is run for real by `tests/action`: notes how it is called, and installs nothing."""

    def __init__(self, code: int = 0, said: str = "", *, there: bool = True) -> None:
        self.calls: list[tuple[list[str], dict[str, str]]] = []
        self._code, self._said, self._there = code, said, there

    def __call__(self, command: Sequence[str], folder: Path, environ: dict[str, str]) -> Any:
        self.calls.append((list(command), dict(environ)))
        if "--version" in command:
            return subprocess.CompletedProcess(command, 0 if self._there else 1, "")
        if self._code == 0:
            Path(command[command.index("--target") + 1]).mkdir()
        return subprocess.CompletedProcess(command, self._code, self._said)


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> Pip:
    found = Pip()
    monkeypatch.setattr(action_environment, "_run", found)
    return found


def outputs(environ: dict[str, str]) -> dict[str, str]:
    rows = Path(environ["GITHUB_OUTPUT"]).read_text().splitlines()
    return dict(row.partition("=")[::2] for row in rows)


def test_everything_lies_below_the_runners_temp_folder_and_is_used_again(
    environ: dict[str, str], pip: Pip
) -> None:
    assert main(environ) == 0
    first = outputs(environ)
    assert main(environ) == 0
    second = outputs(environ)
    assert first["folder"] != second["folder"]
    assert len([call for call, _ in pip.calls if "install" in call]) == 1
    for found in (first, second):
        code = "import dryfire_action, dryfire_hooks, sys; print(dryfire_action.__file__, sys.prefix)"
        done = subprocess.run([found["python"], "-I", "-c", code], capture_output=True, text=True, check=True)
        file, prefix = done.stdout.split()
        assert file.startswith(environ["RUNNER_TEMP"]) and prefix.startswith(found["folder"])
    assert list(Path(environ["GITHUB_WORKSPACE"]).iterdir()) == []


def test_only_wheels_with_the_right_hash_are_installed(environ: dict[str, str], pip: Pip) -> None:
    main(
        environ
        | {"PIP_INDEX_URL": "https://index.example", "PIP_TARGET": "x", "PIP_USER": "1", "pip_root": "y"}
    )
    (command, given) = next(call for call in pip.calls if "install" in call[0])
    assert command[:4] == [sys.executable, "-I", "-X", "utf8"]
    assert "--require-hashes" in command and command[command.index("--only-binary") + 1] == ":all:"
    assert command[command.index("-r") + 1] == str(ROOT / "requirements/run.txt")
    assert given["PIP_INDEX_URL"] == "https://index.example" and given["PIP_USER"] == "0"
    assert not {"PIP_TARGET", "pip_root"} & given.keys()


def test_what_pip_complains_about_is_told_with_a_remedy(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(action_environment, "_run", Pip(1, "ERROR: no such version\n::error::x"))
    assert main(environ) == 1
    ((level, _, text),) = commands(capsys.readouterr().out)
    assert level == "error" and "ERROR: no such version" in text and "PIP_INDEX_URL" in text
    assert not list(Path(environ["RUNNER_TEMP"]).glob("dryfire-packages-*")), "they are there only when whole"


def test_a_python_without_pip_is_given_one(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    pip = Pip(there=False)
    made: list[bool] = []
    monkeypatch.setattr(action_environment, "_run", pip)
    real = action_environment._environment

    def note(place: Path, *, with_pip: bool) -> Path:
        made.append(with_pip)
        return real(place, with_pip=False)

    monkeypatch.setattr(action_environment, "_environment", note)
    assert main(environ) == 0 and made == [False, True]
    assert next(call for call, _ in pip.calls if "install" in call)[0].startswith(environ["RUNNER_TEMP"])


def test_a_python_without_venv_is_told_of_what_to_install(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise subprocess.CalledProcessError(1, "ensurepip")

    monkeypatch.setattr(action_environment.venv.EnvBuilder, "create", fail)
    assert main(environ) == 1
    assert "python3-venv" in capsys.readouterr().out


def test_other_code_has_packages_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = action_environment._digest()
    for name in ("requirements", "src", "hooks"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(action_environment, "ROOT", tmp_path)
    assert action_environment._digest() == before
    (tmp_path / "src/dryfire_action/version.py").write_text("__version__ = '9'")
    assert action_environment._digest() != before


def step(environ: dict[str, str], *folders: Path) -> subprocess.CompletedProcess[str]:
    """The script of the step, with programs found in `folders` before those that every machine has."""
    path = os.pathsep.join((*map(str, folders), environ["PATH"]))
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", SCRIPT],
        env=environ | {"PATH": path},
        cwd=environ["GITHUB_WORKSPACE"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def program(folder: Path, name: str, script: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!/bin/bash\n{script}\n")
    (folder / name).chmod(0o755)
    return folder


def tools(tmp_path: Path) -> Path:
    """A folder with what the script needs, which is no program but bash."""
    folder = tmp_path / "tools"
    folder.mkdir()
    (folder / "bash").symlink_to(shutil.which("bash") or "")
    return folder


def test_the_first_python_that_runs_and_is_new_enough_is_taken(
    environ: dict[str, str], tmp_path: Path
) -> None:
    environ["PATH"] = str(tools(tmp_path))
    old = program(tmp_path / "old", "python3", "exit 1")
    store = program(tmp_path / "store", "python3", "echo Python was not found >&2; exit 9009")
    new = program(tmp_path / "new", "python", f'echo new "$@" >> {tmp_path}/called')
    later = program(tmp_path / "later", "python", f"echo later >> {tmp_path}/called")
    done = step(environ, old, store, new, later)
    assert done.returncode == 0, done.stderr
    called = (tmp_path / "called").read_text().splitlines()
    assert called[-1] == f"new -I -X utf8 -B {ROOT}/src/dryfire_action/action_environment.py"
    assert "later" not in called


def test_the_launcher_of_windows_is_asked_for_python_3(environ: dict[str, str], tmp_path: Path) -> None:
    environ["PATH"] = str(tools(tmp_path))
    launcher = program(tmp_path / "launcher", "py", f'echo "$@" >> {tmp_path}/called')
    assert step(environ, launcher).returncode == 0
    assert (tmp_path / "called").read_text().splitlines()[-1].startswith("-3 -I -X utf8 -B ")


def test_a_python_of_the_workspace_is_never_started(environ: dict[str, str], tmp_path: Path) -> None:
    environ["PATH"] = str(tools(tmp_path))
    workspace = Path(environ["GITHUB_WORKSPACE"])
    trap = f"touch {tmp_path}/sprung"
    for folder in (workspace, workspace / ".venv/bin"):
        program(folder, "python3", trap)
    (tmp_path / "link").symlink_to(workspace / ".venv/bin")
    good = program(tmp_path / "good", "python", "exit 0")
    done = step(environ, workspace / ".venv/bin", Path(), Path(), tmp_path / "link", good)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (tmp_path / "sprung").exists()


def test_where_there_is_no_python_the_remedy_is_told(environ: dict[str, str], tmp_path: Path) -> None:
    environ["PATH"] = str(tools(tmp_path))
    done = step(environ, program(tmp_path / "old", "python3", "exit 1"))
    assert done.returncode == 1
    ((level, _, text),) = commands(done.stdout)
    assert level == "error" and "3.11" in text and "actions/setup-python" in text
