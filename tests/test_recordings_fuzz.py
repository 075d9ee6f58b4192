"""Whatever bytes a file holds: no crash, no hang, no secret in what is shown."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dryfire_action.cli import main
from dryfire_action.recordings.files import fix, look
from dryfire_action.recordings.report import Report
from dryfire_action.redact import REVIEW_RULES
from dryfire_action.review_report import document, text_lines
from tests.corpus import places
from tests.corpus.writers import WRITERS

# `make fuzz` asks for 20,000; every run of the tests for so many that it takes seconds.
INPUTS = int(os.environ.get("DRYFIRE_FUZZ_INPUTS", "1500"))
SEED = os.environ.get("DRYFIRE_FUZZ_SEED", "1")
MUTATED = INPUTS * 7 // 10
GENERATED = INPUTS // 10
LONGEST = 30  # seconds for one input: a hang, and not a slow machine

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
    return repr(report) + "".join(text_lines(report)) + json.dumps(document([report]))


def leaks(text: str, secrets: Sequence[str]) -> list[str]:
    """The secrets of which a text shows more than it may: all, or twelve characters in a row of a long one."""
    return [secret for secret in secrets if secret in text or (len(secret) > 20 and secret[6:18] in text)]


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Fail what takes longer."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return

    def late(*_: object) -> None:
        raise TimeoutError(f"took longer than {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def check(data: bytes, name: str, secrets: Sequence[str] = ()) -> None:
    """Look at a file and fix it; what was found stays hidden, and what is fixed stays fixed."""
    report = look(data, name, REVIEW_RULES)
    fixed = fix(data, name, REVIEW_RULES)
    text = shown(report) + shown(fixed.found) + shown(fixed.left)
    assert not leaks(text, secrets)
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


@cache
def exchanges() -> list[Any]:
    """Exchanges with a secret: every place, and every kind of secret somewhere."""
    found: list[Any] = []
    for seed, place in enumerate(places.PLACES):
        found += places.exchanges(place, seed=seed)[seed % 5 :: 12]
    return found


@cache
def recordings(format_: str) -> tuple[tuple[bytes, tuple[str, ...]], ...]:
    """Small recordings, one exchange each, and the secrets in them."""
    _, write = WRITERS[format_]
    return tuple(
        (write([exchange]), (secret.value,) if len(secret.value) > 12 else ())
        for secret, exchange in exchanges()
    )


@pytest.mark.parametrize("format_", WRITERS)
def test_mutated_recordings(format_: str) -> None:
    file, _ = WRITERS[format_]
    source = random.Random(f"{format_} {SEED}")
    known = recordings(format_)
    for round_ in range(MUTATED // len(WRITERS)):
        data, secrets = source.choice(known)
        if source.random() < 0.2:  # two in one: the end of another
            other, more = source.choice(known)
            data, secrets = (
                data[: source.randrange(len(data))] + other[source.randrange(len(other)) :],
                secrets + more,
            )
        if file.endswith(".gz") and round_ % 2:
            try:
                data = gzip.compress(mutated(gzip.decompress(data), source), 1)
            except (OSError, EOFError, zlib.error):
                data = mutated(data, source)
        else:
            data = mutated(data, source)
        name = file if source.random() < 0.9 else source.choice(NAMES)
        with within(LONGEST):
            check(data, name, secrets)


def test_the_command_on_mutated_recordings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same through the command, with all that it writes to the screen."""
    monkeypatch.chdir(tmp_path)
    source = random.Random(f"command {SEED}")
    for round_ in range(MUTATED // 100):
        format_ = source.choice(list(WRITERS))
        data, secrets = source.choice(recordings(format_))
        file = tmp_path / f"{round_}" / WRITERS[format_][0]
        file.parent.mkdir(parents=True)
        file.write_bytes(mutated(data, source))
        for words in (["redact", "."], ["redact", "--format", "json", "."], ["redact", "--fix", "."]):
            monkeypatch.chdir(tmp_path / f"{round_}")
            with within(LONGEST):
                code = main(words)
            said = capsys.readouterr()
            assert code in (0, 1, 2)
            assert "internal error" not in said.err
            assert not leaks(said.out + said.err, secrets)


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


@settings(max_examples=GENERATED, deadline=None)
@given(tree=TREES, nested=st.booleans())
def test_any_json(tree: Any, nested: bool) -> None:
    text = json.dumps({"a": json.dumps(tree)} if nested else [tree])
    check(text.encode(), "cassettes/a.json")


@settings(max_examples=GENERATED, deadline=None)
@given(tree=TREES, style=st.sampled_from([None, "'", '"', "|", ">"]), width=st.sampled_from([20, 80, 10**6]))
def test_any_yaml(tree: Any, style: str | None, width: int) -> None:
    """A fixed file parses, and its tree has the shape that it had."""
    text: str = yaml.safe_dump([tree], default_style=style, width=width, allow_unicode=True)
    data = text.encode("utf-8", "surrogatepass")
    check(data, "cassettes/a.yaml")
    fixed = fix(data, "cassettes/a.yaml", REVIEW_RULES).data
    assert _shape(yaml.safe_load(fixed.decode())) == _shape(yaml.safe_load(text))


@settings(max_examples=GENERATED, deadline=None)
@given(data=st.binary(max_size=300), name=st.sampled_from(NAMES))
def test_any_bytes(data: bytes, name: str) -> None:
    check(data, name)


def _shape(tree: Any) -> Any:
    """A tree in which every text is only a text; names may be redacted, so only their number counts."""
    if isinstance(tree, dict):
        return [len(tree), [_shape(value) for value in tree.values()]]
    return [_shape(value) for value in tree] if isinstance(tree, list) else type(tree)
