"""A team's own redaction rules: read from the config, applied to what is recorded."""

from __future__ import annotations

import pytest

from dryfire_action.messages import Message, Request
from dryfire_action.placeholders import store
from dryfire_action.redact import DEFAULT_RULES, RULESET_VERSION, find_in_text
from dryfire_action.redaction_settings import rules_in_force, rules_with
from dryfire_action.request_texts import RequestTexts

CUSTOMER = {"rule": {"id": "customer-number", "pattern": r"KD-(\d{6})", "group": 1}}
NAMES = {"rule": {"id": "people", "keys": ["full_name"]}}


def test_without_settings_the_rules_are_as_they_were() -> None:
    assert rules_with(()) is DEFAULT_RULES


@pytest.mark.parametrize(
    ("text", "found"),
    [("order of KD-123456 today", ["123456"]), ("KD-12345", []), ("nothing here", [])],
)
def test_a_pattern_finds_its_group(text: str, found: list[str]) -> None:
    spans = find_in_text(text, rules=rules_with([CUSTOMER]))
    assert [text[span.start : span.end] for span in spans] == found


def test_a_name_makes_its_value_a_secret() -> None:
    assert find_in_text("Ada", key="fullName", rules=rules_with([NAMES]))
    assert not find_in_text("Ada", key="fullName")


def test_recordings_are_redacted_by_the_rules_of_the_team() -> None:
    request = Request("p", "m", (Message("user", "who is it?"),))
    answer = {"text": "It is KD-123456.", "stop_reason": "end_turn"}
    stored = store(answer, RequestTexts(request), rules_with([CUSTOMER]))
    assert stored.value["text"] == "It is KD-[redacted:customer-number:1]."


def test_exceptions_are_kept_for_who_reviews() -> None:
    rules = rules_with([{"allow": {"rule": "email", "reason": "a test account"}}])
    assert rules.allowance("email", "x", path="a.json", today="2026-01-01") is not None


def test_the_header_names_the_rules_in_force() -> None:
    assert rules_in_force(DEFAULT_RULES) == RULESET_VERSION
    assert rules_in_force(rules_with([CUSTOMER, NAMES])) == f"{RULESET_VERSION} + customer-number + people"


def test_a_pattern_that_finds_itself_in_markers_comes_to_an_end() -> None:
    rule = {"rule": {"id": "t", "pattern": "d:t|secret"}}
    answer = {"text": "a secret", "stop_reason": "end_turn"}
    stored = store(answer, RequestTexts(Request("p", "m", ())), rules_with([rule]))
    assert "secret" not in stored.value["text"]
