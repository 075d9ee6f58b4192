"""A small agent on OpenAI's SDK: it looks an order up and tells the customer where it is."""

from __future__ import annotations

import json
from typing import Any

MODEL = "gpt-5-mini"
SYSTEM = "You answer customers of a shop. Look the order up before you answer. Be brief."
TOOLS: list[Any] = [
    {
        "type": "function",
        "function": {
            "name": "lookup_order",
            "description": "Looks an order up by its number.",
            "parameters": {
                "type": "object",
                "properties": {"number": {"type": "string"}},
                "required": ["number"],
            },
        },
    }
]


def lookup_order(number: str) -> dict[str, str]:
    """What the shop knows of an order; in real life this asks a database."""
    return {"number": number, "status": "shipped", "carrier": "Hermes"}


def support(client: Any, question: str, lookup: Any = lookup_order) -> str:
    """The answer to a customer's question. ``client`` is an ``openai.OpenAI``."""
    messages: list[Any] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]
    for _ in range(5):
        answer = client.chat.completions.create(model=MODEL, messages=messages, tools=TOOLS)
        said = answer.choices[0].message
        if not said.tool_calls:
            return str(said.content)
        messages.append(said.model_dump(exclude_none=True))
        for call in said.tool_calls:
            found = lookup(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(found)})
    raise RuntimeError("the agent came to no end")


def support_streamed(client: Any, question: str) -> list[str]:
    """The pieces of an answer as they arrive, for a question that needs no tool."""
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]
    pieces = client.chat.completions.create(model=MODEL, messages=messages, stream=True)
    return [choice.delta.content for piece in pieces for choice in piece.choices if choice.delta.content]
