"""A cassette's file: laid out for a reviewer, read back as it was, and never believed when something is off."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.cassette import Cassette
from dryfire_action.cassette_file import FORMAT, decode, encode
from dryfire_action.errors import CassetteDamaged
from dryfire_action.ignore_rules import IgnoreRule
from dryfire_action.messages import Usage
from tests.made_cases import Told, a_case, asks, cassette_of, fails, live, run_one, says

if TYPE_CHECKING:
    from collections.abc import Callable

FILE = "c/shop/refund.json"
ANSWERS = (
    asks(
        {"order": "o1"}, {"order": "o2", "n": 1.0, "deep": [{"é": None}]}, reasoning=({"type": "thinking"},)
    ),
    fails(503, retry_after=5),
    asks({"order": "o3"}, usage=Usage(10, 2, 0, 1), latency_ms=40, model_served="m-1-2026"),
    says("Sent. ✓", chunks=("Se", "nt. ✓")),
)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a recording with a retry, parallel calls and a streamed answer."""
    root = tmp_path_factory.mktemp("recorded")
    answers = [replace_wait(answer) for answer in ANSWERS]
    with live(Told(*answers)):
        assert run_one(root, a_case(), mode="record").outcome == "passed"
    return cassette_of(root).read_text(encoding="utf-8")


def replace_wait(answer: Any) -> Any:
    """The failure asks to wait not at all, so that the test need not."""
    return fails(503, retry_after=0) if isinstance(answer, Exception) else answer


def edited(text: str, edit: Callable[[dict[str, Any]], object]) -> str:
    document = json.loads(text)
    edit(document)
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def damage(text: str) -> CassetteDamaged:
    with pytest.raises(CassetteDamaged) as caught:
        decode(text, FILE)
    return caught.value


# ---- laid out for a reviewer


def test_what_is_read_is_written_again_byte_for_byte(text: str) -> None:
    assert encode(decode(text, FILE)) == text


def test_the_file_is_indented_by_one_unescaped_and_ends_with_a_newline(text: str) -> None:
    assert text.startswith(f'{{\n "format": "{FORMAT}",\n "suite": "shop",\n "case": "refund",\n')
    assert text.endswith("}\n")
    assert "✓" in text


def test_the_file_holds_digests_of_the_request_and_none_of_its_content(text: str) -> None:
    for secretive in ("Be kind.", "Where is my order?", "Looks an order up.", '"sent"'):
        assert secretive not in text


def test_an_exchange_lists_only_what_changed_since_the_one_before(text: str) -> None:
    first, failed, answered, last = json.loads(text)["exchanges"]
    assert {"fingerprint_version", "provider", "model", "system", "tools.order"} <= first["head"].keys()
    assert [len(each["messages"]) for each in (first, failed, answered, last)] == [1, 2, 0, 2]
    assert [each["head"] for each in (failed, answered, last)] == [{}, {}, {}]
    assert failed["key"] == answered["key"]
    assert (failed["turn"], answered["attempt"], last["cuts"]) == (1, 1, [2])


@pytest.mark.parametrize("wait", [5, 5.0, 0.25])
def test_a_wait_is_kept_as_the_provider_wrote_it(text: str, wait: float) -> None:
    cassette = decode(text, FILE)
    error = dict(cassette.exchanges[1].error or {}, retry_after=wait)
    exchanges = (cassette.exchanges[0], replace(cassette.exchanges[1], error=error), *cassette.exchanges[2:])
    written = encode(replace(cassette, exchanges=exchanges))
    assert encode(decode(written, FILE)) == written


def test_the_header_keeps_all_its_fields() -> None:
    written = (
        f'{{"format": "{FORMAT}", "suite": "s", "case": "c", "provider": "p", "model": "m", "served": "m-1",'
        ' "sdk": "sdk", "sdk_version": "1.2", "scripted": true, "redaction": "7",'
        ' "ignore": [{"path": "system", "pattern": "x+"}], "exchanges": []}'
    )
    header = decode(written, FILE).header
    assert (header.suite, header.case, header.provider, header.model, header.served) == (
        "s",
        "c",
        "p",
        "m",
        "m-1",
    )
    assert (header.sdk, header.sdk_version, header.scripted, header.redaction) == ("sdk", "1.2", True, "7")
    assert header.ignore == (IgnoreRule("system", "x+"),)
    assert json.loads(encode(Cassette(header, ()))) == json.loads(written)


