"""The hard cases of fingerprints, each with its verdict and the sentence the verdict demands."""

from __future__ import annotations

import asyncio
import unicodedata
from dataclasses import replace
from typing import Any

import pytest

from dryfire_action.cassette import Cassette, Exchange, Header
from dryfire_action.change_notes import (
    ID_IN_TEXT,
    OTHER_ORDER,
    SAME_NUMBER,
    UNICODE_FORM,
    inner_changes,
    note_for,
)
from dryfire_action.errors import CassetteMissError, FingerprintError
from dryfire_action.fingerprint import fingerprint_of
from dryfire_action.messages import (
    Message,
    Request,
    ToolCall,
    ToolResult,
    ToolSpec,
    parse_arguments,
)
from dryfire_action.playback import ReplayingProvider
from tests.made_requests import answering, calling, changed, conversation, key_of, said

ARGUMENTS = "messages[1].tool_calls[0].arguments"
CONTENT = "messages[2].tool_results[0].content"


def asked(arguments: Any, content: Any = "ok", *, call_id: str = "a", text: str = "hi") -> Request:
    """One question, one call, one result."""
    return conversation(
        said(text), calling(ToolCall(call_id, "lookup", arguments)), answering(ToolResult(call_id, content))
    )


def schema(value: Any) -> Request:
    return replace(conversation(said("hi")), tools=(ToolSpec("lookup", value, "d"),))


def parallel(ids: tuple[str, str], results: tuple[tuple[str, str], tuple[str, str]]) -> Request:
    return conversation(
        said("hi"),
        calling(*(ToolCall(call_id, "lookup", {"n": n}) for n, call_id in enumerate(ids))),
        answering(*(ToolResult(call_id, text) for call_id, text in results)),
    )


# ---- C1 business id or correlation id


@pytest.mark.parametrize("key", ["id", "call_id", "tool_call_id", "tool_use_id"])
def test_c1_an_id_inside_arguments_or_results_is_content(key: str) -> None:
    old, new = {key: "ord_1001"}, {key: "ord_2002"}
    assert changed(asked(old), asked(new)) == [f"changed {ARGUMENTS}"]
    assert changed(asked({}, old), asked({}, new)) == [f"changed {CONTENT}"]
    assert changed(asked({"deep": [old]}), asked({"deep": [new]})) == [f"changed {ARGUMENTS}"]
    assert note_for(old, new) == ""
    assert inner_changes(old, new) == ((key, "changed"),)


def test_c1_fresh_correlation_ids_alone_are_the_same_report_9_report_11() -> None:
    assert key_of(asked({}, call_id="toolu_a1")) == key_of(asked({}, call_id="toolu_z9"))
    first, second = (replace(said("hi"), raw={"id": run}) for run in ("run-1", "run-2"))
    assert key_of(conversation(first)) == key_of(conversation(second))


def test_c1_a_correlation_id_in_prose_counts_and_is_said_to_show() -> None:
    old, new = "retry call_ab12", "retry call_cd34"
    assert changed(asked({}, text=old), asked({}, text=new)) == ["changed messages[0].content"]
    assert note_for(old, new) == ID_IN_TEXT


# ---- C2 who answers whom


def test_c2a_swapped_results_are_different() -> None:
    straight = parallel(("a", "b"), (("a", "OK"), ("b", "FAILED")))
    crossed = parallel(("a", "b"), (("a", "FAILED"), ("b", "OK")))
    assert changed(straight, crossed) == [f"changed messages[2].tool_results[{n}].content" for n in (0, 1)]
    other_way = parallel(("a", "b"), (("b", "OK"), ("a", "FAILED")))
    assert changed(straight, other_way) == [f"changed messages[2].tool_results[{n}].answers" for n in (0, 1)]


def test_c2b_ids_that_look_like_ours_in_the_wrong_order_are_the_same() -> None:
    ours = parallel(("call_1", "call_0"), (("call_1", "x"), ("call_0", "y")))
    theirs = parallel(("a", "b"), (("a", "x"), ("b", "y")))
    assert key_of(ours) == key_of(theirs)


def test_c2c_ids_that_restart_each_turn_are_the_same_as_unique_ones() -> None:
    def two_turns(first: str, second: str) -> Request:
        return conversation(
            said("hi"),
            calling(ToolCall(first, "f")),
            answering(ToolResult(first, "one")),
            calling(ToolCall(second, "f")),
            answering(ToolResult(second, "two")),
        )

    assert key_of(two_turns("f:0", "f:0")) == key_of(two_turns("x", "y"))


def test_c2d_two_calls_of_one_turn_that_share_an_id_are_refused() -> None:
    with pytest.raises(FingerprintError, match="share an id") as caught:
        fingerprint_of(parallel(("a", "a"), (("a", "x"), ("a", "y"))))
    assert caught.value.path == "messages[1].tool_calls"


# ---- C3 numbers that Python calls equal

NUMBERS: list[tuple[Any, Any, str]] = [
    (1, True, ""),
    (0, False, ""),
    (1, 1.0, SAME_NUMBER),
    (0, 0.0, SAME_NUMBER),
    (0.0, -0.0, SAME_NUMBER),
    (9007199254740993, 9007199254740992, ""),
]


