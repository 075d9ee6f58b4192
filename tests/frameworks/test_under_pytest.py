"""Agents of real frameworks under the fixture, from the recording to the result file that becomes the comment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from dryfire_action.reports import result_json
from tests.providers import spoken
from tests.providers.wire_server import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.providers.wire_server import Wire

pytest_plugins = ["pytester"]

TEST = """
import pytest
from tests.frameworks import framework_agents

DESCRIPTION = "Tells the weather."

@pytest.mark.cassette(record_clients=True)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["pydantic_ai", "openai_agents"])
def test_weather(cassette, kind):
    agent = getattr(framework_agents, kind)("openai")
    assert agent.ask(DESCRIPTION) == "It is 3 degrees."
"""


@pytest.fixture
def wire() -> Iterator[Wire]:
    with serving() as server:
        yield server


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    pytester.makeini("[pytest]\nfilterwarnings = ignore\n")
    # A process of its own: frameworks leave event loops and threads behind.
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments, timeout=180)


@pytest.mark.slow
def test_the_edit_of_a_tool_reaches_the_result_file(
    pytester: pytest.Pytester, wire: Wire, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(pytestconfig.rootpath))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, wire.environ[name])
    file = pytester.makepyfile(test_weather=TEST)
    calls: Any = [("get_weather", {"city": "Oslo"})]
    for _ in range(2):
        wire.plan(spoken.CHAT.answer(None, calls), spoken.CHAT.answer("It is 3 degrees.", []))
    run(pytester, "--cassette-mode", "record").assert_outcomes(passed=2)
    asked = len(wire.asked)
    # Without a key, without a server to speak of, with every socket closed.
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    run(pytester).assert_outcomes(passed=2)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("Tells the weather.", "Tells the weather of today."), encoding="utf-8")
    found = run(pytester, "--dryfire-result", "result.json")
    found.assert_outcomes(failed=2)
    found.stdout.fnmatch_lines(["*stale recording: tools[[]get_weather].description changed*"])
    assert len(wire.asked) == asked
    document = json.loads((pytester.path / "result.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, result_json.schema())
    (cause,) = document["causes"]
    assert cause["path"] == "tools[get_weather].description"
    assert len(cause["cases"]) == 2
    assert cause["diff"] == "- Tells the weather.\n+ Tells the weather of today."
