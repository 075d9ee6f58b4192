"""What a run would ask: the same number of calls as the run then makes, and not a byte written for it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.forecast import forecast
from dryfire_action.messages import Usage
from dryfire_action.runner import RunOptions
from dryfire_action.suite import MockRule, Return, Steps
from dryfire_action.suite_file import load_suites
from dryfire_action.tree import FolderTree
from tests import kept_project as kept
from tests.made_cases import (
    PLACE,
    Told,
    a_case,
    a_suite,
    asks,
    by_turn,
    cassette_of,
    fails,
    live,
    passthrough,
    run,
    says,
    scripted,
)

if TYPE_CHECKING:
    from pathlib import Path

    from dryfire_action.expected_calls import Forecast
    from dryfire_action.suite import Case, Suite

USED = Usage(input_tokens=90, output_tokens=10)
TURNS = (asks({"n": 1}, usage=USED), asks({"n": 2}, usage=USED), says("sent", usage=USED))


def foreseen(root: Path, what: Case | Suite, mode: Any, **options: Any) -> Forecast:
    """The forecast, which must leave every file as it is."""
    before = files(root)
    suite = what if not hasattr(what, "messages") else a_suite(what)
    found = forecast((suite,), RunOptions(mode=mode, **options), root=root)
    assert files(root) == before
    return found


def files(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def second_result(value: str) -> tuple[MockRule, ...]:
    """Mocks whose second answer is another one."""
    return (MockRule(Steps((Return({"status": "sent"}), Return({"status": value}))), None, PLACE),)


RECORDED = a_case(mocks={"lookup": second_result("sent")})
CHANGED: dict[str, tuple[Case, str, int, int]] = {
    # what is asked now, in which mode: calls, tokens
    "nothing changed": (RECORDED, "auto", 0, 0),
    "all again": (RECORDED, "record", 3, 300),
    "kept nothing": (RECORDED, "off", 3, 300),
    "the prompt": (replace(RECORDED, system="Be brief."), "auto", 3, 300),
    "the second result": (replace(RECORDED, mocks={"lookup": second_result("lost")}), "auto", 1, 100),
    "three runs": (replace(RECORDED, repeat=3), "auto", 6, 600),
    "three runs of another prompt": (replace(RECORDED, repeat=3, system="Be brief."), "auto", 9, 900),
}


@pytest.mark.parametrize("what", CHANGED)
def test_a_forecast_counts_the_calls_that_the_run_makes(tmp_path: Path, what: str) -> None:
    case, mode, calls, tokens = CHANGED[what]
    with live(by_turn(*TURNS)):
        run(tmp_path, RECORDED, mode="record")
    with live(Told()):
        found = foreseen(tmp_path, case, mode)
    assert (found.calls, found.usage.total, found.at_least) == (calls, tokens, False)
    with live(told := by_turn(*TURNS)):
        run(tmp_path, case, mode=mode)
    assert told.calls == calls


def test_what_was_never_recorded_is_at_least_a_call_a_run(tmp_path: Path) -> None:
    found = foreseen(tmp_path, a_case(repeat=2), "auto")
    assert (found.calls, found.usage.total, found.at_least) == (2, 0, True)


def test_an_unfinished_recording_is_paid_for(tmp_path: Path) -> None:
    with live(Told(*TURNS[:2], fails(400))):
        run(tmp_path, RECORDED, mode="record")
    found = foreseen(tmp_path, RECORDED, "auto")
    assert (found.calls, found.at_least) == (1, True)


def test_a_damaged_recording_is_only_replaced_by_record(tmp_path: Path) -> None:
    with live(by_turn(*TURNS)):
        run(tmp_path, RECORDED, mode="record")
    cassette_of(tmp_path).write_text("<<<<<<< ours\n")
    (auto,) = foreseen(tmp_path, RECORDED, "auto").cases
    assert (auto.calls, auto.why) == (0, "damaged, and replaced by record only")
    assert foreseen(tmp_path, RECORDED, "record").at_least


def test_renamed_recordings_are_found_without_being_moved(tmp_path: Path) -> None:
    kept.make(tmp_path)
    kept.ask(tmp_path, "record")
    kept.edit(tmp_path, "evals/shop.eval.yaml", "name: shop", "name: store")
    before = files(tmp_path)
    for mode, calls in (("auto", 0), ("record", 6)):
        found = forecast(load_suites(FolderTree(tmp_path), ()), RunOptions(mode=mode), root=tmp_path)  # type: ignore[arg-type]
        assert (found.calls, found.at_least) == (calls, False)
    assert files(tmp_path) == before
    assert kept.ask(tmp_path)[1] == 0


def test_a_script_is_played_so_its_calls_are_exact(tmp_path: Path) -> None:
    call = {"parallel": [{"name": "lookup", "arguments": {}}]}
    busy = {"fails": {"message": "busy", "status": 503, "retry_after": 0}}
    case = scripted("a", call, busy, {"text": "Hi"}, call, {"text": "Ho"}, repeat=2)
    assert foreseen(tmp_path, case, "record").calls == 5
    results = run(tmp_path, case, mode="record")
    turns = [turn for each in results.cases for run_ in each.runs for turn in run_.turns]
    assert len(turns) == 5
    found = foreseen(tmp_path, case, "auto")
    assert (found.calls, found.scripted) == (0, 0)
    longer = replace(case, script=(*case.script[:-1], {"text": "Ha"}))
    assert foreseen(tmp_path, longer, "auto").calls == 1


def test_a_replay_asks_nobody_and_real_code_is_not_run(tmp_path: Path) -> None:
    assert foreseen(tmp_path, a_case(), "replay").calls == 0
    assert foreseen(tmp_path, passthrough(), "auto", passthrough="skip").calls == 0
    assert foreseen(tmp_path, passthrough(), "auto").at_least
    code = replace(passthrough(target="no_such_module:f"), provider="fake", script=({"text": "Hi"},))
    assert foreseen(tmp_path, code, "auto").calls == 1
