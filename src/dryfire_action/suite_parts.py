"""The parts of a suite that make requests: tools, messages, and the script of the scripted provider."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from dryfire_action.fingerprint import quoted
from dryfire_action.messages import Message, ToolCall, ToolResult, ToolSpec, parse_arguments
from dryfire_action.node import boolean, choice, has_only, integer, mapping, number, sequence, text
from dryfire_action.references import refuse_reference
from dryfire_action.suite_images import with_digests
from dryfire_action.yaml_scalars import kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dryfire_action.errors import Place
    from dryfire_action.messages import JsonObject, JsonValue, Role
    from dryfire_action.node import Node, Problems
    from dryfire_action.references import References

    Places = dict[str, Place]

ROLES = ("user", "assistant", "tool")
_TOOL_KEYS = ("name", "description", "input_schema")
_MESSAGE_KEYS = ("role", "content", "tool_calls", "tool_results", "raw")
_STEP_KINDS = ("text", "tool_call", "parallel", "fails")


def read_tools(node: Node | None, references: References, places: Places) -> tuple[ToolSpec, ...] | None:
    """The tools of a suite; where they stand goes to ``places``. None where a file with tools cannot be read."""
    if node is None or node.value is None:
        return ()
    listed = references.resolved(node)
    if listed is None:
        return None
    problems = references.problems
    tools: list[ToolSpec] = []
    first: Places = {}
    complete = True
    for item in sequence(listed, problems, "tools"):
        found = references.resolved(item)
        if found is None:
            complete = False
            continue
        tool = _tool(found, references, places, first)
        if tool is None:
            complete = False
        else:
            tools.append(tool)
    places["tools.order"] = listed.home
    return tuple(tools) if complete else None


def _tool(node: Node, references: References, places: Places, first: Places) -> ToolSpec | None:
    problems = references.problems
    keys = mapping(node, problems, _TOOL_KEYS, required=("name", "input_schema"), what="a tool")
    if "name" not in keys:
        return None
    name = text(keys["name"], problems, "name")
    if name in first:
        problems.add(keys["name"], f"a second tool called {name!r}; the first is at {first[name]}")
    first.setdefault(name, keys["name"].place)
    path = f"tools[{quoted(name)}]"
    places[path] = node.place
    description = keys.get("description")
    spoken: str | None = None
    if description is not None and description.value is not None:
        places[f"{path}.description"] = description.home
        spoken = text(description, problems, "description")
    schema: JsonObject = {}
    if "input_schema" in keys:
        schema = read_schema(keys["input_schema"], references, "input_schema", places, f"{path}.input_schema")
    return ToolSpec(name, schema, spoken)


def read_schema(
    node: Node, references: References, what: str, places: Places | None = None, path: str = ""
) -> JsonObject:
    """A JSON Schema as a map. Its own ``$ref: "#/..."`` stay, others are files."""
    found = references.resolved(node)
    if found is None:
        return {}
    if places is not None:
        places[path] = found.home
    if not isinstance(found.value, dict):
        references.problems.add(found, f"{what} must be a map, not {kind_of(found.value)}")
        return {}
    return cast("JsonObject", references.data(found))


def read_system(node: Node | None, references: References, places: Places) -> str | None:
    """The system prompt, None where there is none. Its place is the ``system:`` line, or the prompt file."""
    if node is None or node.value is None:
        return None
    found = references.resolved(node)
    if found is None:
        return None
    places["system"] = found.home
    return text(found, references.problems, "system")


def read_output_schema(node: Node | None, references: References, places: Places) -> JsonObject | None:
    """The JSON Schema that answers must fit; None where there is none, or where null takes the suite's away."""
    if node is None or node.value is None:
        return None
    return read_schema(node, references, "output_schema", places, "output_schema")


def read_input(node: Node, references: References, places: Places) -> tuple[Message, ...]:
    """The messages a case begins with: one text of the user, or a list of messages."""
    problems = references.problems
    found = references.resolved(node)
    if found is None:
        return ()
    if isinstance(found.value, str):
        places.update(dict.fromkeys(("messages[0]", "messages[0].role", "messages[0].content"), found.home))
        return (Message("user", found.value),)
    if not isinstance(found.value, list):
        problems.add(found, f"input must be text or a list of messages, not {kind_of(found.value)}")
        return ()
    return tuple(
        _message(item, references, places, f"messages[{index}]")
        for index, item in enumerate(found.children())
    )


