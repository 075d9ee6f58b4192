"""Suites are run as the command line asks: which cases, in which mode, how many at once, and what to do next."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action import case_run
from dryfire_action.messages import Usage
from dryfire_action.progress import Progress, Spent
from dryfire_action.reports.result_json import document
from dryfire_action.runner import RunOptions, run_suites
from dryfire_action.suite import Config
from tests.made_cases import (
    Told,
    a_case,
    a_suite,
    by_turn,
    cassette_of,
    contains,
    fails,
    live,
    passthrough,
    run,
    says,
    scripted,
)

if TYPE_CHECKING:
    from pathlib import Path

    from dryfire_action.results import Results
    from dryfire_action.suite import Suite


def named(*names: str, **settings: Any) -> Suite:
    return a_suite(*(scripted(name, **settings) for name in names), config=Config())


def ran(results: Results) -> list[str]:
    return [case.name for case in results.cases]


# ---- modes


@pytest.mark.parametrize(
    ("flag", "config", "calls"),
    [
        (None, None, 0),
        (None, "record", 1),
        ("replay", "record", 0),
        ("off", "replay", 1),
        (None, "replay", 0),
    ],
)
def test_the_flag_counts_before_the_config_and_replay_is_the_default(
    tmp_path: Path, flag: str | None, config: Any, calls: int
) -> None:
    with live(told := Told(says("ok"))):
        results = run(tmp_path, a_suite(a_case(), config=Config(mode=config)), mode=flag)
    assert told.calls == calls
    assert results.mode == flag


# ---- progress


@pytest.mark.parametrize("mode", ["record", "off"])
def test_calls_failures_and_waits_are_told_as_they_happen(tmp_path: Path, mode: Any) -> None:
    told: list[Progress] = []
    with live(Told(fails(503, retry_after=0.01), says("ok", usage=Usage(10, 5)))):
        run_suites(
            [a_suite(a_case(), scripted("quiet"), config=Config())],
            RunOptions(mode=mode, concurrency=1),
            root=tmp_path,
            today="2026-11-29",
            environ={},
            progress=told.append,
        )
    assert told == [
        Progress(0, 2, "shop::refund", "", Spent(1), Spent(1)),
        Progress(0, 2, "shop::refund", "", Spent(1), Spent(1), "503 Overloaded", 0.01),
        Progress(0, 2, "shop::refund", "", Spent(2), Spent(2)),
        Progress(0, 2, "shop::refund", "", Spent(2, 1, 15), Spent(2, 1, 15)),
        Progress(1, 2, "shop::refund", "passed", Spent(2, 1, 15), Spent(2, 1, 15)),
        Progress(2, 2, "shop::quiet", "passed", Spent(3, 2, 15), Spent()),
    ]


def test_a_replay_tells_only_what_has_finished(tmp_path: Path) -> None:
    with live(Told(fails(503), says("ok"))):
        run(tmp_path, a_case(), mode="record")
    for mode in ("replay", "auto"):
        told: list[Progress] = []
        run_suites(
            [a_suite(a_case())],
            RunOptions(mode=mode),  # type: ignore[arg-type]
            root=tmp_path,
            today="2026-11-29",
            environ={},
            progress=told.append,
        )
        assert told == [Progress(1, 1, "shop::refund", "passed")]


# ---- which cases


def test_a_filter_is_part_of_a_name(tmp_path: Path) -> None:
    results = run(tmp_path, named("late refund", "refund", "order"), filter="refund")
    assert (ran(results), results.left_out, results.complete) == (["late refund", "refund"], 1, True)


def test_a_tag_chooses_suites(tmp_path: Path) -> None:
    suites = [
        a_suite(scripted("a"), config=Config(), tags=("smoke", "slow")),
        a_suite(scripted("b"), config=Config(), file="evals/t.eval.yaml", name="t"),
    ]
    assert ran(run(tmp_path, *suites, tags=("smoke",))) == ["a"]
    assert ran(run(tmp_path, *suites, tags=("smoke", "other"))) == ["a"]
    assert ran(run(tmp_path, *suites)) == ["a", "b"]


def test_a_case_is_chosen_by_its_exact_id(tmp_path: Path) -> None:
    assert ran(run(tmp_path, named("a", "ab"), cases=("shop::a",))) == ["a"]


@pytest.mark.parametrize(
    ("options", "warning"),
    [
        ({"filter": "zzz"}, "nothing was checked: none of 1 cases fits --filter 'zzz'"),
        (
            {"tags": ("x",), "filter": "y"},
            "nothing was checked: none of 1 cases fits --filter 'y' and --tag 'x'",
        ),
        ({"cases": ("shop::refnd",)}, "no case is called 'shop::refnd'; did you mean 'shop::refund'?"),
    ],
)
def test_a_choice_of_nothing_is_no_green(tmp_path: Path, options: dict[str, Any], warning: str) -> None:
    results = run(tmp_path, named("refund"), **options)
    assert (results.exit_code, list(results.warnings)) == (2, [warning])
    assert run(tmp_path, named("refund"), **options, allow_empty=True).exit_code == 0


def test_suites_without_cases_are_no_green(tmp_path: Path) -> None:
    results = run(tmp_path, a_suite())
    assert (results.exit_code, results.warnings) == (2, ("nothing was checked: the suites hold no cases",))


def test_only_excluded_cases_are_no_green(tmp_path: Path) -> None:
    results = run(tmp_path, passthrough())
    assert [case.outcome for case in results.cases] == ["excluded"]
    assert results.exit_code == 2


# ---- in which order, and when it stops


def test_results_stand_in_the_order_of_the_suites_whatever_finishes_first(tmp_path: Path) -> None:
    finished = []

    class Slow(Told):
        async def complete(self, request: Any) -> Any:
            for _ in range(10 - 3 * int(request.system)):
                await asyncio.sleep(0)
            return says("ok")

    suites = [
        a_suite(*(a_case(f"{name}{n}", system=str(n)) for n in range(3)), file=f"{name}.yaml", name=name)
        for name in "ba"
    ]
    with live(Slow()):
        results = run_suites(
            suites,
            RunOptions(mode="off", concurrency=3),
            root=tmp_path,
            today="2026-11-29",
            environ={},
            progress=finished.append,
        )
    assert ran(results) == ["b0", "b1", "b2", "a0", "a1", "a2"]
    assert [suite.name for suite in results.suites] == ["b", "a"]
    ended = [each for each in finished if each.outcome]
    assert [each.case for each in ended] != [case.id for case in results.cases]
    assert ended[-1] == Progress(6, 6, ended[-1].case, "passed", run=Spent(6, 6), own=Spent(1, 1))


@pytest.mark.parametrize("concurrency", [1, 2, 9, 0])
def test_no_more_cases_are_asked_at_once_than_allowed(tmp_path: Path, concurrency: int) -> None:
    now = most = 0

    class Counting(Told):
        async def complete(self, request: Any) -> Any:
            nonlocal now, most
            now += 1
            most = max(most, now)
            await asyncio.sleep(0)
            now -= 1
            return says("ok")

    with live(Counting()):
        results = run(
            tmp_path, *(a_case(f"c{n}", repeat=2) for n in range(5)), mode="off", concurrency=concurrency
        )
    assert results.exit_code == 0
    assert most == min(max(concurrency, 1), 5)


def test_fail_fast_stops_after_the_first_that_does_not_pass(tmp_path: Path) -> None:
    suite = a_suite(scripted("a"), scripted("b", checks=(contains("zzz"),)), scripted("c"), config=Config())
    results = run(tmp_path, suite, fail_fast=True, concurrency=1)
    assert (ran(results), results.complete, results.not_run, results.exit_code) == (["a", "b"], False, 1, 1)


def test_fail_fast_does_not_stop_at_a_skipped_case_that_is_allowed(tmp_path: Path) -> None:
    suite = a_suite(a_case("a", provider="anthropic"), scripted("b"), config=Config())
    options = {"mode": "record", "fail_fast": True, "concurrency": 1}
    assert ran(run(tmp_path, suite, **options)) == ["a"]
    allowed = run(tmp_path, suite, **options, allow_skipped=True)
    assert (ran(allowed), allowed.exit_code) == (["a", "b"], 0)


def test_a_fault_of_ours_in_one_case_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = case_run.judge

    def faulty(case: Any, *args: Any, **kwargs: Any) -> Any:
        if case.name == "b":
            raise KeyError("x")
        return judge(case, *args, **kwargs)

    monkeypatch.setattr(case_run, "judge", faulty)
    results = run(tmp_path, named("a", "b", "c"))
    assert [case.outcome for case in results.cases] == ["passed", "failed", "passed"]
    assert [case.error for case in results.cases][1] == "internal error: KeyError: 'x'"
    assert results.exit_code == 2


def test_an_interrupt_keeps_what_has_finished(tmp_path: Path) -> None:
    class Hanging(Told):
        async def complete(self, request: Any) -> Any:
            if request.system == "hang":
                threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
                await asyncio.Event().wait()
            return says("ok")

    cases = [a_case("a"), a_case("b", system="hang"), a_case("c")]
    with live(Hanging()):
        results = run(tmp_path, *cases, mode="record", concurrency=1)
    assert (ran(results), results.interrupted, results.complete, results.not_run) == (["a"], True, False, 2)
    assert cassette_of(tmp_path, "a").exists()
    assert not cassette_of(tmp_path, "b").exists()


def test_warnings_of_the_suites_are_those_of_the_run(tmp_path: Path) -> None:
    assert run(tmp_path, a_suite(scripted(), config=Config(), warnings=("odd",))).warnings == ("odd",)


# ---- what to do next


def damaged(root: Path, stem: str) -> None:
    cassette_of(root, stem).parent.mkdir(parents=True, exist_ok=True)
    cassette_of(root, stem).write_text("{")


def test_the_command_re_records_only_what_has_to_be(tmp_path: Path) -> None:
    with live(by_turn(says("ok"))):
        run(tmp_path, a_case("fresh"), a_case("stale"), mode="record")
    damaged(tmp_path, "damaged")
    suites = [
        a_suite(a_case("fresh"), file="evals/a.yaml"),
        a_suite(a_case("stale", system="other"), a_case("damaged"), file="evals/b.yaml"),
        a_suite(a_case("missing"), file="evals/c.yaml"),
    ]
    results = run(tmp_path, *suites)
    assert [case.outcome for case in results.cases] == ["passed", "stale", "damaged", "missing"]
    assert results.command == (
        "dryfire run evals/b.yaml evals/c.yaml --cassette-mode auto && "
        "dryfire run evals/b.yaml --case shop::damaged --cassette-mode record"
    )
    assert run(tmp_path, suites[0]).command == ""


def test_for_whoever_reads_the_result_elsewhere_the_command_starts_at_the_root(tmp_path: Path) -> None:
    found = run(tmp_path, a_suite(a_case("missing"), file="shop/evals/a.yaml"), cwd="shop")
    assert found.command == "dryfire run evals/a.yaml --cassette-mode auto"
    assert found.command_from_root == "dryfire run shop/evals/a.yaml --cassette-mode auto"
    assert (
        document(found, commit=None, show="all", exit_code=3)["rerecord"]["command"]
        == found.command_from_root
    )
