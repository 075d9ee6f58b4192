"""One project per danger: nothing of it is executed, nothing outside is touched, and the problem is named.

The author of a pull request controls every file of the checkout. Each danger is met by the replay and by every hook,
watched by an audit hook (`guard.py`), within bounds of time and memory.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.git_repository import Repository
from tests.hostile.dangers import DANGERS, Danger, suite
from tests.hostile.hostile_project import Outcome, guarded, make

# The dangers plant the one beside the repository; the other is in the environment.
PRIVATE = "PRIVATE-TEXT"
TOKEN = "ghs" + "_" + "a1B2" * 9
# For five programs on a machine that is busy otherwise; most dangers take one second.
MOST_SECONDS = 150
MOST_MEGABYTES = 400
HOOKS = ("dryfire-cassette-stale", "dryfire-cassette-passthrough", "dryfire-suite-validate")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project before anything hostile is in it."""
    project = tmp_path_factory.mktemp("recorded") / "project"
    make(project)
    return project


@pytest.fixture(params=DANGERS, ids=lambda danger: danger.name)
def met(request: pytest.FixtureRequest, recorded: Path, tmp_path: Path) -> tuple[Danger, Repository]:
    """A danger, and the repository it was planted in."""
    shutil.copytree(recorded, tmp_path / "project")
    repository = Repository(tmp_path / "project", begin=False)
    request.param.plant(repository)
    return request.param, repository


def harmless(outcome: Outcome, project: Path) -> None:
    """Nothing of the project was executed, nothing outside was read or written, nothing private told, all bounded."""
    assert outcome.seen == ()
    assert not (project / "EXECUTED").exists()
    for private in (PRIVATE, TOKEN):
        assert private not in outcome.text
    for raw in ("\x1b", "\x07", "\u202e", "\n::error::"):
        assert raw not in outcome.text
    assert outcome.seconds < MOST_SECONDS
    assert outcome.peak < MOST_MEGABYTES


def test_the_danger_is_met_by_the_replay_and_by_the_hooks(met: tuple[Danger, Repository]) -> None:
    """By the hooks once it is staged, as far as git takes it."""
    danger, repository = met
    repository.git("add", "--all")
    names = [name for name in repository.git("ls-files", "-z").split("\0") if name]
    commands = [["dryfire", "run"], ["dryfire-cassette-redact", "--", *names], *([hook] for hook in HOOKS)]
    outcome = guarded(repository.root, *commands, env={"GITHUB_TOKEN": TOKEN})
    harmless(outcome, repository.root)
    for text in danger.told:
        assert text in outcome.text
    replayed, _, *_, validated = outcome.codes
    assert replayed == danger.code, outcome.text[-2000:]
    if danger.code == 2 and danger.staged:
        assert validated == 1


@pytest.mark.parametrize(
    "planted", ["json.py", "yaml.py", "regex.py", "sitecustomize.py", "usercustomize.py", "re/__init__.py"]
)
def test_a_planted_module_is_not_imported_by_the_installed_commands(
    recorded: Path, tmp_path: Path, planted: str
) -> None:
    """The commands as people start them, in the checkout: without the isolation that the Action adds."""
    project = shutil.copytree(recorded, tmp_path / "project")
    write = f"open({str(tmp_path / 'EXECUTED')!r}, 'w').close()\n"
    for folder in ("", ".venv/lib/python3.11/site-packages/"):
        path = project / f"{folder}{planted}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(write)
    scripts = Path(sys.executable).parent
    for command in (
        ["dryfire", "run"],
        ["dryfire-cassette-stale"],
        ["dryfire-cassette-redact", "dryfire.yaml"],
    ):
        done = subprocess.run(
            [str(scripts / command[0]), *command[1:]],
            cwd=project,
            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert not (tmp_path / "EXECUTED").exists()


def test_the_guard_sees_what_it_is_there_for(recorded: Path, tmp_path: Path) -> None:
    """A project's own code, in the one mode that runs it, shows up: as an import, a write, a read and a call home."""
    project = shutil.copytree(recorded, tmp_path / "project")
    (tmp_path / "outside").write_text("x")
    code = f"import socket\nopen('EXECUTED', 'w').close()\nopen({str(tmp_path / 'outside')!r}).close()\n"
    code += "socket.socket().connect_ex(('127.0.0.1', 9))\n\ndef lookup(**_):\n    return 'open'\n"
    (project / "mine.py").write_text(code)
    (project / "evals/impl.eval.yaml").write_text(
        suite("impl", "").replace("- return: open", "- impl: mine:lookup")
    )
    outcome = guarded(project, ["dryfire", "run", "evals/impl.eval.yaml", "--cassette-mode", "off"])
    assert {kind for kind, _ in outcome.seen} == {"import", "read outside", "socket", "write"}, outcome
