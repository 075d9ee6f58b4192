"""OpenAI's Chat Completions API and everything that speaks it, through the ``openai`` SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dryfire_action.errors import UsageError
from dryfire_action.messages import Response, StopReason, ToolCall, Usage, parse_arguments
from dryfire_action.providers.failures import failed_answer
from dryfire_action.providers.images import data_url, is_image
from dryfire_action.providers.live import TIMEOUT, ResourceModel
from dryfire_action.providers.wire import (
    ERROR_PREFIX,
    arguments_from,
    arguments_text,
    count,
    linked,
    mapping,
    maps,
    result_text,
    with_params,
)

if TYPE_CHECKING:
    from dryfire_action.messages import JsonObject, JsonValue, Request
    from dryfire_action.providers.wire import Linked

_STOP: dict[str, StopReason] = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}
# Fields of a message by which vendors hand out thinking that they want back.
_THINKING = ("reasoning_content", "reasoning", "reasoning_details")


class OpenAIModel(ResourceModel):
    """What the two APIs of OpenAI have in common: the SDK and its client."""

    sdk = "openai"
    module = "openai"
    extra = "openai"

    def _client(self, _: JsonObject, /) -> Any:
        headers = {}
        if self._endpoint.base_url is not None:
            # The SDK reads them from the environment; they are OpenAI's and nobody else's to see.
            headers = dict.fromkeys(("OpenAI-Organization", "OpenAI-Project"), self._sdk.Omit())
        return self._sdk.AsyncOpenAI(
            api_key=self._key,
            base_url=self._base_url,
            default_headers=headers,
            max_retries=0,
            timeout=TIMEOUT,
        )


class ChatModel(OpenAIModel):
    """Models by the Chat Completions API."""

    def _wire(self, request: Request) -> JsonObject:
        return to_wire(request)

    def _resource(self, client: Any) -> Any:
        return client.chat.completions

    def _text_of(self, event: JsonObject) -> str:
        return _text_of(event)

    def _assembled(self, events: list[JsonObject]) -> JsonObject | None:
        return from_events(events)

    def _response(self, body: JsonObject) -> Response:
        return from_wire(body)


def to_wire(request: Request) -> JsonObject:
    """The arguments of ``chat.completions.create`` for ``request``."""
    messages: list[JsonObject] = []
    if request.system is not None:
        messages.append({"role": "system", "content": request.system})
    for link in linked(request.messages):
        messages += _messages(link)
    wire: JsonObject = {"model": request.model, "messages": messages}
    if request.tools:
        wire["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    **({} if tool.description is None else {"description": tool.description}),
                    "parameters": tool.input_schema,
                },
            }
            for tool in request.tools
        ]
    wire = with_params(wire, request)
    if (wire.get("n") or 1) != 1:
        raise UsageError("params.n: a turn has one answer", remedy="set repeat: on the case for several runs")
    if request.output_schema is not None:
        if "response_format" in wire:
            raise UsageError("params.response_format: the output schema says it already")
        shape = {"name": "output", "schema": request.output_schema, "strict": True}
        wire["response_format"] = {"type": "json_schema", "json_schema": shape}
    if wire.get("stream") and request.provider == "openai":
        # Else a stream does not say what it cost. Not every other endpoint knows the option.
        wire.setdefault("stream_options", {"include_usage": True})
    return wire


def from_wire(body: JsonObject) -> Response:
    """The answer in a chat completion. Raises ``ProviderError`` for an error in the place of one."""
    if body.get("error") and not body.get("choices"):
        raise failed_answer(mapping(body["error"]))
    choice = body["choices"][0]
    message = choice["message"]
    calls = tuple(_call(call) for call in maps(message.get("tool_calls")))
    stop: StopReason = _STOP.get(choice.get("finish_reason") or "", "error")
    if calls and stop == "end_turn":
        # Where the choice of a tool was forced, and from some gateways always.
        stop = "tool_use"
    text = _text(message.get("content"))
    if refused := message.get("refusal"):
        text, stop = refused, "refusal"
    usage = mapping(body.get("usage"))
    cached = count(mapping(usage.get("prompt_tokens_details")).get("cached_tokens"))
    return Response(
        text=text,
        tool_calls=calls,
        stop_reason=stop if calls or stop != "tool_use" else "error",
        reasoning=tuple({name: message[name]} for name in _THINKING if message.get(name)),
        usage=Usage(count(usage.get("prompt_tokens")), count(usage.get("completion_tokens")), cached),
        model_served=body.get("model"),
        raw=body,
    )


def from_events(events: list[JsonObject]) -> JsonObject | None:
    """The completion that a stream's chunks make up; None where the stream did not reach its end."""
    body: JsonObject = {}
    message: JsonObject = {}
    calls: dict[int, JsonObject] = {}
    finish = None
    for event in events:
        body.update({name: value for name, value in event.items() if name != "choices" and value is not None})
        for choice in maps(event.get("choices")):
            if choice.get("index"):
                continue
            finish = choice.get("finish_reason") or finish
            for name, value in mapping(choice.get("delta")).items():
                if name == "tool_calls":
                    for piece in maps(value):
                        _add_call(calls, piece)
                elif isinstance(value, str) and name != "role":
                    message[name] = (message.get(name) or "") + value
                elif isinstance(value, list):
                    message[name] = [*message.get(name, ()), *value]
    if finish is None:
        return None
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    return {**body, "choices": [{"index": 0, "finish_reason": finish, "message": message}]}


