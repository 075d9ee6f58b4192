"""`dryfire run`: modes, selection, exit codes, the result file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.commands import project

if TYPE_CHECKING:
    from collections.abc import Callable

    Dryfire = Callable[..., project.Done]


def test_record_then_replay_is_green(dryfire: Dryfire) -> None:
    project.make(_here())
    missing = dryfire("run")
    assert missing.code == 3
    assert "Record what is missing:\n  dryfire run evals/shop.eval.yaml --cassette-mode auto\n" in missing.out
    recorded = dryfire("run", "--cassette-mode", "record")
    assert (recorded.code, recorded.err) == (0, "")
    assert "3 turns: 3 recorded" in recorded.out
    replayed = dryfire("run")
    assert (replayed.code, replayed.err) == (0, "")
    assert "✓ passed    größe 退款" in replayed.out
    assert "3 turns: 3 replayed" in replayed.out


def test_a_limit_on_calls_stops_cleanly_and_says_how_to_go_on(dryfire: Dryfire) -> None:
    project.make(_here())
    words = ("run", "--cassette-mode", "record", "--concurrency", "1", "--json-out", "r.json")
    stopped = dryfire(*words, "--max-calls", "1")
    assert (stopped.code, stopped.err) == (3, "")
    assert (
        "stopped: 1 call was made, of 0 tokens; --max-calls 1 allows no further one\n"
        "2 cases did not run or finish\n"
        "what was answered is kept: --cassette-mode auto goes on from there\n"
    ) in stopped.out
    assert stopped.out.endswith("exit 3: the run may make no further call\n")
    told = project.result()
    assert (told["state"], told["complete"], told["not_run"], told["exit_code"]) == ("stopped", False, 2, 3)
    assert any("--max-calls 1" in warning for warning in told["warnings"])
    assert dryfire("run", "--cassette-mode", "auto", "--max-calls", "2").code == 0
    assert dryfire("run", "--max-calls", "0").code == 0
    refused = dryfire("run", "--max-tokens", "-1")
    assert (refused.code, "-1 is less than 0" in refused.err) == (2, True)


def test_a_dry_run_says_what_recording_takes_and_leaves_no_file(dryfire: Dryfire) -> None:
    project.make(_here())
    before = sorted(_here().rglob("*"))
    told = dryfire("run", "--cassette-mode", "auto", "--dry-run")
    assert (told.code, told.err) == (0, "")
    assert "2 calls, scripted" in told.out
    assert "\n2 cases: 3 calls\n" in told.out
    assert sorted(_here().rglob("*")) == before
    refused = dryfire("run", "--dry-run", "--json-out", "r.json")
    assert (refused.code, refused.out) == (2, "")
    assert "--dry-run writes no file" in refused.err
    assert dryfire("run", "--dry-run", "--filter", "nothing like it").code == 2
    assert sorted(_here().rglob("*")) == before


def test_a_dry_run_names_the_key_that_is_missing(dryfire: Dryfire, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = project.make(_here())
    suite.write_text(
        suite.read_text(encoding="utf-8").replace("provider: fake", "provider: anthropic"), encoding="utf-8"
    )
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    told = dryfire("run", "--cassette-mode", "auto", "--dry-run")
    assert "2 cases: at least 2 calls\n" in told.out
    assert "note: ANTHROPIC_API_KEY is not set: cases that call anthropic would be skipped\n" in told.out
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x")
    assert "not set" not in dryfire("run", "--cassette-mode", "auto", "--dry-run").out


def test_a_replay_loads_no_event_loop_and_nothing_that_starts_processes(
    dryfire: Dryfire, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.make(_here())
    assert dryfire("run", "--cassette-mode", "record").code == 0
    monkeypatch.delenv("CI", raising=False)
    code = (
        "import sys; from dryfire_action.cli import main; print(main(['run']))\n"
        "print(*sorted({'asyncio', 'subprocess', 'rich.console', 'regex', 'jsonschema'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.endswith("\n0\n\n"), done.stdout


def test_an_edited_prompt_is_named_and_the_recommended_command_repairs_it(dryfire: Dryfire) -> None:
    project.make(_here())
    dryfire("run", "--cassette-mode", "record")
    (_here() / "evals/prompt.md").write_text("You are brief.\n")
    stale = dryfire("run")
    assert stale.code == 3
    assert stale.out.startswith(
        "Re-record 2 of 2 cases: one change explains all of them\n\n1. system changed  "
    )
    assert "\n   evals/prompt.md:1\n" in stale.out
    assert "      turn 0: stale  " in dryfire("run", "-v").out
    command = stale.out.split("Re-record only what is stale:\n  dryfire ")[1].split("\n")[0]
    assert dryfire(*command.split()).code == 0
    assert dryfire("run").code == 0


EXIT_CODES = {
    0: [],
    1: [project.FAILING],
    3: [project.FAILING, project.BUSY],
}


@pytest.mark.parametrize(("code", "cases"), EXIT_CODES.items())
def test_the_exit_code_is_that_of_the_worst_case(dryfire: Dryfire, code: int, cases: list[str]) -> None:
    project.make(_here(), *cases)
    done = dryfire("run", "--cassette-mode", "off", "--json-out", "r.json")
    assert done.code == code
    assert project.result()["exit_code"] == code
    if code:
        assert f"\nexit {code}: " in done.out
    if code == 3:
        assert "the reason it gave" in done.out


@pytest.mark.parametrize(
    "words",
    [
        ["--filter", "nothing has this name"],
        ["--case", "shop::where is i"],
        ["--tag", "suport"],
        ["evals/none.eval.yaml"],
        ["evals"],
    ],
)
def test_a_selection_that_selects_nothing_is_an_error_and_still_leaves_a_report(
    dryfire: Dryfire, words: list[str]
) -> None:
    project.make(_here())
    done = dryfire("run", *words, "--json-out", "r.json")
    assert done.code == 2
    assert done.out + done.err
    found = project.result()
    assert found["exit_code"] == 2
    assert found["suites"] == []
    assert found["problems"] or found["warnings"]


def test_typos_are_told_with_what_was_meant(dryfire: Dryfire) -> None:
    project.make(_here())
    assert "did you mean 'shop::where is it'?" in dryfire("run", "--case", "shop::where is i").err
    assert "did you mean 'support'?" in dryfire("run", "--tag", "suport").err


def test_an_empty_run_is_green_only_where_that_is_said(dryfire: Dryfire) -> None:
    project.make(_here())
    assert dryfire("run", "--filter", "none", "--allow-empty").code == 0


def test_the_selection_narrows_the_run(dryfire: Dryfire) -> None:
    project.make(_here(), project.FAILING)
    done = dryfire(
        "run", "--cassette-mode", "off", "--case", "shop::where is it", "--case", "shop::größe 退款"
    )
    assert done.code == 0
    assert "1 case left out by arguments" in done.out
    assert dryfire("run", "--cassette-mode", "off", "--filter", "where", "--tag", "support").code == 0
    assert dryfire("run", "evals/*.eval.yaml", "--cassette-mode", "off", "--filter", "fails").code == 1


def test_fail_fast_stops_and_says_so(dryfire: Dryfire) -> None:
    suite = project.make(_here())
    text = suite.read_text(encoding="utf-8")
    suite.write_text(text.replace("calls_tool: lookup", "not_calls_tool: lookup"), encoding="utf-8")
    words = ("run", "--cassette-mode", "off", "--fail-fast", "--concurrency", "1", "--json-out", "r.json")
    done = dryfire(*words)
    assert done.code == 1
    assert "stopped early: 1 case did not run" in done.out
    assert project.result()["complete"] is False


def test_wrong_suites_are_told_with_their_places_from_any_folder(
    dryfire: Dryfire, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = project.make(_here())
    text = suite.read_text(encoding="utf-8").replace("calls_tool:", "cals_tool:", 1)
    suite.write_text(text, encoding="utf-8")
    monkeypatch.chdir(_here() / "evals")
    done = dryfire("run", "--json-out", "r.json")
    assert done.code == 2
    assert "shop.eval.yaml:18:9: " in done.err
    assert "evals/" not in done.err
    assert "Did you mean 'calls_tool'?" in done.err
    assert "1 problem in suites or config" in done.err
    (problem,) = project.result()["problems"]
    assert problem["file"] == "evals/shop.eval.yaml"
    assert problem["line"] == 18


def test_passthrough_cases_run_no_code_in_replay_and_are_told(dryfire: Dryfire) -> None:
    project.make(_here(), project.PASSTHROUGH)
    dryfire("run", "--cassette-mode", "record", "--passthrough", "skip")
    done = dryfire("run", "--json-out", "r.json")
    assert done.code == 0
    assert "- excluded  runs code    passthrough, not replayed" in done.out
    assert not (_here() / "sprung").exists()
    assert project.result()["not_checked"][0]["case"] == "shop::runs code"
    assert dryfire("run", "--passthrough", "run", "--filter", "runs code").code == 0
    assert (_here() / "sprung").exists()


def test_a_damaged_recording_is_told_with_its_line_and_the_others_still_run(dryfire: Dryfire) -> None:
    project.make(_here())
    dryfire("run", "--cassette-mode", "record")
    cassette = next((_here() / ".dryfire/cassettes/shop").glob("where*.json"))
    cassette.write_text("<<<<<<< HEAD\n" + cassette.read_text(encoding="utf-8"), encoding="utf-8")
    done = dryfire("run")
    assert done.code == 3
    assert f"{cassette.name}:1: " in done.out
    assert "✓ passed    größe 退款" in done.out
    assert "Re-record only what is damaged:\n" in done.out


def test_another_model_leaves_the_recordings_alone(dryfire: Dryfire) -> None:
    project.make(_here())
    dryfire("run", "--cassette-mode", "record")
    before = {path: path.read_bytes() for path in _here().rglob("*.json")}
    assert dryfire("run", "--cassette-mode", "record", "--model", "other").code == 0
    assert dryfire("run", "--model", "other").code == 0
    assert dryfire("run").code == 0
    assert {path: path.read_bytes() for path in before} == before


SLOW = """\
name: slow
provider: fake
tools: [{name: wait, input_schema: {type: object}}]
cases:
  - name: first
    input: Hello
    script: [{text: Hi.}]
    expect: []
  - name: second
    input: Hello
    mocks: {wait: [{impl: "waiting:wait"}]}
    script: [{tool_call: {name: wait}}, {text: Hi.}]
    expect: []
"""


@pytest.mark.skipif(os.name == "nt", reason="no signals of this kind")
def test_an_interrupt_keeps_what_finished(tmp_path: Path) -> None:
    (tmp_path / "slow.eval.yaml").write_text(SLOW)
    (tmp_path / "waiting.py").write_text(
        "from pathlib import Path\nimport time\n\ndef wait(_):\n    Path('begun').touch()\n    time.sleep(60)\n"
    )
    words = ["run", "slow.eval.yaml", "--cassette-mode", "off", "--concurrency", "1", "--json-out", "r.json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "dryfire_action", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    try:
        until = time.monotonic() + 30
        while not (tmp_path / "begun").exists() and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert "passed    first" in out
    assert "interrupted: 1 case did not run or finish" in out
    assert "Traceback" not in err
    assert project.result(str(tmp_path / "r.json"))["exit_code"] == 130


def _here() -> Path:
    return Path.cwd()
