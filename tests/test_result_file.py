"""Result files of strangers: what is none is refused, and is not quoted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from dryfire_action.reports.result_json import text
from dryfire_action.result_merge import ResultFileError, parse_result, read_result
from tests.made_documents import made
from tests.reports.test_result_json import FOUND

if TYPE_CHECKING:
    from pathlib import Path


def test_a_result_that_was_written_is_read_again(tmp_path: Path) -> None:
    found = made(FOUND["everything"], "all")
    path = tmp_path / "result.json"
    path.write_text(text(found), encoding="utf-8")
    assert read_result(path) == found


GOOD = text(made(FOUND["passed"]))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is no JSON"),
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"[]", "no result file of the format"),
        (b"{}", "no result file of the format"),
        (b'"dryfire-result/1"', "no result file of the format"),
        (b"[" * 100_000, "nested too deeply"),
        (GOOD.replace("dryfire-result/1", "dryfire-result/2").encode(), "no result file of the format"),
        (GOOD.replace('"left_out": 0', '"left_out": NaN').encode(), "NaN is no number"),
        (GOOD.replace('"left_out": 0', '"left_out": 1e999').encode(), "a number is too large"),
        (GOOD.replace('"left_out": 0', f'"left_out": {"9" * 5000}').encode(), "a number is too large"),
        (GOOD.replace('"left_out": 0', '"left_out": 9007199254740993').encode(), "a number is too large"),
        (GOOD.replace('"left_out": 0', '"left_out": -1').encode(), "left_out: minimum does not hold"),
        (GOOD.replace('"left_out": 0', '"left_out": 0, "left_out": 0').encode(), "a key stands twice"),
        (GOOD.replace('"left_out": 0', '"left_out": 0, "more": 0').encode(), "additionalProperties"),
        (GOOD.replace('"name": "s"', r'"name": "\ud800"').encode(), "is not UTF-8 text"),
        (GOOD.replace('"outcome": "passed"', '"outcome": "<img src=x>"').encode(), "suites"),
        (GOOD[:-20].encode(), "is no JSON"),
    ],
)
def test_what_is_no_result_is_refused_without_a_word_of_its_own(content: bytes, why: str) -> None:
    with pytest.raises(ResultFileError) as caught:
        parse_result(content, "result.json")
    assert why in str(caught.value)
    assert str(caught.value).startswith("result.json: ")
    assert "<img" not in str(caught.value)


def test_only_regular_files_of_a_bounded_size_are_read(tmp_path: Path) -> None:
    good = tmp_path / "good.json"
    good.write_text(GOOD, encoding="utf-8")
    (tmp_path / "link.json").symlink_to(good)
    os.mkfifo(tmp_path / "pipe.json")
    for name, why in (
        ("link.json", "is no regular file"),
        ("pipe.json", "is no regular file"),
        (".", "is no regular file"),
        ("none.json", "cannot be read: No such file"),
        ("a\0b", "holds a NUL character"),
    ):
        with pytest.raises(ResultFileError, match=why):
            read_result(tmp_path / name)
    with pytest.raises(ResultFileError, match="has more than 100 bytes"):
        read_result(good, limit=100)


WORST = text(made(FOUND["everything"], "all"))


@pytest.mark.parametrize(
    ("content", "old", "new", "why"),
    [
        (GOOD, '"passed": 1', '"passed": 2', "counts"),
        (GOOD, '"outcome": "passed"', '"outcome": "stale"', "counts"),
        (GOOD, '"exit_code": 0', '"exit_code": 3', "exit_code"),
        (GOOD, '"state": "clear"', '"state": "stale"', "state is stale"),
        (GOOD, '"state": "clear"', '"state": "failed"', "state is failed"),
        (GOOD, '"state": "clear"', '"state": "skipped"', "state is skipped"),
        (GOOD, '"complete": true', '"complete": false', "not all of it was checked"),
        (GOOD, '"interrupted": false', '"interrupted": true', "not all of it was checked"),
        (GOOD, '"not_run": 0', '"not_run": 5', "cases did not run"),
        (GOOD, '"outcome": "replayed"', '"outcome": "stale"', "a turn of it was not answered"),
        (WORST, '"state": "stopped"', '"state": "clear"', "state is clear"),
        (WORST, '"exit_code": 2', '"exit_code": 0', "exit_code is 0"),
    ],
)
def test_what_is_an_all_clear_in_one_place_only_is_refused(
    content: str, old: str, new: str, why: str
) -> None:
    changed = content.replace(old, new, 1)
    assert changed != content
    with pytest.raises(ResultFileError, match="contradicts itself") as caught:
        parse_result(changed.encode(), "result.json")
    assert why in str(caught.value)
