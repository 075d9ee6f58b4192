"""Assertions on the final text: what it contains, matches and holds as JSON."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from dryfire_action import text_checks
from dryfire_action.findings import CheckError, Finding, Subject
from dryfire_action.patterns import PatternTimeout
from tests.made_runs import call, last, run_of, turn


def found(kind: str, text: str | None, **arguments: Any) -> Finding:
    finding: Finding = getattr(text_checks, kind)(arguments, Subject(run_of(last(text))))
    return finding


CONTAINS: dict[str, tuple[str | None, list[str], str, str]] = {
    # text, texts, message of final_contains, message of final_not_contains
    "1.8 one": ("Refund sent.", ["refund"], "", 'the final text contains "refund"'),
    "1.8 any case": ("STRASSE", ["straße"], "", 'the final text contains "straße"'),
    "1.8 all": ("a b", ["a", "b"], "", 'the final text contains "a", "b"'),
    "1.8 not all": (
        "a b",
        ["a", "c", "d"],
        'the final text does not contain "c", "d"',
        'the final text contains "a"',
    ),
    "1.8 none": ("a b", ["c"], 'the final text does not contain "c"', ""),
    "1.8 nothing asked": ("a b", [], "", ""),
    "1.8 nothing asked of nothing": (None, [], "", ""),
    "1.8 no text": (None, ["a"], "there is no final text", ""),
    "1.8 an empty text": ("", ["a"], 'the final text does not contain "a"', ""),
}


@pytest.mark.parametrize(("text", "texts", "missing", "there"), CONTAINS.values(), ids=CONTAINS.keys())
def test_1_8_final_contains_and_0_final_not_contains(
    text: str | None, texts: list[str], missing: str, there: str
) -> None:
    assert found("final_contains", text, texts=texts).message == missing
    assert found("final_not_contains", text, texts=texts).message == there
    assert found("final_contains", text, texts=texts).actual == text
    assert found("final_contains", text, texts=texts).expected == texts


def test_1_5_the_final_text_is_that_of_the_last_turn_whatever_the_end() -> None:
    run = run_of(last("first"), turn(call("look")), termination="max_turns_exceeded")
    assert text_checks.final_contains({"texts": ["first"]}, Subject(run)).message == "there is no final text"


@pytest.mark.parametrize(
    ("pattern", "text", "message"),
    [
        pytest.param(r"#\d+", "order #12 sent", "", id="1.8 found anywhere"),
        pytest.param("Sent", "sent", "the final text does not match Sent", id="1.8 case-sensitive"),
        pytest.param("^b", "a\nb", "the final text does not match ^b", id="1.8 ^ is the very start"),
        pytest.param("(?mi)^B$", "a\nb", "", id="1.8 flags inside the pattern"),
        pytest.param("a.b", "a\nb", "the final text does not match a.b", id="1.8 a dot is no line end"),
        pytest.param("", "a", "", id="1.8 the empty pattern"),
        pytest.param("", None, "there is no final text", id="1.8 no text"),
    ],
)
def test_1_8_final_matches(pattern: str, text: str | None, message: str) -> None:
    finding = found("final_matches", text, pattern=pattern)
    assert (finding.message, finding.expected, finding.actual) == (message, pattern, text)


def test_1_8_final_matches_is_bounded_in_time() -> None:
    started = time.monotonic()
    with pytest.raises(PatternTimeout):
        found("final_matches", "a" * 80 + "!", pattern="^(a|a|aa)+$")
    assert time.monotonic() - started < 10


def test_1_8_a_pattern_that_does_not_compile_cannot_be_judged() -> None:
    with pytest.raises(CheckError, match="not a regular expression"):
        found("final_matches", "a", pattern="(")


def as_json(
    text: str | None, required: tuple[str, ...] = (), fields: dict[str, str] | None = None, schema: Any = None
) -> str:
    return found("final_json", text, required=list(required), fields=fields or {}, schema=schema).message


TYPES = {
    # type: (JSON values that fit, JSON values that do not)
    "str": (['"x"', '""'], ["1", "true", "null", "[]"]),
    "int": (["1", "-3", "0", "12345678901234567890"], ["1.0", "1e3", '"42"', "true", "null"]),
    "float": (["1.5", "1", "1e3"], ['"1.5"', "true", "null"]),
    "number": (["1.5", "1"], ['"1"', "false", "null"]),
    "bool": (["true", "false"], ['"yes"', "1", "0", "null"]),
    "object": (["{}", '{"a": 1}'], ["[]", '"{}"', "null"]),
    "array": (["[]", "[1]"], ["{}", '"[]"', "null"]),
    "any": (["1", '"x"', "null", "{}"], []),
}
FITS = [(kind, value, True) for kind, (good, _) in TYPES.items() for value in good]
FITS += [(kind, value, False) for kind, (_, bad) in TYPES.items() for value in bad]


@pytest.mark.parametrize(
    ("kind", "value", "fits"), FITS, ids=[f"0 {kind} {value} {fits}" for kind, value, fits in FITS]
)
def test_0_final_json_has_jsons_own_types(kind: str, value: str, fits: bool) -> None:
    message = as_json(f'{{"x": {value}}}', ("x",), {"x": kind})
    assert (message == "") is fits, message
    if not fits:
        assert message.startswith('"x" is ')
        assert message.endswith(f", which is no {kind}")


SHAPES: dict[str, tuple[str | None, tuple[str, ...], dict[str, str], str]] = {
    "1.8 an object": ("{}", (), {}, ""),
    "1.8 white space around": (' \n{"a": 1}\n', ("a",), {}, ""),
    "1.8 extra keys": ('{"a": 1, "b": 2}', ("a",), {}, ""),
    "1.8 a required key is missing": ('{"a": 1}', ("a", "b"), {}, 'the key "b" is not there'),
    "1.8 a required key may be null": ('{"a": null}', ("a",), {}, ""),
    "1.8 a field that is not required may be absent": ("{}", (), {"a": "int"}, ""),
    "1.8 a field that is not required may be null": ('{"a": null}', (), {"a": "int"}, ""),
    "1.8 a required field may not be null": (
        '{"a": null}',
        ("a",),
        {"a": "int"},
        '"a" is null, which is no int',
    ),
    "0 a required key with an underscore": ("{}", ("_id",), {}, 'the key "_id" is not there'),
    "0 a field named model_config": (
        '{"model_config": 1}',
        (),
        {"model_config": "str"},
        '"model_config" is 1, which is no str',
    ),
    "1.8 every fault is named": (
        '{"a": "1"}',
        ("b",),
        {"a": "int"},
        'the key "b" is not there; "a" is "1", which is no int',
    ),
    "1.8 no object": ("[1]", (), {}, "the final text is no JSON object but [1]"),
    "1.8 no JSON": ("hello", (), {}, "the final text is not JSON"),
    "1.8 a code fence": ('```json\n{"a": 1}\n```', ("a",), {}, "the final text is not JSON"),
    "0 NaN is not JSON": ('{"a": NaN}', (), {}, "the final text is not JSON"),
    "1.8 no text": (None, (), {}, "there is no final text"),
    "a text as deep as a well": ("[" * 100_000, (), {}, "the final text is not JSON"),
}


@pytest.mark.parametrize(("text", "required", "fields", "message"), SHAPES.values(), ids=SHAPES.keys())
def test_1_8_final_json(
    text: str | None, required: tuple[str, ...], fields: dict[str, str], message: str
) -> None:
    assert as_json(text, required, fields) == message


SCHEMA = {
    "type": "object",
    "properties": {"n": {"$ref": "#/$defs/small"}, "tags": {"type": "array"}},
    "required": ["n"],
    "$defs": {"small": {"type": "integer", "maximum": 9}},
}
SCHEMAS: dict[str, tuple[str, object, str]] = {
    "0 holds": ('{"n": 3}', SCHEMA, ""),
    "0 does not hold": ('{"n": 10}', SCHEMA, "$.n: 10 is greater than the maximum of 9"),
    "0 every fault is named": (
        '{"n": true, "tags": 1}',
        SCHEMA,
        "$.n: True is not of type 'integer'; $.tags: 1 is not of type 'array'",
    ),
    "0 a schema alone does not ask for an object": ("[1]", {"type": "array"}, ""),
    "0 a pattern": ('"abc"', {"pattern": "^a"}, ""),
    "0 a pattern that does not fit": ('"abc"', {"pattern": "b$"}, "$: 'abc' does not match 'b$'"),
    "0 a pattern for texts only": ("1", {"pattern": "b$"}, ""),
    "0 an older draft": ("[1]", {"$schema": "http://json-schema.org/draft-07/schema#", "type": "array"}, ""),
}


@pytest.mark.parametrize(("text", "schema", "message"), SCHEMAS.values(), ids=SCHEMAS.keys())
def test_0_final_json_takes_a_json_schema(text: str, schema: object, message: str) -> None:
    assert as_json(text, schema=schema) == message


def test_0_a_schema_holds_beside_required_and_fields() -> None:
    assert as_json('{"n": 3}', ("m",), {"n": "str"}, SCHEMA) == (
        'the key "m" is not there; "n" is 3, which is no str'
    )
    assert as_json("[1]", ("m",), schema={"type": "array"}) == "the final text is no JSON object but [1]"


UNUSABLE = {
    "no schema": ({"type": "no such type"}, "the schema is no JSON Schema"),
    "no map": (["a"], "the schema is no JSON Schema"),
    "a reference to nothing": ({"$ref": "#/$defs/no"}, "the schema refers to"),
    "a reference to the network": (
        {"$ref": "http://far.invalid/schema.json"},
        "the schema refers to http://far.invalid/schema.json, which is not in it",
    ),
    "a dynamic reference to the network": (
        {"$dynamicRef": "http://far.invalid/schema.json"},
        "the schema refers to http://far.invalid/schema.json, which is not in it",
    ),
    "a reference below another base": (
        {"$ref": "#/allOf/0/extra", "extra": {"$id": "http://far.invalid/x.json", "$ref": "y.json"}},
        "the schema refers to",
    ),
    "a reference to a file": ({"$ref": "file:///etc/passwd"}, "the schema refers to"),
    "a pattern that does not compile": ({"pattern": "("}, "the schema is no JSON Schema"),
    # What stands under a key of its own is not looked at before it is used.
    "a hidden pattern that does not compile": (
        {"$ref": "#/properties/x/own", "own": {"pattern": "("}},
        "the schema cannot be used: not a regular expression",
    ),
    "a hidden name that does not compile": (
        {"$ref": "#/allOf/0/own", "own": {"patternProperties": {"(": {}}}},
        "the schema cannot be used: ",
    ),
    "a hidden type that there is not": (
        {"$ref": "#/allOf/0/own", "own": {"type": "thing"}},
        "the schema cannot be used: ",
    ),
    "a circle": ({"$ref": "#"}, "the schema refers to itself without end"),
}


@pytest.mark.parametrize(("schema", "why"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_0_a_schema_that_cannot_be_used_is_an_error_and_nothing_is_fetched(schema: object, why: str) -> None:
    """That nothing is fetched is checked by the guard around every test, which sees swallowed attempts too."""
    with pytest.raises(CheckError) as caught:
        as_json('{"x": "text"}', schema={"allOf": [schema], "properties": {"x": schema}})
    assert caught.value.message.startswith(why)


def test_0_a_pattern_in_a_schema_is_bounded_in_time() -> None:
    with pytest.raises(PatternTimeout):
        as_json(json.dumps("a" * 80 + "!"), schema={"pattern": "^(a|a|aa)+$"})


def test_a_verdict_on_json_shows_the_value_and_few_faults() -> None:
    text = json.dumps({f"k{number}": "x" for number in range(20)})
    finding = found(
        "final_json", text, required=[], fields={f"k{number}": "int" for number in range(20)}, schema=None
    )
    assert finding.message.count("which is no int") == 5
    assert finding.actual == json.loads(text)
    assert finding.expected == {"fields": {f"k{number}": "int" for number in range(20)}}
    assert found("final_json", "no", required=[], fields={}, schema=None).about == "an object"
    assert found("final_json", "no", required=["a"], fields={"b": "int"}, schema=None).about == "a, b"
