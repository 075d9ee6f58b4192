"""The same answers in the four wire formats, and what they must come out as."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.providers.wire_server import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

Calls = list[tuple[str, Any]]


@dataclass(frozen=True)
class Spoken:
    """A wire format: the name of a provider that has it, and bodies in it."""

    name: str
    sdk: str
    # (text, calls): arguments are objects, or text that is not JSON where the format can carry it
    answer: Callable[[str | None, Calls], Any]
    # (what ended it): "length", "refusal", "new"
    ended: Callable[[str], Any]
    # an answer whose optional usage fields are null, or that has no usage at all
    null_usage: tuple[Any, ...]
    error: Callable[[int, str, str], Any]
    # the events of a streamed answer: pieces of text, then calls
    events: Callable[[list[str], Calls], list[Any]]
    named: bool = False
    done: bool = False
    malformed: bool = True

    def stream(
        self, pieces: list[str], calls: Calls | None = None, *, keep: int | None = None, **how: Any
    ) -> Reply:
        """A streamed answer; with ``keep`` only its first events."""
        events = self.events(pieces, calls or [])
        whole = keep is None
        return Reply(
            events=tuple(events if keep is None else events[:keep]),
            named=self.named,
            done=self.done and whole,
            **how,
        )


# Anthropic


def _message(content: list[Any], stop: str, usage: Any = None) -> Any:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "served-1",
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5} if usage is None else usage,
    }


def _messages_answer(text: str | None, calls: Calls) -> Any:
    content: list[Any] = [] if text is None else [{"type": "text", "text": text}]
    content += [
        {"type": "tool_use", "id": f"toolu_{at}", "name": name, "input": arguments}
        for at, (name, arguments) in enumerate(calls)
    ]
    return _message(content, "tool_use" if calls else "end_turn")


def _messages_ended(how: str) -> Any:
    stop = {"length": "max_tokens", "refusal": "refusal"}.get(how, how)
    return _message([{"type": "text", "text": "So"}], stop)


def _messages_error(status: int, kind: str, message: str) -> Any:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def _messages_events(pieces: list[str], calls: Calls) -> list[Any]:
    start = {
        **_message([], "end_turn"),
        "stop_reason": None,
        "usage": {"input_tokens": 10, "output_tokens": 1},
    }
    events: list[Any] = [{"type": "message_start", "message": start}]
    index = 0
    if pieces:
        events.append(
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        )
        events += [
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
            for piece in pieces
        ]
        events.append({"type": "content_block_stop", "index": 0})
        index = 1
    for at, (name, arguments) in enumerate(calls, start=index):
        block = {"type": "tool_use", "id": f"toolu_{at}", "name": name, "input": {}}
        written = arguments if isinstance(arguments, str) else json.dumps(arguments)
        events.append({"type": "content_block_start", "index": at, "content_block": block})
        events += [
            {
                "type": "content_block_delta",
                "index": at,
                "delta": {"type": "input_json_delta", "partial_json": piece},
            }
            for piece in ("", written[:4], written[4:])
        ]
        events.append({"type": "content_block_stop", "index": at})
    delta = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 5}})
    events.append({"type": "message_stop"})
    return events


# Chat Completions


def _completion(message: Any, finish: str, **more: Any) -> Any:
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "served-1",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "logprobs": None,
                "message": {"role": "assistant", "content": None, "refusal": None, **message},
            }
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        **more,
    }


def _chat_calls(calls: Calls) -> list[Any]:
    return [
        {
            "id": f"call_x{at}",
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for at, (name, given) in enumerate(calls)
    ]


def _chat_answer(text: str | None, calls: Calls) -> Any:
    if not calls:
        return _completion({"content": text}, "stop")
    return _completion({"content": text, "tool_calls": _chat_calls(calls)}, "tool_calls")


def _chat_ended(how: str) -> Any:
    if how == "refusal":
        return _completion({"refusal": "So"}, "stop")
    return _completion({"content": "So"}, {"length": "length"}.get(how, how))


def _openai_error(status: int, kind: str, message: str) -> Any:
    return {"error": {"type": kind, "message": message, "param": None, "code": None}}


def _chunk(delta: Any, finish: str | None = None) -> Any:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "served-1",
        "choices": [choice],
    }


def _chat_events(pieces: list[str], calls: Calls) -> list[Any]:
    events = [_chunk({"role": "assistant", "content": ""}), *(_chunk({"content": piece}) for piece in pieces)]
    for at, call in enumerate(_chat_calls(calls)):
        written = call["function"]["arguments"]
        head = {**call, "index": at, "function": {"name": call["function"]["name"], "arguments": ""}}
        events.append(_chunk({"tool_calls": [head]}))
        events += [
            _chunk({"tool_calls": [{"index": at, "function": {"arguments": piece}}]})
            for piece in (written[:4], written[4:])
        ]
    events.append(_chunk({}, "tool_calls" if calls else "stop"))
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return [*events, {**_chunk({}), "choices": [], "usage": usage}]


# Responses


def _response(output: list[Any], status: str = "completed", **more: Any) -> Any:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": "served-1",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 10,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 15,
        },
        **more,
    }


def _said(text: str, kind: str = "output_text") -> Any:
    key = "refusal" if kind == "refusal" else "text"
    part = {"type": kind, key: text, **({} if kind == "refusal" else {"annotations": []})}
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}


def _responses_answer(text: str | None, calls: Calls) -> Any:
    output = [] if text is None else [_said(text)]
    output += [
        {
            "type": "function_call",
            "id": f"fc_{at}",
            "call_id": f"call_x{at}",
            "name": name,
            "arguments": given if isinstance(given, str) else json.dumps(given),
            "status": "completed",
        }
        for at, (name, given) in enumerate(calls)
    ]
    return _response(output)


def _responses_ended(how: str) -> Any:
    if how == "refusal":
        return _response([_said("So", "refusal")])
    if how == "length":
        return _response([_said("So")], "incomplete", incomplete_details={"reason": "max_output_tokens"})
    return _response([_said("So")], how)


def _responses_events(pieces: list[str], calls: Calls) -> list[Any]:
    whole = _responses_answer("".join(pieces) if pieces else None, calls)
    events = [{"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}}]
    events += [
        {
            "type": "response.output_text.delta",
            "item_id": "msg_1",
            "output_index": 0,
            "content_index": 0,
            "delta": piece,
            "logprobs": [],
        }
        for piece in pieces
    ]
    events.append({"type": "response.completed", "response": whole})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


# generateContent


def _generated(parts: list[Any], finish: str | None, **more: Any) -> Any:
    candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
    return {
        "candidates": [{**candidate, **({"finishReason": finish} if finish else {})}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
        "modelVersion": "served-1",
        "responseId": "r1",
        **more,
    }


def _gemini_answer(text: str | None, calls: Calls) -> Any:
    parts: list[Any] = [] if text is None else [{"text": text}]
    parts += [{"functionCall": {"name": name, "args": arguments}} for name, arguments in calls]
    return _generated(parts, "STOP")


def _gemini_ended(how: str) -> Any:
    return _generated([{"text": "So"}], {"length": "MAX_TOKENS", "refusal": "SAFETY"}.get(how, how))


def _gemini_error(status: int, kind: str, message: str) -> Any:
    return {"error": {"code": status, "message": message, "status": kind}}


def _gemini_events(pieces: list[str], calls: Calls) -> list[Any]:
    events = [_generated([{"text": piece}], None) for piece in pieces]
    parts = [{"functionCall": {"name": name, "args": arguments}} for name, arguments in calls]
    return [*events, _generated(parts or [{"text": ""}], "STOP")]


MESSAGES = Spoken(
    "anthropic",
    "anthropic",
    _messages_answer,
    _messages_ended,
    (
        _message([{"type": "text", "text": "So"}], "end_turn", {}),
        {**_message([{"type": "text", "text": "So"}], "end_turn"), "usage": None},
        _message(
            [{"type": "text", "text": "So"}],
            "end_turn",
            {"input_tokens": None, "output_tokens": None, "cache_read_input_tokens": None},
        ),
    ),
    _messages_error,
    _messages_events,
    named=True,
)
CHAT = Spoken(
    "openai",
    "openai",
    _chat_answer,
    _chat_ended,
    (
        _completion({"content": "So"}, "stop", usage=None),
        _completion({"content": "So"}, "stop", usage={"prompt_tokens": None, "prompt_tokens_details": None}),
        _completion({"content": "So"}, "stop", usage={"prompt_tokens_details": {"cached_tokens": None}}),
    ),
    _openai_error,
    _chat_events,
    done=True,
)
RESPONSES = Spoken(
    "openai-responses",
    "openai",
    _responses_answer,
    _responses_ended,
    (
        _response([_said("So")], usage=None),
        _response([_said("So")], usage={"input_tokens": None, "input_tokens_details": None}),
    ),
    _openai_error,
    _responses_events,
    named=True,
)
GEMINI = Spoken(
    "gemini",
    "google-genai",
    _gemini_answer,
    _gemini_ended,
    (
        _generated([{"text": "So"}], "STOP", usageMetadata=None),
        _generated([{"text": "So"}], "STOP", usageMetadata={"promptTokenCount": None}),
    ),
    _gemini_error,
    _gemini_events,
    malformed=False,
)
ALL = (MESSAGES, CHAT, RESPONSES, GEMINI)