@pytest.mark.parametrize(("old", "new", "note"), NUMBERS)
def test_c3_numbers_that_are_written_differently_are_different_report_32(
    old: Any, new: Any, note: str
) -> None:
    assert changed(asked({"limit": old}), asked({"limit": new})) == [f"changed {ARGUMENTS}"]
    assert inner_changes({"limit": old}, {"limit": new}) == (("limit", "changed"),)
    assert note_for({"limit": old}, {"limit": new}) == note
    request = conversation(said("hi"))
    assert changed(
        replace(request, params={"temperature": old}), replace(request, params={"temperature": new})
    ) == ["changed params.temperature"]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_c3_what_is_no_number_has_no_fingerprint_report_34(value: float) -> None:
    with pytest.raises(FingerprintError) as caught:
        fingerprint_of(asked({}, {"score": value}))
    assert caught.value.path == f"{CONTENT}.score"


# ---- C4 nothing, null, default


def test_c4_an_absent_parameter_and_null_are_the_same_report_23() -> None:
    request = conversation(said("hi"))
    absent, null, nought, default = (
        key_of(replace(request, params=params))
        for params in ({}, {"temperature": None}, {"temperature": 0}, {"temperature": 1.0})
    )
    assert absent == null
    assert len({absent, nought, default}) == 3


def test_c4_null_and_missing_differ_where_the_model_reads_them() -> None:
    assert changed(asked({"next": None}), asked({})) == [f"changed {ARGUMENTS}"]
    assert changed(asked({}, {"next": None}), asked({}, {})) == [f"changed {CONTENT}"]
    old, new = {"type": "string", "default": None}, {"type": "string"}
    assert changed(schema(old), schema(new)) == ["changed tools[lookup].input_schema"]
    assert inner_changes(old, new) == (("default", "removed"),)


def test_c4_no_description_is_one_thing_and_an_empty_one_another() -> None:
    def described(*description: str | None) -> str:
        return key_of(replace(conversation(said("hi")), tools=(ToolSpec("t", {}, *description),)))

    assert described() == described(None)
    assert described() != described("")


def test_c4_no_system_prompt_and_an_empty_one_are_different() -> None:
    request = conversation(said("hi"))
    assert changed(request, replace(request, system="")) == ["added system"]


# ---- C5 order


def test_c5_the_order_of_keys_is_no_matter_report_25() -> None:
    assert key_of(schema({"properties": {"a": {}, "b": {}}})) == key_of(
        schema({"properties": {"b": {}, "a": {}}})
    )
    assert key_of(asked({"a": 1, "b": 2})) == key_of(asked({"b": 2, "a": 1}))


@pytest.mark.parametrize("keyword", ["required", "enum"])
def test_c5_the_order_of_a_list_in_a_schema_is_a_matter(keyword: str) -> None:
    old, new = {keyword: ["a", "b"]}, {keyword: ["b", "a"]}
    assert changed(schema(old), schema(new)) == ["changed tools[lookup].input_schema"]
    assert note_for(old, new) == OTHER_ORDER
    assert inner_changes(old, new) == ((keyword, "reordered"),)


def test_c5_the_order_of_tools_is_a_matter_report_27() -> None:
    request = conversation(said("hi"))
    one, other = (
        replace(request, tools=tuple(ToolSpec(name, {}) for name in names)) for names in ("abc", "bac")
    )
    assert changed(one, other) == ["reordered tools.order"]
    names = [list(fingerprint_of(each).head["tools.order"]) for each in (one, other)]
    assert note_for(*names) == OTHER_ORDER


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ('{"a":1,"b":2}', '{"b": 2, "a": 1}', True),
        ('{"a": "é"}', '{"a": "\\u00e9"}', True),
        ('{"a": 1}', '{"a": 1.0}', False),
        ('{"a":1,', '{"a": 1,', False),
        ('{"a":1,"a":2}', '{"a":2}', False),
        ('{"x":{"a":1,"a":2}}', '{"x":{"a":1, "a":2}}', False),
        ("[1]", "[1] ", False),
        ('{"a": NaN}', '{"a":NaN}', False),
        ("", " ", False),
        ("{}", " {} ", True),
    ],
)
def test_c5_arguments_sent_as_text_are_compared_parsed_where_they_can_be(
    old: str, new: str, same: bool
) -> None:
    def sent(text: str) -> Request:
        arguments, malformed = parse_arguments(text)
        assert (malformed is None) or (arguments == {} and malformed == text)
        return conversation(said("hi"), calling(ToolCall("a", "f", arguments, malformed)))

    assert (key_of(sent(old)) == key_of(sent(new))) is same


def test_c5_results_in_another_order_than_their_calls_are_different() -> None:
    straight = parallel(("a", "b"), (("a", "x"), ("b", "y")))
    finished = parallel(("a", "b"), (("b", "y"), ("a", "x")))
    assert changed(straight, finished) == ["reordered messages[2].tool_results.order"]


