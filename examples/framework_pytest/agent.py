"""A small agent of pydantic-ai. It builds its own client: nothing here knows of cassettes."""

from __future__ import annotations

from pydantic_ai import Agent

agent = Agent(
    "anthropic:claude-haiku-4-5",
    system_prompt="You answer customers of a shop. Look the order up before you answer. Be brief.",
    defer_model_check=True,
)


@agent.tool_plain
def lookup_order(number: str) -> dict[str, str]:
    """Looks an order up by its number."""
    return {"number": number, "status": "shipped", "carrier": "Hermes"}
