"""The quick walk through a recording, which remembers texts, beside the full walk, which does not."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dryfire_action.json_leaves import Fields
from dryfire_action.named_texts import named_texts, telling_texts
from dryfire_action.recordings import known_texts
from dryfire_action.recordings.context import Context
from dryfire_action.recordings.files import look, nothing_passes
from dryfire_action.recordings.known_texts import KnownTexts
from dryfire_action.recordings.limits import MAX_LAYERS
from dryfire_action.recordings.plain_texts import is_plain
from dryfire_action.recordings.scan import Scan
from dryfire_action.redact import REVIEW_RULES
from tests.corpus import kinds
from tests.secret_hits import HITS
from tests.secret_misses import MISSES

KEY = "sk-" + "ant-api03-" + "q7" * 48

NAMES = st.sampled_from(
    ["text", "content", "body", "name", "key", "value", "values", "header", "headers", "cookies", "api_key", "token",
     "query", "params", "logprob", "kty", "d", "data", "id", "rawHeaders", "authorization", "sk-" + "x" * 30, "a b"]
)  # fmt: skip
TEXTS = st.one_of(
    st.sampled_from([hit.text for hits in HITS.values() for hit in hits]),
    st.sampled_from([text for misses in MISSES.values() for text, _ in misses]),
    st.sampled_from([secret.written for secret in kinds.all_of(kinds.SHAPES)]),
    st.sampled_from(
        ["", "plain words", "so: it is", "x-api-key", "Bearer", "name=value", "hunter2x", "{}", '{"a": 1}']
    ),
    st.text(max_size=30),
)
TREES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(TEXTS, st.none(), st.booleans(), st.integers(-9, 9), st.floats(allow_nan=False)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(NAMES, inner, max_size=4),
        st.lists(st.tuples(NAMES, inner), max_size=3).map(Fields),
        st.lists(st.tuples(NAMES, inner).map(list), min_size=1, max_size=3),
        inner.map(lambda value: json.dumps(value, default=str)),
        TEXTS.map(lambda text: base64.b64encode(text.encode("utf-8", "replace")).decode()),
    ),
    max_leaves=12,
)


@settings(max_examples=600, deadline=None)
@given(TREES, st.none() | NAMES)
def test_the_quick_walk_tells_of_every_text_that_is_not_plain(tree: Any, name: str | None) -> None:
    full = [n for n in named_texts(tree, name) if n.kind is not None or not is_plain(n.text)]
    quick = list(telling_texts(tree, name, is_plain))
    assert sorted(map(repr, quick)) == sorted(map(repr, full))


def dirty(tree: Any, *, quick: bool) -> bool:
    """Whether a walk through a tree finds something, or leaves something out."""
    scan = Scan("cassettes/a.json", REVIEW_RULES, nothing_passes)
    if quick:
        return not scan.is_clean(lambda: scan.tree(tree, Context()))
    scan.tree(tree, Context())
    return bool(scan.findings or scan.not_checked)


@settings(max_examples=400, deadline=None)
@given(TREES)
def test_the_quick_walk_finds_something_if_and_only_if_the_full_one_does(tree: Any) -> None:
    known_texts._known.clear()
    full = dirty(tree, quick=False)
    known_texts._known.clear()
    assert dirty(tree, quick=True) == full
    assert dirty(tree, quick=True) == full  # and with what the first one remembers


@settings(max_examples=200, deadline=None)
@given(st.lists(TREES, min_size=2, max_size=4))
def test_what_one_file_taught_changes_nothing_about_the_next(trees: list[Any]) -> None:
    files = [json.dumps(tree, default=str).encode() for tree in trees]
    fresh = []
    for data in files:
        known_texts._known.clear()
        fresh.append(look(data, "cassettes/a.json", REVIEW_RULES))
    known_texts._known.clear()
    assert [look(data, "cassettes/a.json", REVIEW_RULES) for data in files] == fresh


def test_a_text_is_known_under_its_name_and_no_deeper_than_it_was_met() -> None:
    known = KnownTexts()
    known.add_clean("text", "name", None, 3)
    assert known.is_clean("text", "name", None, 3) and known.is_clean("text", "name", None, 2)
    assert not known.is_clean("text", "name", None, 4) and not known.is_clean("text", None, None, 1)


def test_a_text_known_further_out_is_opened_as_far_as_the_limit_all_the_same() -> None:
    inner = json.dumps({"a": "b"})
    for _ in range(3):
        inner = json.dumps({"a": inner})
    deep = inner
    for _ in range(MAX_LAYERS - 2):
        deep = json.dumps({"a": deep})
    alone = look(json.dumps([deep]).encode(), "cassettes/a.json", REVIEW_RULES)
    after = look(json.dumps([inner, deep]).encode(), "cassettes/a.json", REVIEW_RULES)
    assert len(alone.not_checked) == len(after.not_checked)


def test_what_is_allowed_in_one_file_is_found_in_another() -> None:
    data = json.dumps({"text": f"use {KEY} here"}).encode()
    assert look(data, "cassettes/a.json", REVIEW_RULES, passes=lambda rule, value: True).is_clean
    assert len(look(data, "cassettes/b.json", REVIEW_RULES).findings) == 1


def test_a_body_is_read_as_the_headers_beside_it_say() -> None:
    """The same text under the same name, too short to be opened unless a header says what it is."""
    text = base64.b64encode(brotli.compress(json.dumps({"password": "hunter" + "22x"}).encode())).decode()
    said = {"headers": {"content-encoding": "br"}, "body": text}
    for tree in ([said], [{"body": text}, said], [said, {"body": text}]):
        report = look(json.dumps(tree).encode(), "cassettes/a.json", REVIEW_RULES)
        assert len(report.findings) == 1 and not report.not_checked


def test_no_more_is_kept_than_there_is_room_for() -> None:
    known = KnownTexts()
    for number in range(400):
        known.add_clean(f"{number}" + "x" * 10_000, None, None, 1)
    assert sum(len(text) for text, _, _ in known._clean) <= known_texts._MOST
    known.add_clean("y" * (known_texts._LONGEST + 1), None, None, 1)
    assert not known.is_clean("y" * (known_texts._LONGEST + 1), None, None, 1)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.dictionaries(NAMES, TREES, min_size=1, max_size=3), min_size=1, max_size=4),
    st.lists(st.integers(1, 4), min_size=2, max_size=4),
    st.sampled_from(["messages", "query", "cookies", "rawHeaders", "data", "api_key"]),
    st.booleans(),
)
def test_what_an_earlier_list_held_changes_nothing_about_a_longer_one(
    items: list[Any], lengths: list[int], name: str, is_inside: bool
) -> None:
    bodies = [json.dumps({name: items[:length], "more": items[-1]}, default=str) for length in lengths]
    files = [(json.dumps({"body": body}) if is_inside else body).encode() for body in bodies]
    fresh = []
    for data in files:
        known_texts._known.clear()
        fresh.append(look(data, "cassettes/a.json", REVIEW_RULES))
    known_texts._known.clear()
    assert [look(data, "cassettes/a.json", REVIEW_RULES) for data in files] == fresh


def test_a_list_is_known_as_far_as_it_begins_as_the_last_one_of_its_name() -> None:
    known = KnownTexts()
    known.add_clean_list([{"a": "b"}, {"a": "c"}], "messages", 2)
    assert known.clean_items([{"a": "b"}, {"a": "c"}, {"a": "d"}], "messages", 2) == 2
    assert known.clean_items([{"a": "b"}], "messages", 1) == 1
    assert known.clean_items([{"a": "x"}, {"a": "c"}], "messages", 2) == 0
    assert known.clean_items([{"a": "b"}], "messages", 3) == 0
    assert known.clean_items([{"a": "b"}], "tools", 2) == 0


@pytest.mark.parametrize("count", [1, 3, 199, 200, 201, 450])
def test_a_secret_among_short_texts_is_found_wherever_it_stands(count: int) -> None:
    for secret in (KEY, json.dumps({"a": KEY}, indent=1), base64.b64encode(f"use {KEY}".encode()).decode()):
        for at in {0, count // 2, count - 1}:
            known_texts._known.clear()
            texts = [f"toolu_{number:04}gfkddilqTGC4A3Sc8Vp" for number in range(count)]
            texts[at] = secret
            data = json.dumps({"a": [{"id": text} for text in texts]}).encode()
            assert len(look(data, "cassettes/a.json", REVIEW_RULES).findings) == 1


def test_a_message_with_a_secret_is_found_behind_messages_that_are_known() -> None:
    messages = [{"role": "user", "content": f"words {number}"} for number in range(3)]
    bodies = [messages[:2], messages, [*messages, {"role": "user", "content": f"use {KEY} here"}]]
    for extra in ([], [messages[0]]):
        data = json.dumps([json.dumps({"messages": [*body, *extra]}) for body in bodies]).encode()
        assert len(look(data, "cassettes/a.json", REVIEW_RULES).findings) == 1


def test_a_yaml_text_that_is_bytes_is_not_taken_for_one_that_is_words() -> None:
    """They are equal as texts, and one of them is opened."""
    text = base64.b64encode(KEY.encode()).decode()[:22]
    first = json.dumps({"a": json.dumps({"items": [{"note": text}]})})
    yaml = f"items:\n- note: !!binary {base64.b64encode(b'x ' + KEY.encode()).decode()}\n"
    look(first.encode(), "cassettes/a.json", REVIEW_RULES)
    assert len(look(yaml.encode(), "cassettes/b.yaml", REVIEW_RULES).findings) == 1


def test_lists_as_deep_as_a_file_may_have_them_are_compared() -> None:
    deep = '{"items": [' * 400 + '{"a": "b"}' + "]}" * 400
    data = json.dumps([deep, deep + " "]).encode()
    report = look(data, "cassettes/a.json", REVIEW_RULES)
    assert not report.findings


def test_few_lists_are_kept() -> None:
    known = KnownTexts()
    for number in range(200):
        known.add_clean_list([{"a": "b"}], f"name {number}", 1)
    known.add_clean_list([{"a": "b"}] * (known_texts._MOST_ITEMS + 1), "long", 1)
    assert len(known._lists) <= known_texts._MOST_NAMES and "long" not in known._lists


@pytest.mark.parametrize(("size", "is_kept"), [(10, True), (known_texts.LONGEST_WITH_LISTS, False)])
def test_lists_of_a_long_text_are_not_kept(size: int, is_kept: bool) -> None:
    known_texts._known.clear()
    body = json.dumps({"messages": [{"content": "word " * (size // 5)}]})
    assert look(json.dumps({"body": body}).encode(), "cassettes/a.json", REVIEW_RULES).is_clean
    assert any("messages" in known._lists for known in known_texts._known.values()) == is_kept


@pytest.mark.parametrize("name", ["session", "key"])
def test_a_text_that_begins_as_a_query_is_found_among_other_texts(name: str) -> None:
    query = f"{name}=" + "Mv93Gv4sqijAmONI" * 2
    report = look(
        json.dumps({"first": "hello there: you", "second": query}).encode(), "cassettes/a.json", REVIEW_RULES
    )
    assert [finding.path for finding in report.findings] == ["second"]


def test_lines_of_numbers_in_a_text_are_read() -> None:
    lines = json.dumps(list(f"use {KEY}".encode())) + "\n{}"
    for text in (lines, lines.replace(", ", ",")):
        report = look(json.dumps({"note": text}).encode(), "cassettes/a.json", REVIEW_RULES)
        assert len(report.findings) == 1


@pytest.mark.parametrize("fraction", [float, lambda byte: byte if byte % 2 else float(byte)])
def test_a_list_of_fractions_is_not_one_of_bytes_that_was_searched(fraction: Callable[[int], float]) -> None:
    def body(number: Any) -> bytes:
        items = [{"role": "user", "content": [number(byte) for byte in f"use {KEY}".encode()]}]
        return json.dumps({"body": json.dumps({"messages": items})}).encode()

    known_texts._known.clear()
    assert look(body(fraction), "cassettes/a.json", REVIEW_RULES).is_clean
    assert len(look(body(int), "cassettes/b.json", REVIEW_RULES).findings) == 1


def test_a_text_that_is_said_to_be_binary_is_opened_though_the_same_text_is_known() -> None:
    text = base64.b64encode(b"\x00\x01\x02\xff\xfe" + KEY.encode() + b"\x00\xff\xfe\xfd").decode()
    known_texts._known.clear()
    assert look(f"memo: {text}\n".encode(), "cassettes/a.yaml", REVIEW_RULES).is_clean
    assert len(look(f"memo: !!binary {text}\n".encode(), "cassettes/b.yaml", REVIEW_RULES).findings) == 1
