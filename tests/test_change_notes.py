"""A change that people cannot see, or that has its own remedy, gets a note; every other gets none."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dryfire_action.change_notes import (
    DATE,
    ID_IN_TEXT,
    LINE_ENDS,
    OTHER_ORDER,
    SAME_NUMBER,
    UNICODE_FORM,
    WHITE_SPACE,
    inner_changes,
    note_for,
)
from tests.made_requests import shuffled

UUID = "0b2f6c1e-8a11-4a52-9d6f-0c2b7f3a9e41"
OTHER_UUID = "7d9a2f30-1c55-4b0e-8f6a-5e1d2c3b4a59"

NOTES: dict[str, tuple[Any, Any, str]] = {
    # numbers
    "1 and 1.0": (1, 1.0, SAME_NUMBER),
    "0 and 0.0": (0, 0.0, SAME_NUMBER),
    "0.0 and -0.0": (0.0, -0.0, SAME_NUMBER),
    "1e3 and 1000": (1e3, 1000, SAME_NUMBER),
    "780 and 780.0 inside": ({"a": [780]}, {"a": [780.0]}, SAME_NUMBER),
    "neighbours beyond the floats": (9007199254740993, 9007199254740992, ""),
    "a big number and its float": (9007199254740993, 9007199254740992.0, ""),
    "1 and true": (1, True, ""),
    "0 and false": (0, False, ""),
    "1.0 and true": (1.0, True, ""),
    "1 and its text": (1, "1", ""),
    "1 and 2": (1, 2, ""),
    "one number of two": ([1, 2], [1.0, 3], ""),
    # line ends and white space
    "CRLF": ("a\nb\n", "a\r\nb\r\n", LINE_ENDS),
    "CR": ("a\nb", "a\rb", LINE_ENDS),
    "CRLF inside": ([{"text": "a\nb"}], [{"text": "a\r\nb"}], LINE_ENDS),
    "CRLF and a word": ("a\nb", "a\r\nc", ""),
    "a trailing newline": ("a", "a\n", WHITE_SPACE),
    "indentation": ("a\n  b", "a\n    b", WHITE_SPACE),
    "a no-break space": ("a b", "a\N{NO-BREAK SPACE}b", WHITE_SPACE),
    "a space within a word": ("ab", "a b", ""),
    # Unicode
    "composed and decomposed": ("caf\u00e9", "cafe\u0301", UNICODE_FORM),
    "decomposed key": ({"caf\u00e9": 1}, {"cafe\u0301": 1}, UNICODE_FORM),
    "a ligature is not a form": ("\N{LATIN SMALL LIGATURE FI}x", "fix", ""),
    "upper case is not a form": ("a", "A", ""),
    # order
    "enum": (["a", "b"], ["b", "a"], OTHER_ORDER),
    "required inside a schema": (
        {"required": ["a", "b"], "x": 1},
        {"x": 1, "required": ["b", "a"]},
        OTHER_ORDER,
    ),
    "lists in lists": ([[1, 2], [3]], [[3], [2, 1]], OTHER_ORDER),
    "report_27 tool names": (["a", "b", "c"], ["b", "a", "c"], OTHER_ORDER),
    "another count": (["a", "a", "b"], ["a", "b", "b"], ""),
    "1 moved and became 1.0": ([1, 2], [2, 1.0], ""),
    # dates
    "report_44 the day": ("Today is 2026-11-29.", "Today is 2026-11-30.", DATE),
    "report_46 the day and the rest": ("report 2026-11-29 total 5", "report 2026-11-30 total 6", ""),
    "a time": ("Now: 2026-11-29T10:00:00Z", "Now: 2026-11-29T10:00:01.5+02:00", DATE),
    "a weekday": ("Sunday, 29 November 2026", "Monday, 30 November 2026", DATE),
    "the month first": ("November 29, 2026", "Dec 1st, 2026", DATE),
    "slashes": ("on 11/29/2026", "on 11/30/2026", DATE),
    "dots": ("am 29.11.2026", "am 30.11.2026", DATE),
    "a date in a block": ([{"text": "2026-11-29"}], [{"text": "2026-11-30"}], DATE),
    "a version is no date": ("v1.2.3", "v1.2.4", ""),
    "a number is no date": ("order 1001", "order 1002", ""),
    # ids
    "C1 a correlation id in prose": ("retry call_ab12", "retry call_cd34", ID_IN_TEXT),
    "report_11 an id of a provider": ("see toolu_a1", "see toolu_z9", ID_IN_TEXT),
    "report_1 a UUID": (f"Create bucket b-{UUID}", f"Create bucket b-{OTHER_UUID}", ID_IN_TEXT),
    "a UUID in JSON": ({"bucket": UUID}, {"bucket": OTHER_UUID}, ID_IN_TEXT),
    "a trace": ("trace-0a1b2c3d", "trace-9f8e7d6c", ID_IN_TEXT),
    "report_6 a case number": ("CASE-0101", "CASE-0102", ""),
    "a business id": ({"id": "ord_1001"}, {"id": "ord_2002"}, ""),
    "a word that begins like one": ("running", "runner", ""),
    # nothing special
    "equal": ({"a": [1]}, {"a": [1]}, ""),
    "mapping order": ({"a": 1, "b": 2}, {"b": 2, "a": 1}, ""),
    "null and missing": ({"next": None}, {}, ""),
    "text and null": ("", None, ""),
    "a word": ("hello", "hallo", ""),
}


@pytest.mark.parametrize(("old", "new", "note"), NOTES.values(), ids=NOTES)
def test_a_change_has_the_note_that_explains_all_of_it(old: Any, new: Any, note: str) -> None:
    assert note_for(old, new) == note
    assert note_for(new, old) == note


def test_the_sentences_are_those_that_reports_show() -> None:
    assert SAME_NUMBER == "numerically equal, written differently"
    assert UNICODE_FORM == "equal after Unicode normalisation"
    assert LINE_ENDS == "line ends only"
    assert OTHER_ORDER == "same members, other order"
    assert ID_IN_TEXT == "an id shows in message text"
    assert DATE == "only a date differs"


INNER: dict[str, tuple[Any, Any, list[tuple[str, str]]]] = {
    "a text": ("a", "b", [("", "changed")]),
    "a type": (1, True, [("", "changed")]),
    "another kind": ({}, [], [("", "changed")]),
    "an odd key": (
        {"properties": {"a.b": {"type": "string"}}},
        {"properties": {"a.b": {"type": "integer"}}},
        [('properties["a.b"].type', "changed")],
    ),
    "an odd key first": ({"a b": 1}, {"a b": 2}, [('["a b"]', "changed")]),
    "a key added, one removed": ({"a": 1}, {"b": 1}, [("a", "removed"), ("b", "added")]),
    "null for missing": ({"next": None}, {}, [("next", "removed")]),
    "1.0 for 1": ({"limit": 1}, {"limit": 1.0}, [("limit", "changed")]),
    "true for 1": ({"limit": 1}, {"limit": True}, [("limit", "changed")]),
    "a list in another order": (
        {"required": ["a", "b"]},
        {"required": ["b", "a"]},
        [("required", "reordered")],
    ),
    "a member added in front": (["a", "b"], ["new", "a", "b"], [("[0]", "added")]),
    "a member removed": (["a", "b", "c"], ["a", "c"], [("[1]", "removed")]),
    "a member edited": ([{"a": 1}, 2], [{"a": 2}, 2], [("[0].a", "changed")]),
    "a list in a list": ({"a": [[1, 2]]}, {"a": [[1, 3]]}, [("a[0][1]", "changed")]),
    "two places": ({"a": 1, "b": {"c": 1}}, {"a": 2, "b": {"c": 2}}, [("a", "changed"), ("b.c", "changed")]),
    "nothing": ({"a": 1, "b": 2}, {"b": 2, "a": 1}, []),
}


@pytest.mark.parametrize(("old", "new", "changes"), INNER.values(), ids=INNER)
def test_inner_changes_name_the_place(old: Any, new: Any, changes: list[tuple[str, str]]) -> None:
    assert list(inner_changes(old, new)) == changes


def test_long_lists_are_compared_by_position() -> None:
    old = [str(number) for number in range(300)]
    new = [*old[1:], "end"]
    assert len(inner_changes(old, new)) == 300


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, VALUES)
def test_there_are_inner_changes_exactly_where_values_differ(old: Any, new: Any) -> None:
    assert not inner_changes(old, shuffled(old))
    assert bool(inner_changes(old, new)) == bool(inner_changes(new, old))
    if note_for(old, new):
        assert inner_changes(old, new)


@given(VALUES)
def test_a_value_in_another_form_has_the_note_of_that_form(value: Any) -> None:
    text = f"e\u0301 {value}"
    composed = unicodedata.normalize("NFC", text)
    assert note_for(composed, unicodedata.normalize("NFD", composed)) == UNICODE_FORM


@pytest.mark.parametrize(
    "text", ["1" * 50_000, "a_" * 20_000, "call_" * 10_000, "0" * 20_000 + "-", "\r" * 50_000]
)
def test_long_texts_take_no_time(text: str) -> None:
    assert note_for(text, text + "x") in ("", ID_IN_TEXT)
