"""Recorded calls as files: both forms are known by their content, what cannot be trusted is refused by line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.call_cassette import CallHeader
from dryfire_action.call_cassette_file import FORMAT, decode, encode, load
from dryfire_action.cassette_file import decode as decode_suite
from dryfire_action.errors import CassetteDamaged, UsageError
from dryfire_action.llm import MockLLM
from dryfire_action.replay import Cassette
from tests.conformance.made_replays import asks, recorded, recorded_agent

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_line_is_a_call_with_its_request_and_its_answer(tmp_path: Path) -> None:
    header, llm, tool = lines(recorded_agent(tmp_path / "c.jsonl"))
    assert (header["type"], header["format"], header["requests"]) == ("header", FORMAT, "text")
    assert (llm["kind"], llm["index"], llm["answer"]["text"]) == ("llm", 0, "Order 1234 has shipped.")
    assert (tool["kind"], tool["index"], tool["name"]) == ("tool", 0, "lookup_order")
    assert tool["request"] == {"tool": "lookup_order", "arguments": {"order_id": "1234"}}
    assert tool["answer"] == {"value": {"id": "1234", "status": "shipped"}}


def test_reading_and_writing_give_the_same_bytes(tmp_path: Path) -> None:
    text = recorded_agent(tmp_path / "c.jsonl").read_text(encoding="utf-8")
    assert encode(*decode(text, "c.jsonl")) == text


def test_any_other_suffix_is_the_form_of_suites(tmp_path: Path) -> None:
    path = recorded(tmp_path / "c.json", "one", "two")
    cassette = decode_suite(path.read_text(encoding="utf-8"), "c.json")
    assert (cassette.header.case, len(cassette.exchanges)) == ("c", 2)
    assert "one" not in path.read_text(encoding="utf-8").replace("answer to one", "")
    assert asks(Cassette.load(path).wrap_llm(), "one", "two") == ["answer to one", "answer to two"]


def test_the_form_of_suites_refuses_calls_of_tools(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'lookup_order' was recorded"):
        recorded_agent(tmp_path / "c.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".jsonl", ".json"])
def test_the_form_is_recognised_by_its_content(tmp_path: Path, suffix: str) -> None:
    path = recorded(tmp_path / f"c{suffix}", "one").rename(tmp_path / "recording.txt")
    assert asks(Cassette.load(path).wrap_llm(), "one") == ["answer to one"]


def test_separators_of_lines_in_a_text_do_not_end_a_call(tmp_path: Path) -> None:
    cassette = Cassette()
    asks(cassette.wrap_llm(MockLLM(["a\u2028b\u0085c\r\nd\x0ce"])), "one")
    cassette.save(tmp_path / "c.jsonl")
    assert asks(Cassette.load(tmp_path / "c.jsonl").wrap_llm(), "one") == ["a\u2028b\u0085c\r\nd\x0ce"]


def edit(line: int, **fields: Any) -> Callable[[list[Any]], list[Any]]:
    def change(documents: list[Any]) -> list[Any]:
        documents[line] |= fields
        return documents

    return change


DAMAGE: dict[str, tuple[Callable[[list[Any]], list[Any]], str]] = {
    "no header": (lambda found: found[1:], "1: the format is missing"),
    "another format": (edit(0, format="dryfire-calls/2"), "1: the format is 'dryfire-calls/2', .* reads"),
    "an odd header": (edit(0, metadata=[]), "1: the header's metadata"),
    "an edited answer": (edit(2, answer={"value": {"id": "9"}}), "3: .*edited by hand"),
    "an edited text": (edit(1, answer={"text": "Lost.", "stop_reason": "end_turn"}), "2: .*edited by hand"),
    "an edited request": (edit(1, request={"messages": []}), "2: .*edited by hand"),
    "another key": (edit(1, key="0" * 16), "2: .*its key does not follow"),
    "another index": (edit(2, index=1), "3: .*edited by hand"),
    "an unknown kind": (edit(1, kind="human"), "2: .*type or kind"),
    "a negative index": (edit(1, index=-1), "2: .*index or name"),
    "more than a value": (edit(2, answer={"value": 1, "more": 2}), "3: .*its value alone"),
    "both outcomes": (edit(1, error={"kind": "x", "message": "", "retryable": False}), "2: .*either"),
    "a call twice": (lambda found: [*found, found[1]], "4: llm call #0 stands twice"),
}


@pytest.mark.parametrize(("change", "complaint"), DAMAGE.values(), ids=DAMAGE.keys())
def test_damage_is_named_by_line(
    tmp_path: Path, change: Callable[[list[Any]], list[Any]], complaint: str
) -> None:
    path = recorded_agent(tmp_path / "c.jsonl")
    path.write_text("".join(json.dumps(line) + "\n" for line in change(lines(path))), encoding="utf-8")
    with pytest.raises(CassetteDamaged, match=rf"c\.jsonl:{complaint}"):
        load(path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "1: the format is missing"),
        ("<<<<<<< HEAD\n", "1: .*merge conflict"),
        ('{"type": "header", "format": "dryfire-calls/1"}\n{"type": "call", \n', "2: not JSON"),
        ('{"type": "header", "format": "dryfire-calls/1"}\n[]\n', "2: .*no JSON object"),
    ],
)
def test_what_is_no_file_of_calls_is_named_by_line(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "c.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(CassetteDamaged, match=rf"c\.jsonl:{complaint}"):
        load(tmp_path / "c.jsonl")


def test_a_file_that_is_not_there_says_how_to_record(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no recording") as caught:
        Cassette.load(tmp_path / "none.jsonl")
    assert "Cassette()" in caught.value.remedy


def test_an_empty_recording_is_a_header() -> None:
    assert decode(encode(CallHeader(), ()), "c") == (CallHeader(), ())
