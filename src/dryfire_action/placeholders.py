"""Placeholders: how an answer is stored without its secrets, and given back with those the request holds itself.

``store`` redacts an answer; a secret that also stands in the request leaves a pointer to it beside the answer.
``restore`` follows the pointers. A recorder and a replay both hand out ``restore(store(answer))``, so a recorded run
and its replay go the same way, although the file holds no secret.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dryfire_action import redact
from dryfire_action.errors import ProviderError
from dryfire_action.fingerprint import IGNORED, TRANSPORT_PARAMS, content_that_counts, dotted, quoted
from dryfire_action.messages import Response, ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from dryfire_action.fingerprint import Masker
    from dryfire_action.messages import JsonObject, JsonValue, Message, Request, Usage
    from dryfire_action.redact import Rules

# Redacting one thing can make another visible (a token inside a JSON text); more than a few rounds it never took.
MAX_ROUNDS = 20
# Signed or encrypted fields of reasoning parts: changing a byte would make the provider refuse them.
SEALED = frozenset({"signature", "encrypted_content", "data", "thoughtSignature", "thought_signature"})

_POINTER = re.compile(r"(?P<path>.*)\[(?P<start>\d+):(?P<end>\d+)\]\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Stored:
    """A redacted answer or error as JSON, and the pointers from its markers into the request."""

    value: JsonObject
    from_request: Mapping[str, str]
    reasoning_altered: bool = False


def answer_json(response: Response) -> JsonObject:
    """What a cassette keeps of an answer, before redaction: text, calls, reasoning and the reason it stopped."""
    found: JsonObject = {"text": response.text}
    if response.reasoning:
        found["reasoning"] = list(response.reasoning)
    if response.tool_calls:
        found["tool_calls"] = [_call_json(index, call) for index, call in enumerate(response.tool_calls)]
    found["stop_reason"] = response.stop_reason
    return found


def response_from(
    value: JsonObject, ids: Sequence[str], usage: Usage, *, latency_ms: int = 0, served: str | None = None
) -> Response:
    """The answer whose JSON is ``value``; its calls get ``ids`` in order."""
    calls = tuple(
        ToolCall(call_id, call["name"], call.get("arguments", {}), call.get("malformed_arguments"))
        for call_id, call in zip(ids, value.get("tool_calls", ()), strict=True)
    )
    return Response(
        text=value["text"],
        tool_calls=calls,
        stop_reason=value["stop_reason"],
        reasoning=tuple(value.get("reasoning", ())),
        usage=usage,
        latency_ms=latency_ms,
        model_served=served,
    )


def error_json(error: ProviderError) -> JsonObject:
    """What a cassette keeps of a provider's failure, before redaction."""
    found: JsonObject = {"kind": error.kind, "message": error.message}
    if error.status is not None:
        found["status"] = error.status
    if error.retry_after is not None:
        found["retry_after"] = error.retry_after
    found["retryable"] = error.retryable
    return found


def error_from(value: JsonObject) -> ProviderError:
    """The failure whose JSON is ``value``."""
    return ProviderError(
        value["message"],
        kind=value["kind"],
        status=value.get("status"),
        retry_after=value.get("retry_after"),
        retryable=value["retryable"],
    )


def store(value: JsonObject, request: Request, rules: Rules, mask: Masker | None = None) -> Stored:
    """``value`` with every secret replaced by a marker; secrets of ``request`` get a pointer as well.

    ``mask`` applies the ignore rules: text of the request that they touch is never pointed to, because two requests
    with the same key may differ there.
    """
    markers = _Markers(json.dumps(value, ensure_ascii=False))
    redacted = value
    for _ in range(MAX_ROUNDS):
        again = _redact_tree(redacted, markers, rules)
        if again == redacted:
            break
        redacted = again
    from_request: dict[str, str] = {}
    for marker, secret in markers.values.items():
        pointer = _pointer_to(secret, request, mask)
        if pointer:
            from_request[marker] = pointer
    return Stored(redacted, from_request, redacted.get("reasoning") != value.get("reasoning"))


def restore(value: JsonObject, from_request: Mapping[str, str], request: Request) -> JsonObject:
    """``value`` with the markers of ``from_request`` replaced by the text of ``request`` they point to.

    A pointer that leads nowhere leaves its marker standing: that can only be where the keys differ (diagnosis).
    """
    if not from_request:
        return value
    texts = {}
    for marker, pointer in from_request.items():
        found = _POINTER.match(pointer)
        text = _leaf_at(found["path"], request) if found else None
        if found and text is not None and int(found["end"]) <= len(text):
            texts[marker] = text[int(found["start"]) : int(found["end"])]
    if not texts:
        return value
    marked = re.compile("|".join(re.escape(marker) for marker in texts))
    restored = _map_texts(value, lambda text: marked.sub(lambda match: texts[match[0]], text))
    assert isinstance(restored, dict)
    return restored


def request_leaves(request: Request) -> Iterator[tuple[str, str]]:
    """Every non-empty text of a request that is digested, with its path (the field's, then the keys inside it)."""
    yield from _head_leaves(request)
    for index, message in enumerate(request.messages):
        yield from _message_leaves(f"messages[{index}]", message)


def fresh_call_ids(taken: AbstractSet[str], count: int) -> list[str]:
    """Ids for the calls of the next answer: ``call_N``, unique in the conversation, the same in every replay.

    ``taken`` are the ids of the calls so far.
    """
    found: list[str] = []
    number = len(taken)
    while len(found) < count:
        if f"call_{number}" not in taken:
            found.append(f"call_{number}")
        number += 1
    return found


