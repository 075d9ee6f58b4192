"""The process that has the pull request checked: what it starts knows nothing, and leaves a result however it ends."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING

import pytest

from dryfire_action import action_check
from dryfire_action.action_check import bare_environment, main
from tests.action_project import Job

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.name == "nt", reason="programs made here are shell scripts")
TOKEN = "ghs" + "_" + "0" * 36


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)


def test_the_result_of_a_pull_request_is_left_behind_for_nobody_else_to_read(
    job: Job, capfd: pytest.CaptureFixture[str]
) -> None:
    job.edit("Be kind.", "Be quick.")
    assert main(job.environ()) == 0
    found = job.result()
    assert (found["state"], found["commit"], found["base"]) == ("stale", job.head, job.base)
    assert [cause["path"] for cause in found["causes"]] == ["system"]
    assert "- Be kind" in found["causes"][0]["diff"]
    mode = (job.folder / "result.json").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600
    begin, *said, end, _ = capfd.readouterr().out.split("\n")
    assert begin == f"::stop-commands::{end.strip(':')}"
    assert "Re-record 2 of 3 cases: one change explains all of them" in said


def test_only_named_variables_are_handed_on(job: Job) -> None:
    secret = {
        "GITHUB_TOKEN": TOKEN,
        "DRYFIRE_TOKEN": TOKEN,
        "ACTIONS_RUNTIME_TOKEN": TOKEN,
        "AWS_SECRET": TOKEN,
    }
    hooks = {"PYTHONPATH": "x", "LD_PRELOAD": "x", "GIT_SSH_COMMAND": "x", "GIT_DIR": "x", "GITHUB_ENV": "x"}
    given = bare_environment(job.environ(**secret, **hooks), "base", "head")
    assert TOKEN not in given.values() and not (secret | hooks).keys() & given.keys()
    assert not {
        name for name in given if name.startswith(("ACTIONS_", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"))
    }
    assert (given["DRYFIRE_BASE"], given["DRYFIRE_HEAD"]) == ("base", "head")


def test_no_program_of_the_workspace_is_on_the_path(job: Job, tmp_path: Path) -> None:
    (job.workspace / "bin").mkdir()
    (tmp_path / "link").symlink_to(job.workspace / "bin")
    path = os.pathsep.join(
        (str(job.workspace / "bin"), "", ".", "bin", str(tmp_path / "link"), "/usr/bin", "/bin")
    )
    assert bare_environment(job.environ() | {"PATH": path}, "", "")["PATH"] == "/usr/bin:/bin"


def python_that(job: Job, script: str) -> str:
    """A program in the place of Python."""
    file = job.home / "python"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return str(file)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("kill -9 $$", "the check ended without a result (killed by signal 9)"),
        ("exit 3", "the check ended without a result (exit code 3)"),
        ("exec sleep 60", "too large to check: it took more than 1 s"),
    ],
)
def test_a_check_that_dies_is_a_result_too(
    job: Job, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], script: str, said: str
) -> None:
    monkeypatch.setattr(sys, "executable", python_that(job, script))
    assert main(job.environ(), most_seconds=1) == 0
    found = job.result()
    assert (found["state"], found["exit_code"]) == ("stopped", 2)
    assert [problem["message"] for problem in found["problems"]] == [said]
    out = capfd.readouterr().out.split("\n")
    assert out[-2].strip(":") == out[0].removeprefix("::stop-commands::"), "commands are switched on again"


def test_a_python_that_cannot_be_started_is_a_result_too(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(job.home / "nothing"))
    assert main(job.environ()) == 0
    assert job.result()["problems"][0]["message"] == "the check could not be started"


def test_an_event_that_cannot_be_read_is_a_result_too(job: Job) -> None:
    assert main(job.environ(payload={"pull_request": {}})) == 0
    assert job.result()["state"] == "stopped"


def test_the_output_of_the_check_cannot_end_its_own_quotation(
    job: Job, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "executable", python_that(job, "env; echo ::error::forged; exit 1"))
    main(job.environ())
    begin, *said, end, _ = capfd.readouterr().out.split("\n")
    word = begin.removeprefix("::stop-commands::")
    assert end == f"::{word}::"
    assert "::error::forged" in said and not [row for row in said if word in row]


@pytest.mark.parametrize("given", [{"mode": "publish"}, {"mode": "nonsense"}])
def test_where_there_is_nothing_to_check_there_is_no_result(job: Job, given: dict[str, str]) -> None:
    assert main(job.environ(**given)) == 0
    assert not (job.folder / "result.json").exists()


def test_the_time_that_a_check_may_take_is_bounded() -> None:
    assert action_check.MOST_SECONDS <= 20 * 60
