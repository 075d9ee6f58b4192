"""A diff shows what differs, also where it cannot be seen, and never takes long."""

from __future__ import annotations

import unicodedata
from time import process_time
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dryfire_action.text_diff import ABSENT, DiffLine, as_text, diff

POEM = "".join(f"line {number}\n" for number in range(1, 13))


def shown(old: Any, new: Any, **how: int) -> str:
    return as_text(diff(old, new, **how))


def marked(lines: tuple[DiffLine, ...]) -> list[str]:
    return [line.text[start:end] for line in lines for start, end in line.changed]


TEXTS = {
    "one line of three": (
        "Be brief.\nAt most 30 days.\nNo dates.",
        "Be brief.\nAt most 14 days.\nNo dates.",
        "  Be brief.\n- At most 30 days.\n+ At most 14 days.\n  No dates.",
    ),
    "a line that was added at the end": ("a", "a\nb", "  a\n+ b"),
    "a line that was removed": ("a\nb\nc\n", "a\nc\n", "  a\n- b\n  c"),
    "two edits far apart": (
        POEM,
        POEM.replace("line 2\n", "LINE 2\n").replace("line 11\n", ""),
        "  line 1\n- line 2\n+ LINE 2\n  line 3\n  line 4\n  … 4 equal lines\n  line 9\n  line 10\n"
        "- line 11\n  line 12",
    ),
    "one equal line is shown rather than counted": (
        POEM,
        POEM.replace("line 4\n", "4\n"),
        "  line 1\n  line 2\n  line 3\n- line 4\n+ 4\n  line 5\n  line 6\n  … 6 equal lines",
    ),
    "nothing before": (ABSENT, "a\nb", "+ a\n+ b"),
    "nothing after": ("a\nb", ABSENT, "- a\n- b"),
    "an empty text before": ("", "a", "+ a"),
    "a line end at the end": ("a\nb", "a\nb\n", "  a\n- b⟨no newline at the end⟩\n+ b⟨LF⟩"),
    "windows line ends": (
        "a\nb\n",
        "a\r\nb\n",
        "- a⟨LF⟩\n+ a⟨CRLF⟩\n  b",
    ),
    "old mac line ends": ("a\rb", "a\nb", "- a⟨CR⟩\n+ a⟨LF⟩\n  b"),
    "a blank at the end": ("a \nb", "a\nb", "- a·\n+ a\n  b"),
    "a tab at the end": ("a\t \nb", "a\nb", "- a⟨TAB⟩·\n+ a\n  b"),
    "a dot where a blank would be shown as one": ("a·", "a ", "- a⟨U+00B7 MIDDLE DOT⟩\n+ a·"),
    "a tab for a blank": ("a\tb", "a b", "- a⟨TAB⟩b\n+ a b"),
    "a blank that does not break": ("a\u00a0b", "a b", "- a⟨U+00A0 NO-BREAK SPACE⟩b\n+ a b"),
    "a character that is not seen": (
        "in\u200bvoice",
        "invoice",
        "- in⟨U+200B ZERO WIDTH SPACE⟩voice\n+ invoice",
    ),
    "a joiner between latin letters": ("a\u200db", "ab", "- a⟨U+200D ZERO WIDTH JOINER⟩b\n+ ab"),
    "a letter that is drawn as nothing": ("a\u3164", "a", "- a⟨U+3164 HANGUL FILLER⟩\n+ a"),
    "a variation selector": ("\u2764\ufe0f", "\u2764", "- \u2764⟨U+FE0F VARIATION SELECTOR-16⟩\n+ \u2764"),
    "a byte order mark": ("\ufeffa", "a", "- ⟨U+FEFF ZERO WIDTH NO-BREAK SPACE⟩a\n+ a"),
    "a control character": ("a\x1b[31mb", "ab", "- a⟨U+001B ESCAPE⟩[31mb\n+ ab"),
    "a composed and a decomposed letter": (
        "caf\u00e9",
        "cafe\u0301",
        "- caf⟨U+00E9 LATIN SMALL LETTER E WITH ACUTE⟩\n+ cafe⟨U+0301 COMBINING ACUTE ACCENT⟩",
    ),
    "syllables and their parts": (
        "\uac00",
        "\u1100\u1161",
        "- ⟨U+AC00 HANGUL SYLLABLE GA⟩\n+ ⟨U+1100 HANGUL CHOSEONG KIYEOK⟩⟨U+1161 HANGUL JUNGSEONG A⟩",
    ),
    "a letter of another script in a word": (
        "the payment is due",
        "the p\u0430yment is due",
        "- the payment is due\n+ the p⟨U+0430 CYRILLIC SMALL LETTER A⟩yment is due",
    ),
    "a word that is a letter of another script": (
        "a b",
        "\u0430 b",
        "- a b\n+ ⟨U+0430 CYRILLIC SMALL LETTER A⟩ b",
    ),
    "text that turns around, also where it is equal": (
        "a\u202eb\nc",
        "a\u202eb\nd",
        "  a⟨U+202E RIGHT-TO-LEFT OVERRIDE⟩b\n- c\n+ d",
    ),
    "a command for a log viewer": ("::error::x\na", "::error::x\nb", "  \\x3a:error::x\n- a\n+ b"),
    "an emoji of several parts": (
        "\U0001f469\u200d\U0001f4bb a\nb",
        "\U0001f469\u200d\U0001f4bb a\nc",
        "  \U0001f469\u200d\U0001f4bb a\n- b\n+ c",
    ),
    "separators that are no line ends here": ("a\u2028b", "a b", "- a⟨U+2028 LINE SEPARATOR⟩b\n+ a b"),
}