class _Markers:
    """Gives every secret a marker that occurs nowhere in the answer; the same secret and rule get the same one."""

    def __init__(self, answer: str) -> None:
        self._answer = answer
        self._known: dict[tuple[str, str], str] = {}
        self.values: dict[str, str] = {}

    def __call__(self, secret: str, rule: str) -> str:
        known = self._known.get((secret, rule))
        if known:
            return known
        number = 1
        while (marker := f"[redacted:{rule}:{number}]") in self._answer or marker in self.values:
            number += 1
        self._known[secret, rule] = marker
        self.values[marker] = self._original(secret)
        return marker

    def _original(self, text: str) -> str:
        # In a later round a secret may hold a marker of an earlier one.
        for marker, secret in self.values.items():
            text = text.replace(marker, secret)
        return text


def _redact_tree(value: JsonObject, markers: _Markers, rules: Rules) -> JsonObject:
    by_leaf: dict[tuple[str | int, ...], list[redact.Finding]] = {}
    for finding in redact.find(value, rules=rules):
        if finding.in_key or _kept_as_it_is(finding.path):
            continue
        by_leaf.setdefault(finding.path, []).append(finding)

    def clean(path: tuple[str | int, ...], text: str) -> str:
        for finding in sorted(by_leaf.get(path, ()), key=lambda found: found.start, reverse=True):
            secret = text[finding.start : finding.end]
            text = text[: finding.start] + markers(secret, finding.rule) + text[finding.end :]
        return text

    def clean_key(key: str) -> str:
        for span in reversed(redact.find_in_text(key, rules=rules)):
            key = key[: span.start] + markers(key[span.start : span.end], span.rule) + key[span.end :]
        return key

    def walk(path: tuple[str | int, ...], item: JsonValue) -> JsonValue:
        if isinstance(item, str):
            return clean(path, item)
        if isinstance(item, dict):
            return {clean_key(key): walk((*path, key), child) for key, child in item.items()}
        if isinstance(item, list):
            return [walk((*path, index), child) for index, child in enumerate(item)]
        return item

    found = walk((), value)
    assert isinstance(found, dict)
    return found


def _kept_as_it_is(path: tuple[str | int, ...]) -> bool:
    """Whether a text of the answer is structure (a tool's name, why it stopped) or sealed reasoning."""
    if path[0] == "reasoning":
        return bool(SEALED.intersection(map(str, path)))
    return path[0] == "stop_reason" or (path[0] == "tool_calls" and path[2] in ("id", "name"))


def _pointer_to(secret: str, request: Request, mask: Masker | None) -> str | None:
    for path, text in request_leaves(request):
        start = text.find(secret)
        if start >= 0 and not _touched(path, text, mask):
            return f"{path}[{start}:{start + len(secret)}]"
    return None


def _leaf_at(path: str, request: Request) -> str | None:
    """The text at ``path``; looks only into the message that the path names, so that long runs stay fast."""
    message = re.match(r"messages\[(\d+)\]", path)
    if message is None:
        leaves = _head_leaves(request)
    elif int(message[1]) < len(request.messages):
        leaves = _message_leaves(message[0], request.messages[int(message[1])])
    else:
        return None
    return next((text for where, text in leaves if where == path), None)


def _touched(path: str, text: str, mask: Masker | None) -> bool:
    """Whether ignore rules change this text. They go by field path, which is a prefix of the leaf's."""
    if mask is None:
        return False
    fields = [path[:end] for end in range(1, len(path) + 1) if end == len(path) or path[end] in ".["]
    return any(IGNORED in str(mask(field, text)) for field in fields)


def _head_leaves(request: Request) -> Iterator[tuple[str, str]]:
    yield from _leaves("system", request.system)
    for tool in request.tools:
        path = f"tools[{quoted(tool.name)}]"
        yield from _leaves(f"{path}.description", tool.description)
        yield from _leaves(f"{path}.input_schema", tool.input_schema)
    for name, value in request.params.items():
        if name not in TRANSPORT_PARAMS:
            yield from _leaves(f"params{dotted(name)}", value)
    yield from _leaves("output_schema", request.output_schema)
    if request.script:
        yield from _leaves(f"script[{request.script.index}]", request.script.step)


def _message_leaves(path: str, message: Message) -> Iterator[tuple[str, str]]:
    yield from _leaves(f"{path}.content", content_that_counts(message.content))
    for index, part in enumerate(message.reasoning):
        yield from _leaves(f"{path}.reasoning[{index}]", part)
    for index, call in enumerate(message.tool_calls):
        yield from _leaves(f"{path}.tool_calls[{index}].name", call.name)
        yield from _leaves(f"{path}.tool_calls[{index}].arguments", call.arguments)
        yield from _leaves(f"{path}.tool_calls[{index}].malformed_arguments", call.malformed_arguments)
    for index, result in enumerate(message.tool_results):
        yield from _leaves(f"{path}.tool_results[{index}].content", result.content)


def _leaves(path: str, value: JsonValue) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        if value:
            yield path, value
    elif isinstance(value, dict):
        for key in sorted(value):
            yield from _leaves(f"{path}{dotted(key)}", value[key])
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(f"{path}[{index}]", item)


def _map_texts(value: JsonValue, change: Callable[[str], str]) -> JsonValue:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key): _map_texts(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_map_texts(item, change) for item in value]
    return value


def _call_json(index: int, call: ToolCall) -> JsonObject:
    found: JsonObject = {"id": f"call_{index}", "name": call.name}
    if call.malformed_arguments is None:
        found["arguments"] = call.arguments
    else:
        found["malformed_arguments"] = call.malformed_arguments
    return found
