"""JSON text as a tree whose texts know where they stand."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dryfire_action.json_leaves import Fields, LocatedText, located, may_be_json, parsed

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def texts_of(tree: Any) -> list[LocatedText]:
    if isinstance(tree, LocatedText):
        return [tree]
    if isinstance(tree, dict):
        return [text for pair in tree.items() for part in pair for text in texts_of(part)]
    if isinstance(tree, list):
        return [text for item in tree for text in texts_of(list(item) if isinstance(item, tuple) else item)]
    return []


@settings(deadline=None, max_examples=200)
@given(st.lists(values) | st.dictionaries(st.text(), values), st.booleans(), st.sampled_from([None, 1]))
def test_every_text_is_where_it_says_it_is(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert parsed(text) == value
    for leaf in texts_of(located(text)):
        start, end = leaf.place(0, len(leaf))
        assert json.loads(f'"{text[start:end]}"') == leaf
        for place in range(len(leaf)):
            start, end = leaf.place(place, place + 1)
            assert json.loads(f'"{text[start:end]}"', strict=False) == leaf[place]


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet='{}[]":,\\u0123de nul\n', max_size=60))
def test_any_text_is_read_or_refused_alike(text: str) -> None:
    tree = parsed(text)
    if tree is not None:
        assert [str(leaf) for leaf in texts_of(located(text))] == strings_of(tree)


def strings_of(tree: Any) -> list[str]:
    if isinstance(tree, str):
        return [tree]
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else []
    if isinstance(tree, Fields):
        pairs = tree
    return [text for name, value in pairs for text in (*strings_of(name), *strings_of(value))]


@pytest.mark.parametrize(
    ("text", "may_be"), [(" {} ", True), ("[1]\n", True), ("{]", False), ("", False), ("x{}", False)]
)
def test_only_what_begins_and_ends_like_json_is_tried(text: str, may_be: bool) -> None:
    assert may_be_json(text) is may_be


def test_fields_of_one_name_are_all_kept() -> None:
    tree = parsed('{"a": 1, "a": {"b": 2, "b": 3}}')
    assert isinstance(tree, Fields)
    assert list(tree) == [("a", 1), ("a", Fields([("b", 2), ("b", 3)]))]


@pytest.mark.parametrize(
    "text", ["[" * 100_000 + "]" * 100_000, '{"a":' * 50_000 + "1" + "}" * 50_000, "[1,}", '["a]']
)
def test_what_cannot_be_read_is_no_tree(text: str) -> None:
    assert parsed(text) is None
    assert located(text) is None