@pytest.mark.parametrize(("old", "new", "wanted"), TEXTS.values(), ids=TEXTS.keys())
def test_texts_are_compared_by_line_and_nothing_hides(old: Any, new: Any, wanted: str) -> None:
    assert shown(old, new) == wanted


VALUES = {
    "a number and the same number": ({"n": 780}, {"n": 780.0}, '  {\n-   "n": 780\n+   "n": 780.0\n  }'),
    "a number and a text": (780, "780", '- 780\n+ "780"'),
    "truth and one": (True, 1, "- true\n+ 1"),
    "null and nothing": (None, ABSENT, "- null"),
    "null and a text": (None, "null", '- null\n+ "null"'),
    "order of keys means nothing": ({"b": 1, "a": 2}, {"a": 2, "b": 1}, ""),
    "order of a list does": ([1, 2], [2, 1], "  [\n-   1,\n-   2\n+   2,\n+   1\n  ]"),
    "a list that a mock wrote as text": ("[1, 2.0]", "[1, 2]", "  [\n    1,\n-   2.0\n+   2\n  ]"),
    "json written in another way is a text": ('{"a":1}', '{"a": 1}', '- {"a":1}\n+ {"a": 1}'),
    "letters stay letters": ({"a": "ü"}, {"a": "ö"}, '  {\n-   "a": "ü"\n+   "a": "ö"\n  }'),
    "what cannot be seen in a value": (
        {"a": "x\u200b"},
        {"a": "x"},
        '  {\n-   "a": "x⟨U+200B ZERO WIDTH SPACE⟩"\n+   "a": "x"\n  }',
    ),
    "an empty list and an empty map": ([], {}, "- []\n+ {}"),
}


@pytest.mark.parametrize(("old", "new", "wanted"), VALUES.values(), ids=VALUES.keys())
def test_values_are_laid_out_with_their_types(old: Any, new: Any, wanted: str) -> None:
    assert shown(old, new) == wanted


WORDS = {
    "one word": ("at most 30 days old", "at most 14 days old", ["30", "14"]),
    "words next to one another": ("do it now please", "do not wait please", ["it now", "not wait"]),
    "a word that was added": ("be brief", "be very brief", ["very "]),
    "a part of a number": ("limit: 2", "limit: 2.0", [".0"]),
    "a long word is marked where it differs": (
        "x" * 60 + "a" + "y" * 60,
        "x" * 60 + "b" + "y" * 60,
        ["a", "b"],
    ),
}


@pytest.mark.parametrize(("old", "new", "wanted"), WORDS.values(), ids=WORDS.keys())
def test_changed_words_are_marked_in_both_lines(old: str, new: str, wanted: list[str]) -> None:
    assert [word.strip() for word in marked(diff(old, new))] == [word.strip() for word in wanted]


def test_lines_find_their_counterpart_among_others() -> None:
    lines = diff("Refund at most 30 euros.\n", "Hello!\nRefund at most 14 euros.\n")
    assert as_text(lines) == "- Refund at most 30 euros.\n+ Hello!\n+ Refund at most 14 euros."
    assert marked(lines) == ["30", "14"]


def test_a_long_line_is_cut_around_what_differs() -> None:
    filler = "word " * 500
    lines = diff(f"{filler}30 days {filler}", f"{filler}14 days {filler}", width=100)
    assert [line.text[:1] + line.text[-1:] for line in lines] == ["……", "……"]
    assert marked(lines) == ["30", "14"]
    assert all(len(line.text) == 102 for line in lines)


def test_a_long_equal_line_is_cut_at_its_end() -> None:
    lines = diff("a" * 500 + "\nx", "a" * 500 + "\ny", width=100)
    assert lines[0] == DiffLine(" ", "a" * 100 + "…")


@pytest.mark.parametrize("limit", [5, 10, 40])
def test_a_large_change_shows_some_of_both_sides(limit: int) -> None:
    lines = diff(*("".join(f"{side}{k}\n" for k in range(100)) for side in "ab"), limit=limit)
    assert len(lines) <= limit
    removed, added = ([line.sign for line in lines].count(sign) for sign in "-+")
    assert removed
    assert 0 <= added - removed <= 1
    assert [line.text for line in lines if line.sign == "…"] == [
        f"{100 - removed} more lines removed",
        f"{100 - added} more lines added",
    ]


