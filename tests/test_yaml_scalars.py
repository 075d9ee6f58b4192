"""Scalars whose meaning hangs on their tag; plain ones are in `test_yaml_io`."""

from __future__ import annotations

import pytest

from dryfire_action.yaml_scalars import TOO_LONG, WRONG, kind_of, plain_value, tagged_value


@pytest.mark.parametrize(
    ("tag", "text", "value"),
    [
        ("int", "0x10", 16),
        ("int", "1.0", WRONG),
        ("int", "9" * 5000, TOO_LONG),
        ("float", "1", 1.0),
        ("float", "9" * 400, TOO_LONG),
        ("float", "x", WRONG),
        ("bool", "yes", WRONG),
        ("bool", "true", True),
        ("null", "", None),
        ("null", "0", WRONG),
    ],
)
def test_a_tag_asks_for_a_kind(tag: str, text: str, value: object) -> None:
    found = tagged_value(tag, text)
    assert found is value or (found == value and type(found) is type(value))


def test_kinds_have_names() -> None:
    values: list[object] = [None, True, 1, 1.5, "x", {}, []]
    assert [kind_of(value) for value in values] == [
        "null",
        "a boolean",
        "a number",
        "a number",
        "text",
        "a map",
        "a list",
    ]


def test_the_longest_number_can_be_printed_again() -> None:
    assert str(plain_value("9" * 4000)) == "9" * 4000
    assert str(plain_value("0x" + "f" * 3000))
