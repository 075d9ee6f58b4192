"""What a run says of the recordings it made: other versions, other models behind a name, single samples; each once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.recording_facts import RecordingFacts, notices
from dryfire_action.suite import Config
from tests.made_cases import Told, a_case, a_suite, cassette_of, live, run, run_one, says, scripted

if TYPE_CHECKING:
    from pathlib import Path

    from dryfire_action.suite import Suite

ZERO = {"temperature": 0}


class Vendor(Told):
    """A provider with a client library of a version."""

    sdk = "vendor-sdk"

    def __init__(self, version: str, served: str = "m-1-may") -> None:
        super().__init__(by=lambda _: says("ok", model_served=served))
        self.sdk_version = version


def cases(count: int = 3, **settings: Any) -> Suite:
    return a_suite(
        *(a_case(f"case {number}", params=ZERO, **settings) for number in range(count)), config=Config()
    )


@pytest.mark.parametrize("mode", ["record", "auto"])
def test_another_version_of_the_sdk_is_one_notice_for_the_whole_run(tmp_path: Path, mode: str) -> None:
    with live(Vendor("1.0.0")):
        assert run(tmp_path, cases(), mode="record").warnings == ()
    with live(Vendor("2.0.0")):
        results = run(tmp_path, cases(system="Be brief."), mode=mode)
    assert results.warnings == ("3 cases were recorded with vendor-sdk 2.0.0, and before with 1.0.0",)
    assert [case.notices for case in results.cases] == [()] * 3
    assert results.exit_code == 0


def test_another_version_makes_nothing_stale_and_a_replay_does_not_look_at_it(tmp_path: Path) -> None:
    with live(Vendor("1.0.0")):
        run(tmp_path, cases(), mode="record")
    for mode in ("auto", "replay"):
        with live(Vendor("2.0.0")):
            results = run(tmp_path, cases(), mode=mode)
        assert (results.exit_code, results.warnings) == (0, ())


def test_a_name_that_another_model_answers_to_is_said(tmp_path: Path) -> None:
    with live(Vendor("1.0.0")):
        run(tmp_path, cases(2), mode="record")
    with live(Vendor("1.0.0", served="m-1-june")):
        results = run(tmp_path, cases(2), mode="record")
    assert results.warnings == ("the model m-1 is served by m-1-june now, and was by m-1-may (2 cases)",)


def test_another_model_asked_for_is_no_surprise(tmp_path: Path) -> None:
    with live(Vendor("1.0.0")):
        run(tmp_path, cases(1), mode="record")
    with live(Vendor("1.0.0", served="m-2-june")):
        assert run(tmp_path, cases(1, model="m-2"), mode="record").warnings == ()


@pytest.mark.parametrize(
    ("settings", "warned"),
    [
        ({}, True),
        ({"params": {"temperature": 0.7}}, True),
        ({"params": {"temperature": 0}}, False),
        ({"params": {"temperature": 0.0}}, False),
        ({"params": {"extra_body": {"temperature": 0}}}, False),
        ({"params": {"extra_body": {"top_p": 0}}}, True),
        ({"repeat": 2}, False),
    ],
)
def test_a_single_sample_of_a_model_that_samples_is_warned_of_when_it_is_recorded(
    tmp_path: Path, settings: dict[str, Any], warned: bool
) -> None:
    suite = a_suite(a_case(**settings), config=Config())
    with live(Vendor("1.0.0")):
        recorded = run(tmp_path, suite, mode="record")
    assert any("from a single sample" in warning for warning in recorded.warnings) is warned
    with live(Told()):
        assert run(tmp_path, suite, mode="replay").warnings == ()
        assert run(tmp_path, suite, mode="auto").warnings == ()


def test_a_script_does_not_sample(tmp_path: Path) -> None:
    assert run(tmp_path, scripted(), mode="record").warnings == ()


@pytest.mark.parametrize("expect", [{"expect_version": "1.0.0"}, {"expect_provider": "told"}])
def test_what_is_expected_is_recorded(tmp_path: Path, expect: dict[str, str]) -> None:
    with live(Vendor("1.0.0")):
        suite = a_suite(a_case(), config=Config(**expect))
        assert run_one(tmp_path, suite, mode="record").outcome == "passed"
    assert run_one(tmp_path, suite, mode="replay").outcome == "passed"


@pytest.mark.parametrize(
    ("expect", "why"),
    [
        ({"expect_version": "1.0.0"}, "the version of vendor-sdk '1.0.0', and this one would be of '2.0.0'"),
        ({"expect_provider": "other"}, "the provider 'other', and this one would be of 'told'"),
    ],
)
def test_what_is_not_expected_is_refused_before_anything_is_paid_for(
    tmp_path: Path, expect: dict[str, str], why: str
) -> None:
    with live(told := Vendor("2.0.0")):
        result = run_one(tmp_path, a_suite(a_case(), config=Config(**expect)), mode="record")
    assert (result.outcome, result.exit_code, told.calls) == ("failed", 2, 0)
    assert why in result.error
    assert not cassette_of(tmp_path).exists()


def test_more_runs_record_only_the_new_ones_and_say_how_many_passed(tmp_path: Path) -> None:
    with live(Told(says("1"), says("2"))):
        run(tmp_path, a_case(repeat=2), mode="record")
    before = cassette_of(tmp_path).read_text(encoding="utf-8")
    with live(told := Told(says("3"), says("4"))):
        result = run_one(tmp_path, a_case(repeat=4), mode="auto")
    assert (told.calls, result.outcome, result.passed_runs, len(result.runs)) == (2, "passed", 4, 4)
    after = cassette_of(tmp_path).read_text(encoding="utf-8")
    assert after.startswith(before.removesuffix("\n ]\n}\n"))
    with live(Told()):
        assert run_one(tmp_path, a_case(repeat=4), mode="replay").passed_runs == 4
        fewer = run_one(tmp_path, a_case(repeat=3), mode="replay")
    assert (fewer.passed_runs, fewer.unplayed) == (3, 1)


def test_notices_are_grouped_and_in_a_fixed_order() -> None:
    one = RecordingFacts("sdk", "2", "1", "m", ("b",), "a", one_sample=True)
    found = notices([one, None, replace(one, version_before="0"), one])
    assert found == (
        "1 case was recorded with sdk 2, and before with 0",
        "2 cases were recorded with sdk 2, and before with 1",
        "the model m is served by b now, and was by a (3 cases)",
        "3 cases were recorded from a single sample, and the temperature is not 0: with repeat: N the report says how"
        " many of N runs pass",
    )