def test_changes_beyond_the_limit_are_counted() -> None:
    old = "".join(f"{k}\n" for k in range(400))
    new = "".join(f"{k}{'!' if k % 10 == 0 else ''}\n" for k in range(400))
    lines = diff(old, new, limit=20)
    assert len(lines) <= 20
    assert lines[-1] == DiffLine("…", "37 more changes")


def test_the_line_where_a_diff_ends_is_counted_when_nothing_follows() -> None:
    lines = diff("a\n" + "x\n" * 9, "b\n" + "x\n" * 9, context=1)
    assert as_text(lines) == "- a\n+ b\n  x\n  … 8 equal lines"


def sides(lines: tuple[DiffLine, ...]) -> tuple[list[str], list[str]]:
    return [line.text for line in lines if line.sign in " -"], [
        line.text for line in lines if line.sign in " +"
    ]


LINES = st.lists(st.text("abc\u00e9 ", max_size=4).map(lambda line: line + "."), max_size=12)


@given(LINES, LINES)
def test_a_whole_diff_holds_both_sides(old: list[str], new: list[str]) -> None:
    assume(old != new)
    lines = diff("\n".join(old), "\n".join(new), context=100, limit=1000)
    assert sides(lines) == (old, new)


@given(st.lists(st.sampled_from("ab"), max_size=150), st.lists(st.sampled_from("abcde"), max_size=300))
def test_a_diff_too_large_to_be_exact_still_holds_both_sides(old: list[str], new: list[str]) -> None:
    assume(old != new)
    lines = diff("\n".join(old), "\n".join(new), context=1000, limit=10_000)
    assert sides(lines) == (old, new)


ODD = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from("ab \t\r\n\u200b\u0301e\u00e9\u00b7\u0430\u1100\u1161\uac00\u200d\ufe0f"),
    ),
    max_size=8,
)


@given(ODD, ODD)
def test_what_differs_is_never_shown_as_if_it_were_equal(old: str, new: str) -> None:
    assume(old != new and "⟨" not in old + new)
    before, after = sides(diff(old, new, context=100, limit=1000, width=1000))
    assert before != after
    if "\n" not in old + new and "\r" not in old + new:
        assert [unicodedata.normalize("NFKC", line) for line in before] != [
            unicodedata.normalize("NFKC", line) for line in after
        ]


@given(ODD, ODD, st.integers(1, 12))
def test_marks_lie_inside_their_lines(old: str, new: str, width: int) -> None:
    for line in diff(old, new, width=width):
        edges = [edge for span in line.changed for edge in span]
        assert edges == sorted(edges)
        assert all(0 <= edge <= len(line.text) for edge in edges)


@given(st.text(max_size=30), st.text(max_size=30), st.integers(6, 12))
def test_no_line_hides_another_one(old: str, new: str, limit: int) -> None:
    """Whatever is in a text, each line of its diff is one line."""
    old, new = (text.encode("utf-8", "replace").decode() for text in (old, new))
    lines = diff(old, new, limit=limit)
    assert len(lines) <= limit
    assert len(as_text(lines).splitlines()) == len(lines)


HOSTILE = {
    "equal lines without end": ("a\n" * 200_000, "a\n" * 199_999 + "b\n"),
    "two lines, over and over": ("a\nb\n" * 50_000, "b\na\n" * 50_000 + "c"),
    "all different": ("".join(f"{k}\n" for k in range(50_000)), "".join(f"{k}x\n" for k in range(50_000))),
    "all reversed": ("".join(f"{k}\n" for k in range(50_000)), "".join(f"{-k}\n" for k in range(-50_000, 0))),
    "every other line": (
        "".join(f"{k}\n" for k in range(60_000)),
        "".join(f"{k}\n" for k in range(0, 60_000, 2)),
    ),
    "one line": ("a " * 1_000_000, "b " * 1_000_000),
    "one word": ("a" * 2_000_000 + "b", "a" * 2_000_000 + "c"),
    "one line of two words": ("a b " * 300_000 + "x", "b a " * 300_000 + "y"),
    "many long lines": (
        "\n".join("a b c d " * 2_000 for _ in range(40)),
        "\n".join("d c b a " * 2_000 for _ in range(40)),
    ),
    "combining marks": ("a" + "\u0301" * 300_000, "a" + "\u0300" * 300_000),
    "nested": ("[" * 100_000, "[" * 100_001),
    "a long list": ([*range(100_000)], [*range(1, 100_001)]),
    "blocks of equal lines": (("a\n" * 150 + "b\n") * 300, ("b\n" + "a\n" * 149) * 300),
}


@pytest.mark.parametrize(("old", "new"), HOSTILE.values(), ids=HOSTILE.keys())
def test_no_text_takes_long(old: Any, new: Any) -> None:
    before = process_time()
    lines = diff(old, new)
    assert 0 < len(lines) <= 40
    assert sum(len(line.text) for line in lines) < 400_000
    assert process_time() - before < 30, "what should take a fraction of a second, on a busy machine too"
