"""Files as text."""

from __future__ import annotations

import pytest

from dryfire_action.source_text import decoded, lines_of, parsable
from dryfire_action.yaml_io import read_document


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ("",)),
        ("a\nb", ("a", "b")),
        ("a\r\nb\rc\n", ("a", "b", "c", "")),
        ("a\u2028b\x85c\x0bd", ("a\u2028b\x85c\x0bd",)),
    ],
)
def test_lines_end_where_editors_see_them_end(text: str, lines: tuple[str, ...]) -> None:
    assert lines_of(text) == lines


def test_a_byte_order_mark_is_no_text() -> None:
    assert decoded(b"\xef\xbb\xbfa", "a") == "a"
    assert decoded("a\ufeff".encode(), "a") == "a\ufeff"


@pytest.mark.parametrize("text", ["plain", "a\u2028b\ufeff", "\ue000\u2029", "é\x85"])
def test_stand_ins_give_back_what_was_there_and_keep_the_length(text: str) -> None:
    found, stand_ins = parsable(text, "a.yaml")
    assert len(found) == len(text)
    assert found.translate(stand_ins) == text
    assert not set(found) & set("\u2028\u2029\ufeff\x85")


def test_a_text_that_leaves_no_stand_in_is_read_as_it_is() -> None:
    everything = "".join(
        map(chr, [*range(0xE000, 0xF900), *range(0xF0000, 0xFFFFE), *range(0x100000, 0x10FFFE)])
    )
    assert read_document(everything + "\ufeff", "a.yaml").value == everything + "\ufeff"