# ---- what does not matter


@pytest.mark.parametrize(
    "written",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\N{BYTE ORDER MARK}" + text,
        lambda text: json.dumps(json.loads(text), sort_keys=True),
        lambda text: json.dumps(json.loads(text), indent=4, ensure_ascii=True) + "\n\n",
        lambda text: json.dumps(dict(reversed(json.loads(text).items()))),
    ],
    ids=["CRLF", "a byte order mark", "sorted keys", "escapes and other spaces", "exchanges first"],
)
def test_another_layout_is_the_same_cassette(text: str, written: Callable[[str], str]) -> None:
    assert decode(written(text), FILE) == decode(text, FILE)


# ---- damage: one line each, with the place and a remedy

EDITS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "edited answer": (
        lambda d: d["exchanges"][3]["answer"].update(text="Never."),
        "the answer of exchange 3 is not",
    ),
    "edited argument": (
        lambda d: d["exchanges"][0]["answer"]["tool_calls"][1]["arguments"].update(n=1),
        "the answer of exchange 0 is not",
    ),
    "edited error": (
        lambda d: d["exchanges"][1]["error"].update(status=500),
        "the answer of exchange 1 is not",
    ),
    "edited usage": (
        lambda d: d["exchanges"][2]["usage"].update(input_tokens=9),
        "the answer of exchange 2 is not",
    ),
    "edited date": (
        lambda d: d["exchanges"][2].update(recorded="2020-01-01"),
        "the answer of exchange 2 is not",
    ),
    "edited digest of a field": (
        lambda d: d["exchanges"][0]["head"].update(system="0" * 16),
        "the key of exchange 0 does not follow",
    ),
    "edited digest of a message": (
        lambda d: d["exchanges"][3]["messages"][0].update(role="0" * 16),
        "the key of exchange 3 does not follow",
    ),
    "edited key": (lambda d: d["exchanges"][2].update(key="0" * 16), "the key of exchange 2 does not follow"),
    "edited digest": (lambda d: d["exchanges"][2].update(digest="0" * 16), "the answer of exchange 2 is not"),
    "an answer put under another request": (
        lambda d: d["exchanges"][3].update({n: d["exchanges"][2][n] for n in ("answer", "digest")}),
        "the answer of exchange 3 is not",
    ),
    "exchange removed": (lambda d: d["exchanges"].pop(1), "the key of exchange 1 does not follow"),
    "exchange doubled": (
        lambda d: d["exchanges"].insert(3, dict(d["exchanges"][2])),
        "exchange 3 stands before its turn",
    ),
    "exchanges swapped": (lambda d: d["exchanges"].reverse(), "the key of exchange 0 does not follow"),
    "keeps too much": (lambda d: d["exchanges"][1].update(keep=99), "exchange 1 keeps 99 of 1 messages"),
    "keeps less than nothing": (
        lambda d: d["exchanges"][1].update(keep=-1),
        "exchange 1 cannot be read: keep",
    ),
    "turn below nothing": (lambda d: d["exchanges"][1].update(turn=-1), "exchange 1 cannot be read: turn"),
    "turn is text": (lambda d: d["exchanges"][1].update(turn="1"), "exchange 1 cannot be read: turn"),
    "turn is true": (lambda d: d["exchanges"][1].update(turn=True), "exchange 1 cannot be read: turn"),
    "answer and error": (
        lambda d: d["exchanges"][1].update(answer={"text": None, "stop_reason": "end_turn"}),
        "exchange 1 cannot be read: it must hold either an answer or an error",
    ),
    "neither": (lambda d: d["exchanges"][3].pop("answer"), "exchange 3 cannot be read: it must hold either"),
    "unknown field": (lambda d: d["exchanges"][0].update(note="hi"), "exchange 0 cannot be read: note"),
    "no key": (lambda d: d["exchanges"][2].pop("key"), "exchange 2 cannot be read: key"),
    "an exchange that is a list": (lambda d: d["exchanges"].insert(2, []), "exchange 2 cannot be read"),
    "odd pointer": (
        lambda d: d["exchanges"][0].update(from_request={"[redacted:email:1]": "system"}),
        "exchange 0 cannot be read: from_request",
    ),
    "marker that is none": (
        lambda d: d["exchanges"][0].update(from_request={"e": "system[0:1]"}),
        "exchange 0 cannot be read: from_request",
    ),
    "infinite number": (
        lambda d: d["exchanges"][0]["answer"]["tool_calls"][0]["arguments"].update(order="1e400"),
        "exchange 0 holds a value that no recording has",
    ),
    "lone surrogate": (
        lambda d: d["exchanges"][0]["answer"]["tool_calls"][0]["arguments"].update(order="SURROGATE"),
        "exchange 0",
    ),
    "lone surrogate in a digest": (
        lambda d: d["exchanges"][0]["head"].update(system="SURROGATE"),
        "exchange 0",
    ),
    "deep arguments": (
        lambda d: d["exchanges"][0]["answer"]["tool_calls"][0]["arguments"].update(order="DEEP"),
        "exchange 0 holds a value that no recording has",
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_by_hand_is_named_with_its_line(text: str, name: str) -> None:
    edit, message = EDITS[name]
    broken = edited(text, edit).replace('"1e400"', "1e400").replace("SURROGATE", "\\ud800")
    broken = broken.replace('"DEEP"', "[" * 300 + "]" * 300)
    found = damage(broken)
    assert found.what.startswith(message)
    assert "record the case again with --cassette-mode record" in found.remedy
    assert "\n" not in found.message
    number = int(next(word for word in found.what.split() if word.isdigit()))
    begins = [at for at, line in enumerate(broken.split("\n"), 1) if line in ("  {", "  [],")]
    assert found.line == begins[number]


@pytest.mark.parametrize(
    ("broken", "message", "line"),
    [
        ("", "the file is empty", 1),
        (" \n\n", "the file is empty", 1),
        ("[]", "the file holds no JSON object", 1),
        ("null", "the file holds no JSON object", 1),
        ('{\n "format": \n', "not JSON: Expecting value", 3),
        ('{\n "a": "b\0c"}', "not JSON: Invalid control character at", 2),
        ("\0" * 10, "not JSON: Expecting value", 1),
        ('{\n "a": "NaN",\n "b": NaN}', "NaN is no JSON value", 3),
        ('{"a": -Infinity}', "-Infinity is no JSON value", 1),
        ("[" * 100_000, "nested too deeply", 0),
        ('{"a":' * 100_000, "nested too deeply", 0),
        ('{"a": ' + "1" * 5_000 + "}", "a number in it is too long to be read", 0),
        ('{"a": 1, "a": 2}', "the key 'a' stands twice in one object", 0),
        ("{\n<<<<<<< HEAD\n", "the file holds the markers of a merge conflict", 2),
        ("{\r\n=======\r\n", "the file holds the markers of a merge conflict", 2),
        ("{}\n\n>>>>>>> branch\n", "the file holds the markers of a merge conflict", 3),
        ("{}", "the format is missing, this version of dryfire reads", 1),
        ('{"format": 3}', "the format is not a text", 1),
        ('{"format": "dryfire-cassette/2"}', "the format is 'dryfire-cassette/2', this version", 1),
        ('{"format": "\\u001b[31m\\n' + "x" * 10_000 + '"}', "the format is '\\x1b[31m\\nxxx", 1),
    ],
)
def test_a_file_that_is_no_cassette_is_named_with_its_line(broken: str, message: str, line: int) -> None:
    found = damage(broken)
    assert found.what.startswith(message)
    assert found.line == line
    assert found.remedy
    assert len(found.message) < 250
    assert found.message.isprintable()


@pytest.mark.parametrize(
    "edit",
    [
        lambda d: d.update(exchanges={}),
        lambda d: d.pop("exchanges"),
        lambda d: d.update(suite=None),
        lambda d: d.pop("case"),
        lambda d: d.update({"\x1b[31m\n" * 500: 1}),
        lambda d: d.update(scripted="yes"),
    ],
    ids=["exchanges no list", "no exchanges", "suite is null", "no case", "odd field", "scripted is text"],
)
def test_a_broken_header_is_named_on_one_line(text: str, edit: Callable[[dict[str, Any]], object]) -> None:
    found = damage(edited(text, edit))
    assert found.line == 1
    assert found.message.isprintable()
    assert len(found.message) < 300


@pytest.mark.parametrize("cut", range(1, 20))
def test_a_truncated_file_is_damaged_wherever_it_was_cut(text: str, cut: int) -> None:
    found = damage(text[: len(text) * cut // 20])
    assert found.what.startswith("not JSON")
    assert found.line > 0
