"""The page about the format of cassettes names every field that the code reads, and no other."""

from __future__ import annotations

import json
import re
import typing
from typing import TYPE_CHECKING

import pytest

from dryfire_action import cassette_document
from dryfire_action.cassette_file import FORMAT, SIZE_LIMIT
from dryfire_action.cassette_names import cassette_path, partial_path
from dryfire_action.messages import Message, Request, StopReason
from dryfire_action.request_texts import pointed_to
from tests.house.repository import ROOT
from tests.made_cases import Told, a_case, asks, cassette_of, fails, live, run_one, says

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (ROOT / "docs/reference/cassette-format.md").read_text(encoding="utf-8")


def table(name: str) -> dict[str, str]:
    """The keys in the table that is marked with the name of a document, and what is said of each."""
    marked = re.search(rf"<!-- keys: {name} -->\n((?:\|.*\n)+)", PAGE)
    assert marked is not None, f"the page has no table of {name}"
    rows = [row.strip("|").split("|") for row in marked[1].splitlines()[2:]]
    return {key: row[1].strip() for row in rows for key in re.findall(r"`([^`]+)`", row[0])}


@pytest.mark.parametrize(
    "name",
    [
        "ExchangeDocument",
        "AnswerDocument",
        "CallDocument",
        "UsageDocument",
        "ErrorDocument",
        "HeaderDocument",
    ],
)
def test_the_table_names_the_fields_that_are_read(name: str) -> None:
    fields = set(typing.get_type_hints(getattr(cassette_document, name)))
    if name == "HeaderDocument":
        fields.add("exchanges")
    assert set(table(name)) == fields


def test_what_a_recording_writes_is_in_the_tables(tmp_path: Path) -> None:
    with live(
        Told(fails(503), asks({"a": 1}, latency_ms=3), says("ok", chunks=("o", "k"), model_served="m"))
    ):
        run_one(tmp_path, a_case(), mode="record")
    document = json.loads(cassette_of(tmp_path).read_text(encoding="utf-8"))
    assert set(document) <= set(table("HeaderDocument"))
    for exchange in document["exchanges"]:
        assert set(exchange) <= set(table("ExchangeDocument"))
        assert set(exchange.get("error", ())) <= set(table("ErrorDocument"))
        assert set(exchange.get("answer", ())) <= set(table("AnswerDocument"))


def test_the_page_names_the_format_and_its_limits() -> None:
    assert f"The format `{FORMAT}`." in PAGE
    assert f"{SIZE_LIMIT:,} bytes" in PAGE
    assert table("HeaderDocument")["ignore"].endswith("each with `path` and `pattern`")
    assert set(typing.get_type_hints(cassette_document.IgnoreDocument)) == {"path", "pattern"}
    reasons = table("AnswerDocument")["stop_reason"]
    assert set(re.findall(r"`(\w+)`", reasons)) == set(typing.get_args(StopReason))


def test_the_paths_are_where_recordings_lie() -> None:
    folder = ".dryfire/cassettes"
    assert cassette_path(folder, "s", "c") == f"{folder}/s/c.json"
    assert f"{folder}/<suite>/<case>.json" in PAGE
    assert cassette_path(folder, "s", "c", "m") == f"{folder}/s/c@m.json"
    assert f"{folder}/<suite>/<case>@<model>.json" in PAGE
    assert partial_path(folder, f"{folder}/s/c.json") == f"{folder}/.partial/s/c.jsonl"
    assert "`.partial/<suite>/<case>.jsonl`" in PAGE


def test_the_pointer_of_the_example_is_one() -> None:
    pointers = re.findall(r'"\[redacted:email:1\]": "([^"]+)"', PAGE)
    assert len(pointers) == 1
    asked = Request("p", "m", (Message("user", "0123456789abcdefghijklmnopqrstuvwxyz"),))
    assert pointed_to(pointers[0], asked) == "ghijklmnop"
