"""What the library's cassette does beyond the checklists in ``tests/conformance``."""

from __future__ import annotations

import asyncio
import inspect
import json
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import dryfire_action
from dryfire_action.call_values import RecordedError
from dryfire_action.errors import CassetteMissError, FingerprintError, ProviderError, UsageError
from dryfire_action.llm import AsyncMockLLM, LLMRequest, LLMResponse, MockLLM
from dryfire_action.messages import ToolCall
from dryfire_action.replay import Cassette, UnplayedCallsError, UnplayedCallsWarning
from tests.conformance.made_replays import asks, forbidden, lookup_order, recorded, recorded_agent

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "ghp_" + "Q7z9" * 9


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "calls.jsonl"


def again(cassette: Cassette, path: Path, **options: Any) -> Cassette:
    """The cassette from its file, to be played."""
    cassette.save(path)
    return Cassette.load(path, **options)


# ---- asynchronous


def test_asynchronous_clients_and_tools_are_recorded_and_replayed(path: Path) -> None:
    async def fetch(order_id: str) -> list[str]:
        await asyncio.sleep(0)
        return [order_id]

    async def agent(cassette: Cassette, client: Any) -> tuple[Any, ...]:
        llm, tool = cassette.wrap_llm(client), cassette.wrap_tool(fetch)
        found = await asyncio.gather(*(tool(str(number)) for number in range(3)))
        answer: Any = llm.complete(LLMRequest(str(found)))
        return found, (await answer).content

    cassette = Cassette()
    live = asyncio.run(agent(cassette, AsyncMockLLM(["done"])))
    assert inspect.iscoroutinefunction(cassette.wrap_tool(fetch))
    assert asyncio.run(agent(again(cassette, path), None)) == live


def test_parallel_calls_in_another_order_each_get_their_own_answer(path: Path) -> None:
    cassette = Cassette()
    tool = cassette.wrap_tool(lookup_order)
    for number in "123":
        tool(number)
    replay = again(cassette, path)
    played = replay.wrap_tool(forbidden, name="lookup_order")
    with ThreadPoolExecutor(3) as pool:
        assert [found["id"] for found in pool.map(played, "321")] == ["3", "2", "1"]
    assert replay.unplayed == ()


# ---- order and number


def test_a_hit_out_of_order_plays_and_is_told(path: Path) -> None:
    replay = Cassette.load(recorded(path, "one", "two"))
    assert asks(replay.wrap_llm(), "two", "one") == ["answer to two", "answer to one"]
    [found] = replay.divergences
    assert (found.reason, found.index, found.recorded_index, found.diff) == ("order", 1, 0, "")
    assert str(found).splitlines()[0] == "llm call #1: asked for in another order than recorded [strict]"


def test_the_index_decides_between_calls_with_one_key(path: Path) -> None:
    cassette = Cassette()
    asks(cassette.wrap_llm(MockLLM(["first", "second"])), "again?", "again?")
    replay = again(cassette, path)
    assert asks(replay.wrap_llm(), "again?", "again?") == ["first", "second"]


def test_an_inserted_call_is_one_divergence_and_the_rest_hits(path: Path) -> None:
    replay = Cassette.load(recorded(path, "one", "two"), mode="fallthrough")
    model = MockLLM(["new"])
    assert asks(replay.wrap_llm(model), "0", "one", "two") == ["new", "answer to one", "answer to two"]
    assert [found.index for found in replay.divergences] == [0]


def test_lenient_never_plays_another_tools_answer(path: Path) -> None:
    replay = Cassette.load(recorded_agent(path), mode="lenient")
    with pytest.raises(CassetteMissError):
        replay.wrap_tool(forbidden)("1234")
    assert replay.wrap_tool(lookup_order)("1234") == lookup_order("1234")


def test_lenient_plays_nothing_twice(path: Path) -> None:
    replay = Cassette.load(recorded(path, "one", "two"), mode="lenient")
    assert asks(replay.wrap_llm(), "two") == ["answer to two"]
    with pytest.raises(CassetteMissError):
        asks(replay.wrap_llm(), "three")


def test_calls_that_never_happened_fail_a_strict_replay(path: Path) -> None:
    with (
        pytest.raises(UnplayedCallsError, match=r"llm call #1 \(model\)"),
        Cassette.load(recorded(path, "one", "two")) as replay,
    ):
        asks(replay.wrap_llm(), "one")
    assert [call.index for call in replay.unplayed] == [1]


def test_calls_that_never_happened_are_a_warning_elsewhere(path: Path) -> None:
    replay = Cassette.load(recorded(path, "one"), mode="lenient")
    with pytest.warns(UnplayedCallsWarning, match="never asked for"):
        replay.finish()


