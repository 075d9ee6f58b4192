"""YAML and JSON as plain data with places: the dialect of section 1.1, and what hostile files try."""

from __future__ import annotations

import math
import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dryfire_action import yaml_io
from dryfire_action.errors import Place, Problem, SpecError
from dryfire_action.yaml_io import MAX_DEPTH, read_document


def problems_in(text: str | bytes, file: str = "a.yaml") -> list[Problem]:
    with pytest.raises(SpecError) as caught:
        read_document(text, file)
    return list(caught.value.problems)


def shown(text: str | bytes, file: str = "a.yaml") -> list[str]:
    return [f"{found.place.line}:{found.place.column} {found.message}" for found in problems_in(text, file)]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        *[(word, word) for word in ("yes", "no", "on", "off", "Yes", "NO", "On", "y", "n")],
        *[(word, True) for word in ("true", "True", "TRUE")],
        *[(word, False) for word in ("false", "False", "FALSE")],
        *[(word, None) for word in ("~", "null", "Null", "NULL", "")],
        ("nULL", "nULL"),
        ("tRue", "tRue"),
        ("010", 10),
        ("0o10", 8),
        ("0x10", 16),
        ("0xFf", 255),
        ("0o9", "0o9"),
        ("0b11", "0b11"),
        ("1_000", 1000),
        ("1__000", "1__000"),
        ("_1", "_1"),
        ("1_", "1_"),
        ("+12", 12),
        ("-0", 0),
        ("-7", -7),
        ("1e3", 1000.0),
        ("1E-2", 0.01),
        ("1.10", 1.1),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.5", -0.5),
        ("1_000.5", 1000.5),
        ("1.2.3", "1.2.3"),
        (".", "."),
        ("-", [None]),
        ("--", "--"),
        ("12:30:45", "12:30:45"),
        ("1:30", "1:30"),
        ("2026-01-01", "2026-01-01"),
        ("2026-01-01T10:00:00Z", "2026-01-01T10:00:00Z"),
        ("2026-01-01 10:00:00", "2026-01-01 10:00:00"),
        ("'010'", "010"),
        ('"true"', "true"),
        ("'~'", "~"),
        ("!!str 010", "010"),
        ("! 010", "010"),
        ("!!int 0x1f", 31),
        ("!!float 1", 1.0),
        ("!!bool true", True),
        ('!!null ""', None),
        ("!!map {a: 1}", {"a": 1}),
        ("!!seq [1]", [1]),
    ],
)
def test_1_1_scalars_are_those_of_yaml_1_2(written: str, value: object) -> None:
    found = read_document(f"a: {written}\n" if written != "-" else "a:\n-\n", "a.yaml").value["a"]
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("written", [".inf", "-.INF", "+.Inf", ".nan", ".NaN", "1e400"])
def test_infinities_and_nan_are_floats_that_suites_refuse(written: str) -> None:
    found = read_document(f"a: {written}", "a.yaml", finite=False).value["a"]
    assert isinstance(found, float)
    assert not math.isfinite(found)
    assert shown(f"a: {written}") == [f"1:4 {written} is no number that JSON can hold"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# only a comment\n", None),
        ("---\na: 1\n...\n", {"a": 1}),
        ("%YAML 1.2\n---\na: 1\n", {"a": 1}),
        ("\ufeffa: 1", {"a": 1}),
        ("a: 1\r\nb: |\r\n  x\r\n  y\r\n", {"a": 1, "b": "x\ny\n"}),
        ('a: "x\\r\\ny"', {"a": "x\r\ny"}),
        ("a: >\n  x\n  y\n", {"a": "x y\n"}),
        ("a: &x {p: q, n: 1}\nb: *x\n", {"a": {"p": "q", "n": 1}, "b": {"p": "q", "n": 1}}),
        ("a: &x word\nb: *x\n*x : c\n", {"a": "word", "b": "word", "word": "c"}),
        ("a: &x {p: q, n: 1}\nb: {<<: *x, n: 2}\n", {"a": {"p": "q", "n": 1}, "b": {"p": "q", "n": 2}}),
        (
            "- &x {p: q}\n- &y {p: r, s: t}\n- {<<: [*x, *y]}\n",
            [{"p": "q"}, {"p": "r", "s": "t"}, {"p": "q", "s": "t"}],
        ),
        ('a: {"<<": 1}', {"a": {"<<": 1}}),
        ("a: <<\n", {"a": "<<"}),
        ("é: ß\n", {"é": "ß"}),
        # In YAML 1.2 these three are characters like any other, and no line ends.
        ("a: x\u2028 y\u2029z\x85.\nb: 1", {"a": "x\u2028 y\u2029z\x85.", "b": 1}),
        ("a: x\ufeffy", {"a": "x\ufeffy"}),
        ("a: \ue000\u2028", {"a": "\ue000\u2028"}),
    ],
)
def test_1_1_documents(text: str, value: object) -> None:
    assert read_document(text.encode(), "a.yaml").value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a":1,"b":[1.5e3,-0,true,null]}', {"a": 1, "b": [1500.0, 0, True, None]}),
        ('{\n\t"a":\t"\\/\\u00e9"\n}', {"a": "/é"}),
        ('{"a": "\\ud83d\\ude00\\uD83D\\uDE00"}', {"a": "😀😀"}),
        ('{"a": "\\\\ud83d\\\\ude00"}', {"a": "\\ud83d\\ude00"}),
        ('{"a": "\x7f\x80\u2028\uffff"}', {"a": "\x7f\x80\u2028\uffff"}),
    ],
)
def test_a_json_file_may_hold_what_json_allows(text: str, value: object) -> None:
    assert read_document(text.encode(), "a.json").value == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: b: c", ["1:5 not valid YAML: mapping values are not allowed in this context"]),
        ("a: 1\na: 2\nb: 1\nb: 1\n", [
            "2:1 the key 'a' stands twice in this map; it is also on line 1",
            "4:1 the key 'b' stands twice in this map; it is also on line 3",
        ]),
        ("x: {a: 1, 'a': 2}", ["1:11 the key 'a' stands twice in this map; it is also on line 1"]),
        ("a: 1\n---\nb: 2\n", ["2:1 a second document begins here; a file holds one"]),
        ("a: *b", ["1:4 there is no anchor &b before this"]),
        ("a: &a [*a]", ["1:8 *a stands inside the value that it names, which would never end"]),
        ("a: &a {b: {c: *a}}", ["1:15 *a stands inside the value that it names, which would never end"]),
        ("a: !!python/object/apply:os.system [ls]", ["1:4 the tag !!python/object/apply:os.system is not allowed"]),
        ("a: !!python/name:os.system", ["1:4 the tag !!python/name:os.system is not allowed"]),
        ("a: !include x", ["1:4 the tag !include is not allowed"]),
        ("a: !!timestamp 2026-01-01", ["1:4 the tag !!timestamp is not allowed"]),
        ("a: !!binary aGk=", ["1:4 the tag !!binary is not allowed"]),
        ("a: !!set {b}", ["1:4 the tag !!set is not allowed"]),
        ("a: !!int x", ["1:4 'x' does not fit its tag !!int"]),
        ("a: !!map x", ["1:4 the tag !!map is not allowed"]),
        ("1: a", ["1:1 a key must be text, and 1 is a number"]),
        ("x: {true: a, ~: b}", [
            "1:5 a key must be text, and true is a boolean",
            "1:14 a key must be text, and ~ is null",
        ]),
        ("? \n: a", ["1:2 a key must be text, and nothing is null"]),
        ("? [a]\n: b", ["1:3 a key must be text, not a list"]),
        ("{{a: b}: c}", ["1:2 a key must be text, not a map"]),
        ("a: &x [1]\n*x : 2", ["2:1 a key must be text, and *x is a list"]),
        ("a: {<<: 1}", ["1:9 << merges maps, not a number"]),
        ("a: {<<: [x]}", ["1:10 << merges maps, not text"]),
        ("a: &x {b: 1}\nc: {<<: *x, <<: *x}", ["2:13 << stands twice in this map"]),
        ("a: 1" + "0" * 5000, ["1:4 the number has too many digits"]),
        ("a: 0x1" + "0" * 5000, ["1:4 the number has too many digits"]),
        ("a: '\x01'", ["1:5 the character U+0001 may not stand in a file"]),
        ("b: 1\na: x\x7f", ["2:5 the character U+007F may not stand in a file"]),
        ('a: "\\ud800"', [
            "1:7 not valid YAML: found invalid Unicode character escape code (while parsing a quoted scalar)"
        ]),
        ("a:\n\t- b", [
            "2:1 not valid YAML: found character that cannot start any token (while scanning for the next token)"
        ]),
        ("a: [1, 2", ["2:1 not valid YAML: did not find expected ',' or ']' (while parsing a flow sequence)"]),
    ],
)  # fmt: skip
def test_0_what_is_wrong_is_a_positioned_problem(text: str, expected: list[str]) -> None:
    found = shown(text)
    if text == "a: [1, 2":  # where the end of a file is, is a matter of taste
        found = [f"2:1{found[0].removeprefix(found[0].split(' ')[0])}"]
    assert found == expected


