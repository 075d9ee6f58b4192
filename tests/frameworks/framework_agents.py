"""The same small agent in two real frameworks, as their documentation writes it: nothing here knows of cassettes.

The frameworks build their HTTP clients themselves, from the address and the key in the environment.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

DESCRIPTION = "Tells the weather."
QUESTION = "Oslo?"


def weather(city: str) -> str:
    return f"3 degrees in {city}"


@dataclass(frozen=True)
class Framework:
    """An agent: ``ask`` and ``ask_async`` give its last text, ``stream`` the pieces of it. Each makes a new agent."""

    name: str
    # the wire format that it speaks, by the name of a provider
    provider: str
    ask: Callable[[str], str]
    ask_async: Callable[[str], Any]
    stream: Callable[[str], AsyncIterator[str]]


def _pydantic_agent(provider: str, description: str) -> Any:
    from pydantic_ai import Agent, Tool

    model = {
        "openai": "openai-chat:m-1",
        "openai-responses": "openai-responses:m-1",
        "anthropic": "anthropic:m-1",
    }
    return Agent(
        model[provider],
        system_prompt="Be brief.",
        tools=[Tool(weather, name="get_weather", description=description)],
    )


def pydantic_ai(provider: str) -> Framework:
    """An agent of pydantic-ai."""

    def ask(description: str) -> str:
        return str(_pydantic_agent(provider, description).run_sync(QUESTION).output)

    async def ask_async(description: str) -> str:
        return str((await _pydantic_agent(provider, description).run(QUESTION)).output)

    async def stream(description: str) -> AsyncIterator[str]:
        async with _pydantic_agent(provider, description).run_stream(QUESTION) as found:
            async for piece in found.stream_text(delta=True, debounce_by=None):
                yield piece

    return Framework(f"pydantic-ai/{provider}", provider, ask, ask_async, stream)


def _openai_agent(provider: str, description: str) -> Any:
    from agents import Agent, FunctionTool, OpenAIChatCompletionsModel, OpenAIResponsesModel
    from openai import AsyncOpenAI

    async def invoke(_: Any, arguments: str) -> str:
        import json

        return weather(**json.loads(arguments))

    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    }
    kind = OpenAIChatCompletionsModel if provider == "openai" else OpenAIResponsesModel
    return Agent(
        name="Weather",
        instructions="Be brief.",
        tools=[FunctionTool("get_weather", description, schema, invoke)],
        model=kind("m-1", AsyncOpenAI()),
    )


def openai_agents(provider: str) -> Framework:
    """An agent of OpenAI's Agents SDK."""
    from agents import Runner

    def ask(description: str) -> str:
        return str(Runner.run_sync(_openai_agent(provider, description), QUESTION).final_output)

    async def ask_async(description: str) -> str:
        return str((await Runner.run(_openai_agent(provider, description), QUESTION)).final_output)

    async def stream(description: str) -> AsyncIterator[str]:
        found = Runner.run_streamed(_openai_agent(provider, description), QUESTION)
        async for event in found.stream_events():
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                yield event.data.delta

    return Framework(f"openai-agents/{provider}", provider, ask, ask_async, stream)
