"""Google's generateContent, through the ``google-genai`` SDK.

Parameters have the names of the SDK's ``GenerateContentConfig``, written either way (``max_output_tokens``,
``maxOutputTokens``). Thought signatures belong to parts: they go back on the part they came with.
"""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from dryfire_action.errors import UsageError
from dryfire_action.messages import Response, StopReason, ToolCall, Usage
from dryfire_action.providers.failures import failed_answer
from dryfire_action.providers.images import is_image
from dryfire_action.providers.live import TIMEOUT, LiveModel, Streamed, gathered
from dryfire_action.providers.wire import (
    arguments_from,
    arguments_object,
    count,
    linked,
    mapping,
    maps,
    rest_of,
    with_params,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection

    from dryfire_action.messages import JsonObject, Message, Request
    from dryfire_action.providers.wire import Answered, Linked

_STOP: dict[str, StopReason] = {
    "STOP": "end_turn",
    "MAX_TOKENS": "max_tokens",
    **dict.fromkeys(
        ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"), "refusal"
    ),
}
_OWN = {
    "contents": "write input: in the case",
    "system_instruction": "write system: in the suite",
    "systemInstruction": "write system: in the suite",
    "automatic_function_calling": "the tools of a suite are answered by its mocks",
    "automaticFunctionCalling": "the tools of a suite are answered by its mocks",
    "should_return_http_response": "it is for the SDK's callers",
    "shouldReturnHttpResponse": "it is for the SDK's callers",
}
# What the client takes, not the call.
_TRANSPORT = frozenset({"stream", "timeout", "extra_headers", "http_options", "httpOptions"})
# The part where the whole text of an answer stood; the text itself is beside it.
_WHOLE_TEXT = "whole"


class GeminiModel(LiveModel):
    """Google's models, by generateContent."""

    sdk = "google-genai"
    module = "google.genai"
    extra = "gemini"
    way_out = "write it below params.http_options.extra_body"

    def _wire(self, request: Request) -> JsonObject:
        return to_wire(request)

    def _named(self, wire: JsonObject) -> JsonObject:
        found: JsonObject = wire["config"]
        return found

    def _parameters(self) -> Collection[str]:
        fields = self._sdk.types.GenerateContentConfig.model_fields
        aliases = {field.alias for field in fields.values() if field.alias}
        return {"stream", "timeout", "extra_headers", *fields, *aliases}

    @asynccontextmanager
    async def _client(self, wire: JsonObject, /) -> AsyncIterator[Any]:
        types = self._sdk.types
        options = types.HttpOptions.model_validate(_http_options(wire["config"]))
        options.retry_options = types.HttpRetryOptions(attempts=1)
        if self._base_url:
            options.base_url = self._base_url
        client = self._sdk.Client(api_key=self._key, vertexai=False, http_options=options)
        async with client.aio as asked:  # `client` itself must live as long
            yield asked

    async def _send(self, client: Any, wire: JsonObject) -> bytes | str | Streamed:
        types = self._sdk.types
        settings = {name: value for name, value in wire["config"].items() if name not in _TRANSPORT}
        # From JSON, because the bytes of a signature are base64 there and raw text elsewhere.
        contents = [types.Content.model_validate_json(json.dumps(content)) for content in wire["contents"]]
        config = types.GenerateContentConfig.model_validate(settings)
        config.automatic_function_calling = types.AutomaticFunctionCallingConfig(disable=True)
        arguments = {"model": wire["model"], "contents": contents, "config": config}
        if wire["config"].get("stream"):
            return await gathered(await client.models.generate_content_stream(**arguments), _text_of)
        config.should_return_http_response = True
        answer = await client.models.generate_content(**arguments)
        body: str = answer.sdk_http_response.body
        return body

    def _assembled(self, events: list[JsonObject]) -> JsonObject | None:
        return from_events(events)

    def _response(self, body: JsonObject) -> Response:
        return from_wire(body)


def to_wire(request: Request) -> JsonObject:
    """The arguments of ``models.generate_content`` for ``request``, as JSON."""
    config: JsonObject = {}
    if request.system is not None:
        config["system_instruction"] = request.system
    if request.tools:
        declared = [
            {
                "name": tool.name,
                **({} if tool.description is None else {"description": tool.description}),
                "parameters_json_schema": tool.input_schema,
            }
            for tool in request.tools
        ]
        config["tools"] = [{"function_declarations": declared}]
    config = with_params(config, request, own=_OWN)
    if (config.get("candidate_count") or config.get("candidateCount") or 1) != 1:
        raise UsageError(
            "params.candidate_count: a turn has one answer",
            remedy="set repeat: on the case for several runs",
        )
    if request.output_schema is not None:
        config |= {"response_mime_type": "application/json", "response_json_schema": request.output_schema}
    contents: list[JsonObject] = []
    for link in linked(request.messages):
        role = "model" if link.message.role == "assistant" else "user"
        parts = _model_parts(link) if role == "model" else _user_parts(link)
        if role == "user" and contents and contents[-1]["role"] == "user":
            contents[-1]["parts"] += parts
        elif parts:
            contents.append({"role": role, "parts": parts})
    return {"model": request.model, "contents": contents, "config": config}


def from_wire(body: JsonObject) -> Response:
    """The answer in a response of the API; a prompt that was blocked has a refusal and no text."""
    if body.get("error"):
        raise failed_answer(mapping(body["error"]))
    usage = mapping(body.get("usageMetadata"))
    used = Usage(
        count(usage.get("promptTokenCount")) + count(usage.get("toolUsePromptTokenCount")),
        count(usage.get("candidatesTokenCount")) + count(usage.get("thoughtsTokenCount")),
        count(usage.get("cachedContentTokenCount")),
    )
    candidates = maps(body.get("candidates"))
    if not candidates:
        blocked = mapping(body.get("promptFeedback")).get("blockReason")
        stop: StopReason = "refusal" if blocked else "error"
        return Response(stop_reason=stop, usage=used, model_served=body.get("modelVersion"), raw=body)
    parts = maps(mapping(candidates[0].get("content")).get("parts"))
    calls = []
    for part in parts:
        if _is_call(part):
            call = part["functionCall"]
            arguments, malformed = arguments_from(call.get("args") or {})
            calls.append(ToolCall(call.get("id") or "", call["name"], arguments, malformed))
    texts = [part["text"] for part in parts if _is_text(part)]
    stop = _STOP.get(candidates[0].get("finishReason") or "", "error")
    return Response(
        text="".join(texts) if texts else None,
        tool_calls=tuple(calls),
        stop_reason="tool_use" if calls and stop == "end_turn" else stop,
        reasoning=_reasoning(parts),
        usage=used,
        model_served=body.get("modelVersion"),
        raw=body,
    )


def from_events(events: list[JsonObject]) -> JsonObject | None:
    """The response that a stream's pieces make up; None where the stream did not reach its end."""
    body: JsonObject = {}
    parts: list[JsonObject] = []
    candidate: JsonObject = {}
    for event in events:
        # Not the SDK's own note of the transport.
        body.update({name: value for name, value in event.items() if name != "sdkHttpResponse"})
        for found in maps(event.get("candidates"))[:1]:
            parts += [_plain(part) for part in maps(mapping(found.get("content")).get("parts"))]
            candidate.update({name: value for name, value in found.items() if value is not None})
    if not candidate.get("finishReason") and not mapping(body.get("promptFeedback")).get("blockReason"):
        return None
    if not candidate:
        return body
    return {**body, "candidates": [{**candidate, "content": {"role": "model", "parts": _joined(parts)}}]}


def _reasoning(parts: list[JsonObject]) -> tuple[JsonObject, ...]:
    """The parts up to the last that is a thought, is signed or is of a kind of its own.

    A call stands as its number in the answer; the answer's text is not repeated if it is in one piece.
    """
    parts = _joined(parts)
    last = max(
        (at for at, part in enumerate(parts) if _signed(part) or not (_is_text(part) or _is_call(part))),
        default=-1,
    )
    in_one_piece = sum(map(_is_text, parts)) == 1
    found, calls = [], 0
    for part in parts[: last + 1]:
        if _is_call(part):
            found.append({**part, "functionCall": {"call": calls}})
            calls += 1
        elif _is_text(part) and in_one_piece:
            found.append(
                {**{key: value for key, value in part.items() if key != "text"}, "part": _WHOLE_TEXT}
            )
        else:
            found.append(part)
    return tuple(found)


def _joined(parts: list[JsonObject]) -> list[JsonObject]:
    """Neighbouring pieces of text or of thought in one part; a signature ends one."""
    found: list[JsonObject] = []
    for part in parts:
        before = found[-1] if found else {}
        alike = bool(before.get("thought")) == bool(part.get("thought"))
        plain = part.keys() <= {"text", "thought", "thoughtSignature"} and before.keys() <= {
            "text",
            "thought",
        }
        if plain and alike and isinstance(before.get("text"), str) and isinstance(part.get("text"), str):
            found[-1] = {**part, "text": before["text"] + part["text"]}
        else:
            found.append(part)
    return found


def _model_parts(link: Linked) -> list[JsonObject]:
    calls = [{"functionCall": {"name": call.name, "args": arguments_object(call)}} for _, call in link.calls]
    text = link.message.content if isinstance(link.message.content, str) else ""
    given: list[JsonObject] = []
    used: set[int] = set()
    for part in link.message.reasoning:
        if "functionCall" in part and isinstance(part["functionCall"].get("call"), int):
            number = part["functionCall"]["call"]
            used.add(number)
            given.append({**part, **calls[number]})
        elif part.get("part") == _WHOLE_TEXT:
            given.append({**{key: value for key, value in part.items() if key != "part"}, "text": text})
        else:
            given.append(part)
    if isinstance(link.message.content, list):
        rest = _parts(link.message)
    else:
        left = rest_of(text, [part["text"] for part in given if _is_text(part)])
        rest = [{"text": left}] if left else []
    return [*given, *rest, *(call for number, call in enumerate(calls) if number not in used)]


def _user_parts(link: Linked) -> list[JsonObject]:
    # Calls have no ids here: the order tells which result is whose.
    answers = sorted(link.results, key=lambda answered: answered.number)
    return [_result(answered) for answered in answers] or _parts(link.message)


def _result(answered: Answered) -> JsonObject:
    content = answered.result.content
    if answered.result.is_error:
        response = {"error": content}
    else:
        response = content if isinstance(content, dict) else {"result": content}
    return {"functionResponse": {"name": answered.call.name, "response": response}}


def _parts(message: Message) -> list[JsonObject]:
    """Text as one part; of a list, blocks written ``type: text`` become this API's own."""
    if not isinstance(message.content, list):
        return [{"text": message.content}] if message.content else []
    return [_part(block) for block in message.content]


def _part(block: JsonObject) -> JsonObject:
    if is_image(block):
        return {"inlineData": {"mimeType": block["media_type"], "data": block["data"]}}
    return {"text": block.get("text", "")} if block.get("type") == "text" else block


def _http_options(config: JsonObject) -> JsonObject:
    """The SDK's options for the transport, with those that other SDKs take among the parameters."""
    options: JsonObject = {**mapping(config.get("http_options")), **mapping(config.get("httpOptions"))}
    seconds = config.get("timeout")
    options.setdefault("timeout", int((TIMEOUT if seconds is None else seconds) * 1000))
    if headers := config.get("extra_headers"):
        options["headers"] = {**mapping(options.get("headers")), **headers}
    return options


def _is_text(part: JsonObject) -> bool:
    return isinstance(part.get("text"), str) and not part.get("thought")


def _is_call(part: JsonObject) -> bool:
    return isinstance(part.get("functionCall"), dict)


def _signed(part: JsonObject) -> bool:
    return bool(part.get("thoughtSignature"))


def _plain(part: JsonObject) -> JsonObject:
    return {name: value for name, value in part.items() if value is not None}


def _text_of(event: JsonObject) -> str:
    texts: list[Any] = []
    for candidate in maps(event.get("candidates"))[:1]:
        parts = maps(mapping(candidate.get("content")).get("parts"))
        texts += [part["text"] for part in parts if _is_text(part)]
    return "".join(texts)