def test_bytes_that_are_no_utf_8_have_a_place() -> None:
    assert shown(b"a: 1\n\xc3\xa9: \xff") == ["2:4 the file is not UTF-8: byte 0xff"]
    assert shown(b"\xef\xbb\xbfa: \xff") == ["1:4 the file is not UTF-8: byte 0xff"]


def test_a_lone_surrogate_in_text_is_a_problem() -> None:
    assert shown("a: \ud800") == ["1:4 the character U+D800 may not stand in a file"]


def test_a_problem_has_the_path_the_line_and_a_hint() -> None:
    [found] = problems_in("a:\n  - b: {c: !x 1}\n")
    assert found.path == ("a", 0, "b", "c")
    assert found.source_line == "  - b: {c: !x 1}"
    assert found.hint.startswith("Only !!str")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a:\n\tb: 1", "Indent with spaces"),
        ("a: x\n\tb: 1", "Indent with spaces."),
        ("- a: 1\n b: 2\n", "Check how far this line, and those before it, are indented."),
        ("a:\n  b: 1\n c: 2\n", "Check how far this line is indented, and whether a quote before it"),
        ('a: "x" y\n', "Check how far this line is indented, and whether a quote before it"),
        (
            "a:\n  - b: {c: 1\n  - d: 2\n",
            "A bracket or brace that was opened before this place is not closed",
        ),
        ("a: b: c", "A text that holds a colon"),
    ],
)
def test_what_is_no_yaml_has_a_hint_where_the_reason_is_known(text: str, hint: str) -> None:
    [found] = problems_in(text)
    assert found.message.startswith("not valid YAML: ")
    assert found.hint.startswith(hint)


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
MERGE_BOMB = (
    "a: &a {"
    + ", ".join(f"k{n}: 1" for n in range(2000))
    + "}\n"
    + "".join(f"b{n}: {{<<: *a}}\n" for n in range(2000))
)
TEXT_BOMB = f"a: &a {'x' * 100_000}\nb: [{', '.join(['*a'] * 5000)}]\n"
CHAIN = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 200))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(BOMB, "more than 500,000 values", id="billion laughs"),
        pytest.param(MERGE_BOMB, "more than 500,000 values", id="merges"),
        pytest.param(TEXT_BOMB, "more than 500,000 values", id="one long text many times"),
        pytest.param(CHAIN, f"more than {MAX_DEPTH} deep", id="a chain of aliases"),
        pytest.param("[" * 900, f"more than {MAX_DEPTH} deep", id="flow depth"),
        pytest.param("[" * 100_000, "nesting depth", id="the parser's own limit"),
        pytest.param("- " * 100_000, f"more than {MAX_DEPTH} deep", id="block depth"),
        pytest.param("{a: " * 100_000, f"more than {MAX_DEPTH} deep", id="map depth"),
        pytest.param("? " * 100_000, "a key must be text", id="key depth"),
    ],
)
def test_a_file_built_to_exhaust_the_machine_is_refused_at_once(text: str, message: str) -> None:
    began = time.process_time()
    [found] = problems_in(text)
    assert message in found.message
    assert time.process_time() - began < 30


