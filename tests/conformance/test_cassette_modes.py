"""The checklist of modes and strategies, line by line, where the plugin and the HTTP layer have the surface for it.

Lines 9 to 12, 25 and 27 to 29 stand in ``test_deterministic_runs``. Those that do not apply here, and why:

2, 3    modes from the environment: the mode is an option of pytest; no variable makes a test run record
8       a strategy that compares nothing: there are ignore rules, each for a field, and no strategy
32      the fixture without its marker: it needs none, a test's name is enough
34      counting tokens: nothing here counts them; usage is what the model's answer said

20 and 22 name modes that have other names here: ``auto`` replays what is recorded, ``record`` records anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.errors import CassetteMissError, UsageError
from dryfire_action.llm import LLMRequest, MockLLM
from dryfire_action.replay import Cassette
from tests.providers import sdk_calls, spoken
from tests.providers.wire_server import Reply, serving
from tests.pytest_project import ONE, Project
from tests.pytest_project import project as project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.providers.wire_server import Wire

pytest_plugins = ["pytester"]

NOWHERE = "http://127.0.0.1:9"
FILE = "cassettes/test_it/test_one.jsonl"
CALLS: Any = [("get_weather", {"city": "Oslo"})]


@pytest.fixture
def wire() -> Iterator[Wire]:
    with serving() as server:
        yield server


def test_mode_01_without_a_word_it_is_replay(project: Project) -> None:
    project.write(ONE)
    project.run().assert_outcomes(failed=1)
    assert project.recordings == []


def test_mode_04_an_unknown_mode_is_refused_and_named(project: Project) -> None:
    project.write(ONE)
    found = project.run("--cassette-mode", "refresh")
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    found.stderr.fnmatch_lines(["*invalid choice: 'refresh'*record*replay*auto*off*"])


def answered(ignored: list[dict[str, str]], **change: Any) -> str | None:
    """What a replay answers to a request that was changed after it was recorded."""
    asked: dict[str, Any] = {"messages": "When?", "model": "small-1"}
    cassette = Cassette(ignore=ignored)
    cassette.wrap_llm(MockLLM(["Now."])).complete(LLMRequest(**asked))
    replay = Cassette(mode="strict", calls=cassette.calls, ignore=ignored)
    return replay.wrap_llm().complete(LLMRequest(**asked | change)).content


ANY_MESSAGE = {"path": "messages[*].content", "pattern": "(?s).+"}


def test_mode_05_different_prompts_are_told_apart() -> None:
    with pytest.raises(CassetteMissError):
        answered([], messages="Where?")


def test_mode_06_a_rule_for_all_messages_does_not_tell_them_apart() -> None:
    assert answered([ANY_MESSAGE], messages="Where?") == "Now."


def test_mode_07_such_a_rule_still_tells_models_apart() -> None:
    with pytest.raises(CassetteMissError, match="model"):
        answered([ANY_MESSAGE], model="large-1")


def streamed(wire: Wire, *replies: Any, url: str = "", **options: Any) -> tuple[list[Any], list[Any]]:
    """The events of a stream as they were recorded, and as they are replayed."""
    wire.plan(*replies)
    cassette = Cassette()
    found = []
    for tape, at in ((cassette, wire.url), (None, NOWHERE)):
        tape = tape or Cassette(mode="strict", calls=cassette.calls)
        made = sdk_calls.client(spoken.MESSAGES, at, tape.http_transport(), sync=True, **options)
        found.append(
            sdk_calls.ask(
                spoken.MESSAGES, made, sync=True, stream=True, **sdk_calls.arguments(spoken.MESSAGES)
            )
        )
    return found[0], found[1]


def test_mode_13_a_replayed_stream_has_the_recorded_text_boundaries(wire: Wire) -> None:
    _, replayed = streamed(wire, spoken.MESSAGES.stream(["It ", "is ", "3."]))
    texts = [event["delta"].get("text") for event in replayed if event["type"] == "content_block_delta"]
    assert texts == ["It ", "is ", "3."]


def test_mode_14_a_replayed_stream_ends_as_the_recorded_one(wire: Wire) -> None:
    live, replayed = streamed(wire, spoken.MESSAGES.stream(["It ", "is ", "3."]))
    assert replayed[-2:] == live[-2:]
    assert replayed[-1]["type"] == "message_stop"


def test_mode_15_a_recorded_tool_call_replays_as_its_deltas(wire: Wire) -> None:
    live, replayed = streamed(wire, spoken.MESSAGES.stream([], CALLS))
    parts = [event["delta"]["partial_json"] for event in replayed if event["type"] == "content_block_delta"]
    assert "".join(parts) == '{"city": "Oslo"}'
    assert len(parts) > 1
    assert replayed == live


def test_mode_16_a_recorded_failure_is_also_raised_when_streaming(wire: Wire) -> None:
    import anthropic

    wire.plan(Reply(spoken.MESSAGES.error(529, "overloaded_error", "busy"), 529))
    cassette = Cassette()
    for tape, at in ((cassette, wire.url), (None, NOWHERE)):
        tape = tape or Cassette(mode="strict", calls=cassette.calls)
        made = sdk_calls.client(spoken.MESSAGES, at, tape.http_transport(), sync=True, max_retries=0)
        with pytest.raises(anthropic.APIStatusError, match="busy"):
            sdk_calls.ask(
                spoken.MESSAGES, made, sync=True, stream=True, **sdk_calls.arguments(spoken.MESSAGES)
            )


def test_mode_17_a_consumer_that_stops_early_still_leaves_all_of_it_recorded(wire: Wire) -> None:
    wire.plan(spoken.MESSAGES.stream(["It ", "is ", "3."]))
    cassette = Cassette()
    made = sdk_calls.client(spoken.MESSAGES, wire.url, cassette.http_transport(), sync=True)
    with made.messages.create(stream=True, **sdk_calls.arguments(spoken.MESSAGES)) as stream:
        next(iter(stream))
    (call,) = cassette.calls
    assert call.exchange.answer
    assert "3." in str(call.exchange.answer["http"]["events"])


def test_mode_18_replay_answers_from_the_file(project: Project) -> None:
    project.write(ONE)
    project.run("--cassette-mode", "record")
    project.write(ONE.replace("ask(cassette)", "ask(cassette, answers=())"))
    project.run("--cassette-mode", "replay").assert_outcomes(passed=1)


def test_mode_19_replay_without_a_file_says_how_to_record(project: Project) -> None:
    project.write(ONE)
    project.run().stdout.fnmatch_lines(
        [f"*there is no {FILE}", "*pytest test_it.py::test_one --cassette-mode record"]
    )


def test_mode_20_auto_with_a_file_replays_it(project: Project) -> None:
    project.write(ONE)
    project.run("--cassette-mode", "record")
    project.write(ONE.replace("ask(cassette)", "ask(cassette, answers=())"))
    project.run("--cassette-mode", "auto").assert_outcomes(passed=1)


@pytest.mark.parametrize("mode", ["auto", "record"])
def test_mode_21_without_a_file_both_record(project: Project, mode: str) -> None:
    project.write(ONE)
    project.run("--cassette-mode", mode).assert_outcomes(passed=1)
    assert project.recordings == [FILE]


def test_mode_22_record_with_a_file_records_anew(project: Project) -> None:
    project.write(ONE)
    project.run("--cassette-mode", "record")
    project.write(ONE.replace("ask(cassette)", "ask(cassette, answers=['No way.'])"))
    project.run("--cassette-mode", "record").assert_outcomes(passed=1)
    assert "No way." in (project.pytester.path / FILE).read_text(encoding="utf-8")


def test_mode_23_recording_without_a_client_is_refused() -> None:
    with pytest.raises(UsageError, match="no client was given"):
        Cassette().wrap_llm().complete(LLMRequest("hi"))


@pytest.mark.parametrize("named", ["other/mine.jsonl"])
def test_mode_24_and_30_the_marker_names_the_file_that_is_written(project: Project, named: str) -> None:
    project.write(f"@pytest.mark.cassette({named!r})\n" + ONE)
    project.run("--cassette-mode", "record")
    assert project.recordings == [named]


def test_mode_26_ignore_rules_reach_the_replay(project: Project) -> None:
    project.write('@pytest.mark.cassette(ignore=[{"path": "system", "pattern": "brief|long"}])\n' + ONE)
    project.run("--cassette-mode", "record")
    project.edit("Be brief.", "Be long.")
    project.run().assert_outcomes(passed=1)


def test_mode_31_and_33_the_fixture_replays_by_default_from_beside_the_test(project: Project) -> None:
    project.write(ONE)
    project.run("--cassette-mode", "record")
    assert project.recordings == [FILE]
    project.run().assert_outcomes(passed=1)
