"""A project with an agent and a test of it, in which a pytest inside of pytest is run."""

from __future__ import annotations

import json
import sys
from typing import Any

import jsonschema
import pytest

from dryfire_action.reports import result_json

ONE = "def test_one(cassette):\n    assert 'way' in ask(cassette)\n"
AGENT = """
from dryfire_action.llm import LLMRequest
from dryfire_action.messages import ToolSpec

DESCRIPTION = "Looks an order up."

def lookup(order_id):
    return {"id": order_id}

def support(llm, lookup, order_id):
    order = lookup(order_id)
    tool = ToolSpec("lookup", {}, DESCRIPTION)
    request = LLMRequest(f"Tell the customer: {order}", model="small-1", system="Be brief.", tools=(tool,))
    return llm.complete(request).content
"""
TEST = """
import pytest
import agent
from dryfire_action.llm import MockLLM

def ask(cassette, order_id="1", answers=("It is on its way.",)):
    llm = cassette.wrap_llm(MockLLM(list(answers)))
    return agent.support(llm, cassette.wrap_tool(agent.lookup), order_id)
"""


class Project:
    """A team's project in a folder of its own."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        pytester.makepyfile(agent=AGENT)
        pytester.syspathinsert()

    def write(self, body: str, **files: str) -> None:
        self.pytester.makepyfile(test_it=TEST + body, **files)

    def run(self, *arguments: str) -> pytest.RunResult:
        sys.modules.pop("agent", None)
        return self.pytester.runpytest_inprocess("-p", "no:cacheprovider", *arguments)

    def edit(self, old: str, new: str) -> None:
        file = self.pytester.path / "agent.py"
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")

    @property
    def recordings(self) -> list[str]:
        found = self.pytester.path.rglob("*.jsonl")
        return sorted(path.relative_to(self.pytester.path).as_posix() for path in found)

    def result(self, *arguments: str) -> dict[str, Any]:
        self.run("--dryfire-result", "result.json", *arguments)
        found: dict[str, Any] = json.loads((self.pytester.path / "result.json").read_text(encoding="utf-8"))
        jsonschema.validate(found, result_json.schema())
        return found


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A fresh one."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # an edit within a second must be seen
    return Project(pytester)