def test_c5_a_set_is_refused() -> None:
    with pytest.raises(FingerprintError, match="set"):
        fingerprint_of(schema({"enum": {"a", "b"}}))


# ---- C10 same fingerprint, not the same recording


POLL = conversation(said("is it done?"))


def recorded(*texts: str, run: int = 0) -> Cassette:
    """A recording in which one request was answered by each of ``texts``."""
    exchanges = (
        Exchange(run, turn, 0, fingerprint_of(POLL), answer={"text": text, "stop_reason": "end_turn"})
        for turn, text in enumerate(texts)
    )
    return Cassette(Header("s", "c", "openai", "small-1"), tuple(exchanges))


def replayed(provider: ReplayingProvider, times: int) -> list[str | None]:
    async def ask() -> list[str | None]:
        return [(await provider.complete(POLL)).text for _ in range(times)]

    return asyncio.run(ask())


def test_c10_an_identical_turn_is_answered_first_to_last_and_then_no_more() -> None:
    cassette = recorded("pending", "done")
    assert len({exchange.key for exchange in cassette.exchanges}) == 1
    provider = ReplayingProvider(cassette)
    assert replayed(provider, 2) == ["pending", "done"]
    with pytest.raises(CassetteMissError) as caught:
        replayed(provider, 1)
    miss = caught.value.miss
    assert (miss.outcome, miss.times_recorded, miss.times_asked, miss.changes) == ("missing", 2, 3, ())
    assert "recorded twice" in miss.sentence
    assert "3 times" in miss.sentence


def test_c10_two_cases_with_one_first_turn_have_their_own_answers() -> None:
    one, other = recorded("yes"), recorded("no")
    assert one.exchanges[0].key == other.exchanges[0].key
    assert replayed(ReplayingProvider(one), 1) == ["yes"]
    assert replayed(ReplayingProvider(other), 1) == ["no"]


def test_c10_repetitions_are_recorded_apart_and_are_no_part_of_the_key() -> None:
    runs = [recorded(text, run=number) for number, text in enumerate(("a", "b", "c"))]
    whole = replace(runs[0], exchanges=tuple(exchange for run in runs for exchange in run.exchanges))
    assert len({exchange.key for exchange in whole.exchanges}) == 1
    assert [replayed(ReplayingProvider(whole, run=number), 1) for number in (2, 0, 1)] == [
        ["c"],
        ["a"],
        ["b"],
    ]
    with pytest.raises(CassetteMissError):
        replayed(ReplayingProvider(whole, run=3), 1)


# ---- rows of the reports that are about fingerprints alone


def test_report_1_a_random_name_in_a_prompt_is_named_by_its_path() -> None:
    assert changed(conversation(said("Create bucket b-1")), conversation(said("Create bucket b-2"))) == [
        "changed messages[0].content"
    ]


HEAD_EDITS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "report_3 max_tokens": (
        {"params": {"max_tokens": 512}},
        {"params": {"max_tokens": 513}},
        "params.max_tokens",
    ),
    "report_15 tool_choice": (
        {"params": {"tool_choice": "auto"}},
        {"params": {"tool_choice": "none"}},
        "params.tool_choice",
    ),
    "report_17 num_ctx": ({"params": {"num_ctx": 2048}}, {"params": {"num_ctx": 8192}}, "params.num_ctx"),
    "report_19 model": ({"model": "small-1"}, {"model": "large-1"}, "model"),
    "report_19 provider": ({"provider": "openai"}, {"provider": "azure"}, "provider"),
}


@pytest.mark.parametrize(("old", "new", "path"), HEAD_EDITS.values(), ids=HEAD_EDITS)
def test_what_shapes_the_answer_is_in_the_key(old: dict[str, Any], new: dict[str, Any], path: str) -> None:
    request = conversation(said("hi"))
    assert changed(replace(request, **old), replace(request, **new)) == [f"changed {path}"]


@pytest.mark.parametrize(
    "value", [Message("user"), object(), Request("p", "m", ())], ids=["message", "object", "request"]
)
def test_report_21_an_object_is_refused_and_not_passed_over(value: object) -> None:
    with pytest.raises(FingerprintError) as caught:
        fingerprint_of(conversation(Message("user", [value])))  # type: ignore[list-item]
    assert caught.value.path == "messages[0].content[0]"


def test_report_40_composed_and_decomposed_text_differ_and_are_said_to_be_equal_after_normalisation() -> None:
    old = "Caf\u00e9"
    new = unicodedata.normalize("NFD", old)
    assert changed(conversation(said(old)), conversation(said(new))) == ["changed messages[0].content"]
    assert note_for(old, new) == UNICODE_FORM


def test_report_131_pictures_count_by_their_address_and_by_their_bytes() -> None:
    def shown(source: dict[str, str]) -> Request:
        return conversation(Message("user", [{"type": "image", "source": source}]))

    assert key_of(shown({"url": "cat.png"})) != key_of(shown({"url": "dog.png"}))
    assert key_of(shown({"data": "aGVsbG8="})) != key_of(shown({"data": "aGVsbG9="}))