def test_a_failing_test_is_not_covered_up_by_unplayed_calls(path: Path) -> None:
    with pytest.raises(ZeroDivisionError), Cassette.load(recorded(path, "one")):
        _ = 1 // 0


# ---- arguments and values


def test_by_position_or_by_keyword_it_is_the_same_call(path: Path) -> None:
    def book(start: str, *stops: str, quiet: bool = False, **more: int) -> str:
        return "booked"

    cassette = Cassette()
    cassette.wrap_tool(book)("Ulm", "Bonn", seats=2)
    played = again(cassette, path).wrap_tool(book)
    assert played("Ulm", "Bonn", quiet=False, seats=2) == "booked"
    with pytest.raises(CassetteMissError):
        played("Ulm", "Bonn", quiet=True, seats=2)


def test_what_json_cannot_hold_is_refused_by_the_arguments_name() -> None:
    def pay(amount: object, to: str) -> str:
        raise AssertionError("not called")

    with pytest.raises(FingerprintError, match=r"arguments\.amount: JSON has no Decimal"):
        Cassette().wrap_tool(pay)(Decimal("1.5"), "Ada")


def test_a_result_that_json_cannot_hold_names_the_tool() -> None:
    with pytest.raises(FingerprintError, match="the result of lookup"):
        Cassette().wrap_tool(lambda: {1, 2}, name="lookup")()


def test_a_registered_type_comes_back_as_itself(path: Path) -> None:
    options: dict[str, Any] = {"serialisers": {Decimal: (str, Decimal)}}

    def add(first: Decimal, second: Decimal) -> list[Decimal]:
        return [first + second]

    cassette = Cassette(**options)
    live = cassette.wrap_tool(add)(Decimal("1.10"), Decimal(2))
    replayed = again(cassette, path, **options).wrap_tool(add)(Decimal("1.10"), Decimal(2))
    assert live == replayed == [Decimal("3.10")]


def test_a_tuple_comes_back_as_a_list_live_and_replayed(path: Path) -> None:
    cassette = Cassette()
    tool = lambda: (1, (2,))  # noqa: E731
    assert cassette.wrap_tool(tool, name="t")() == [1, [2]]
    assert again(cassette, path).wrap_tool(tool, name="t")() == [1, [2]]


def test_a_generator_is_refused() -> None:
    def stream() -> Any:
        yield 1

    with pytest.raises(UsageError, match="stream yields"):
        Cassette().wrap_tool(stream)


# ---- failures


class OutOfStock(Exception):
    pass


@pytest.mark.parametrize("error", [ValueError("no such order"), KeyError("x"), TimeoutError("late")])
def test_a_built_in_exception_comes_back_as_itself(path: Path, error: Exception) -> None:
    def fails() -> None:
        raise error

    cassette = Cassette()
    with pytest.raises(type(error)) as live:
        cassette.wrap_tool(fails)()
    assert live.value is error
    with pytest.raises(type(error)) as replayed:
        again(cassette, path).wrap_tool(fails)()
    assert replayed.value.args == error.args


def test_an_exception_of_ones_own_comes_back_where_it_is_named(path: Path) -> None:
    def fails() -> None:
        raise OutOfStock("mug")

    cassette = Cassette(exceptions=[OutOfStock])
    with pytest.raises(OutOfStock):
        cassette.wrap_tool(fails)()
    with pytest.raises(OutOfStock, match="mug"):
        again(cassette, path, exceptions=[OutOfStock]).wrap_tool(fails)()
    with pytest.raises(RecordedError, match="OutOfStock: mug"):
        Cassette.load(path).wrap_tool(fails)()


def test_recording_warns_of_an_exception_that_a_replay_cannot_raise() -> None:
    def fails() -> None:
        raise OutOfStock("mug")

    with pytest.warns(UserWarning, match="OutOfStock"), pytest.raises(OutOfStock):
        Cassette().wrap_tool(fails)()


def test_a_providers_failure_comes_back_in_full(path: Path) -> None:
    cassette = Cassette()
    busy = ProviderError("busy", kind="Overloaded", status=529, retry_after=2.5)
    for replay in (cassette, None):
        llm = (replay or again(cassette, path)).wrap_llm(MockLLM([busy]) if replay else None)
        with pytest.raises(ProviderError) as caught:
            llm.complete(LLMRequest("hi"))
        assert (caught.value.status, caught.value.retry_after, caught.value.retryable) == (529, 2.5, True)


def test_a_miss_inside_a_recorded_tool_is_not_recorded(path: Path) -> None:
    inner = Cassette.load(recorded(path, "one"))
    outer = Cassette()
    with pytest.raises(CassetteMissError):
        outer.wrap_tool(lambda: asks(inner.wrap_llm(), "two"), name="nested")()
    assert outer.calls == ()


# ---- secrets and texts


