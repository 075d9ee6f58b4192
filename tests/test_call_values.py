"""Arguments by name, and values and exceptions that go to JSON and back."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Any

import pytest

from dryfire_action.call_values import (
    RecordedError,
    bound_arguments,
    failure_from,
    failure_json,
    from_json,
    to_json,
)
from dryfire_action.errors import FingerprintError, ProviderError


def book(start: str, /, end: str = "Ulm", *stops: str, quiet: bool = False, **more: Any) -> None:
    """Books."""


class Shop:
    def price(self, item: str) -> None:
        """Looks up."""


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "expected"),
    [
        (book, ("Bonn",), {}, {"start": "Bonn", "end": "Ulm", "stops": [], "quiet": False}),
        (book, ("a", "b", "c"), {"x": 1}, {"start": "a", "end": "b", "stops": ["c"], "quiet": False, "x": 1}),
        (Shop().price, ("mug",), {}, {"item": "mug"}),
        (partial(book, "Bonn"), (), {"end": "Köln"}, {"end": "Köln", "stops": [], "quiet": False}),
        (min, (1, 2), {}, {"args": [1, 2]}),
    ],
)
def test_arguments_go_by_name(function: Any, args: Any, kwargs: Any, expected: dict[str, Any]) -> None:
    assert bound_arguments(function, args, kwargs) == expected


def test_arguments_that_do_not_fit_fail_as_the_call_would() -> None:
    with pytest.raises(TypeError, match="missing a required argument: 'item'"):
        bound_arguments(Shop().price, (), {})


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"on": date(2026, 1, 2)}, r"arguments\.on: JSON has no date"),
        ({"on": {"deep": [1, {2}]}}, r"arguments\.on\.deep\[1\]: JSON has no set"),
        ({"n": float("nan")}, r"arguments\.n: JSON has no number nan"),
        ({"m": {1: "x"}}, r"arguments\.m: the key 1 is no text"),
    ],
)
def test_what_json_cannot_hold_is_named(value: Any, path: str) -> None:
    with pytest.raises(FingerprintError, match=path):
        to_json(value, "arguments", {})


def test_registered_types_come_back_however_deep() -> None:
    known: Any = {date: (date.isoformat, date.fromisoformat)}
    value = {"days": [date(2026, 1, 2)], "name": "x"}
    assert from_json(to_json(value, "arguments", known), known) == value


@pytest.mark.parametrize(
    ("error", "tool"),
    [
        (ValueError("x"), True),
        (KeyError("x"), True),
        (TimeoutError("late"), False),
        (ProviderError("busy", kind="Overloaded", status=503, retry_after=1.0), False),
    ],
)
def test_exceptions_come_back_as_themselves(error: Exception, tool: bool) -> None:
    found = failure_from(failure_json(error), (), tool=tool)
    assert type(found) is type(error)
    assert failure_json(found) == failure_json(error)


def test_what_needs_more_than_a_message_gets_a_stand_in() -> None:
    error = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad")
    found = failure_from(failure_json(error), (), tool=True)
    assert isinstance(found, RecordedError)
    assert found.kind == "UnicodeDecodeError"


@pytest.mark.parametrize("kind", ["KeyboardInterrupt", "SystemExit", "print", "object"])
def test_a_file_cannot_name_anything_but_an_exception(kind: str) -> None:
    found = failure_from({"kind": kind, "message": "", "retryable": False}, (), tool=True)
    assert isinstance(found, RecordedError)
