"""Regular expressions of other people: the dialect of `re`, and no pattern runs for long."""

from __future__ import annotations

import contextlib
import re
import time

import pytest

from dryfire_action.errors import DryfireError
from dryfire_action.patterns import MAX_PATTERN_LENGTH, PatternError, PatternTimeout, compile_pattern


@pytest.mark.filterwarnings("ignore:Possible nested set")
@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("b+", "aabbb"),
        ("^b", "a\nb"),
        ("(?m)^b", "a\nb"),
        ("B", "b"),
        ("(?i)B", "b"),
        ("a.c", "a\nc"),
        ("a$", "a\n"),
        (r"\d+", "٣٤"),
        (r"(?P<n>\w+) (?P=n)", "x x"),
        (r"(?<=a)b(?!c)", "abd"),
        ("[[a]", "["),
        (r"a{,3}b", "aab"),
        ("", "x"),
    ],
)
def test_1_8_a_pattern_means_what_it_means_to_re(pattern: str, text: str) -> None:
    ours, theirs = compile_pattern(pattern).search(text), re.search(pattern, text)
    assert (ours is None) == (theirs is None)
    assert ours is None or theirs is None or ours.span() == theirs.span()


def test_all_matches_and_replacement() -> None:
    pattern = compile_pattern(r"\d+")
    assert [found.group() for found in pattern.finditer("1 22 333")] == ["1", "22", "333"]
    assert pattern.sub(r"\g<0>$1", "a1b2") == r"a\g<0>$1b\g<0>$1"
    assert pattern.fullmatch("12") is not None
    assert pattern.fullmatch("12 ") is None


@pytest.mark.parametrize("method", ["search", "fullmatch", "finditer", "sub"])
def test_a_pattern_that_would_run_for_ever_is_stopped(method: str) -> None:
    pattern = compile_pattern(r"(?:a|aa)+$", seconds=0.2)
    began = time.monotonic()
    with pytest.raises(PatternTimeout, match=r"took longer than 0\.2 s") as caught:
        getattr(pattern, method)(*(["x"] if method == "sub" else []), "a" * 80 + "!")
    assert time.monotonic() - began < 10
    assert isinstance(caught.value, DryfireError)
    assert caught.value.remedy


@pytest.mark.parametrize("pattern", ["(", "a**", "[z-a]", r"(?P<1>a)", r"\g", "(?<=a*)("])
def test_a_text_that_is_no_pattern_is_an_error_with_a_reason(pattern: str) -> None:
    with pytest.raises(PatternError, match="not a regular expression: "):
        compile_pattern(pattern)


def test_an_error_knows_its_position() -> None:
    with pytest.raises(PatternError) as caught:
        compile_pattern("ab(")
    assert caught.value.position == 2


def test_a_pattern_has_a_greatest_length() -> None:
    compile_pattern("a" * MAX_PATTERN_LENGTH)
    with pytest.raises(PatternError, match="longer than"):
        compile_pattern("a" * (MAX_PATTERN_LENGTH + 1))


@pytest.mark.parametrize(
    "pattern",
    ["a{1000000}", "(?:a{200}){200}", "(?:(?:[ab]{1000}){1000}){1000}", "(((a{99})+){99}){99}", "(a{20001}"],
)
def test_a_pattern_that_would_fill_the_memory_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError, match="repeats too much"):
        compile_pattern(pattern)


@pytest.mark.parametrize(
    "pattern", [r"[a-f0-9]{64}", r"(?:\d{1,3}\.){3}\d{1,3}", ".{0,1000}.{0,1000}", r"\{99999999999}", "a{x}"]
)
def test_ordinary_repetitions_are_fine(pattern: str) -> None:
    assert compile_pattern(pattern)


@pytest.mark.parametrize(
    "pattern", ["(" * 2000 + ")" * 2000, "(?:a{1,9999}){1,9999}" * 5, "((((a?){99}){99}){99}){99}"]
)
def test_a_pattern_built_to_be_hard_to_compile_is_an_answer_in_short_time(pattern: str) -> None:
    began = time.process_time()
    with contextlib.suppress(PatternError):
        compile_pattern(pattern)
    assert time.process_time() - began < 5