def test_a_secret_of_the_request_comes_back_and_is_in_no_file(path: Path) -> None:
    def login(token: str) -> dict[str, str]:
        return {"used": token, "also": f"Bearer {token}"}

    cassette = Cassette()
    live = cassette.wrap_tool(login)(SECRET)
    replay = again(cassette, path)
    assert SECRET not in path.read_text(encoding="utf-8")
    assert replay.wrap_tool(login)(SECRET) == live == login(SECRET)
    with pytest.raises(CassetteMissError) as caught:
        replay.wrap_tool(login)(SECRET + "1")
    assert SECRET not in str(caught.value)


def test_digests_keep_no_text_and_name_the_fields(path: Path) -> None:
    cassette = Cassette(requests="digests")
    asks(cassette.wrap_llm(MockLLM(["yes"])), "a very private question")
    replay = again(cassette, path, mode="lenient")
    assert "private" not in path.read_text(encoding="utf-8")
    asks(replay.wrap_llm(), "another")
    assert str(replay.first_divergence).splitlines() == [
        "llm call #0: request differs from the recording [lenient]",
        "changed: messages[0].content (changed)",
    ]


def test_calls_of_an_answer_get_the_same_ids_live_and_replayed(path: Path) -> None:
    answer = LLMResponse(tool_calls=[ToolCall("toolu_93", "lookup", {"id": 1})])
    cassette = Cassette()
    live = cassette.wrap_llm(MockLLM([answer])).complete(LLMRequest("hi"))
    replayed = again(cassette, path).wrap_llm().complete(LLMRequest("hi"))
    assert live == replayed
    assert [call.id for call in live.tool_calls] == ["call_0"]


# ---- traces


def test_a_span_around_a_diverging_call_is_not_marked(path: Path) -> None:
    replay = Cassette.load(recorded(path, "one"), mode="lenient")
    with dryfire_action.run("r") as trace, dryfire_action.span("plan"):
        asks(replay.wrap_llm(), "two")
    assert [span.attributes for span in trace.spans] == [{}]
    assert trace.metadata["replay_divergence"]["fields"] == ["messages[0].content"]


def test_in_strict_the_span_is_marked_before_the_miss_is_raised(path: Path) -> None:
    replay = Cassette.load(recorded(path, "one"))
    with dryfire_action.run("r") as trace, pytest.raises(CassetteMissError):
        asks(dryfire_action.wrap_llm(replay.wrap_llm()), "two")
    assert trace.spans[0].attributes == {"replay_diverged": True}


def test_a_trace_of_failures_makes_a_cassette_that_raises_them() -> None:
    def fails() -> None:
        raise ValueError("no such order")

    with dryfire_action.run("r") as trace, pytest.raises(ValueError, match="no such order"):
        dryfire_action.wrap_tool(fails)()
    with pytest.raises(ValueError, match="no such order"):
        Cassette.from_trace(trace).wrap_tool(fails)()


# ---- use and misuse


def test_recording_the_same_again_leaves_the_file_byte_identical(path: Path) -> None:
    assert recorded_agent(path).read_bytes() == recorded_agent(path).read_bytes()


def test_recording_without_a_client_says_so() -> None:
    with pytest.raises(UsageError, match="no client was given"):
        asks(Cassette().wrap_llm(), "one")


def test_fallthrough_without_a_client_plays_until_a_miss(path: Path) -> None:
    replay = Cassette.load(recorded(path, "one"), mode="fallthrough")
    assert asks(replay.wrap_llm(), "one") == ["answer to one"]
    with pytest.raises(UsageError, match="no client was given"):
        asks(replay.wrap_llm(), "two")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"mode": "loose"}, "no mode is called 'loose'"),
        ({"mode": "strict", "record_new": True}, "record_new goes with"),
        ({"requests": "none"}, "requests is"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        Cassette(**options)


@pytest.mark.parametrize("answer", ["text", None, {"content": "x"}])
def test_a_client_that_answers_with_something_else_is_told(answer: Any) -> None:
    class Odd:
        def complete(self, request: LLMRequest) -> Any:
            return answer

    with pytest.raises(UsageError, match=f"answered with a {type(answer).__name__}"):
        Cassette().wrap_llm(Odd()).complete(LLMRequest("hi"))


def test_a_request_of_another_kind_is_told() -> None:
    with pytest.raises(UsageError, match="not with a str"):
        Cassette().wrap_llm(MockLLM(["x"])).complete("hi")  # type: ignore[arg-type]


def test_the_header_holds_the_metadata(path: Path) -> None:
    Cassette(metadata={"agent": "support"}).save(path)
    assert json.loads(path.read_text(encoding="utf-8"))["metadata"] == {"agent": "support"}
    assert Cassette.load(path).header.metadata == {"agent": "support"}
