"""Volatile text that a team declares not to count is left out, and the rest of the field still counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dryfire_action.errors import FingerprintError
from dryfire_action.fingerprint import fingerprint_of
from dryfire_action.ignore_rules import IgnoreRule, ignoring
from dryfire_action.messages import Hook, Request
from dryfire_action.patterns import compile_pattern
from tests.made_requests import key_of, rich_request, with_, with_message, with_result, with_tool

BASE = rich_request()
RING: dict[str, object] = {}
RING["self"] = RING


def masked(request: Request, path: str, pattern: str) -> str:
    rule = IgnoreRule(path, pattern)
    return fingerprint_of(request, ignoring([(rule, compile_pattern(pattern))])).key


DATE = r"\d{4}-\d{2}-\d{2}"
IGNORED: dict[str, tuple[str, Request, Request, bool]] = {
    "report_14 a trace id": (
        "messages[*].content",
        with_message(0, content="see trace-0a1b"),
        with_message(0, content="see trace-9f8e"),
        True,
    ),
    "report_46 the rest counts": (
        "system",
        with_(system="report 2026-11-29 total 5"),
        with_(system="report 2026-11-29 total 6"),
        False,
    ),
    "report_44 the date": (
        "system",
        with_(system="Today 2026-11-29."),
        with_(system="Today 2026-11-30."),
        True,
    ),
    "no date where one was": ("system", with_(system="Today 2026-11-29."), with_(system="Today ."), False),
    "two dates": ("system", with_(system="2026-11-29 2026-11-30"), with_(system="2026-11-29"), False),
    "another field": (
        "system",
        with_message(0, content="2026-11-29"),
        with_message(0, content="2026-11-30"),
        False,
    ),
    "one index": (
        "messages[0].content",
        with_message(5, content="2026-11-29"),
        with_message(5, content="2026-11-30"),
        False,
    ),
    "inside a block": (
        "messages[*].content",
        with_message(0, content=[{"type": "text", "text": "2026-11-29"}]),
        with_message(0, content=[{"type": "text", "text": "2026-11-30"}]),
        True,
    ),
    "inside a result": (
        "messages[*].tool_results[*].content",
        with_result(2, 0, content={"at": ["2026-11-29"], "n": 1}),
        with_result(2, 0, content={"at": ["2026-11-30"], "n": 1}),
        True,
    ),
    "inside a result, the rest counts": (
        "messages[*].tool_results[*].content",
        with_result(2, 0, content={"at": ["2026-11-29"], "n": 1}),
        with_result(2, 0, content={"at": ["2026-11-29"], "n": 1.0}),
        False,
    ),
    "inside a list, the rest counts": (
        "messages[*].tool_results[*].content",
        with_result(2, 0, content=["2026-11-29", "paid"]),
        with_result(2, 0, content=["2026-11-29", "open"]),
        False,
    ),
    "any tool": (
        "tools[*].description",
        with_tool(0, description="As of 2026-11-29"),
        with_tool(0, description="As of 2026-11-30"),
        True,
    ),
    "a tool with an odd name": (
        "tools[*].description",
        with_tool(0, name='a].b"c', description="As of 2026-11-29"),
        with_tool(0, name='a].b"c', description="As of 2026-11-30"),
        True,
    ),
    "a tool with an odd name, quoted": (
        'tools["a.b"].description',
        with_tool(0, name="a.b", description="As of 2026-11-29"),
        with_tool(0, name="a.b", description="As of 2026-11-30"),
        True,
    ),
    "a path is no pattern": (
        "tools[a.b].description",
        with_tool(0, name="a-b", description="As of 2026-11-29"),
        with_tool(0, name="a-b", description="As of 2026-11-30"),
        False,
    ),
    "a star stays within its brackets": (
        "tools[*]",
        with_tool(0, description="As of 2026-11-29"),
        with_tool(0, description="As of 2026-11-30"),
        False,
    ),
    "the second of two hooks": (
        "hooks[*]",
        with_(hooks=(Hook("a"), Hook("a b"), Hook("a b", "2026-11-29"))),
        with_(hooks=(Hook("a"), Hook("a b"), Hook("a b", "2026-11-30"))),
        True,
    ),
    "a step of a script": (
        "script[*]",
        with_(script=replace(BASE.script, step={"text": "2026-11-29"})),
        with_(script=replace(BASE.script, step={"text": "2026-11-30"})),
        True,
    ),
}


@pytest.mark.parametrize(("path", "old", "new", "same"), IGNORED.values(), ids=IGNORED)
def test_ignored_text_does_not_count_and_all_other_does(
    path: str, old: Request, new: Request, same: bool
) -> None:
    pattern = f"{DATE}|trace-[0-9a-f]+"
    assert key_of(old) != key_of(new)
    assert (masked(old, path, pattern) == masked(new, path, pattern)) is same


def test_a_rule_that_matches_nothing_changes_nothing() -> None:
    assert masked(BASE, "system", DATE) == key_of(BASE)
    assert ignoring([]) is None


def test_a_field_that_no_rule_names_is_left_as_it_is() -> None:
    mask = ignoring([(IgnoreRule("system", DATE), compile_pattern(DATE))])
    assert mask is not None
    assert mask("output_schema", RING) is RING  # type: ignore[arg-type]


def test_a_rule_reaches_no_value_that_would_break_it() -> None:
    with pytest.raises(
        FingerprintError, match=r": the value is nested too deeply, or holds itself$"
    ) as caught:
        masked(with_result(2, 1, content=RING), "messages[*].tool_results[*].content", DATE)
    assert caught.value.path == "messages[2].tool_results[1].content"
