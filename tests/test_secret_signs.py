"""What shows no sign of a secret holds none: for every rule, every hiding place, and texts made at random."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Callable
from urllib.parse import quote

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dryfire_action.json_leaves import may_be_json
from dryfire_action.recordings.byte_kinds import is_text
from dryfire_action.recordings.context import Context
from dryfire_action.recordings.files import look, nothing_passes
from dryfire_action.recordings.layers import shows_none
from dryfire_action.recordings.notations import from_base64
from dryfire_action.recordings.scan import Scan
from dryfire_action.redact import DEFAULT_RULES, find_in_text
from dryfire_action.secret_signs import shows_nothing
from tests.corpus.kinds import SHAPES, all_of
from tests.secret_hits import HITS

PLAN = DEFAULT_RULES.plan
ALONE = [hit.text for hits in HITS.values() for hit in hits if hit.key is None]
WRITTEN = [secret.written for secret in all_of(SHAPES)]
WORDS = st.sampled_from(
    [*" -.\n}]\"'", "é", "password=", "token: ", "api_key", "x-api-key: ", "Bearer ", "basic ", "https://",
     "user:pw@host.io", "mistral key ", "aws_secret ", "--api-key ", "4111 1111 1111 1111", "<secret>", "</secret>",
     "sk-", "ghp_", "%3D", "\\n", '{"a": ', "form-data; name=token", "q7" * 20, "a1b2c3d4" * 4, "A" * 16]
)  # fmt: skip

NOTATIONS: list[Callable[[str], str]] = [
    str,
    lambda text: base64.b64encode(text.encode("utf-8", "replace")).decode(),
    lambda text: base64.urlsafe_b64encode(text.encode("utf-8", "replace")).decode().rstrip("="),
    lambda text: "it says " + base64.b64encode(text.encode("utf-8", "replace")).decode(),
    lambda text: base64.b64encode(gzip.compress(text.encode("utf-8", "replace"))).decode(),
    lambda text: base64.b64encode(brotli.compress(text.encode("utf-8", "replace"))).decode(),
    lambda text: gzip.compress(text.encode("utf-8", "replace")).decode("latin-1"),
    lambda text: zlib.compress(text.encode("utf-8", "replace")).decode("latin-1"),
    lambda text: text.encode("utf-8", "replace").hex(),
    lambda text: base64.b64encode(text.encode("utf-16", "replace")).decode(),
    lambda text: text.replace("-", "\\u002d"),
    lambda text: text.replace("-", "&#45;"),
    lambda text: text.replace("-", "-\u200b"),
    lambda text: "quoted-printable\n" + text.replace("-", "=2D"),
    lambda text: (
        f"event: a\ndata: {json.dumps({'delta': text})}\n\nevent: b\ndata: {json.dumps({'delta': text})}\n"
    ),
]


def places_for(text: str) -> list[str]:
    """Where a secret may stand: among words, behind marks, in JSON, in a line of it, percent-encoded, far behind."""
    return [
        text,
        f"use {text} here",
        f"\n{text}\n",
        f"({text})",
        f"/{text}/",
        f"é {text}",
        "words and words, " * 40 + text,
        "a1" * 40 + " " + text,
        json.dumps({"a": text}),
        "data " + json.dumps([text]) + "\nmore",
        "x " + json.dumps(text),
        f"a={quote(text)}",
    ]


@pytest.mark.parametrize("rule", HITS)
def test_no_hit_of_a_rule_is_without_a_sign(rule: str) -> None:
    texts = [place for hit in HITS[rule] if hit.key is None for place in places_for(hit.text)]
    assert not [
        text for text in texts if shows_nothing(text, PLAN) and find_in_text(text, rules=DEFAULT_RULES)
    ]
    assert not [hit.text for hit in HITS[rule] if hit.key is None and shows_nothing(hit.text, PLAN)]


def test_no_secret_of_the_corpus_is_without_a_sign() -> None:
    texts = [place for text in WRITTEN for place in places_for(text)]
    assert not [
        text for text in texts if shows_nothing(text, PLAN) and find_in_text(text, rules=DEFAULT_RULES)
    ]


@settings(max_examples=400, deadline=None)
@given(st.sampled_from([*ALONE, *WRITTEN]), st.data())
def test_no_part_of_a_secret_is_found_without_a_sign(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    part = text[start : data.draw(st.integers(start, len(text)))]
    if shows_nothing(part, PLAN):
        assert find_in_text(part, rules=DEFAULT_RULES) == ()


@settings(max_examples=1500, deadline=None)
@given(st.lists(WORDS | st.sampled_from(ALONE) | st.text(max_size=12), max_size=6).map("".join))
def test_what_shows_nothing_holds_nothing(text: str) -> None:
    if shows_nothing(text, PLAN):
        assert find_in_text(text, rules=DEFAULT_RULES) == ()


@settings(max_examples=800, deadline=None)
@given(
    st.lists(WORDS | st.sampled_from([*ALONE, *WRITTEN]) | st.text(max_size=12), max_size=4).map("".join),
    st.sampled_from([None, "text", "body", "content", "id", "signature", "encrypted_content", "data"]),
    st.sampled_from(NOTATIONS),
)
def test_what_shows_no_layer_has_none(text: str, name: str | None, notation: Callable[[str], str]) -> None:
    written = notation(text)
    if shows_nothing(written, PLAN) and shows_none(written, name):
        scan = Scan("cassettes/a.json", DEFAULT_RULES, nothing_passes)
        scan.text(written, Context(), name)
        assert not scan.findings and not scan.not_checked


@settings(max_examples=1000, deadline=None)
@given(
    st.lists(
        st.lists(WORDS | st.sampled_from(ALONE) | st.text(max_size=12), max_size=4).map("".join),
        min_size=2,
        max_size=4,
    )
)
def test_some_texts_together_show_every_sign_that_one_of_them_shows(texts: list[str]) -> None:
    if shows_nothing("\n".join(texts), PLAN):
        assert all(shows_nothing(text, PLAN) or may_be_json(text) for text in texts)


@pytest.mark.parametrize(
    "text",
    [
        "The parcel is in Oslo, so: Day other education.",
        "toolu_" + "gfkddilqTGC4A3Sc8VpRHHJg",
        "https://shop.acme.io/orders/9596?ref=Rlp7xR2r",
        "2026-03-28T09:46:00Z",
        "633845a0-9096-8a32-55ed-a7184510e876",
        "Die Größe – „so“ – passt.",
        "",
    ],
)
def test_words_ids_dates_and_links_show_nothing(text: str) -> None:
    assert shows_nothing(text, PLAN) and shows_none(text, "id")


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["id", "text", "note", "data", "link"]),
            st.sampled_from([*ALONE, *WRITTEN, "x", "words, so: it is", "msg_" + "q7" * 12, "a1b2c3d4" * 8]),
            st.sampled_from(NOTATIONS),
        ),
        max_size=6,
    )
)
def test_short_texts_that_are_looked_at_together_hide_nothing_from_each_other(
    texts: list[tuple[str, str, Callable[[str], str]]],
) -> None:
    items = [{name: notation(text)} for name, text, notation in texts]
    found = [
        found.rule for found in look(json.dumps({"a": items}).encode(), "a.json", DEFAULT_RULES).findings
    ]
    alone = [
        found.rule
        for item in items
        for found in look(json.dumps({"a": [item]}).encode(), "a.json", DEFAULT_RULES).findings
    ]
    assert sorted(found) == sorted(alone)


@settings(max_examples=300, deadline=None)
@given(st.text(min_size=20, max_size=60) | st.text("abc é漢", min_size=20, max_size=60))
def test_text_is_opened_however_it_begins(text: str) -> None:
    data = f"{text}...".encode()
    found = from_base64(base64.b64encode(data).decode())
    assert (found is not None and found.data == data) or not is_text(data)


@pytest.mark.parametrize(
    "data",
    [
        "é".encode()[:1] + b"a" * 20,
        b"a" * 20 + "é".encode()[:1],
        b"\x80" * 20,
        b"a\xff" * 10,
        b"\xed\xa0\x80abc",
        b"",
        b"a\0b",
    ],
)
def test_bytes_that_are_no_text(data: bytes) -> None:
    assert not is_text(data)