def _message(node: Node, references: References, places: Places, path: str) -> Message:
    problems = references.problems
    if refuse_reference(node, problems):
        return Message("user")
    keys = mapping(node, problems, _MESSAGE_KEYS, required=("role",), what="a message")
    places[path] = node.place
    role = "user"
    if "role" in keys:
        places[f"{path}.role"] = keys["role"].home
        if keys["role"].value == "system":
            problems.add(keys["role"], "role cannot be 'system'", "Write system: in the suite.")
        else:
            role = choice(keys["role"], problems, ROLES, "role")
    content = _content(keys.get("content"), references, places, f"{path}.content")
    calls: list[ToolCall] = []
    ids: dict[str, Place] = {}
    for index, item in enumerate(_items(keys.get("tool_calls"), problems, "tool_calls")):
        calls.append(_call(item, problems, ids))
        _note_parts(item, places, f"{path}.tool_calls[{index}]")
    results = []
    for index, item in enumerate(_items(keys.get("tool_results"), problems, "tool_results")):
        results.append(_result(item, references))
        _note_parts(item, places, f"{path}.tool_results[{index}]", {"call_id": "answers"})
    raw = keys.get("raw")
    if raw is not None and raw.value is not None and not isinstance(raw.value, dict):
        problems.add(raw, f"raw must be a map, not {kind_of(raw.value)}")
        raw = None
    return Message(
        cast("Role", role), content, tuple(calls), tuple(results), raw=None if raw is None else raw.value
    )


def _content(
    node: Node | None, references: References, places: Places, path: str
) -> str | list[JsonObject] | None:
    if node is None or node.value is None:
        return None
    found = references.resolved(node)
    if found is None:
        return None
    places[path] = found.home
    if isinstance(found.value, list) and all(isinstance(block, dict) for block in found.value):
        return with_digests(cast("list[JsonObject]", references.data(found)), found, references)
    if not isinstance(found.value, str):
        kind = "such a list" if isinstance(found.value, list) else kind_of(found.value)
        references.problems.add(found, f"content must be text, a list of maps or null, not {kind}")
        return None
    return found.value


def _call(node: Node, problems: Problems, ids: Places) -> ToolCall:
    allowed = ("id", "name", "arguments", "malformed_arguments")
    keys = mapping(node, problems, allowed, required=("id", "name"), what="a tool call")
    call_id = text(keys["id"], problems, "id") if "id" in keys else ""
    if "id" in keys:
        if call_id in ids:
            problems.add(keys["id"], f"a second call with the id {call_id!r}; the first is at {ids[call_id]}")
        ids.setdefault(call_id, keys["id"].place)
    name = text(keys["name"], problems, "name") if "name" in keys else ""
    arguments: JsonObject = {}
    malformed: str | None = None
    given = keys.get("arguments")
    if given is not None and given.value is not None:
        if isinstance(given.value, str):
            arguments, malformed = parse_arguments(given.value)
        elif isinstance(given.value, dict):
            arguments = given.value
        else:
            problems.add(given, f"arguments must be a map or JSON text, not {kind_of(given.value)}")
    broken = keys.get("malformed_arguments")
    if broken is not None and broken.value is not None:
        malformed = text(broken, problems, "malformed_arguments")
        if arguments:
            hint = "Arguments that could not be parsed are text only: remove one of them."
            problems.add(broken, "a call has both arguments and malformed_arguments", hint, at=broken.home)
    return ToolCall(call_id, name, arguments, malformed)


def _result(node: Node, references: References) -> ToolResult:
    problems = references.problems
    keys = mapping(
        node, problems, ("call_id", "content", "is_error"), required=("call_id",), what="a tool result"
    )
    call_id = text(keys["call_id"], problems, "call_id") if "call_id" in keys else ""
    content: JsonValue = references.data(keys["content"]) if "content" in keys else None
    flag = keys.get("is_error")
    is_error = flag is not None and flag.value is not None and boolean(flag, problems, "is_error")
    return ToolResult(call_id, content, is_error)


