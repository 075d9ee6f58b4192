"""What a case knows of itself."""

from __future__ import annotations

import pytest

from dryfire_action.errors import Place
from tests.made_cases import a_case

PLACES = {
    "system": Place("prompt.md", 3),
    "tools[lookup]": Place("a.eval.yaml", 4),
    'tools["a.b]"].description': Place("a.eval.yaml", 5),
    "messages[0]": Place("a.eval.yaml", 6),
}


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("system", 3),
        ("tools[lookup]", 4),
        ("tools[lookup].description", 4),
        ("tools[lookup].input_schema", 4),
        ('tools["a.b]"].description', 5),
        ('tools["a.b]"].input_schema', None),
        ("messages[0].tool_calls[1].arguments", 6),
        ("messages[1].content", None),
        ("tools[look-up].description", None),
        ("systems", None),
        ("model", None),
    ],
)
def test_a_field_stands_where_the_nearest_part_around_it_does(path: str, line: int | None) -> None:
    found = a_case(places=PLACES).place_of(path)
    assert (found and found.line) == line
