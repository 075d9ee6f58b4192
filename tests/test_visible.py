"""Texts of strangers, made harmless."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dryfire_action.visible import closest, cut, harmless, normal_form, visible

ESCAPED = {
    "a\x1b[31mb": "a\\x1b[31mb",
    "a\nb\rc\td": "a\\nb\\rc\\td",
    "a\x00b\x7fc\x85d": "a\\x00b\\x7fc\\x85d",
    "a\u202eb\u2066c": "a\\u202eb\\u2066c",
    "a\u200bb\ufeffc\u2028d": "a\\u200bb\\ufeffc\\u2028d",
    "a\U000e0041b": "a\\U000e0041b",
    "a\ud83db": "a\\ud83db",
    "a\u200db": "a\\u200db",
    "##[error]x": "#\\x23[error]x",
}
KEPT = ["plain", "été 退款 ß", "\N{FAMILY}", "👩\u200d🚀", "می\u200cخواهم", "e\u0301", "C:\\x", "a  b"]


@pytest.mark.parametrize(("text", "shown"), ESCAPED.items(), ids=map(ascii, ESCAPED))
def test_what_cannot_be_seen_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("text", KEPT)
def test_what_can_be_seen_stays(text: str) -> None:
    assert visible(text) == text


@given(st.text(st.characters(codec=None)))
def test_the_shown_text_is_one_line_without_controls(text: str) -> None:
    shown = visible(text)
    assert len(shown.splitlines()) <= 1
    assert not [char for char in shown if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")]
    assert "##[" not in shown
    assert visible(shown) == shown


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("::error::x", "\\x3a:error::x"),
        ("ok\n  ::stop-commands::x", "ok\n  \\x3a:stop-commands::x"),
        ("suite::case", "suite::case"),
        ("x ##[group]", "x #\\x23[group]"),
    ],
)
def test_no_line_is_a_command_to_a_log_viewer(text: str, safe: str) -> None:
    assert harmless(text) == safe


@pytest.mark.parametrize(
    ("text", "most", "short"),
    [("abc", 3, "abc"), ("abcd", 3, "abc… (1 more character)"), ("abcde", 3, "abc… (2 more characters)")],
)
def test_what_is_cut_is_counted(text: str, most: int, short: str) -> None:
    assert cut(text, most) == short


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("replya", "; did you mean 'replay'?"),
        ("RECORD", "; did you mean 'record'?"),
        ("zzz", ""),
        ("", ""),
        ("a" * 100_000, ""),
    ],
)
def test_the_closest_known_word_is_proposed(word: str, hint: str) -> None:
    assert closest(word, ["replay", "record", "auto"]) == hint


COMPOSED = st.text("aé가각요ﾞ\u1100\u1161\u11a8\u0301\u0316\u0f73\u3099か \n㎏ﬁ")


@given(st.tuples(COMPOSED, st.integers(1, 60)).map(lambda drawn: drawn[0] * drawn[1]))
def test_a_text_taken_in_pieces_has_the_normal_form_of_the_whole(text: str) -> None:
    broken_by_words = " ".join(text[at : at + 90] for at in range(0, len(text), 90))
    for form in ("NFC", "NFKC"):
        assert normal_form(form, broken_by_words) == unicodedata.normalize(form, broken_by_words)


@pytest.mark.parametrize("marks", ["\u0301\u0316", "\u0f73", "\uff9e\u0316"], ids=ascii)
def test_a_long_run_of_marks_does_not_hang(marks: str) -> None:
    began = time.monotonic()
    normal_form("NFKC", "a" + marks * 200_000)
    assert time.monotonic() - began < 20
