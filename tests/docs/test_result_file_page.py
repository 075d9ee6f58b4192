"""The page of the result file names every key of its schema and no other."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from dryfire_action.reports.result_json import schema
from dryfire_action.results import State
from tests.house.repository import ROOT

PAGE = (ROOT / "docs/reference/result-file.md").read_text(encoding="utf-8")
OBJECTS = {
    "result": schema()["properties"],
    **{
        name: schema()["$defs"][name]["properties"]
        for name in ("cause", "case", "run", "turn", "assertion", "behaviour")
    },
}


def rows(mark: str) -> list[str]:
    """What stands in the first cells of the table after a mark."""
    (table,) = re.findall(rf"^<!-- {mark} -->\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    first = (row.split("|")[1] for row in table.splitlines()[2:])
    return [name for cell in first for name in re.findall(r"`([^`]+)`", cell)]


@pytest.mark.parametrize("name", OBJECTS)
def test_every_key_has_its_row(name: str) -> None:
    assert sorted(rows(f"keys: {name}")) == sorted(OBJECTS[name])


def test_every_state_has_its_row() -> None:
    assert sorted(rows("states")) == sorted(get_args(State))
    assert sorted(rows("states")) == sorted(schema()["properties"]["state"]["enum"])


def test_the_words_of_small_objects_are_on_the_page() -> None:
    defined = schema()
    words = {
        *defined["properties"]["no_longer_replayed"]["anyOf"][0]["items"]["properties"]["reason"]["enum"],
        *defined["$defs"]["behaviour"]["properties"]["kind"]["enum"],
        *defined["$defs"]["turn"]["properties"]["outcome"]["enum"],
        *defined["$defs"]["case"]["properties"]["outcome"]["enum"],
        *defined["$defs"]["change"]["enum"],
    }
    assert {word for word in words if f"`{word}`" not in PAGE} == set()