def test_many_plain_values_are_refused_too(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"a: [{'1,' * 3_000}]"
    monkeypatch.setattr(yaml_io, "MAX_WEIGHT", 3_100)
    assert len(read_document(text, "a.yaml").value["a"]) == 3_000
    monkeypatch.setattr(yaml_io, "MAX_WEIGHT", 2_900)
    [found] = problems_in(text)
    assert "more than 2,900 values" in found.message


def test_depth_up_to_the_limit_is_fine() -> None:
    assert read_document("[" * MAX_DEPTH + "]" * MAX_DEPTH, "a.yaml").value


def test_places_of_values_and_keys() -> None:
    text = "name: x\nsystem: |\n  one\n  two\ncases:\n  - name: a\n    expect: [{max_turns: 3}]\n"
    document = read_document(text, "a.yaml")

    def at(*path: str | int, key: bool = False) -> str:
        place = document.place(path, key=key)
        assert place.file == "a.yaml"
        return f"{place.line}:{place.column}"

    assert at() == "1:1"
    assert at("name") == "1:7"
    assert at("system") == "2:9"  # a block text is where its key is
    assert at("system", key=True) == "2:1"
    assert at("cases", 0) == "6:5"
    assert at("cases", 0, key=True) == "6:5"
    assert at("cases", 0, "expect", 0, "max_turns") == "7:26"
    assert at("cases", 0, "expect", 0, "max_turns", key=True) == "7:15"
    assert at("cases", 7, "nothing") == "6:3"
    assert document.source_line(6) == "  - name: a"
    assert (document.source_line(0), document.source_line(99)) == ("", "")


def test_a_value_behind_an_alias_stands_at_the_alias_and_its_parts_where_they_are_written() -> None:
    document = read_document("a: &x\n  p: {q: 1}\nb: *x\nc:\n  <<: *x\n", "a.yaml")
    assert document.place(("b",)) == Place("a.yaml", 3, 4)
    assert document.place(("b", "p", "q")) == Place("a.yaml", 2, 10)
    assert document.place(("c", "p"), key=True) == Place("a.yaml", 2, 3)


def test_places_are_right_behind_a_byte_order_mark_crlf_and_odd_characters() -> None:
    document = read_document("\ufeff# \u2028 \x85\r\na: 'x\u2028'\r\nb: 1\r\n".encode(), "a.yaml")
    assert document.place(("b",), key=True) == Place("a.yaml", 3, 1)
    assert document.source_line(3) == "b: 1"


def test_reading_takes_time_in_proportion_to_the_size() -> None:
    def seconds(count: int) -> float:
        text = "".join(f"k{n}:\n  - a: {n}\n    b: [x, y, {{c: d}}]\n" for n in range(count))
        began = time.process_time()
        read_document(text, "a.yaml")
        return time.process_time() - began

    small, large = min(seconds(500) for _ in range(3)), seconds(8000)
    assert large < 16 * small * 4 + 0.5


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    # YAML takes keys of up to 1,024 characters, as they are written.
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=80), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.booleans())
@settings(deadline=None, max_examples=200)
def test_json_text_reads_as_json_does(value: Any, ascii_only: bool) -> None:
    import json

    text = json.dumps(value, ensure_ascii=ascii_only)
    found = read_document(text, "a.json").value
    assert json.dumps(found, ensure_ascii=ascii_only) == json.dumps(json.loads(text), ensure_ascii=ascii_only)


@given(
    st.text(alphabet=st.sampled_from("ab:-[]{}&*!|>'\"#,?%@\n\t \\x0.~<é\u2028\x01\ufeff"), max_size=60)
    | st.binary(max_size=60)
)
@example("? <")  # a value that is not written stands behind the end
@settings(deadline=None, max_examples=600)
def test_no_text_raises_anything_but_a_spec_error_with_places_in_it(text: str | bytes) -> None:
    try:
        document = read_document(text, "a.yaml")
    except SpecError as error:
        assert error.problems
        assert all(
            found.place.line >= 1 and found.place.column >= 1 and found.message for found in error.problems
        )
    else:
        _has_places(document.value, document, ())


def _has_places(value: Any, document: Any, path: tuple[str | int, ...]) -> None:
    place = document.place(path)
    assert 1 <= place.line <= len(document.lines)
    steps = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for step in steps:
        _has_places(value[step], document, (*path, step))
