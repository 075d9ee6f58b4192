"""The page of the providers says what the code does."""

from __future__ import annotations

import re

import pytest

from dryfire_action.errors import RETRYABLE_STATUSES
from dryfire_action.providers import anthropic, gemini, openai_chat, openai_responses
from dryfire_action.providers.endpoints import ENDPOINTS
from dryfire_action.providers.live import TIMEOUT, LiveModel
from tests.house.repository import ROOT

PAGE = (ROOT / "docs/reference/providers.md").read_text(encoding="utf-8")
FAMILIES: dict[str, tuple[str, type[LiveModel]]] = {
    "messages": ("Messages", anthropic.AnthropicModel),
    "chat": ("Chat Completions", openai_chat.ChatModel),
    "responses": ("Responses", openai_responses.ResponsesModel),
    "generate_content": ("generateContent", gemini.GeminiModel),
}


def rows(after: str) -> list[list[str]]:
    """The cells of the table that follows a line."""
    table = PAGE.partition(after)[2].lstrip().split("\n\n")[0]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table.splitlines()[2:]]


def test_the_table_is_that_of_the_code() -> None:
    expected = []
    for each in ENDPOINTS:
        family, model = FAMILIES[each.family]
        address = f"`{each.base_url}`" if each.base_url else f"the package's own, or `{each.base_url_env}`"
        package = f"`dryfire-action[{model.extra}]`"
        expected.append([f"`{each.name}`", family, package, f"`{each.key}`", address])
    assert rows("<!-- providers -->\n") == expected


def words(cell: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", cell))


@pytest.mark.parametrize(
    ("column", "table"),
    [(1, anthropic._STOP), (2, openai_chat._STOP), (4, gemini._STOP)],
    ids=["a", "c", "g"],
)
def test_the_reasons_to_stop_are_those_of_the_code(column: int, table: dict[str, str]) -> None:
    found: dict[str, str] = {}
    for row in rows("## What comes back\n"):
        for word in words(row[column]) if len(row) > column else ():
            found.setdefault(word, row[0].strip("`"))
    assert found == table


def test_the_figures_are_those_of_the_code() -> None:
    assert f"`max_tokens: {anthropic.MAX_TOKENS}`" in PAGE
    assert f"ends after {TIMEOUT:g} seconds" in PAGE
    listed = PAGE.partition("tried again after")[2].partition(", and where")[0]
    assert {int(number) for number in re.findall(r"\d+", listed)} == RETRYABLE_STATUSES
