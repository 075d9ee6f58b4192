"""The values behind the digests: everything a case declares that can reach one of its requests.

Fingerprints hold digests only. Whoever has the case that a request was made from can name the text of a digest, and
a digest that agrees is proof enough, whichever case of whichever revision the text was found in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dryfire_action.field_paths import without_indices
from dryfire_action.fingerprint import digest, head_digests, message_digests, quoted
from dryfire_action.ignore_rules import IgnoreRule, ignoring
from dryfire_action.messages import Message, ToolResult
from dryfire_action.mocks import as_content
from dryfire_action.patterns import compile_pattern
from dryfire_action.suite import Fail, Impl, Steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dryfire_action.errors import Place
    from dryfire_action.ignore_rules import Masker
    from dryfire_action.messages import JsonObject, JsonValue, ToolSpec
    from dryfire_action.suite import Case, MockRule


@dataclass(frozen=True, slots=True)
class Held:
    """A value that a case holds, and where it stands: the most exact place that is known."""

    value: JsonValue
    place: Place


def values_of(case: Case, ignore: Sequence[IgnoreRule] = ()) -> dict[str, JsonValue]:
    """The values of ``case`` by the digest that a fingerprint has of them; see ``held_by``."""
    return {key: held.value for key, held in held_by(case, ignore).items()}


def held_by(case: Case, ignore: Sequence[IgnoreRule] = ()) -> dict[str, Held]:
    """Everything in ``case`` that can be a field of a request, or a part that comes and goes as a whole, by digest.

    That is the fields of its head and of its input messages, script steps, what its mocks answer as the model gets it,
    and whole tools, messages, calls and results. With ``ignore`` the digests under these rules are there beside the
    plain ones. What a provider or ``impl:`` code answered is in no suite.
    """
    found: dict[str, Held] = {}
    for rules in ((), tuple(ignore)) if ignore else ((),):
        mask = ignoring((rule, compile_pattern(rule.pattern)) for rule in rules)
        for key, held in _digested(case, mask, _anywhere(rules)):
            found.setdefault(key, held)
    return found


def _digested(case: Case, mask: Masker | None, anywhere: Masker | None) -> Iterator[tuple[str, Held]]:
    fields: dict[str, JsonValue] = {}

    def noting(path: str, value: JsonValue) -> JsonValue:
        # The fingerprint itself says which fields there are, so that this can never disagree with it.
        fields[path] = value
        return mask(path, value) if mask else value

    head = head_digests(case.first_request, noting)
    messages: list[dict[str, str]] = []
    calls: list[list[str]] = []
    for index, message in enumerate(case.messages):
        messages.append(message_digests(message, f"messages[{index}]", calls, noting))
    for path, value in head.items():
        if isinstance(value, tuple):
            yield digest(list(value)), Held(list(value), _place(case, path))
        elif path in fields:
            yield value, Held(fields[path], _place(case, path))
    for index, digests in enumerate(messages):
        for name, value in digests.items():
            path = f"messages[{index}].{name}"
            yield value, Held(fields[path], _place(case, path))
    for index, step in enumerate(case.script):
        path = f"script[{index}]"
        yield digest(mask(path, step) if mask else step, path), Held(step, _place(case, path))
    yield from _answers(case, anywhere)
    yield from _wholes(case, head, messages)


def _answers(case: Case, mask: Masker | None) -> Iterator[tuple[str, Held]]:
    """What mocks answer, wherever in a conversation that will stand."""

    def answered(content: JsonValue, is_error: bool, place: Place) -> Iterator[tuple[str, Held]]:
        message = Message("tool", tool_results=(ToolResult("", content, is_error),))
        digests = message_digests(message, "messages[*]", [], mask)
        yield digests["tool_results[0].content"], Held(content, place)
        yield digests["tool_results[0].is_error"], Held(is_error, place)

    for rules in case.mocks.values():
        for rule in rules:
            for content, is_error in _contents(rule):
                yield from answered(content, is_error, rule.place)
    if case.on_unmocked != "error":
        yield from answered("", False, case.place)


def _contents(rule: MockRule) -> Iterator[tuple[JsonValue, bool]]:
    answer = rule.answer
    if isinstance(answer, Impl):
        return
    for step in answer.steps if isinstance(answer, Steps) else (answer,):
        yield (step.message, True) if isinstance(step, Fail) else (as_content(step.value), False)


def _wholes(
    case: Case, head: Mapping[str, str | tuple[str, ...]], messages: Sequence[Mapping[str, str]]
) -> Iterator[tuple[str, Held]]:
    """Parts that are named as a whole where they were added or removed."""
    for tool in case.tools:
        path = f"tools[{quoted(tool.name)}]"
        members = {name: value for name, value in head.items() if name.startswith(f"{path}.")}
        yield digest(members), Held(_shown_tool(tool), _place(case, path))
    for index, digests in enumerate(messages):
        path = f"messages[{index}]"
        shown = _shown_message(case.messages[index])
        yield digest(dict(digests)), Held(shown, _place(case, path))
        plain = {name: value for name, value in digests.items() if not name.endswith(".answers")}
        yield digest(plain), Held(shown, _place(case, path))
        for part in ("tool_calls", "tool_results"):
            for number, item in enumerate(shown.get(part, ())):
                start = f"{part}[{number}]."
                for of in (digests, plain):
                    members = {name[len(start) :]: d for name, d in of.items() if name.startswith(start)}
                    yield digest(members), Held(item, _place(case, f"{path}.{part}[{number}]"))


def _shown_tool(tool: ToolSpec) -> JsonObject:
    found: JsonObject = {} if tool.description is None else {"description": tool.description}
    return {**found, "input_schema": tool.input_schema}


def _shown_message(message: Message) -> JsonObject:
    found: JsonObject = {"role": message.role}
    if message.content is not None:
        found["content"] = message.content
    if message.tool_calls:
        found["tool_calls"] = [
            {
                "name": call.name,
                "arguments": call.arguments if call.malformed_arguments is None else call.malformed_arguments,
            }
            for call in message.tool_calls
        ]
    if message.tool_results:
        found["tool_results"] = [
            {"content": result.content, **({"is_error": True} if result.is_error else {})}
            for result in message.tool_results
        ]
    return found


def _place(case: Case, path: str) -> Place:
    """Where a field stands; the case itself where that is not known."""
    return case.place_of(path) or case.place


def _anywhere(rules: Sequence[IgnoreRule]) -> Masker | None:
    """The masker for texts whose index in the conversation is not known: rules for one index count for all."""
    return ignoring(
        (IgnoreRule(without_indices(rule.path), rule.pattern), compile_pattern(rule.pattern))
        for rule in rules
    )
