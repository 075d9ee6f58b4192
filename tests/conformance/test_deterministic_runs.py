"""The checklists of deterministic runs, line by line: 33 lines of runs and providers, 34 of modes and strategies.

Lines of the first list are ``test_NN``; 14 stands with the fingerprints. All 33 apply, two in our own way: refused
origins are a ``UsageError`` (22, 23), and a run's state is its ``termination`` (31).

Lines of the second list are ``test_mode_NN``: here those of recorders and replays, in ``test_cassette_modes`` those of
modes, streams and the fixture, with the lines that do not apply.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.errors import (
    CassetteDamaged,
    CassetteMissError,
    ProviderError,
    RecordingError,
    UsageError,
)
from dryfire_action.llm import AsyncMockLLM, LLMRequest, MockLLM
from dryfire_action.messages import Hook, Message, Request, Response, ToolCall, ToolSpec, Usage
from dryfire_action.replay import (
    AgentRunner,
    Cassette,
    FakeClock,
    FakeToolRegistry,
    RecordingProvider,
    ReplayingProvider,
    RetryPolicy,
    Run,
    SequentialIds,
    assert_same_run,
    fingerprint_of,
)
from tests.conformance.made_replays import asks, recorded
from tests.made_requests import shuffled

if TYPE_CHECKING:
    from pathlib import Path

START = Request(
    "anthropic",
    "small-1",
    (Message("user", "When does the train leave?"),),
    tools=(ToolSpec("board", {"type": "object", "required": ["from", "to"]}),),
)
PASSWORD = "-".join(["hunter2", "swordfish"])
SECRET = "sk-" + "ant-api03-" + "q7" * 48
BUSY = ProviderError("busy", kind="Overloaded", status=503)
CALL = Response(
    tool_calls=(ToolCall("x", "board", {"from": "Ulm"}),), stop_reason="tool_use", usage=Usage(9, 3)
)
DONE = Response("At noon.", usage=Usage(5, 2))


def ran(provider: Any, request: Request = START, *, run_id: str | None = None, **options: Any) -> Run:
    tools = FakeToolRegistry({"board": lambda **_: ["12:00"]})
    settings = {
        "tools": tools,
        "ids": SequentialIds(),
        "clock": FakeClock(),
        "jitter": Random(1),
        "retry": RetryPolicy(max_retries=1),
        **options,
    }
    return asyncio.run(AgentRunner(provider=provider, **settings).run(request, run_id=run_id))


def tape(*answers: str | Response | Exception, request: Request = START, **options: Any) -> Cassette:
    """What a run with these answers recorded."""
    recorder = RecordingProvider(AsyncMockLLM(answers), provider="anthropic", version="0.42.0")
    ran(recorder, request, **options)
    return recorder.cassette


def saved(path: Path, cassette: Cassette) -> Cassette:
    cassette.save(path)
    return Cassette.load(path)


def changed(**fields: Any) -> Request:
    return replace(START, **fields)


def diff(other: Request, **options: Any) -> tuple[str, ...]:
    return fingerprint_of(START).diff(fingerprint_of(other, **options))


# ---- ids


def test_01_two_runs_with_fresh_ids_have_the_same_id() -> None:
    assert ran(AsyncMockLLM(["a"])).id == ran(AsyncMockLLM(["a"])).id == "run_1"


def test_02_an_explicit_id_beats_the_factory() -> None:
    assert ran(AsyncMockLLM(["a"]), run_id="mine").id == "mine"


def test_03_one_factory_gives_two_runs_different_ids() -> None:
    ids = SequentialIds()
    assert ran(AsyncMockLLM(["a"]), ids=ids).id != ran(AsyncMockLLM(["a"]), ids=ids).id


def test_04_without_a_factory_a_run_still_has_an_id() -> None:
    assert asyncio.run(AgentRunner(provider=AsyncMockLLM(["a"])).run(START)).id


# ---- fingerprint


def test_05_the_same_request_has_the_same_key() -> None:
    assert fingerprint_of(START).key == fingerprint_of(changed()).key


def test_06_key_order_in_a_schema_does_not_count() -> None:
    tool = replace(START.tools[0], input_schema=shuffled(START.tools[0].input_schema))
    assert list(tool.input_schema) != list(START.tools[0].input_schema)
    assert diff(changed(tools=(tool,))) == ()


@pytest.mark.parametrize(
    ("other", "part"),
    [
        pytest.param(changed(model="large-1"), "model", id="07"),
        pytest.param(changed(messages=(Message("user", "And back?"),)), "messages", id="08"),
        pytest.param(changed(tools=(ToolSpec("board", {"type": "object"}),)), "tools", id="09"),
        pytest.param(changed(output_schema={"type": "object"}), "output_schema", id="10"),
    ],
)
def test_07_to_10_a_changed_part_is_the_diff(other: Request, part: str) -> None:
    assert fingerprint_of(START).key != fingerprint_of(other).key
    assert diff(other) == (part,)


def test_11_another_hook_chain_is_the_diff() -> None:
    one, two = Hook("mask"), Hook("date")
    assert diff(START, hooks=(one,)) == ("hooks",)
    first, second = fingerprint_of(START, hooks=(one, two)), fingerprint_of(START, hooks=(two, one))
    assert first.diff(second) == ("hooks",)


def test_12_two_changes_are_both_named_in_order() -> None:
    assert diff(changed(model="large-1"), hooks=(Hook("mask"),)) == ("hooks", "model")


def test_13_equal_fingerprints_have_no_diff() -> None:
    assert diff(changed()) == ()


def test_14_list_order_in_a_schema_counts() -> None:
    tool = replace(START.tools[0], input_schema={"type": "object", "required": ["to", "from"]})
    found = fingerprint_of(START).changes(fingerprint_of(changed(tools=(tool,))))
    assert [(each.path, each.change) for each in found] == [("tools[board].input_schema", "changed")]


# ---- recording


@pytest.mark.parametrize("name", ["trains.json", "trains.jsonl"])
def test_15_record_save_load_replay(tmp_path: Path, name: str) -> None:
    replay = ReplayingProvider(saved(tmp_path / name, tape(CALL, DONE)))
    found = ran(replay)
    assert (found.termination, found.final_text) == ("end_turn", "At noon.")
    assert len(replay.served) == 2


@pytest.mark.parametrize("name", ["trains.json", "trains.jsonl"])
def test_16_the_cassette_says_what_it_was_recorded_against(tmp_path: Path, name: str) -> None:
    found = saved(tmp_path / name, tape(DONE))
    assert (found.header.provider, found.header.version) == ("anthropic", "0.42.0")


def test_17_a_secret_under_a_key_is_not_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "trains.json"
    call = ToolCall("x", "board", {"api_key": PASSWORD, "platform": 7})
    tape(Response(tool_calls=(call,), stop_reason="tool_use"), DONE).save(path)
    text = path.read_text(encoding="utf-8")
    assert "swordfish" not in text
    assert "[redacted:" in text


def test_18_a_failure_and_its_retry_both_replay(tmp_path: Path) -> None:
    found = ran(ReplayingProvider(saved(tmp_path / "c.json", tape(BUSY, DONE))))
    assert found.termination == "end_turn"
    assert [event.kind for event in found.events].count("attempt_failed") == 1


# ---- refusing to guess


def test_19_a_changed_prompt_fails_the_run_and_is_named() -> None:
    found = ran(ReplayingProvider(tape(DONE)), changed(messages=(Message("user", "And back?"),)))
    assert found.termination == "provider_error"
    assert "CassetteMissError" in found.events[-1].detail
    assert "messages" in found.events[-1].detail


def test_20_a_changed_model_is_named() -> None:
    assert "model" in ran(ReplayingProvider(tape(DONE)), changed(model="large-1")).events[-1].detail


def test_21_after_a_miss_nothing_was_served() -> None:
    replay = ReplayingProvider(tape(DONE))
    assert ran(replay, changed(model="large-1")).termination == "provider_error"
    assert replay.served == ()


def test_22_another_version_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match=r"0\.42\.0"):
        ReplayingProvider(tape(DONE), expect_version="1.0.0")
    ReplayingProvider(tape(DONE), expect_version="0.42.0")


def test_23_another_provider_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="anthropic"):
        ReplayingProvider(tape(DONE), expect_provider="openai")
    ReplayingProvider(tape(DONE), expect_provider="anthropic")


@pytest.mark.parametrize("name", ["c.json", "c.jsonl"])
def test_24_an_unknown_format_is_refused_at_load(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    tape(DONE).save(path)
    path.write_text(path.read_text(encoding="utf-8").replace("/1", "/9", 1), encoding="utf-8")
    with pytest.raises(CassetteDamaged, match="format"):
        Cassette.load(path)


def test_25_a_second_run_asks_more_often_than_was_recorded() -> None:
    replay = ReplayingProvider(tape(DONE))
    ran(replay)
    assert "asked for more times" in ran(replay).error


def test_26_an_empty_cassette_says_so() -> None:
    assert "cassette is empty" in ran(ReplayingProvider(Cassette())).error


def test_27_a_nested_secret_is_redacted_and_a_number_survives(tmp_path: Path) -> None:
    arguments = {"auth": {"password": PASSWORD}, "platform": 7}
    call = ToolCall("x", "board", arguments)
    path = tmp_path / "c.json"
    tape(Response(tool_calls=(call,), stop_reason="tool_use"), DONE).save(path)
    kept = json.loads(path.read_text(encoding="utf-8"))["exchanges"][0]["answer"]["tool_calls"][0][
        "arguments"
    ]
    assert kept["platform"] == 7
    assert kept["auth"]["password"].startswith("[redacted:")


# ---- comparing


def test_28_two_replays_of_one_cassette_are_the_same_run() -> None:
    cassette = tape(CALL, DONE)
    assert_same_run(ran(ReplayingProvider(cassette)), ran(ReplayingProvider(cassette)))


class ReadsTheClock:
    name, version = "clock", "1"

    def __init__(self) -> None:
        self.now = 0

    def __call__(self, request: Request) -> Request:
        self.now += 1
        return replace(request, system=f"It is {self.now}.")


def test_29_a_hook_that_reads_the_clock_differs_on_its_rewrite() -> None:
    hook = ReadsTheClock()
    first, second = (ran(AsyncMockLLM([DONE]), hooks=(hook,)) for _ in range(2))
    with pytest.raises(AssertionError, match="hook_rewrite"):
        assert_same_run(first, second)


def test_30_other_clock_starts_are_the_same_run() -> None:
    cassette = tape(CALL, DONE)
    first, second = (ran(ReplayingProvider(cassette), clock=FakeClock(start)) for start in (0.0, 1e9))
    assert first.started_at != second.started_at
    assert_same_run(first, second)


def test_31_completed_and_failed_differ_in_state() -> None:
    with pytest.raises(AssertionError, match="state"):
        assert_same_run(ran(AsyncMockLLM([DONE])), ran(ReplayingProvider(Cassette())))


def test_32_a_run_that_used_a_tool_too_differs() -> None:
    with pytest.raises(AssertionError, match="trains: usage"):
        assert_same_run(ran(AsyncMockLLM([DONE])), ran(AsyncMockLLM([CALL, DONE])), message="trains")


def test_33_a_run_cut_short_by_an_event_differs_in_length() -> None:
    run = ran(AsyncMockLLM([DONE]))
    with pytest.raises(AssertionError, match="length"):
        assert_same_run(run, replace(run, events=run.events[:-1]))


# ---- the second list


def test_mode_09_an_unrecorded_request_raises() -> None:
    with pytest.raises(CassetteMissError):
        asyncio.run(ReplayingProvider(tape(DONE)).complete(changed(model="large-1")))


def test_mode_10_the_error_names_the_moved_field() -> None:
    with pytest.raises(CassetteMissError, match="model"):
        asyncio.run(ReplayingProvider(tape(DONE)).complete(changed(model="large-1")))


def test_mode_11_the_error_says_how_to_record_again(tmp_path: Path) -> None:
    replay = Cassette.load(recorded(tmp_path / "c.jsonl", "one"))
    with pytest.raises(CassetteMissError, match=r"run the agent with Cassette\(\) and save it"):
        asks(replay.wrap_llm(), "two")


def test_mode_12_asking_too_often_has_its_own_message(tmp_path: Path) -> None:
    replay = Cassette.load(recorded(tmp_path / "c.jsonl", "one"))
    with pytest.raises(CassetteMissError, match="asked for more times than recorded"):
        asks(replay.wrap_llm(), "one", "one")


@pytest.mark.parametrize("name", ["c.json", "c.jsonl"])
def test_mode_25_a_replay_leaves_the_file_as_it_is(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    tape(CALL, DONE).save(path)
    before = path.read_bytes()
    replay = Cassette.load(path)
    ran(ReplayingProvider(replay))
    assert path.read_bytes() == before
    replay.save(path)
    assert path.read_bytes() == before


def test_mode_27_two_replays_of_one_file_do_not_take_each_others_calls(tmp_path: Path) -> None:
    path = recorded(tmp_path / "c.jsonl", "one")
    first, second = Cassette.load(path), Cassette.load(path)
    assert asks(first.wrap_llm(), "one") == asks(second.wrap_llm(), "one") == ["answer to one"]


def test_mode_28_a_secret_where_nothing_is_redacted_is_refused_at_save(tmp_path: Path) -> None:
    cassette = Cassette(metadata={"note": f"made with {SECRET}"})
    with pytest.raises(RecordingError, match=r"metadata\.note"):
        cassette.save(tmp_path / "c.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_mode_29_a_secret_in_an_answer_is_redacted_in_the_file(tmp_path: Path) -> None:
    cassette = Cassette()
    live = cassette.wrap_llm(MockLLM([f"the key is {SECRET}"])).complete(LLMRequest("which key?"))
    cassette.save(tmp_path / "c.jsonl")
    assert SECRET not in (tmp_path / "c.jsonl").read_text(encoding="utf-8")
    replayed = Cassette.load(tmp_path / "c.jsonl").wrap_llm().complete(LLMRequest("which key?"))
    assert live == replayed, "recording hands out what a replay does"
