"""Where a replay departs from its recording: which call, which fields, and the text of the difference."""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING, Literal

from dryfire_action.fingerprint import NOT_SENT_PARAMS, content_that_counts
from dryfire_action.placeholders import store
from dryfire_action.redact import DEFAULT_RULES
from dryfire_action.request_texts import RequestTexts
from dryfire_action.visible import harmless

if TYPE_CHECKING:
    from dryfire_action.field_changes import FieldChange
    from dryfire_action.messages import JsonObject, Message, Request
    from dryfire_action.redact import Rules

CallKind = Literal["llm", "tool"]
Reason = Literal["request", "order", "extra", "repeated", "missing"]

# The provider name under which a tool call is told as a request, so that one fingerprint serves both.
TOOL_PROVIDER = "tool"
DIFF_CONTEXT = 3
DIFF_LIMIT = 120  # lines

_SENTENCES: dict[Reason, str] = {
    "request": "request differs from the recording",
    "order": "asked for in another order than recorded",
    "extra": "nothing is recorded here",
    "repeated": "asked for more times than recorded",
    "missing": "recorded, and did not happen",
}


@dataclass(frozen=True, slots=True)
class ReplayDivergence:
    """One call in which a replay departed from the recording.

    ``index`` counts the calls of this ``kind`` from 0; ``mode`` is the cassette's ("" between two traces). ``reason``
    is ``request`` (another request is recorded at this index), ``order`` (recorded, but before a call that was played
    already), ``extra`` (nothing is recorded at this index), ``repeated`` (recorded, and already used up) or ``missing``
    (between traces: recorded, and did not happen).
    ``recorded`` and ``actual`` are the redacted requests as JSON, None where there is none or its text is not kept;
    ``changes`` names the fields that differ; ``diff`` is a unified diff of the two ("" without texts).
    """

    kind: CallKind
    index: int
    name: str
    mode: str
    reason: Reason
    changes: tuple[FieldChange, ...] = ()
    recorded_key: str | None = None
    actual_key: str | None = None
    recorded: JsonObject | None = None
    actual: JsonObject | None = None
    recorded_index: int | None = None

    @property
    def diff(self) -> str:
        """The unified diff from the recorded to the actual request; "" where a text is not at hand."""
        if self.reason == "order" or self.recorded is None or self.actual is None:
            return ""
        return unified(self.recorded, self.actual)

    @property
    def fields(self) -> tuple[str, ...]:
        """The paths of the fields that differ."""
        return tuple(change.path for change in self.changes)

    def __str__(self) -> str:
        mode = f" [{self.mode}]" if self.mode else ""
        lines = [f"{self.kind} call #{self.index}: {_SENTENCES[self.reason]}{mode}"]
        if self.recorded_index is not None and self.reason == "order":
            lines.append(f"it is call #{self.recorded_index} of the recording")
        if self.changes:
            named = ", ".join(f"{change.path} ({change.change})" for change in self.changes)
            lines.append(f"changed: {named}")
        if self.diff:
            lines.append(self.diff)
        return "\n".join(lines)


def tool_request(name: str, arguments: JsonObject) -> Request:
    """A tool call as a request, so that fingerprint, redaction and pointers are those of every other request."""
    from dryfire_action.messages import Message, Request, ToolCall

    call = ToolCall("call_0", name, arguments)
    return Request(TOOL_PROVIDER, name, (Message("assistant", tool_calls=(call,)),))


def request_json(request: Request, rules: Rules | None = DEFAULT_RULES) -> JsonObject:
    """``request`` as JSON to be read by people: redacted by ``rules`` (None: as it is), without what is unset."""
    if request.provider == TOOL_PROVIDER and len(request.messages) == 1 and request.messages[0].tool_calls:
        call = request.messages[0].tool_calls[0]
        found: JsonObject = {"tool": call.name, "arguments": call.arguments}
    else:
        found = _request_json(request)
    if rules is None:
        return found
    redacted = store({"request": found}, RequestTexts(), rules).value["request"]
    assert isinstance(redacted, dict)
    return redacted


def unified(recorded: JsonObject, actual: JsonObject) -> str:
    """The unified diff of two requests, laid out with sorted keys; cut after ``DIFF_LIMIT`` lines, saying how many."""
    old, new = (
        json.dumps(side, ensure_ascii=False, indent=2, sort_keys=True).split("\n")
        for side in (recorded, actual)
    )
    lines = list(unified_diff(old, new, "recorded", "actual", n=DIFF_CONTEXT, lineterm=""))
    left_out = len(lines) - DIFF_LIMIT
    if left_out > 0:
        lines = [*lines[:DIFF_LIMIT], f"... {left_out} more lines"]
    return harmless("\n".join(lines))


def _request_json(request: Request) -> JsonObject:
    found: JsonObject = {
        "provider": request.provider,
        "model": request.model,
        "system": request.system,
        "params": {name: value for name, value in request.params.items() if name not in NOT_SENT_PARAMS},
        "hooks": [f"{hook.name} {hook.version}".rstrip() for hook in request.hooks],
        "output_schema": request.output_schema,
        "tools": [
            {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
            for tool in request.tools
        ],
        "messages": [_message_json(message) for message in request.messages],
    }
    return {name: value for name, value in found.items() if value not in (None, "", [], {})}


def _message_json(message: Message) -> JsonObject:
    found: JsonObject = {
        "role": message.role,
        "content": content_that_counts(message.content),
        "reasoning": list(message.reasoning),
        "tool_calls": [
            {"name": call.name, "arguments": call.arguments}
            if call.malformed_arguments is None
            else {"name": call.name, "malformed_arguments": call.malformed_arguments}
            for call in message.tool_calls
        ],
        "tool_results": [
            {"content": result.content, "is_error": result.is_error} for result in message.tool_results
        ],
    }
    return {name: value for name, value in found.items() if value not in (None, [])}
