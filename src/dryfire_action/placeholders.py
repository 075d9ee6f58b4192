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
from dryfire_action.messages import Response, ToolCall
from dryfire_action.request_texts import pointed_to

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from dryfire_action.messages import JsonObject, JsonValue, Request, Usage
    from dryfire_action.redact import Finding, Rules
    from dryfire_action.request_texts import RequestTexts

Path = tuple[str | int, ...]

MAX_ROUNDS = 12
# Signed or encrypted fields of reasoning parts: changing a byte would make the provider refuse them.
SEALED = frozenset({"signature", "encrypted_content", "data", "thoughtSignature", "thought_signature"})
# The same in the bodies of HTTP answers, where "data" may be anything.
_SEALED_IN_HTTP = SEALED - {"data"}


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
    calls = [
        ToolCall(call_id, call["name"], call.get("arguments", {}), call.get("malformed_arguments"))
        for call_id, call in zip(ids, value.get("tool_calls", ()), strict=True)
    ]
    return Response(
        text=value["text"],
        tool_calls=tuple(calls),
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
    if error.chunks:
        found["text"] = "".join(error.chunks)
    return found


def error_from(value: JsonObject) -> ProviderError:
    """The failure whose JSON is ``value``."""
    return ProviderError(
        value["message"],
        kind=value["kind"],
        status=value.get("status"),
        retry_after=value.get("retry_after"),
        retryable=value["retryable"],
        chunks=(value["text"],) if value.get("text") else (),
    )


def store(value: JsonObject, texts: RequestTexts, rules: Rules) -> Stored:
    """``value`` with every secret replaced by a marker; secrets of the request in ``texts`` get a pointer as well."""
    markers = _Markers(json.dumps(value, ensure_ascii=False))
    redacted = value
    # Taking one secret out can bring another to light. With the rules of the table that ends soon; a team's pattern
    # may find itself in every marker, and then never would.
    for _ in range(MAX_ROUNDS):
        before, redacted = redacted, _redact_tree(redacted, markers, rules)
        if redacted == before:
            break
    stored = json.dumps(redacted, ensure_ascii=False)
    from_request = {}
    for marker, secret in markers.values.items():
        # A marker of an earlier round may have gone into one of a later round.
        pointer = texts.pointer_to(secret) if marker in stored else None
        if pointer:
            from_request[marker] = pointer
    return Stored(redacted, from_request, redacted.get("reasoning") != value.get("reasoning"))


def restore(value: JsonObject, from_request: Mapping[str, str], request: Request) -> JsonObject:
    """``value`` with the markers of ``from_request`` replaced by the text of ``request`` they point to.

    A pointer that leads nowhere leaves its marker standing: that can only be where the keys differ (diagnosis).
    """
    if not from_request:
        return value
    found = {marker: pointed_to(pointer, request) for marker, pointer in from_request.items()}
    texts = {marker: text for marker, text in found.items() if text is not None}
    if not texts:
        return value
    marked = re.compile("|".join(re.escape(marker) for marker in texts))
    restored = _map_texts(value, lambda text: marked.sub(lambda match: texts[match[0]], text))
    assert isinstance(restored, dict)
    return restored


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
    """Gives every secret a marker that occurs nowhere in the answer; the same secret and rule get the same one.

    ``values`` are the secrets by marker.
    """

    def __init__(self, answer: str) -> None:
        self._answer = answer
        self._known: dict[tuple[str, str], str] = {}
        self.values: dict[str, str] = {}

    def __call__(self, secret: str, rule: str) -> str:
        known = self._known.get((secret, rule))
        if known:
            return known
        # The id of a team's own rule may be any text.
        name = re.sub(r"[^a-z0-9]+", "-", rule.lower()).strip("-")[:64].strip("-") or "rule"
        number = 1
        while (marker := f"[redacted:{name}:{number}]") in self._answer or marker in self.values:
            number += 1
        self._known[secret, rule] = marker
        self.values[marker] = self._original(secret)
        return marker

    def replace(self, text: str, findings: Sequence[Finding]) -> str:
        """``text`` with a marker in place of each finding. Markers that stand there already stay or go as a whole."""
        whole = [found.span() for found in redact.MARKER_PATTERN.finditer(text) if found[0] in self.values]
        parts, at = [], 0
        for finding in sorted(findings, key=lambda found: found.start):
            start, end = max(finding.start, at), finding.end
            if any(first <= start and end <= last for first, last in whole):
                continue
            for first, last in whole:
                if first < end and start < last:
                    start, end = min(start, first), max(end, last)
            if start < end:
                parts += [text[at:start], self(text[start:end], finding.rule)]
                at = end
        return "".join((*parts, text[at:]))

    def _original(self, text: str) -> str:
        for marker, secret in self.values.items():
            text = text.replace(marker, secret)
        return text


def _redact_tree(value: JsonObject, markers: _Markers, rules: Rules) -> JsonObject:
    """``value`` with the secrets that can be seen now replaced; a secret may be a key of a mapping too."""
    texts: dict[Path, list[Finding]] = {}
    keys: dict[tuple[Path, str], list[Finding]] = {}
    for finding in redact.find(value, rules=rules):
        if finding.in_key:
            keys.setdefault((finding.path, finding.text), []).append(finding)
        elif not _kept_as_it_is(finding.path):
            texts.setdefault(finding.path, []).append(finding)

    def walk(path: Path, item: JsonValue) -> JsonValue:
        if isinstance(item, str):
            return markers.replace(item, texts.get(path, ()))
        if isinstance(item, dict):
            return {
                markers.replace(key, keys.get((path, key), ())): walk((*path, key), child)
                for key, child in item.items()
            }
        if isinstance(item, list):
            return [walk((*path, index), child) for index, child in enumerate(item)]
        return item

    found: JsonObject = walk((), value) if texts or keys else value
    return found


def _kept_as_it_is(path: Path) -> bool:
    """Whether a text of the answer is structure (a call's id, why it stopped) or sealed reasoning."""
    if path[0] == "reasoning":
        return bool(SEALED.intersection(map(str, path)))
    if path[0] == "http":
        return path[-1] in _SEALED_IN_HTTP
    return path[0] == "stop_reason" or (path[0] == "tool_calls" and path[2] == "id")


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
