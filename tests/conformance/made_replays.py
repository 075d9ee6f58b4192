"""The small agent of the second seed and ways to record it, for the conformance tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dryfire_action.llm import LLMRequest, MockLLM
from dryfire_action.replay import Cassette

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SHIPPED = "Order 1234 has shipped."


def lookup_order(order_id: str) -> dict[str, str]:
    return {"id": order_id, "status": "shipped"}


def forbidden(order_id: str) -> dict[str, str]:
    """Stands in for the tool where its body must not run."""
    raise AssertionError(f"the tool was called with {order_id}")


def agent(llm: Any, lookup: Callable[..., Any], prompt: str = "Summarise") -> str:
    order = lookup("1234")
    return llm.complete(LLMRequest(messages=f"{prompt} {order}")).content or ""


def asks(llm: Any, *texts: str) -> list[str | None]:
    """One call after the other."""
    return [llm.complete(LLMRequest(messages=text)).content for text in texts]


def recorded(path: Path, *texts: str) -> Path:
    """A recording of an answer to each text: ``answer to TEXT``."""
    cassette = Cassette()
    asks(cassette.wrap_llm(MockLLM([f"answer to {text}" for text in texts])), *texts)
    cassette.save(path)
    return path


def recorded_agent(path: Path) -> Path:
    """A recording of the agent: one call of the model, one of the tool."""
    cassette = Cassette()
    agent(cassette.wrap_llm(MockLLM([SHIPPED])), cassette.wrap_tool(lookup_order))
    cassette.save(path)
    return path
