"""The values of calls as JSON: arguments by name, results, and exceptions, and back.

What JSON cannot hold is refused with the argument's name; for types of your own a pair of functions can be registered.
"""

from __future__ import annotations

import builtins
import inspect
from typing import TYPE_CHECKING, Any

from dryfire_action.canonical_json import canonical, dotted
from dryfire_action.errors import DryfireError, ProviderError
from dryfire_action.placeholders import error_from, error_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dryfire_action.messages import JsonObject, JsonValue

    # type -> (to JSON, from JSON)
    Serialisers = Mapping[type, tuple[Callable[[Any], JsonValue], Callable[[JsonValue], Any]]]

TYPE_KEY = "$type"


class RecordedError(DryfireError):
    """Stands for a recorded exception whose class is not known here; ``kind`` is the class's name."""

    slug = "recorded-error"

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        super().__init__(f"{kind}: {message}" if message else kind)


def bound_arguments(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by name, defaults included: by position or by keyword, it is the same call.

    Raises ``TypeError``, as the call itself would.
    """
    try:
        signature = inspect.signature(function)
    except ValueError:  # some built-in functions have none
        return {"args": list(args), **kwargs} if args else dict(kwargs)
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    found = {}
    for name, value in bound.arguments.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            found[name] = list(value)
        elif kind is inspect.Parameter.VAR_KEYWORD:
            found.update(value)
        else:
            found[name] = value
    return found


def to_json(value: Any, path: str, serialisers: Serialisers) -> JsonValue:
    """``value`` as JSON. Raises ``FingerprintError`` naming the part of ``path`` that JSON cannot hold."""
    found = _encoded(value, serialisers, 0)
    if isinstance(found, dict) and path == "arguments":
        for name, item in found.items():
            canonical(item, f"arguments{dotted(name)}" if isinstance(name, str) else path)
    canonical(found, path)
    return found


def from_json(value: JsonValue, serialisers: Serialisers) -> Any:
    """The value whose JSON is ``value``."""
    if isinstance(value, list):
        return [from_json(item, serialisers) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {TYPE_KEY, "value"}:
        for known, (_, back) in serialisers.items():
            if type_name(known) == value[TYPE_KEY]:
                return back(value["value"])
    return {key: from_json(item, serialisers) for key, item in value.items()}


def failure_json(error: Exception) -> JsonObject:
    """What a cassette keeps of an exception: a provider's failure in full, of any other its class and message."""
    if isinstance(error, ProviderError):
        return error_json(error)
    plain = len(error.args) == 1 and isinstance(error.args[0], str)
    found: JsonObject = {
        "kind": type_name(type(error)),
        "message": error.args[0] if plain else str(error),
        "retryable": False,
    }
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and not isinstance(status, bool) and status >= 0:
        found["status"] = status
    return found


def failure_from(value: JsonObject, known: Iterable[type[Exception]], *, tool: bool) -> Exception:
    """The exception whose JSON is ``value``: of a built-in class or one of ``known``, else one that stands for it."""
    kind = value["kind"]
    built_in = getattr(builtins, kind, None)
    classes = [candidate for candidate in known if type_name(candidate) == kind]
    if isinstance(built_in, type) and issubclass(built_in, Exception):
        classes.append(built_in)
    try:
        if classes:
            return classes[0](value["message"])
    except TypeError:  # UnicodeDecodeError and its like want more than a message
        pass
    return RecordedError(kind, value["message"]) if tool else error_from(value)


def type_name(found: type) -> str:
    """A class's name as it stands in files: bare for built-in ones, else with its module."""
    return (
        found.__qualname__ if found.__module__ == "builtins" else f"{found.__module__}.{found.__qualname__}"
    )


def _encoded(value: Any, serialisers: Serialisers, depth: int) -> JsonValue:
    for known, (write, _) in serialisers.items():
        if type(value) is known:
            return {TYPE_KEY: type_name(known), "value": write(value)}
    if depth > 200:  # refused by the caller, which says where
        return value
    if isinstance(value, dict):
        return {key: _encoded(item, serialisers, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encoded(item, serialisers, depth + 1) for item in value]
    return value
