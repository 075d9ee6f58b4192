"""Calling the vendors' SDKs as an agent does, each by its own client, with a transport handed in or without."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.providers.spoken import Spoken

DESCRIPTION = "Tells the weather."
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
RESULT = "3 degrees"


def client(spoke: Spoken, url: str, transport: Any = None, *, sync: bool, **more: Any) -> Any:
    """The vendor's client for the server at ``url``; without a transport it makes its own."""

    def own(sdk: Any) -> dict[str, Any]:
        # By the SDK's own name for it: earlier versions have another library.
        kind = sdk.DefaultHttpxClient if sync else sdk.DefaultAsyncHttpxClient
        return {} if transport is None else {"http_client": kind(transport=transport)}

    if spoke.name == "anthropic":
        import anthropic

        made = anthropic.Anthropic if sync else anthropic.AsyncAnthropic
        return made(api_key="key-of-anthropic", base_url=url, **own(anthropic), **more)
    if spoke.name == "gemini":
        from google import genai

        args = (
            {}
            if transport is None
            else {"client_args" if sync else "async_client_args": {"transport": transport}}
        )
        found = genai.Client(api_key="key-of-gemini", http_options={"base_url": url, **args, **more})
        return found if sync else found.aio
    import openai

    made = openai.OpenAI if sync else openai.AsyncOpenAI
    return made(api_key="key-of-openai", base_url=f"{url}/v1", **own(openai), **more)


def arguments(
    spoke: Spoken, prompt: str = "Oslo?", *, description: str = DESCRIPTION, **more: Any
) -> dict[str, Any]:
    """What the SDK is asked with: a system prompt, a tool, a message, and what it answered to an earlier one."""
    function = {"name": "get_weather", "description": description, "parameters": SCHEMA}
    if spoke.name == "anthropic":
        tool = {"name": "get_weather", "description": description, "input_schema": SCHEMA}
        messages = [{"role": "user", "content": prompt}]
        return {
            "model": "m-1",
            "max_tokens": 99,
            "system": "Be brief.",
            "tools": [tool],
            "messages": messages,
            **more,
        }
    if spoke.name == "openai":
        messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": prompt}]
        tools = [{"type": "function", "function": function}]
        return {"model": "m-1", "messages": messages, "tools": tools, **more}
    if spoke.name == "openai-responses":
        tools = [{"type": "function", "strict": False, **function}]
        return {"model": "m-1", "instructions": "Be brief.", "input": prompt, "tools": tools, **more}
    declared = {"name": "get_weather", "description": description, "parameters_json_schema": SCHEMA}
    config = {"system_instruction": "Be brief.", "tools": [{"function_declarations": [declared]}], **more}
    config["automatic_function_calling"] = {"disable": True}
    return {"model": "m-1", "contents": prompt, "config": config}


def _method(spoke: Spoken, made: Any, *, stream: bool) -> Any:
    if spoke.name == "anthropic":
        return made.messages.create
    if spoke.name == "openai":
        return made.chat.completions.create
    if spoke.name == "openai-responses":
        return made.responses.create
    return made.models.generate_content_stream if stream else made.models.generate_content


def ask(spoke: Spoken, made: Any, *, sync: bool, stream: bool = False, **asked: Any) -> list[Any]:
    """The answer as plain values: the one body, or the events of the stream."""
    more = {"stream": True} if stream and spoke.name != "gemini" else {}
    if sync:
        answer = _method(spoke, made, stream=stream)(**asked, **more)
        return [plain(each) for each in answer] if stream else [plain(answer)]

    async def awaited() -> list[Any]:
        answer = await _method(spoke, made, stream=stream)(**asked, **more)
        return [plain(each) async for each in answer] if stream else [plain(answer)]

    return asyncio.run(awaited())


def plain(answer: Any) -> Any:
    """An SDK's object as JSON, without Google's note of the transport."""
    found = answer.model_dump(mode="json", warnings=False)
    found.pop("sdk_http_response", None)
    return found
