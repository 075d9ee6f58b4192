"""The texts behind a field change, looked up in two redacted requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.canonical_json import digest, dotted, quoted
from dryfire_action.text_diff import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dryfire_action.field_changes import FieldChange
    from dryfire_action.messages import JsonObject, JsonValue


def changed_values(
    change: FieldChange, recorded: JsonObject | None, actual: JsonObject | None
) -> tuple[JsonValue, JsonValue, bool]:
    """The values of a field before and after (``ABSENT`` for none), and whether both are known.

    A value is known by its digest, wherever it stands: messages move. What redaction changed is looked up by its path.
    """
    if recorded is None or actual is None:
        return ABSENT, ABSENT, False
    before = ABSENT if change.old is None else _value(change.path, change.old, recorded)
    after = ABSENT if change.new is None else _value(change.path, change.new, actual)
    known = before is not None and after is not None and (before is not ABSENT or after is not ABSENT)
    return before, after, known


def _value(path: str, wanted: str, request: JsonObject) -> JsonValue | None:
    fields = dict(request_fields(request))
    leaf = path.rpartition(".")[2]
    same = (
        value
        for where, value in fields.items()
        if where.rpartition(".")[2] == leaf and digest(value) == wanted
    )
    return next(same, fields.get(path))


def request_fields(request: JsonObject) -> Iterator[tuple[str, JsonValue]]:
    """The fields of a request that is told as JSON (``divergence.request_json``), by the paths of fingerprints."""
    if "tool" in request:
        yield "messages[0].tool_calls[0].name", request["tool"]
        yield "messages[0].tool_calls[0].arguments", request.get("arguments")
        return
    for name in ("provider", "model", "system", "output_schema"):
        if name in request:
            yield name, request[name]
    for name, value in request.get("params", {}).items():
        yield f"params{dotted(name)}", value
    tools = request.get("tools", [])
    if tools:
        yield "tools.order", [tool["name"] for tool in tools]
    for tool in tools:
        path = f"tools[{quoted(tool['name'])}]"
        yield path, tool
        yield f"{path}.description", tool.get("description")
        yield f"{path}.input_schema", tool.get("input_schema")
    for index, message in enumerate(request.get("messages", [])):
        yield from _message_fields(f"messages[{index}]", message)


def _message_fields(path: str, message: JsonObject) -> Iterator[tuple[str, JsonValue]]:
    yield path, message
    for name in ("role", "content"):
        if message.get(name) is not None:
            yield f"{path}.{name}", message[name]
    for number, part in enumerate(message.get("reasoning", ())):
        yield f"{path}.reasoning[{number}]", part
    for family in ("tool_calls", "tool_results"):
        for number, each in enumerate(message.get(family, ())):
            yield f"{path}.{family}[{number}]", each
            for name, value in each.items():
                yield f"{path}.{family}[{number}].{name}", value
