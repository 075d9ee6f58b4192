"""One case in each mode: who answers, what is recorded, and what becomes of the case."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.errors import Place
from dryfire_action.fingerprint import IgnoreRule
from dryfire_action.messages import Message, ToolSpec
from dryfire_action.suite import Config, Fail, MockRule, Return
from tests.made_cases import (
    PLACE,
    Told,
    a_case,
    a_suite,
    asks,
    by_turn,
    cassette_of,
    contains,
    fails,
    live,
    partial_of,
    passthrough,
    run,
    run_one,
    says,
    scripted,
)

if TYPE_CHECKING:
    from pathlib import Path

    from dryfire_action.results import CaseResult
    from dryfire_action.suite import Case

TWO_TURNS = (asks({"order": "o1"}), says("Sent."))


def record(root: Path, case: Case, *answers: Any, mode: str = "record", **options: Any) -> CaseResult:
    with live(told := Told(*answers)):
        result = run_one(root, case, mode=mode, **options)
    assert next(told._answers, None) is None, "the provider was asked less often than the test expects"
    return result


def outcomes(result: CaseResult) -> list[list[str]]:
    return [[turn.outcome for turn in run.turns] for run in result.runs]


def changes(result: CaseResult) -> list[list[str]]:
    return [[change.path for change in turn.changes] for run in result.runs for turn in run.turns]


# ---- record and replay


def test_a_recorded_case_replays_without_any_provider(tmp_path: Path) -> None:
    case = a_case(checks=(contains("sent"),))
    assert outcomes(record(tmp_path, case, *TWO_TURNS)) == [["recorded", "recorded"]]
    result = run_one(tmp_path, case)
    assert (result.outcome, outcomes(result)) == ("passed", [["replayed", "replayed"]])
    assert result.cassette == ".dryfire/cassettes/shop/refund.json"
    assert not partial_of(tmp_path).exists()


def test_recording_the_same_again_leaves_the_file_byte_for_byte(tmp_path: Path) -> None:
    record(tmp_path, a_case(), *TWO_TURNS)
    before = cassette_of(tmp_path).read_bytes()
    facts = {"latency_ms": 99, "model_served": "m-2"}
    record(tmp_path, a_case(), asks({"order": "o1"}, **facts), says("Sent.", **facts), today="2027-01-01")
    assert cassette_of(tmp_path).read_bytes() == before


def test_another_answer_changes_its_lines_its_echo_and_the_keys_after_it(tmp_path: Path) -> None:
    answers = [asks({"order": f"o{turn}"}) for turn in range(6)]
    record(tmp_path, a_case(), *answers, says("Done."))
    before = json.loads(cassette_of(tmp_path).read_text(encoding="utf-8"))
    record(tmp_path, a_case(), *answers[:2], asks({"order": "other"}), *answers[3:], says("Done."))
    after = json.loads(cassette_of(tmp_path).read_text(encoding="utf-8"))
    changed = [
        {name for name in {**old, **new} if old.get(name) != new.get(name)}
        for old, new in zip(before["exchanges"], after["exchanges"], strict=True)
    ]
    # The digest binds an answer to its key, so it moves with it.
    rest = {"key", "digest"}
    assert changed == [set(), set(), {"answer", "digest"}, rest | {"messages"}, rest, rest, rest]
    echo, result = zip(before["exchanges"][3]["messages"], after["exchanges"][3]["messages"], strict=True)
    assert [name for name in echo[0] if echo[0][name] != echo[1][name]] == ["tool_calls[0].arguments"]
    assert result[0] == result[1]
    assert {k: v for k, v in before.items() if k != "exchanges"} == {
        k: v for k, v in after.items() if k != "exchanges"
    }


def test_a_failure_and_the_retry_that_recovered_replay_without_waiting(tmp_path: Path) -> None:
    case = a_case()
    record(tmp_path, case, fails(503), fails(429, "slow down"), asks({}), says("ok"), max_retries=5)
    text = cassette_of(tmp_path).read_text(encoding="utf-8")
    assert text.count('"kind": "Overloaded"') == 2
    # Waits that would be noticed; whoever replays need not allow as many retries as whoever recorded.
    _set_waits(cassette_of(tmp_path), 60)
    result = run_one(tmp_path, case, max_retries=0)
    assert result.outcome == "passed"
    assert [(t.index, t.attempt, t.outcome) for t in result.runs[0].turns] == [
        (0, 0, "replayed"),
        (0, 1, "replayed"),
        (0, 2, "replayed"),
        (1, 0, "replayed"),
    ]
    trace = result.runs[0].trace
    assert trace is not None
    failures = [event.detail for event in trace.events if event.kind == "attempt_failed"]
    assert failures == [
        "attempt 0: Overloaded: busy; tried again after 60.00 s",
        "attempt 1: Overloaded: slow down; tried again after 60.00 s",
    ]


def test_a_failure_that_is_served_in_auto_is_not_waited_for_again(tmp_path: Path) -> None:
    record(tmp_path, a_case(), fails(503), asks({}), says("ok"))
    _set_waits(cassette_of(tmp_path), 60)
    longer = a_case(mocks={"lookup": (MockRule(Return("other"), None, PLACE),)})
    result = record(tmp_path, longer, says("new"), mode="auto", max_retries=0)
    assert outcomes(result) == [["replayed", "replayed", "recorded"]]


def _set_waits(path: Path, seconds: int) -> None:
    from dryfire_action.cassette_file import decode, encode

    cassette = decode(path.read_text(encoding="utf-8"), "x")
    waiting = tuple(
        replace(each, error={**each.error, "retry_after": seconds}) if each.error else each
        for each in cassette.exchanges
    )
    path.write_text(encode(replace(cassette, exchanges=waiting)), encoding="utf-8")


# ---- stale and missing


def test_a_stale_case_is_not_judged_and_names_the_field_in_every_turn(tmp_path: Path) -> None:
    record(tmp_path, a_case(), *TWO_TURNS)
    result = run_one(tmp_path, a_case(system="Be rude.", checks=(contains("never"),)))
    assert (result.outcome, result.exit_code, outcomes(result)) == ("stale", 3, [["stale", "stale"]])
    assert changes(result) == [["system"], ["system"]]
    assert result.runs[0].verdicts == ()


def test_diagnosis_finds_a_later_change_that_has_nothing_to_do_with_the_first(tmp_path: Path) -> None:
    case = a_case()
    record(tmp_path, case, asks({"order": "o1"}), asks({"order": "o2"}), says("ok"))
    other = {"lookup": (MockRule(Fail("gone"), {"order": "o2"}, PLACE), *case.mocks["lookup"])}
    result = run_one(tmp_path, a_case(system="Be rude.", mocks=other))
    assert changes(result)[:2] == [["system"], ["system"]]
    assert changes(result)[2] == [
        "system",
        "messages[4].tool_results[0].content",
        "messages[4].tool_results[0].is_error",
    ]


def test_turns_that_diagnosis_cannot_reach_are_not_reached(tmp_path: Path) -> None:
    record(tmp_path, a_case(), asks({"order": "o1"}), asks({"order": "o2"}), says("ok"))
    result = run_one(tmp_path, a_case(system="Be rude.", mocks={}))
    assert outcomes(result) == [["stale", "not_reached", "not_reached"]]
    assert result.outcome == "stale"


def test_nothing_recorded_is_missing(tmp_path: Path) -> None:
    result = run_one(tmp_path, a_case())
    assert (result.outcome, result.exit_code, outcomes(result)) == ("missing", 3, [["missing"]])
    assert result.runs[0].turns[0].note == "turn 0: nothing is recorded for this case"
    assert not (tmp_path / ".dryfire").exists()


def test_each_run_of_a_repeated_case_has_its_own_recording(tmp_path: Path) -> None:
    record(tmp_path, a_case(repeat=2), says("one"), says("two"))
    result = run_one(tmp_path, a_case(repeat=2))
    assert [run.trace and run.trace.final_text for run in result.runs] == ["one", "two"]
    more = run_one(tmp_path, a_case(repeat=3))
    assert (more.outcome, outcomes(more)) == ("missing", [["replayed"], ["replayed"], ["missing"]])
    assert more.runs[2].turns[0].note == "run 2, turn 0: nothing is recorded for this run"


def test_a_higher_repeat_records_only_the_new_runs_and_a_lower_one_leaves_runs_unplayed(
    tmp_path: Path,
) -> None:
    record(tmp_path, a_case(repeat=2), says("one"), says("two"))
    added = record(tmp_path, a_case(repeat=3), says("three"), mode="auto")
    assert outcomes(added) == [["replayed"], ["replayed"], ["recorded"]]
    assert run_one(tmp_path, a_case(repeat=3)).outcome == "passed"
    fewer = run_one(tmp_path, a_case(repeat=1))
    assert (fewer.outcome, fewer.unplayed) == ("passed", 2)


def test_a_recording_that_goes_on_after_the_end_counts_what_was_not_played(tmp_path: Path) -> None:
    record(tmp_path, a_case(), *TWO_TURNS)
    result = run_one(tmp_path, a_case(max_turns=1, allow_unfinished=True))
    assert (result.outcome, result.unplayed) == ("passed", 1)


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ({"expect_provider": "anthropic"}, "provider 'told', expected 'anthropic'"),
        ({"expect_version": "2.0"}, "version unknown of 'told', expected 2.0"),
    ],
)
def test_a_recording_of_another_origin_than_expected_is_refused(
    tmp_path: Path, expected: dict[str, Any], message: str
) -> None:
    record(tmp_path, a_case(), *TWO_TURNS)
    result = run_one(tmp_path, a_suite(a_case(), config=Config(**expected)))
    assert (result.outcome, result.exit_code) == ("damaged", 3)
    assert message in result.error
    assert result.remedy


def test_ignored_text_may_change_and_is_never_pointed_to(tmp_path: Path) -> None:
    mail = "ann" + "@" + "corp.io"
    config = Config(ignore=(IgnoreRule("system", "Today is [0-9-]+"),))

    def on(day: str) -> Any:
        return a_suite(a_case(system=f"Today is {day}. {mail}"), config=config)

    with live(Told(says(f"Mail {mail}"))):
        assert run_one(tmp_path, on("2026-01-01"), mode="record").outcome == "passed"
    result = run_one(tmp_path, on("2026-12-31"))
    assert result.outcome == "passed"
    written = json.loads(cassette_of(tmp_path).read_text(encoding="utf-8"))
    assert written["ignore"] == [{"path": "system", "pattern": "Today is [0-9-]+"}]
    assert "from_request" not in written["exchanges"][0]


# ---- modes


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


# ---- an agent cannot hide


def test_the_place_of_a_case_stays_with_its_result(tmp_path: Path) -> None:
    result = run_one(tmp_path, a_case(place=Place("evals/s.eval.yaml", 7)))
    assert (result.place, result.id) == (Place("evals/s.eval.yaml", 7), "shop::refund")


def test_other_cases_do_not_answer(tmp_path: Path) -> None:
    with live(Told(says("A"))):
        run(tmp_path, a_case("one"), mode="record")
    assert run_one(tmp_path, a_case("two")).outcome == "missing"
    assert (
        run_one(tmp_path, a_suite(replace(a_case("one"), suite="other"), name="other")).outcome == "missing"
    )


def test_a_case_whose_request_has_no_fingerprint_fails_by_name(tmp_path: Path) -> None:
    odd = a_case(messages=(Message("user", "\ud83d"),), tools=(ToolSpec("lookup", {}),))
    result = run_one(tmp_path, odd, mode="record")
    assert result.outcome in ("failed", "missing")
    assert "messages[0].content" in result.error
