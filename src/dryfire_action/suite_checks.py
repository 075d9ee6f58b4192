"""The assertions of a suite file, read into the argument maps that ``checks.CHECKS`` is given.

``Check.arguments`` is a map that always holds *all* keys of its row (``match`` in ``tool_result`` is the exception):

| kind                 | written                     | arguments                                                   |
| -------------------- | --------------------------- | ----------------------------------------------------------- |
| `calls_tool`         | name, or `{tool, count}`    | `{tool: str, count: int or None}`; None: at least once      |
| `not_calls_tool`     | name                        | `{tool: str}`                                               |
| `min_tool_calls`     | `{tool, count}`             | `{tool: str, count: int}`                                   |
| `tool_args`          | `{tool, match}`, which (1)  | `{tool: str, match: dict}`, which (1)                       |
| `tool_result`        | `{tool, match?, contains?,  | `{tool: str, contains: list[str], is_error: bool or None}`, |
|                      | is_error?}`, which (1)      | which (1), and `match: JSON value` only where it is written |
| `no_tool_calls`      | true, nothing, or `{}`      | `{}`                                                        |
| `parallel_calls`     | true, false, n, or names    | `{tools: list[str], at_least: int, never: bool}` (2)        |
| `call_order`         | names                       | `{tools: list[str]}`                                        |
| `max_turns`          | int                         | `{limit: int}`                                              |
| `final_contains`     | text, or list of texts      | `{texts: list[str]}`                                        |
| `final_not_contains` | text, or list of texts      | `{texts: list[str]}`                                        |
| `final_matches`      | regular expression          | `{pattern: str}`; `patterns.compile_pattern` takes it       |
| `final_json`         | `{required?, fields?,       | `{required: list[str], fields: dict[str, str],              |
|                      | schema?}`                   | schema: dict or None}` (3)                                  |
| `terminates`         | reason                      | `{reason: str}`, one of `REASONS`                           |
| `cost_under`         | number                      | `{limit: float}`, USD                                       |
| `latency_under_ms`   | int                         | `{limit: int}`                                              |

(1) Which call is meant: `index: int or None, call: int or None, any: bool`, and exactly one of them is set. `index` is
the n-th call *of that tool*, from 0; a negative one counts from the end; 0 where nothing is written. `call` is the n-th
call *of the run*, all tools counted, from 0, and it must be a call of `tool`. `any`: one call of that tool is enough.
(2) Some turn makes `at_least` calls, among them all of `tools` (a name that stands twice is called twice); with `never`
no turn does. true: 2 calls; n: n calls; names: these calls; false: `never`.
(3) Types are `FIELD_TYPES`. Each `$ref` in a schema begins with `#`: there is nothing to fetch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dryfire_action.node import (
    boolean,
    choice,
    did_you_mean,
    integer,
    mapping,
    number,
    pattern,
    sequence,
    text,
    texts,
)
from dryfire_action.references import refuse_reference
from dryfire_action.suite import Check
from dryfire_action.suite_parts import read_schema
from dryfire_action.yaml_scalars import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dryfire_action.messages import JsonObject
    from dryfire_action.node import Node, Problems
    from dryfire_action.references import References

REASONS = ("end_turn", "max_turns_exceeded", "max_tokens", "refusal")
FIELD_TYPES = ("str", "int", "float", "number", "bool", "object", "array", "any")
_SELECTION = ("index", "call", "any")


@dataclass(frozen=True, slots=True)
class Context:
    """What assertions are read against: the tool names they may use, None where those could not be read."""

    references: References
    tools: frozenset[str] | None

    @property
    def problems(self) -> Problems:
        """Where to note what is wrong."""
        return self.references.problems


def read_checks(node: Node, context: Context) -> tuple[Check, ...]:
    """The assertions under ``expect``, in order."""
    found = []
    for item in sequence(node, context.problems, "expect"):
        check = _check(item, context)
        if check is not None:
            found.append(check)
    return tuple(found)


def _check(node: Node, context: Context) -> Check | None:
    problems = context.problems
    if not isinstance(node.value, dict):
        hint = ""
        if isinstance(node.value, str):
            word = node.value.strip()
            hint = f"Write {word}: true." if word == "no_tool_calls" else "Write kind: arguments."
        problems.add(node, f"an assertion must be a map of one key, not {kind_of(node.value)}", hint)
        return None
    if len(node.value) != 1:
        if not node.value:
            problems.add(node, "an assertion must name a kind; {} asserts nothing")
        else:
            second = node.child(list(node.value)[1])
            kinds = " and ".join(repr(key) for key in list(node.value)[:3])
            message = f"an assertion has one kind, and this has {kinds}"
            problems.add(second, message, "Give each a dash of its own.", at=second.home)
        return None
    [kind] = node.value
    child = node.child(kind)
    if kind == "llm_judge":
        hint = "Check what the answer must contain with final_contains, final_matches or final_json."
        problems.add(child, "llm_judge is not supported yet", hint, at=child.home)
        return None
    if kind not in READERS:
        problems.add(child, f"unknown assertion {kind!r}", did_you_mean(kind, READERS), at=child.home)
        return None
    if refuse_reference(child, problems):
        return None
    return Check(kind, READERS[kind](child, context), child.home)


def _tool(node: Node, context: Context) -> str:
    name = text(node, context.problems, "the tool's name")
    if isinstance(node.value, str) and context.tools is not None and name not in context.tools:
        hint = (
            did_you_mean(name, context.tools) if context.tools else "The suite has neither tools nor mocks."
        )
        context.problems.add(node, f"the tool {name!r} is neither declared nor mocked", hint)
    return name


def _tools(node: Node, context: Context) -> list[str]:
    return [_tool(item, context) for item in sequence(node, context.problems, "the tools")]


def _fields(
    node: Node, context: Context, required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> dict[str, Node]:
    what = f"{node.path[-1]}"
    return mapping(node, context.problems, (*required, *optional), required=required, what=what)


def _one_tool(node: Node, context: Context) -> JsonObject:
    return {"tool": _tool(node, context)}


def _calls_tool(node: Node, context: Context) -> JsonObject:
    if isinstance(node.value, dict):
        return _counted(node, context)
    return {"tool": _tool(node, context), "count": None}


def _counted(node: Node, context: Context) -> JsonObject:
    keys = _fields(node, context, ("tool", "count"))
    return {
        "tool": _tool(keys["tool"], context) if "tool" in keys else "",
        "count": integer(keys["count"], context.problems, "count", least=0) if "count" in keys else 0,
    }


def _selection(keys: dict[str, Node], context: Context) -> JsonObject:
    given = [key for key in _SELECTION if key in keys and keys[key].value is not None]
    found: JsonObject = {"index": None, "call": None, "any": False}
    if len(given) > 1:
        message = f"{' and '.join(given)} say in different ways which call is meant"
        context.problems.add(keys[given[1]], message, "Keep one of them.", at=keys[given[1]].home)
    if given and given[0] == "any" and boolean(keys["any"], context.problems, "any"):
        found["any"] = True
    elif given and given[0] == "call":
        found["call"] = integer(keys["call"], context.problems, "call", least=0)
    else:
        chosen = keys.get("index") if given[:1] == ["index"] else None
        found["index"] = 0 if chosen is None else integer(chosen, context.problems, "index")
    return found


def _tool_args(node: Node, context: Context) -> JsonObject:
    keys = _fields(node, context, ("tool", "match"), _SELECTION)
    match = keys.get("match")
    if match is not None and not isinstance(match.value, dict):
        context.problems.add(match, f"match must be a map of arguments, not {kind_of(match.value)}")
    if match is not None:
        refuse_reference(match, context.problems)
    return {
        "tool": _tool(keys["tool"], context) if "tool" in keys else "",
        "match": match.value if match is not None and isinstance(match.value, dict) else {},
        **_selection(keys, context),
    }


def _tool_result(node: Node, context: Context) -> JsonObject:
    keys = _fields(node, context, ("tool",), ("match", "contains", "is_error", *_SELECTION))
    found: JsonObject = {
        "tool": _tool(keys["tool"], context) if "tool" in keys else "",
        "contains": [],
        "is_error": None,
        **_selection(keys, context),
    }
    if "match" in keys:
        refuse_reference(keys["match"], context.problems)
        found["match"] = keys["match"].value
    if "contains" in keys:
        found["contains"] = _text_or_texts(keys["contains"], context, "contains")
    if "is_error" in keys and keys["is_error"].value is not None:
        found["is_error"] = boolean(keys["is_error"], context.problems, "is_error")
    if isinstance(node.value, dict) and not {"match", "contains", "is_error"} & keys.keys():
        hint = "Add match, contains or is_error."
        context.problems.add(node, "tool_result does not say what the result must be", hint)
    return found


def _no_tool_calls(node: Node, context: Context) -> JsonObject:
    if not (node.value is None or node.value is True or node.value == {}):
        hint = "Leave it out where tools may be called." if node.value is False else ""
        context.problems.add(node, "no_tool_calls takes no arguments: write no_tool_calls: true", hint)
    return {}


def _parallel_calls(node: Node, context: Context) -> JsonObject:
    if isinstance(node.value, list):
        names = _tools(node, context)
        if len(names) < 2:
            context.problems.add(node, "parallel_calls needs at least two tools")
        return {"tools": names, "at_least": len(names), "never": False}
    if isinstance(node.value, bool):
        return {"tools": [], "at_least": 2, "never": not node.value}
    count = integer(node, context.problems, "parallel_calls", least=2)
    return {"tools": [], "at_least": count, "never": False}


def _text_or_texts(node: Node, context: Context, what: str) -> list[str]:
    if isinstance(node.value, list):
        return texts(node, context.problems, what)
    return [text(node, context.problems, what)]


def _final_texts(node: Node, context: Context) -> JsonObject:
    return {"texts": _text_or_texts(node, context, f"{node.path[-1]}")}


def _final_json(node: Node, context: Context) -> JsonObject:
    problems = context.problems
    keys = {
        key: child
        for key, child in _fields(node, context, (), ("required", "fields", "schema")).items()
        if child.value is not None
    }
    found: JsonObject = {"required": [], "fields": {}, "schema": None}
    if "required" in keys:
        found["required"] = texts(keys["required"], problems, "required")
    if (fields := keys.get("fields")) is not None:
        names = tuple(fields.value) if isinstance(fields.value, dict) else ()
        for name, child in mapping(fields, problems, names, what="fields").items():
            found["fields"][name] = choice(child, problems, FIELD_TYPES, f"the type of {name!r}")
    if "schema" in keys:
        found["schema"] = _usable_schema(keys["schema"], context)
    return found


def _usable_schema(node: Node, context: Context) -> JsonObject:
    before = len(context.problems)
    schema = read_schema(node, context.references, "schema")
    if len(context.problems) == before:
        # Heavy, and few suites have a schema.
        from jsonschema import SchemaError
        from jsonschema.validators import validator_for

        try:
            validator_for(schema).check_schema(schema)
        except SchemaError as error:
            where = ".".join(str(step) for step in error.absolute_path)
            context.problems.add(
                node, f"no valid JSON Schema{f' at {where}' if where else ''}: {error.message[:200]}"
            )
        except Exception as error:  # a hostile schema can break the validator itself
            context.problems.add(node, f"this JSON Schema cannot be used: {type(error).__name__}")
    return schema


def _limit(node: Node, context: Context) -> JsonObject:
    return {"limit": integer(node, context.problems, f"{node.path[-1]}")}


READERS: dict[str, Callable[[Node, Context], JsonObject]] = {
    "calls_tool": _calls_tool,
    "not_calls_tool": _one_tool,
    "min_tool_calls": _counted,
    "tool_args": _tool_args,
    "tool_result": _tool_result,
    "no_tool_calls": _no_tool_calls,
    "parallel_calls": _parallel_calls,
    "call_order": lambda node, context: {"tools": _tools(node, context)},
    "max_turns": _limit,
    "final_contains": _final_texts,
    "final_not_contains": _final_texts,
    "final_matches": lambda node, context: {"pattern": pattern(node, context.problems, "final_matches")},
    "final_json": _final_json,
    "terminates": lambda node, context: {"reason": _reason(node, context)},
    "cost_under": lambda node, context: {"limit": number(node, context.problems, "cost_under")},
    "latency_under_ms": _limit,
}


def _reason(node: Node, context: Context) -> str:
    if node.value in ("unmocked_tool", "provider_error"):
        message = f"no case passes that ends with {node.value}, so this cannot hold"
        context.problems.add(node, message, f"Reasons: {', '.join(REASONS)}.")
        return REASONS[0]
    return choice(node, context.problems, REASONS, "terminates")
