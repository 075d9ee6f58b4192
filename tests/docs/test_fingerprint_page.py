"""The page about fingerprints lists what the code leaves out, and its worked example can be worked."""

from __future__ import annotations

import json
import re
from hashlib import sha256

from dryfire_action import change_notes
from dryfire_action.canonical_json import DIGEST_LENGTH, MAX_DEPTH
from dryfire_action.fingerprint import CACHE_MARKS, TRANSPORT_PARAMS, fingerprint_of
from dryfire_action.messages import Message, Request
from tests.house.repository import ROOT
from tests.made_requests import rich_request

PAGE = (ROOT / "docs/explanation/fingerprint.md").read_text(encoding="utf-8")
EXAMPLE = Request(
    "openai",
    "small-1",
    (Message("user", "Where is ord_1001?"),),
    system="Be brief.",
    params={"temperature": 0, "timeout": 30},
)


def section(heading: str) -> str:
    return PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def item(beginning: str) -> list[str]:
    """What stands in backquotes in the item of a list that begins so."""
    [text] = [
        each
        for each in re.split(r"^- ", section("What does not count"), flags=re.MULTILINE)
        if each.startswith(beginning)
    ]
    return re.findall(r"`([^`]+)`", text)


def test_what_is_left_out_is_listed_in_full_and_in_order() -> None:
    assert item("Parameters that steer") == sorted(TRANSPORT_PARAMS)
    assert item("Marks that say") == sorted(CACHE_MARKS)


def test_the_fields_that_the_page_shows_are_those_that_there_are() -> None:
    shown = re.search(r"```text\n(.*?)```", section("What counts"), re.DOTALL)
    assert shown
    fields = {re.sub("lookup", "find_order", path) for path in fingerprint_of(rich_request()).fields}
    assert set(shown[1].split()) <= fields
    kinds = {re.sub(r"\[[^\]]*\]", "[]", path) for path in fields}
    named = {re.sub(r"\[[^\]]*\]", "[]", path) for path in shown[1].split()}
    elsewhere = {"fingerprint_version", "script[]", "messages[].tool_calls[].malformed_arguments"}
    assert {kind for kind in kinds - named if not kind.startswith("params.")} == elsewhere


def test_the_worked_example_can_be_worked_with_a_hash_and_nothing_else() -> None:
    blocks = re.findall(r"```text\n(.*?)```", section("How a key is derived"), re.DOTALL)
    given, lines, [key] = blocks[0], blocks[1].splitlines(), blocks[2].split()
    digests = {name: digest for line in lines for name, digest in json.loads(line).items()}
    values = dict(re.split(r" {2,}", line) for line in given.splitlines())
    values["params.temperature"] = 0  # type: ignore[assignment]
    del values["params"]
    assert digests.pop("fingerprint_version") == "1"
    assert digests == {
        path.removeprefix("messages[0]."): sha256(json.dumps(value).encode()).hexdigest()[:16]
        for path, value in values.items()
    }
    head, message = (line.encode() for line in lines)
    running = sha256(sha256(b"messages").digest() + message).digest()
    assert sha256(sha256(head).digest() + running).hexdigest()[:16] == key == fingerprint_of(EXAMPLE).key


def test_numbers_and_sentences_of_the_page_are_those_of_the_code() -> None:
    assert f"{DIGEST_LENGTH} hexadecimal digits" in PAGE
    assert f"more than {MAX_DEPTH} deep" in PAGE
    table = section("When in doubt, stale")
    for note in (
        *(change_notes.SAME_NUMBER, change_notes.UNICODE_FORM, change_notes.LINE_ENDS),
        *(change_notes.OTHER_ORDER, change_notes.DATE),
    ):
        assert f"| {note} |" in table
