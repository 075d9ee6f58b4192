"""Assertions on the final text: the text of the last answered turn, None where there is none.

A function here is one row of ``checks.CHECKS``; the maps it is given are described in ``suite_checks``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dryfire_action.findings import CheckError, Finding
from dryfire_action.mocks import shortened
from dryfire_action.patterns import PatternError, PatternTimeout, compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dryfire_action.findings import Subject
    from dryfire_action.messages import JsonObject, JsonValue

_NO_TEXT = "there is no final text"
_MOST_FAULTS = 5


def final_contains(arguments: JsonObject, subject: Subject) -> Finding:
    """The final text contains all ``texts``, without regard to case."""
    texts: list[str] = arguments["texts"]
    final = subject.run.final_text
    folded = (final or "").casefold()
    missing = [text for text in texts if text.casefold() not in folded]
    message = f"the final text does not contain {_listed(missing)}" if missing else ""
    if texts and final is None:
        message = _NO_TEXT
    return Finding(_listed(texts), message, texts, final)


def final_not_contains(arguments: JsonObject, subject: Subject) -> Finding:
    """The final text contains none of ``texts``, without regard to case."""
    texts: list[str] = arguments["texts"]
    final = (subject.run.final_text or "").casefold()
    there = [text for text in texts if text.casefold() in final]
    message = f"the final text contains {_listed(there)}" if there else ""
    return Finding(_listed(texts), message, texts, subject.run.final_text)


def final_matches(arguments: JsonObject, subject: Subject) -> Finding:
    """``pattern`` is found somewhere in the final text, case-sensitively; ``^`` is the very start.

    Raises ``PatternTimeout`` where that takes too long.
    """
    pattern: str = arguments["pattern"]
    final = subject.run.final_text
    if final is None:
        return Finding(pattern, _NO_TEXT, pattern)
    try:
        found = compile_pattern(pattern).search(final)
    except PatternError as error:
        raise CheckError(str(error)) from error
    return Finding(pattern, "" if found else f"the final text does not match {pattern}", pattern, final)


def final_json(arguments: JsonObject, subject: Subject) -> Finding:
    """The final text is a JSON object with all ``required`` keys, whose ``fields`` have the types named.

    Types are JSON's own: ``int`` is a number written without fraction, ``float`` and ``number`` any number,
    and text never counts as a number. A field that is not required may be absent or null; other keys may be
    there. Where there is a ``schema`` it must hold too and, where it stands alone, the value need not be an
    object.
    """
    required, fields, schema = arguments["required"], arguments["fields"], arguments["schema"]
    final = subject.run.final_text
    expected = {"required": required, "fields": fields, "schema": schema}
    expected = {key: value for key, value in expected.items() if value}
    about = ", ".join(dict.fromkeys([*required, *fields])) or ("an object" if schema is None else "schema")
    try:
        value = json.loads(_NO_TEXT if final is None else final, parse_constant=_refuse)
    except (ValueError, RecursionError):
        message = _NO_TEXT if final is None else "the final text is not JSON"
        return Finding(about, message, expected, final)
    faults = [] if schema is None else _schema_faults(schema, value)
    if schema is None or required or fields:
        faults = [*_object_faults(value, required, fields), *faults]
    return Finding(about, "; ".join(faults[:_MOST_FAULTS]), expected, value)


def _object_faults(value: JsonValue, required: list[str], fields: dict[str, str]) -> list[str]:
    if not isinstance(value, dict):
        return [f"the final text is no JSON object but {shortened(value)}"]
    faults = [f"the key {shortened(key)} is not there" for key in required if key not in value]
    for key, kind in fields.items():
        optional = key not in required and value.get(key) is None
        if key in value and not optional and not _TYPES[kind](value[key]):
            faults.append(f"{shortened(key)} is {shortened(value[key])}, which is no {kind}")
    return faults


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: dict[str, Callable[[JsonValue], bool]] = {
    "str": lambda value: isinstance(value, str),
    "int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "float": _is_number,
    "number": _is_number,
    "bool": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "any": lambda _: True,
}


def _schema_faults(schema: JsonValue, value: JsonValue) -> list[str]:
    """Where ``value`` breaks ``schema``. Raises ``CheckError`` where the schema itself cannot be used."""
    # Loaded here because few suites have a schema, and the module is slow to load.
    from jsonschema import Draft202012Validator, SchemaError, ValidationError, validators
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    def matches(validator: Any, pattern: str, text: JsonValue, _: object) -> Iterator[ValidationError]:
        if validator.is_type(text, "string") and not compile_pattern(pattern).search(text):
            yield ValidationError(f"{text!r} does not match {pattern!r}")

    try:
        kind = validators.validator_for(schema, default=Draft202012Validator)
        kind.check_schema(schema)
        # The time that a pattern takes is bounded here too.
        kind = validators.extend(kind, {"pattern": matches})  # type: ignore[no-untyped-call]
        # An empty registry: without it a reference of a hostile schema would be fetched from the network.
        found = kind(schema, registry=Registry()).iter_errors(value)
        return [f"{error.json_path}: {error.message[:300]}" for error in found]
    except SchemaError as error:
        raise CheckError(f"the schema is no JSON Schema: {error.json_path}: {error.message}") from error
    except Unresolvable as error:
        raise CheckError(f"the schema refers to {error.ref}, which is not in it") from error
    except RecursionError as error:
        raise CheckError("the schema refers to itself without end") from error
    except PatternTimeout:
        raise
    except Exception as error:  # a hostile schema can break the validator itself
        raise CheckError(f"the schema cannot be used: {error}") from error


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _listed(texts: list[str]) -> str:
    return ", ".join(map(shortened, texts))