def read_script(node: Node, problems: Problems, places: Places) -> tuple[JsonObject, ...]:
    """The steps of a script, normalised as ``messages.ScriptStep`` says."""
    steps = []
    for index, item in enumerate(sequence(node, problems, "script")):
        places[f"script[{index}]"] = item.place
        steps.append(_step(item, problems))
    if node.value == []:
        problems.add(
            node, "the script has no step", "Each call of the model takes one: - text: ...", at=node.home
        )
    return tuple(steps)


def _step(node: Node, problems: Problems) -> JsonObject:
    # A script may have thousands of steps, and what is as it should be needs no places.
    if plain := _plain_step(node.value):
        return plain
    keys = mapping(node, problems, _STEP_KINDS, what="a script step")
    if len(keys) != 1:
        if has_only(node, keys):
            problems.add(node, f"a script step has exactly one of {', '.join(_STEP_KINDS)}")
        return {"text": ""}
    [(kind, child)] = keys.items()
    if kind == "text":
        return {"text": "" if child.value is None else text(child, problems, "text")}
    if kind == "tool_call":
        return {"parallel": [_scripted_call(child, problems)]}
    if kind == "parallel":
        calls = [_scripted_call(item, problems) for item in sequence(child, problems, "parallel")]
        if child.value == []:
            problems.add(child, "parallel must name at least one call")
        return {"parallel": calls}
    return {"fails": _failure(child, problems)}


def _plain_step(value: JsonValue) -> JsonObject | None:
    """The step that is simply a text or one call; None for anything else, right or wrong."""
    if not isinstance(value, dict) or len(value) != 1:
        return None
    [(kind, said)] = value.items()
    if kind == "text" and isinstance(said, str):
        return {"text": said}
    if kind != "tool_call" or not isinstance(said, dict) or said.keys() != {"name", "arguments"}:
        return None
    if not isinstance(said["name"], str) or not isinstance(said["arguments"], dict):
        return None
    return {"parallel": [{"name": said["name"], "arguments": said["arguments"]}]}


def _scripted_call(node: Node, problems: Problems) -> JsonObject:
    keys = mapping(node, problems, ("name", "arguments"), required=("name",), what="a scripted call")
    name = text(keys["name"], problems, "name") if "name" in keys else ""
    given = keys.get("arguments")
    arguments: JsonValue = {} if given is None or given.value is None else given.value
    if isinstance(arguments, str):
        arguments = parse_arguments(arguments)[0] if parse_arguments(arguments)[1] is None else None
    if given is not None and not isinstance(arguments, dict):
        problems.add(given, f"arguments must be a map, not {kind_of(given.value)}")
        arguments = {}
    return {"name": name, "arguments": arguments}


def _failure(node: Node, problems: Problems) -> JsonObject:
    if not isinstance(node.value, dict):
        return {"message": text(node, problems, "fails")}
    allowed = ("message", "status", "retry_after")
    keys = mapping(node, problems, allowed, required=("message",), what="fails")
    found: JsonObject = {"message": text(keys["message"], problems, "message") if "message" in keys else ""}
    status, wait = keys.get("status"), keys.get("retry_after")
    if status is not None and status.value is not None:
        found["status"] = integer(status, problems, "status")
        if not 100 <= found["status"] <= 599:
            problems.add(status, f"status must be an HTTP status, not {found['status']}")
    if wait is not None and wait.value is not None:
        found["retry_after"] = number(wait, problems, "retry_after")
        if found["retry_after"] < 0:
            problems.add(wait, "retry_after must not be negative")
    return found


def _items(node: Node | None, problems: Problems, what: str) -> list[Node]:
    return [] if node is None or node.value is None else sequence(node, problems, what)


def _note_parts(node: Node, places: Places, path: str, names: Mapping[str, str] | None = None) -> None:
    places[path] = node.place
    if isinstance(node.value, dict):
        for key in node.value:
            places[f"{path}.{(names or {}).get(key, key)}"] = node.child(key).home