def _add_call(calls: dict[int, JsonObject], piece: JsonObject) -> None:
    call = calls.setdefault(
        piece.get("index", len(calls)), {"id": "", "function": {"name": "", "arguments": ""}}
    )
    call["id"] = piece.get("id") or call["id"]
    for name in ("name", "arguments"):
        call["function"][name] += mapping(piece.get("function")).get(name) or ""


def _messages(link: Linked) -> list[JsonObject]:
    if link.message.role == "tool":
        return [
            {
                "role": "tool",
                "tool_call_id": _id(answered.number),
                "content": ERROR_PREFIX * answered.result.is_error + result_text(answered.result.content),
            }
            for answered in link.results
        ]
    content = link.message.content
    if isinstance(content, list):
        content = [_image(block) if is_image(block) else block for block in content]
    found: JsonObject = {"role": link.message.role, "content": content}
    if link.message.role == "assistant":
        if link.calls:
            found["content"] = found["content"] or None
            found["tool_calls"] = [
                {
                    "id": _id(number),
                    "type": "function",
                    "function": {"name": call.name, "arguments": arguments_text(call)},
                }
                for number, call in link.calls
            ]
        for part in link.message.reasoning:
            found.update(part)
    return [found]


def _image(block: JsonObject) -> JsonObject:
    return {"type": "image_url", "image_url": {"url": data_url(block)}}


def _id(number: int) -> str:
    # Nine letters and digits: some endpoints take no other ids.
    return f"call{number:05d}"


def _call(call: JsonObject) -> ToolCall:
    function = call["function"]
    written = function.get("arguments")
    if not written:
        return ToolCall(call.get("id") or "", function["name"])
    # Some gateways send the object itself.
    arguments, malformed = parse_arguments(written) if isinstance(written, str) else arguments_from(written)
    return ToolCall(call.get("id") or "", function["name"], arguments, malformed)


def _text(content: JsonValue) -> str | None:
    if isinstance(content, list):
        texts = [part["text"] for part in maps(content) if isinstance(part.get("text"), str)]
        return "".join(texts) if texts else None
    return content if isinstance(content, str) else None


def _text_of(event: JsonObject) -> str:
    choice = next(iter(maps(event.get("choices"))), {})
    if choice.get("index"):
        return ""
    text = mapping(choice.get("delta")).get("content")
    return text if isinstance(text, str) else ""
