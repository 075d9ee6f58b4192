"""One case in each mode: who answers, what is recorded, and what stays out of every cassette."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from dryfire_action.suite import Config, MockRule, Return
from tests.made_cases import (
    PLACE,
    a_case,
    a_suite,
    asks,
    by_turn,
    cassette_of,
    changes,
    fails,
    live,
    outcomes,
    partial_of,
    passthrough,
    record,
    run_one,
    says,
    scripted,
)

if TYPE_CHECKING:
    from pathlib import Path

TWO_TURNS = (asks({"order": "o1"}), says("Sent."))


@pytest.mark.parametrize("mode", ["replay", "record", "auto", "off"])
def test_a_scripted_case_touches_no_cassette_unless_it_is_asked_for(tmp_path: Path, mode: str) -> None:
    suite = a_suite(scripted(), config=Config(scripted=False))
    result = run_one(tmp_path, suite, mode=mode)
    assert (result.outcome, outcomes(result), result.cassette) == ("passed", [["live"]], "")
    assert not (tmp_path / ".dryfire").exists()


def test_a_scripted_case_is_recorded_where_the_config_asks_for_it_and_goes_stale_with_its_script(
    tmp_path: Path,
) -> None:
    config = Config(scripted=True)
    assert run_one(tmp_path, a_suite(scripted(), config=config), mode="record").outcome == "passed"
    assert run_one(tmp_path, a_suite(scripted(), config=config)).outcome == "passed"
    result = run_one(tmp_path, a_suite(scripted("refund", {"text": "Bye"}), config=config))
    assert (result.outcome, changes(result)) == ("stale", [["script[0]"]])


def test_off_asks_and_records_nothing(tmp_path: Path) -> None:
    result = record(tmp_path, a_case(), *TWO_TURNS, mode="off")
    assert (result.outcome, outcomes(result)) == ("passed", [["live", "live"]])
    assert not (tmp_path / ".dryfire").exists()


@pytest.mark.parametrize("mode", ["record", "auto", "off"])
def test_a_case_whose_provider_cannot_be_called_is_skipped_and_says_why(tmp_path: Path, mode: str) -> None:
    result = run_one(tmp_path, a_case(provider="anthropic"), mode=mode)
    assert (result.outcome, result.exit_code) == ("skipped", 2)
    assert "ANTHROPIC_API_KEY" in result.error
    assert not (tmp_path / ".dryfire").exists()


def test_auto_with_everything_recorded_needs_no_provider_and_touches_no_file(tmp_path: Path) -> None:
    record(tmp_path, a_case(), *TWO_TURNS)
    # Checked out with other line ends and another redaction version: still nothing to do.
    path = cassette_of(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    # The time of change only: reading is allowed.
    before = {each: each.stat().st_mtime_ns for each in sorted(tmp_path.rglob("*"))}
    assert run_one(tmp_path, a_case(), mode="auto", today="2027-01-01").outcome == "passed"
    assert {each: each.stat().st_mtime_ns for each in sorted(tmp_path.rglob("*"))} == before


def test_auto_asks_only_for_what_changed_and_drops_what_was_not_played(tmp_path: Path) -> None:
    record(tmp_path, a_case(), asks({"order": "o1"}), asks({"order": "o2"}), says("old"))
    other = {"lookup": (MockRule(Return("lost"), None, PLACE),)}
    result = record(tmp_path, a_case(mocks=other), says("new"), mode="auto")
    assert outcomes(result) == [["replayed", "recorded"]]
    assert len(json.loads(cassette_of(tmp_path).read_text(encoding="utf-8"))["exchanges"]) == 2
    assert run_one(tmp_path, a_case(mocks=other)).unplayed == 0


def test_auto_does_not_throw_answers_away_because_a_mock_is_missing(tmp_path: Path) -> None:
    record(tmp_path, a_case(), *TWO_TURNS)
    before = cassette_of(tmp_path).read_bytes()
    result = run_one(tmp_path, a_case(mocks={}), mode="auto")
    assert (result.outcome, result.notices) == (
        "failed",
        ("the recording goes on after the call that nothing answers, and is kept as it is",),
    )
    assert cassette_of(tmp_path).read_bytes() == before


def test_a_recording_that_ends_in_failure_stays_partial_and_auto_goes_on_from_it(tmp_path: Path) -> None:
    result = record(tmp_path, a_case(), asks({}), fails(500), fails(500), max_retries=1)
    assert (result.outcome, result.exit_code) == ("failed", 3)
    assert result.notices == (
        "the recording is not complete; what was answered is kept in .dryfire/cassettes/.partial/shop/refund.jsonl,"
        " and --cassette-mode auto goes on from there",
    )
    assert not cassette_of(tmp_path).exists()
    assert outcomes(record(tmp_path, a_case(), says("ok"), mode="auto")) == [["replayed", "recorded"]]
    assert run_one(tmp_path, a_case()).outcome == "passed"
    assert not partial_of(tmp_path).exists()


def test_the_header_tells_what_answered(tmp_path: Path) -> None:
    told = by_turn(asks({}), says("ok", model_served="m-1-2026"))
    told.sdk, told.sdk_version = "told-sdk", "1.2"  # type: ignore[attr-defined]
    with live(told):
        run_one(tmp_path, a_case(), mode="record")
    header = json.loads(cassette_of(tmp_path).read_text(encoding="utf-8"))
    assert (header["sdk"], header["sdk_version"], header["served"]) == ("told-sdk", "1.2", "m-1-2026")
    assert (header["suite"], header["case"], header["recorded"]) == ("shop", "refund", "2026-11-29")


def test_a_model_of_the_command_line_is_recorded_beside(tmp_path: Path) -> None:
    record(tmp_path, a_case(), *TWO_TURNS)
    before = cassette_of(tmp_path).read_bytes()
    record(tmp_path, a_case(model="m-2"), *TWO_TURNS, model="m-2")
    assert cassette_of(tmp_path).read_bytes() == before
    assert cassette_of(tmp_path, "refund@m-2").exists()
    assert run_one(tmp_path, a_case(model="m-2"), model="m-2").outcome == "passed"


# ---- passthrough


def test_a_passthrough_case_is_excluded_in_replay_and_its_code_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hostile_in_replay.py").write_text(
        "open('imported', 'w')\ndef lookup(arguments): return {}\n"
    )
    monkeypatch.chdir(tmp_path)
    result = run_one(tmp_path, passthrough(target="hostile_in_replay:lookup"))
    assert (result.outcome, result.exit_code) == ("excluded", 0)
    assert result.error.startswith("passthrough: a mock runs real code (evals/s.eval.yaml:3:1)")
    assert not (tmp_path / "imported").exists()


@pytest.mark.parametrize(
    ("mode", "option", "outcome"),
    [
        ("replay", "run", "passed"),
        ("record", None, "passed"),
        ("auto", None, "passed"),
        ("off", None, "passed"),
        ("record", "skip", "excluded"),
        ("off", "skip", "excluded"),
    ],
)
def test_a_passthrough_case_runs_live_and_is_never_recorded(
    tmp_path: Path, mode: str, option: str | None, outcome: str
) -> None:
    (tmp_path / "shop_tools.py").write_text("def lookup(arguments): return {'n': arguments['n'] + 1}\n")
    with live(told := by_turn(asks({"n": 1}), says("ok"))):
        result = run_one(tmp_path, passthrough(target="shop_tools:lookup"), mode=mode, passthrough=option)
    assert result.outcome == outcome
    assert told.calls == (2 if outcome == "passed" else 0)
    assert result.notices == (("passthrough: run with its real code, not recorded",) if told.calls else ())
    assert not (tmp_path / ".dryfire").exists()
