"""Whatever bytes a file holds: no crash, no hang, no secret in what is shown."""

from __future__ import annotations

import gzip
import json
import random
import time
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dryfire_action.recordings.files import fix, look
from dryfire_action.recordings.report import Report
from dryfire_action.redact import REVIEW_RULES
from dryfire_action.review_report import text_lines
from tests.corpus import places
from tests.corpus.writers import WRITERS

NAMES = (
    "cassettes/a.json",
    "cassettes/a.yaml",
    "cassettes/a.jsonl",
    "cassettes/a.har",
    "a.txt",
    "cassettes/a.json.gz",
)


STUMBLING_BLOCKS = (
    *(
        b'"',
        b"\\",
        b"\n",
        b"\r\n",
        b"{",
        b"[",
        b"]",
        b"}",
        b": ",
        b"- ",
        b"# ",
        b"\xff\xfe",
        b"\0",
        b"| ",
        b">-\n",
    ),
    *(
        b"&a ",
        b"*a",
        b"!!binary |\n",
        b"<<<<<<< x\n",
        b"data: {",
        b"\x1f\x8b",
        b"\xc2\x85",
        b"\xe2\x80\xa8",
        b"%2B",
    ),
)


def shown(report: Report) -> str:
    """Everything that a report could put on a screen or into a log."""
    return repr(report) + "".join(text_lines(report))


def check(data: bytes, name: str, secrets: list[str] = []) -> None:  # noqa: B006
    """Look at a file and fix it; what was found stays hidden, and what is fixed stays fixed."""
    report = look(data, name, REVIEW_RULES)
    fixed = fix(data, name, REVIEW_RULES)
    text = shown(report) + shown(fixed.found) + shown(fixed.left)
    assert not [secret for secret in secrets if secret in text]
    assert fixed.left.findings == (), (name, data[:200])
    if not report.findings:
        assert fixed.data == data


def mutated(data: bytes, source: random.Random) -> bytes:
    """Some bytes of a file changed, cut out, doubled, or swapped for what readers stumble over."""
    found = bytearray(data)
    for _ in range(source.randint(1, 8)):
        at = source.randrange(len(found) or 1)
        kind = source.randrange(6)
        if kind == 0:
            found[at : at + 1] = bytes([source.randrange(256)])
        elif kind == 1:
            del found[at : at + source.randint(1, 60)]
        elif kind == 2:
            found[at:at] = found[at : at + source.randint(1, 60)]
        elif kind == 3:
            found[at:at] = source.choice(STUMBLING_BLOCKS)
        elif kind == 4:
            del found[at:]
        else:
            found[at : at + 2] = found[at : at + 2][::-1]
    return bytes(found)


@pytest.mark.parametrize("format_", WRITERS)
def test_mutated_recordings(format_: str) -> None:
    file, write = WRITERS[format_]
    source = random.Random(format_)
    names = list(places.PLACES)
    until = time.monotonic() + 8
    for round_ in range(60):
        planted = places.exchanges(names[round_ % len(names)], seed=round_)[round_ % 7 :: 9]
        data = write([exchange for _, exchange in planted])
        if file.endswith(".gz"):
            data = (
                gzip.compress(mutated(gzip.decompress(data), source)) if round_ % 2 else mutated(data, source)
            )
        else:
            data = mutated(data, source)
        check(data, file, [secret.value for secret, _ in planted if len(secret.value) > 12])
        if time.monotonic() > until:
            break


LEAVES = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        [
            "sk-" + "ant-api03-" + "q7" * 40,
            "Bearer " + "abc123DEF456" * 3,
            "a: b",
            "[x]",
            "'q'",
            "# c",
            "\n x\n",
            "x" * 90,
        ]
    ),
    st.integers(),
    st.booleans(),
    st.none(),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.one_of(
                st.text(max_size=8),
                st.sampled_from(["api_key", "body", "headers", "name", "value"]),
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(tree=TREES, nested=st.booleans())
def test_any_json(tree: Any, nested: bool) -> None:
    text = json.dumps({"a": json.dumps(tree)} if nested else [tree])
    check(text.encode(), "cassettes/a.json")


@settings(max_examples=150, deadline=None)
@given(tree=TREES, style=st.sampled_from([None, "'", '"', "|", ">"]), width=st.sampled_from([20, 80, 10**6]))
def test_any_yaml(tree: Any, style: str | None, width: int) -> None:
    """A fixed file parses, and its tree has the shape that it had."""
    text: str = yaml.safe_dump([tree], default_style=style, width=width, allow_unicode=True)
    data = text.encode("utf-8", "surrogatepass")
    check(data, "cassettes/a.yaml")
    fixed = fix(data, "cassettes/a.yaml", REVIEW_RULES).data
    assert _shape(yaml.safe_load(fixed.decode())) == _shape(yaml.safe_load(text))


@settings(max_examples=150, deadline=None)
@given(data=st.binary(max_size=300), name=st.sampled_from(NAMES))
def test_any_bytes(data: bytes, name: str) -> None:
    check(data, name)


def _shape(tree: Any) -> Any:
    """A tree in which every text is only a text; names may be redacted, so only their number counts."""
    if isinstance(tree, dict):
        return [len(tree), [_shape(value) for value in tree.values()]]
    return [_shape(value) for value in tree] if isinstance(tree, list) else type(tree)
