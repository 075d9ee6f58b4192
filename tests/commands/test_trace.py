"""`dryfire trace`: one case, turn by turn, from its recording."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.commands import project

if TYPE_CHECKING:
    from collections.abc import Callable

    Dryfire = Callable[..., project.Done]

REPEATED = """\
  - name: twice
    input: Hello
    repeat: 2
    require_pass_rate: 0.5
    script: [{text: one}, {text: two}]
    expect: [{final_contains: one}]
"""


@pytest.fixture
def recorded(dryfire: Dryfire) -> Dryfire:
    """The command, in a project with recordings."""
    project.make(Path.cwd(), REPEATED)
    assert dryfire("run", "--cassette-mode", "record").code == 0
    return dryfire


def test_a_recorded_case_is_shown_turn_by_turn(recorded: Dryfire) -> None:
    done = recorded("trace", "shop::where is it")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "shop::where is it  passed  scripted"
    assert lines[1].startswith(".dryfire/cassettes/shop/where-is-it")
    assert lines[3].startswith("turn 0: replayed  ")
    assert lines[4:6] == ['  call    lookup {"n": 1}', '  result  {"status": "sent"}']
    assert lines[6].startswith("turn 1: replayed  ")
    assert lines[7:] == ["  answer  It was sent.", "", "ended: end_turn", "✓ calls_tool: lookup"]


def test_a_stale_case_names_the_fields_and_keeps_the_recorded_answers(recorded: Dryfire) -> None:
    Path("evals/prompt.md").write_text("You are brief.\n")
    done = recorded("trace", "shop::where is it")
    assert done.code == 3
    assert "turn 0: stale  " in done.out
    assert done.out.count("    system  changed  ") == 2
    assert "  answer  It was sent." in done.out
    assert "calls_tool" not in done.out


def test_without_a_recording_it_says_so(dryfire: Dryfire) -> None:
    project.make(Path.cwd())
    done = dryfire("trace", "shop::where is it")
    assert done.code == 3
    assert "turn 0: missing" in done.out


def test_a_passthrough_case_runs_no_code(recorded: Dryfire) -> None:
    suite = Path("evals/shop.eval.yaml")
    suite.write_text(suite.read_text(encoding="utf-8") + project.PASSTHROUGH, encoding="utf-8")
    done = recorded("trace", "runs code")
    assert done.code == 0
    assert "shop::runs code  excluded" in done.out
    assert not Path("sprung").exists()


def test_the_name_alone_will_do(recorded: Dryfire) -> None:
    assert recorded("trace", "größe 退款").out.startswith("shop::größe 退款  passed")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "name the case to show"),
        (["shop::where is i"], "did you mean 'shop::where is it'?"),
        (["where is i"], "did you mean 'shop::where is it'?"),
        (["where"], "There is shop::where is it."),
        (["zzz"], "There is shop::where is it, shop::größe 退款, shop::twice."),
        (["twice", "--run", "2"], "there is no run 2: runs are 0 to 1"),
        (["twice", "--run", "-1"], "-1 is less than 0"),
    ],
)
def test_what_cannot_be_shown_is_told_with_what_can(recorded: Dryfire, words: list[str], why: str) -> None:
    done = recorded("trace", *words)
    assert done.code == 2
    assert why in done.err


def test_a_run_of_several_can_be_chosen(recorded: Dryfire) -> None:
    shown = recorded("trace", "twice").out
    assert "answer  two" in shown, "the one that failed stands for the case"
    assert "run 1, of runs 0 to 1: did not pass\n" in shown
    done = recorded("trace", "twice", "--run", "0")
    assert "run 0, of runs 0 to 1: passed\n" in done.out
    assert "answer  one" in done.out


def test_json_holds_everything(recorded: Dryfire) -> None:
    found = json.loads(recorded("trace", "where is it", "--json").out)
    assert (found["case"], found["outcome"], found["scripted"]) == ("shop::where is it", "passed", True)
    first, second = found["run"]["turns"]
    assert first["answer"]["tool_calls"][0]["arguments"] == {"n": 1}
    assert first["answer"]["tool_results"][0]["content"] == {"status": "sent"}
    assert second["answer"]["text"] == "It was sent."
    assert first["recorded"] == first["current"]
    assert [verdict["passed"] for verdict in found["run"]["assertions"]] == [True]


def test_nothing_is_written(recorded: Dryfire) -> None:
    before = {path: path.stat().st_mtime_ns for path in Path().rglob("*")}
    Path("evals/prompt.md").write_text("You are brief.\n")
    recorded("trace", "where is it")
    assert {path: path.stat().st_mtime_ns for path in Path().rglob("*")}.keys() == before.keys()


def test_a_damaged_recording_has_the_path_that_it_has_from_here(
    recorded: Dryfire, monkeypatch: pytest.MonkeyPatch
) -> None:
    cassette = next(Path(".dryfire/cassettes/shop").glob("where*.json"))
    cassette.write_text("{", encoding="utf-8")
    monkeypatch.chdir("evals")
    for words in (("trace", "where is it"), ("run",), ("explain",)):
        assert f" ../.dryfire/cassettes/shop/{cassette.name}:" in recorded(*words).out, words
