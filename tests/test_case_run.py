"""One case, recorded and replayed: what is served, what is stale or missing, and what becomes of the case."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.errors import Place
from dryfire_action.ignore_rules import IgnoreRule
from dryfire_action.messages import Message, ToolSpec
from dryfire_action.suite import Config, Fail, MockRule, Return
from tests.made_cases import (
    PLACE,
    Told,
    a_case,
    a_suite,
    asks,
    cassette_of,
    changes,
    contains,
    fails,
    live,
    outcomes,
    partial_of,
    record,
    run,
    run_one,
    says,
)

if TYPE_CHECKING:
    from pathlib import Path


TWO_TURNS = (asks({"order": "o1"}), says("Sent."))


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
