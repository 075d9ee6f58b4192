"""JSON has one canonical text, paths quote odd names, and what has no exact JSON is refused with its path."""

from __future__ import annotations

import json
import re
import sys
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest

from dryfire_action.canonical_json import MAX_DEPTH, canonical, digest, digest_of_parsed
from dryfire_action.errors import FingerprintError
from dryfire_action.fingerprint import fingerprint_of
from dryfire_action.messages import Hook, Message, Request, ToolResult, ToolSpec
from tests.made_requests import (
    answering,
    conversation,
    rich_request,
    said,
    with_,
    with_call,
    with_params,
    with_tool,
)

BASE = rich_request()


SURROGATE = "\ud83d"
DEEP: Any = "x"
for _ in range(MAX_DEPTH + 1):
    DEEP = [DEEP]
VERY_DEEP: Any = "x"
for _ in range(100_000):
    VERY_DEEP = [VERY_DEEP]
RING: dict[str, Any] = {}
RING["self"] = RING

REFUSED: dict[str, tuple[Any, str, str]] = {
    "report_34 NaN": (float("nan"), "", "nan"),
    "infinity": ({"score": [float("inf")]}, ".score[0]", "inf"),
    "minus infinity": ([1, float("-inf")], "[1]", "-inf"),
    "report_38 a lone surrogate": ("text" + SURROGATE, "", "lone surrogate"),
    "a lone surrogate inside": ({"a.b": [SURROGATE]}, '["a.b"][0]', "lone surrogate"),
    "a lone surrogate in a key": ({"a": {SURROGATE: 1}}, ".a", "lone surrogate"),
    "report_36 a decimal": ({"price": Decimal("1.10")}, ".price", "Decimal"),
    "a set": ({"tags": {"a", "b"}}, ".tags", "set"),
    "bytes": ([b"x"], "[0]", "bytes"),
    "report_21 an object": ([Message("user")], "[0]", "Message"),
    "a number as a key": ({"a": {1: "x"}}, ".a", "key 1 is no text"),
    "true as a key": ({True: "x"}, "", "key True is no text"),
    "keys of two kinds": ({"a": 1, 2: 3}, "", "key 2 is no text"),
    "none as a key": ({None: 1}, "", "key None is no text"),
    "an integer of 5,000 digits": ([10**5000], "[0]", "too many digits"),
    "deep nesting": (DEEP, "", "nested more than 200 deep"),
    "very deep nesting": (VERY_DEEP, "", "nested more than 200 deep"),
    "a value that holds itself": (RING, "", "holds itself"),
}


@pytest.mark.parametrize(("value", "inner", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_value_without_exact_json_is_refused_with_its_path(value: Any, inner: str, reason: str) -> None:
    request = conversation(said("hi"), answering(ToolResult("a", value)))
    path = f"messages[1].tool_results[0].content{inner}"
    with pytest.raises(FingerprintError, match=re.escape(reason)) as caught:
        fingerprint_of(request)
    assert caught.value.path == path
    assert str(caught.value).startswith(f"{path}: ")
    str(caught.value).encode()


@pytest.mark.parametrize("part", ["system", "params", "output_schema", "schema", "description", "arguments"])
def test_every_part_of_a_request_refuses_by_its_own_path(part: str) -> None:
    requests = {
        "system": (with_(system=SURROGATE), "system"),
        "params": (with_params(bias={"x": float("nan")}), "params.bias.x"),
        "output_schema": (with_(output_schema={"enum": {1}}), "output_schema.enum"),
        "schema": (with_tool(0, input_schema={"enum": {"a"}}), "tools[lookup].input_schema.enum"),
        "description": (with_tool(1, description=SURROGATE), "tools[refund].description"),
        "arguments": (with_call(1, 1, arguments={"x": 1j}), "messages[1].tool_calls[1].arguments.x"),
    }
    request, path = requests[part]
    with pytest.raises(FingerprintError) as caught:
        fingerprint_of(request)
    assert caught.value.path == path


@pytest.mark.parametrize(
    ("request_after", "path"),
    [
        (with_tool(0, name="a" + SURROGATE), 'tools["a\\ud83d"]'),
        (with_(params={SURROGATE: 1}), 'params["\\ud83d"]'),
        (with_(hooks=(Hook(SURROGATE),)), 'hooks["\\ud83d"]'),
        (with_(params={1: 2}), "params"),
        (with_(hooks={Hook("a"), Hook("b")}), "hooks"),
        (with_(tools=iter(BASE.tools)), "tools"),
        (with_(tools=(BASE.tools[0], BASE.tools[0])), "tools[lookup]"),
        (with_(tools=(ToolSpec("a b", {}), ToolSpec("a b", {}))), 'tools["a b"]'),
    ],
    ids=["tool name", "parameter name", "hook name", "number", "set", "iterator", "twice", "odd name twice"],
)
def test_names_and_orders_that_cannot_be_recorded_are_refused(request_after: Request, path: str) -> None:
    with pytest.raises(FingerprintError) as caught:
        fingerprint_of(request_after)
    assert caught.value.path == path
    str(caught.value).encode()


def test_what_is_nested_just_deep_enough_is_taken() -> None:
    assert digest(DEEP[0]) == digest(DEEP[0])


@pytest.mark.parametrize("spare", range(40, 260, 20))
def test_a_caller_far_down_its_own_stack_gets_a_digest_or_an_error_of_ours(spare: int) -> None:
    value: Any = "x"
    for _ in range(150):
        value = [value]
    frame, used = sys._getframe(), 0
    while frame is not None:
        frame, used = frame.f_back, used + 1  # type: ignore[assignment]

    def called_from(frames: int) -> str:
        return called_from(frames - 1) if frames else digest(value)

    with suppress(FingerprintError):
        assert called_from(sys.getrecursionlimit() - used - spare) == digest(value)


def test_canonical_json_is_sorted_tight_and_plain_utf8() -> None:
    assert canonical({"b": [1, 1.0, -0.0, True, None], "a": "é\n"}) == (
        '{"a":"é\\n","b":[1,1.0,-0.0,true,null]}'.encode()
    )


@pytest.mark.parametrize("text", ["1e999", r'"\ud800"'])
def test_what_no_recorder_writes_has_no_digest(text: str) -> None:
    with pytest.raises(ValueError):
        digest_of_parsed(json.loads(text))
