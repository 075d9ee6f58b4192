"""Paths of fields are read alike wherever they are compared."""

from __future__ import annotations

import pytest

from dryfire_action.field_paths import part_of, without_indices


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("system", "system"),
        ("params.temperature", "params"),
        ("tools[find_order].input_schema", "tools"),
        ("messages[3].tool_calls[0].arguments", "messages"),
        ('hooks["a.b"]', "hooks"),
        ("script[0]", "script"),
    ],
)
def test_a_path_begins_with_the_part_of_the_request(path: str, part: str) -> None:
    assert part_of(path) == part


@pytest.mark.parametrize(
    ("path", "anywhere"),
    [
        ("messages[12].content", "messages[*].content"),
        ("messages[3].tool_calls[0].arguments", "messages[*].tool_calls[*].arguments"),
        ("tool_results[1].is_error", "tool_results[*].is_error"),
        ("reasoning[2].text", "reasoning[*].text"),
        ("script[7]", "script[*]"),
        ("messages[*].content", "messages[*].content"),
        ("tools[7].description", "tools[7].description"),
        ("hooks[clock]", "hooks[clock]"),
        ("system", "system"),
    ],
)
def test_indices_go_and_names_stay(path: str, anywhere: str) -> None:
    assert without_indices(path) == anywhere
