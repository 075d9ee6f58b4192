"""The checklist of cassettes around callables, line by line: 25 lines, each a test with its number.

All of them apply. Three are met in our own way, as DESIGN decides: a call is found by its key and the index only breaks
ties and explains (6), a hit out of order is told as such, and lenient never plays another tool's answer (25).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import dryfire_action
from dryfire_action.errors import CassetteMissError
from dryfire_action.llm import LLMRequest, MockLLM
from dryfire_action.replay import Cassette, find_divergence
from tests.conformance.made_replays import (
    SHIPPED,
    agent,
    asks,
    forbidden,
    lookup_order,
    recorded,
    recorded_agent,
)

if TYPE_CHECKING:
    from pathlib import Path

    from dryfire_action.tracing import Trace


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cassettes/support.jsonl"


def traced(cassette: Cassette, *, live: bool = False, prompt: str = "Summarise") -> tuple[str, Trace]:
    llm = cassette.wrap_llm(MockLLM([SHIPPED]) if live else None)
    with dryfire_action.run("support") as trace:
        tool = dryfire_action.wrap_tool(cassette.wrap_tool(lookup_order))
        answer = agent(dryfire_action.wrap_llm(llm), tool, prompt)
    return answer, trace


def test_01_a_new_cassette_records() -> None:
    model, called = MockLLM([SHIPPED]), []

    def lookup(order_id: str) -> dict[str, str]:
        called.append(order_id)
        return lookup_order(order_id)

    cassette = Cassette()
    assert agent(cassette.wrap_llm(model), cassette.wrap_tool(lookup)) == SHIPPED
    assert (len(model.requests), called) == (1, ["1234"])
    assert [(call.kind, call.index) for call in cassette.calls] == [("llm", 0), ("tool", 0)]


def test_02_save_writes_a_header_and_one_line_a_call(path: Path) -> None:
    lines = [json.loads(line) for line in recorded_agent(path).read_text(encoding="utf-8").splitlines()]
    assert [line["type"] for line in lines] == ["header", "call", "call"]


def test_03_strict_replay_needs_no_client_and_answers_the_same(path: Path) -> None:
    replay = Cassette.load(recorded_agent(path), mode="strict")
    assert agent(replay.wrap_llm(), replay.wrap_tool(lookup_order)) == SHIPPED


def test_04_in_strict_replay_the_tool_body_does_not_run(path: Path) -> None:
    replay = Cassette.load(recorded_agent(path))
    assert replay.wrap_tool(forbidden, name="lookup_order")("1234") == lookup_order("1234")


def test_05_model_and_tool_calls_count_separately_from_0(path: Path) -> None:
    cassette = Cassette()
    llm, tool = cassette.wrap_llm(MockLLM(["a", "b"])), cassette.wrap_tool(lookup_order)
    asks(llm, "one")
    tool("1")
    tool("2")
    asks(llm, "two")
    cassette.save(path)
    found = [(call.kind, call.index) for call in Cassette.load(path).calls]
    assert found == [("llm", 0), ("llm", 1), ("tool", 0), ("tool", 1)]


def test_06_another_interleaving_still_hits(path: Path) -> None:
    replay = Cassette.load(recorded_agent(path))
    assert asks(replay.wrap_llm(), f"Summarise {lookup_order('1234')}") == [SHIPPED]
    assert replay.wrap_tool(lookup_order)("1234") == lookup_order("1234")
    assert replay.divergences == ()


def test_07_key_order_does_not_count(path: Path) -> None:
    def put(fields: dict[str, int]) -> str:
        return "done"

    cassette = Cassette()
    cassette.wrap_tool(put)({"a": 1, "b": 2})
    cassette.save(path)
    assert Cassette.load(path).wrap_tool(put)({"b": 2, "a": 1}) == "done"


def test_08_a_changed_prompt_raises_in_strict(path: Path) -> None:
    replay = Cassette.load(recorded(path, "one"))
    with pytest.raises(CassetteMissError):
        asks(replay.wrap_llm(), "two")


def test_09_the_error_carries_both_requests_and_the_divergence(path: Path) -> None:
    replay = Cassette.load(recorded(path, "one"))
    with pytest.raises(CassetteMissError) as caught:
        asks(replay.wrap_llm(), "two")
    error = caught.value
    assert error.recorded == {"messages": [{"role": "user", "content": "one"}]}
    assert error.actual == {"messages": [{"role": "user", "content": "two"}]}
    assert error.divergence is replay.first_divergence
    assert '-      "content": "one"' in str(error)
    assert '+      "content": "two"' in str(error)


def test_10_lenient_plays_the_recorded_answer_for_a_changed_prompt(path: Path) -> None:
    assert asks(Cassette.load(recorded(path, "one"), mode="lenient").wrap_llm(), "two") == ["answer to one"]


def test_11_lenient_collects_one_divergence_a_changed_call(path: Path) -> None:
    replay = Cassette.load(recorded(path, "one", "two", "three"), mode="lenient")
    asks(replay.wrap_llm(), "1", "two", "3")
    assert [found.index for found in replay.divergences] == [0, 2]


def test_12_the_first_divergence_is_the_earliest_and_none_when_clean(path: Path) -> None:
    replay = Cassette.load(recorded(path, "one", "two", "three"), mode="lenient")
    asks(replay.wrap_llm(), "one")
    assert replay.first_divergence is None
    asks(replay.wrap_llm(), "2", "3")
    assert replay.first_divergence is replay.divergences[0]
    assert replay.divergences[0].index == 1


def test_13_its_text_starts_with_kind_index_and_mode(path: Path) -> None:
    replay = Cassette.load(recorded(path, "one"), mode="lenient")
    asks(replay.wrap_llm(), "two")
    lines = str(replay.first_divergence).splitlines()
    assert lines[0] == "llm call #0: request differs from the recording [lenient]"
    assert lines[2:5] == ["--- recorded", "+++ actual", "@@ -1,7 +1,7 @@"]


def test_14_fallthrough_calls_the_real_client_for_a_changed_request(path: Path) -> None:
    replay = Cassette.load(recorded(path, "one"), mode="fallthrough")
    assert asks(replay.wrap_llm(MockLLM(["live"])), "two") == ["live"]


def test_15_fallthrough_does_not_call_the_real_client_for_a_hit(path: Path) -> None:
    model = MockLLM([])
    assert asks(Cassette.load(recorded(path, "one"), "fallthrough").wrap_llm(model), "one") == [
        "answer to one"
    ]
    assert model.requests == []


@pytest.mark.parametrize("record_new", [True, False])
def test_16_record_new_stores_the_miss(path: Path, record_new: bool) -> None:
    before = recorded(path, "one", "two").read_bytes()
    replay = Cassette.load(path, mode="fallthrough", record_new=record_new)
    asks(replay.wrap_llm(MockLLM(["live"])), "one", "2")
    assert path.read_bytes() == before, "only save writes"
    replay.save(path)
    again = Cassette.load(path)
    if record_new:
        assert asks(again.wrap_llm(), "one", "2") == ["answer to one", "live"]
        assert again.unplayed == ()
    else:
        assert path.read_bytes() == before


def test_17_fallthrough_collects_divergences_too(path: Path) -> None:
    replay = Cassette.load(recorded(path, "one"), mode="fallthrough")
    asks(replay.wrap_llm(MockLLM(["live"])), "two")
    assert [found.mode for found in replay.divergences] == ["fallthrough"]


def test_18_the_diverging_span_is_marked_and_no_other(path: Path) -> None:
    _, trace = traced(Cassette.load(recorded_agent(path), mode="lenient"), prompt="Shorten")
    marked = {span.kind: span.attributes.get("replay_diverged") for span in trace.spans}
    assert marked == {"tool": None, "llm": True}


def test_19_the_trace_has_the_index_of_the_first_divergence(path: Path) -> None:
    replay = Cassette.load(recorded(path, "one", "two", "three"), mode="lenient")
    with dryfire_action.run("r") as trace:
        asks(dryfire_action.wrap_llm(replay.wrap_llm()), "one", "2", "3")
    assert trace.metadata["replay_divergence"]["index"] == 1
    assert trace.metadata["replay_divergence"]["count"] == 2


def test_20_a_clean_replay_leaves_both_absent(path: Path) -> None:
    _, trace = traced(Cassette.load(recorded_agent(path)))
    assert trace.metadata == {}
    assert [span.attributes for span in trace.spans] == [{}, {}]


def test_21_a_replay_has_the_spans_of_the_live_run(path: Path) -> None:
    cassette = Cassette()
    _, live = traced(cassette, live=True)
    cassette.save(path)
    _, replayed = traced(Cassette.load(path))

    def shape(trace: Trace) -> list[tuple[object, ...]]:
        return [(span.kind, span.name, span.parent, span.request, span.response) for span in trace.spans]

    assert shape(live) == shape(replayed)


def test_22_a_cassette_from_a_trace_replays_strictly(path: Path) -> None:
    with dryfire_action.run("r") as trace:
        agent(dryfire_action.wrap_llm(MockLLM([SHIPPED])), dryfire_action.wrap_tool(lookup_order))
    Cassette.from_trace(trace).save(path)
    for replay in (Cassette.from_trace(trace), Cassette.load(path)):
        with replay:
            answer = agent(replay.wrap_llm(), replay.wrap_tool(forbidden, name="lookup_order"))
        assert answer == SHIPPED


def test_23_two_equal_traces_have_no_divergence(path: Path) -> None:
    _, live = traced(Cassette(), live=True)
    _, again = traced(Cassette(), live=True)
    assert find_divergence(live, again, kind="llm") is None
    assert find_divergence(live, again, kind="tool") is None


def test_24_a_changed_prompt_diverges_between_traces() -> None:
    _, live = traced(Cassette(), live=True)
    _, again = traced(Cassette(), live=True, prompt="Shorten")
    found = find_divergence(live, again, kind="llm")
    assert found is not None
    assert (found.kind, found.index, found.fields) == ("llm", 0, ("messages[0].content",))
    assert "Shorten" in found.diff
    assert find_divergence(live, again, kind="tool") is None


@pytest.mark.parametrize("mode", ["strict", "lenient"])
def test_25_an_extra_call_raises_in_strict_and_lenient(path: Path, mode: str) -> None:
    replay = Cassette.load(recorded(path, "one"), mode=mode)  # type: ignore[arg-type]
    asks(replay.wrap_llm(), "one")
    with pytest.raises(CassetteMissError, match="nothing is recorded here"):
        replay.wrap_llm().complete(LLMRequest("two"))


def test_25_an_extra_call_goes_live_in_fallthrough(path: Path) -> None:
    replay = Cassette.load(recorded(path, "one"), mode="fallthrough")
    assert asks(replay.wrap_llm(MockLLM(["live"])), "one", "two") == ["answer to one", "live"]
