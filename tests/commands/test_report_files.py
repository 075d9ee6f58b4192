"""The report files of `dryfire run`: what they are called, when they are written, and that no old one is left."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dryfire_action import runner
from dryfire_action.reports import whole_file
from tests.commands import project

if TYPE_CHECKING:
    from collections.abc import Callable

    Dryfire = Callable[..., project.Done]


def test_the_result_file_holds_no_text_under_names(dryfire: Dryfire) -> None:
    project.make(Path.cwd(), project.FAILING)
    dryfire("run", "--cassette-mode", "off", "--json-out", "r.json", "--show", "names")
    shown = json.dumps(project.result(), ensure_ascii=False)
    assert "größe 退款" in shown
    assert "Hi." not in shown
    assert "bye" not in shown


@pytest.mark.parametrize(
    ("target", "why"), [("none/r.json", "there is no folder none"), (".", ". is a folder")]
)
def test_a_report_that_could_not_be_written_is_found_before_the_run(
    dryfire: Dryfire, target: str, why: str
) -> None:
    project.make(Path.cwd())
    done = dryfire("run", "--cassette-mode", "record", "--json-out", target)
    assert done.code == 2
    assert why in done.err
    assert not (Path.cwd() / ".dryfire").exists()


def test_a_report_that_fails_to_be_written_after_all_is_told_and_not_green(
    dryfire: Dryfire, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.make(Path.cwd())

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(whole_file, "write", refuse)
    done = dryfire("run", "--cassette-mode", "off", "--json-out", "r.json")
    assert done.code == 2
    assert "2 cases: 2 passed" in done.out
    assert done.err == "dryfire: r.json could not be written: No space left on device\n"


def test_every_report_is_written_whatever_happens(dryfire: Dryfire) -> None:
    project.make(Path.cwd())
    outs = ("--json-out", "r.json", "--markdown-out", "r.md", "--junit-out", "r.xml")
    for words, code, headline in (
        ((), 3, "### 🔴 Record 2 of 2 cases: something is not in their recordings"),
        (("--cassette-mode", "record"), 0, "### ✅ 2 of 2 cases clear"),
        (("--case", "nowhere::x"), 2, "### ⚠️ Stopped: 1 problem in suites, config or command line"),
        (("evals/none.yaml",), 2, "### ⚠️ Stopped: 1 problem in suites, config or command line"),
        (("--filter", "none"), 2, "### ⚠️ Nothing was checked"),
    ):
        assert dryfire("run", *words, *outs).code == code
        assert project.result()["exit_code"] == code
        assert Path("r.md").read_text(encoding="utf-8").splitlines()[0] == headline
        xml = Path("r.xml").read_text(encoding="utf-8")
        assert xml.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites><testsuite ')
        assert ("<error " in xml) == bool(code)


def test_two_reports_do_not_go_into_one_file(dryfire: Dryfire) -> None:
    project.make(Path.cwd())
    done = dryfire("run", "--json-out", "r", "--junit-out", "./r")
    assert (done.code, done.err) == (2, "dryfire: --json-out and --junit-out name the same file\n")


def test_an_old_report_does_not_outlive_a_run_that_dies(
    dryfire: Dryfire, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.make(Path.cwd())
    (Path.cwd() / "r.json").write_text('{"exit_code": 0}')

    def die(*_: object, **__: object) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(runner, "run_suites", die)
    done = dryfire("run", "--json-out", "r.json")
    assert done.code == 2
    assert "internal error: RuntimeError: a fault of ours" in done.err
    assert "Traceback" not in done.err
    assert project.result()["exit_code"] == 2


def test_the_commit_is_in_the_result_file(dryfire: Dryfire) -> None:
    project.make(Path.cwd())
    (Path.cwd() / ".git").rmdir()
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "x"]):
        subprocess.run(["git", *words], check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout
    dryfire("run", "--cassette-mode", "off", "--json-out", "r.json")
    assert project.result()["commit"] == head.strip()
