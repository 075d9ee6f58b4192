"""Suites recorded through the vendors' real SDKs, and replayed without SDK, key and network."""

from __future__ import annotations

import json
import socket
import sys
from base64 import b64encode
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.runner import RunOptions, run_suites
from dryfire_action.suite_file import load_suites
from dryfire_action.tree import FolderTree
from tests.providers import wire_server
from tests.providers.spoken import ALL, CHAT, GEMINI, MESSAGES, RESPONSES, Spoken
from tests.providers.wire_server import Reply

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dryfire_action.results import CaseResult, Results
    from tests.providers.wire_server import Wire

SDKS = ("anthropic", "openai", "google.genai", "httpx", "httpx2", "aiohttp")
SUITE = """\
name: {name}
provider: {provider}
model: m-1
system: Be brief.
{extra}
tools:
  - name: get_weather
    description: Tells the weather.
    input_schema: {{type: object, properties: {{city: {{type: string}}}}}}
mocks:
  get_weather:
    - when: {{city: Rome}}
      error: no such city
    - return: {{degrees: 3}}
cases:
  - name: two cities
    input: Oslo and Rome?
    expect:
      - calls_tool: {{tool: get_weather, count: 2}}
      - final_contains: 3 degrees
"""
CALLS = [("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Rome"})]


@pytest.fixture
def wire() -> Iterator[Wire]:
    """The loopback server."""
    with wire_server.serving() as server:
        yield server


@contextmanager
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No SDK can be imported and no socket connected until the block ends."""

    def refuse(*args: Any, **more: Any) -> None:
        raise AssertionError("a replay opened a connection")

    with monkeypatch.context() as patch:
        for name in [*sys.modules]:
            if name.startswith(SDKS):
                patch.delitem(sys.modules, name)
        for name in SDKS:
            patch.setitem(sys.modules, name, None)
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket.socket, "connect_ex", refuse)
        patch.setattr(socket, "getaddrinfo", refuse)
        yield


def write(root: Path, spoke: Spoken | str, *, name: str = "weather", extra: str = "", **edits: str) -> Path:
    """A suite of one case for the provider of a wire format, with pieces of its text replaced."""
    provider = spoke if isinstance(spoke, str) else spoke.name
    text = SUITE.format(name=name, provider=provider, extra=extra)
    for old, new in (edit.split(" => ") for edit in edits.values()):
        assert old in text
        text = text.replace(old, new)
    file = root / "evals" / f"{name}.eval.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


def run(root: Path, mode: str, environ: dict[str, str] | None = None) -> Results:
    """Run every suite below ``root``."""
    suites = load_suites(FolderTree(root), ["evals/*.eval.yaml"])
    return run_suites(
        suites,
        RunOptions(mode=mode),  # type: ignore[arg-type]
        root=root,
        today="2026-11-29",
        environ=environ or {},
    )


def one(results: Results) -> CaseResult:
    """The only case."""
    (case,) = results.cases
    return case


def trajectory(case: CaseResult) -> Any:
    """All that a run did: messages, answers, attempts, how it ended; not how long it took."""
    trace = case.runs[0].trace
    assert trace is not None
    events = [(event.kind, event.name, event.detail) for event in trace.events]
    turns = [(turn.attempts, turn.response, turn.results) for turn in trace.turns]
    return trace.messages, turns, events, trace.termination, trace.error


def cassettes(root: Path) -> dict[str, bytes]:
    """Every file below the cassette folder that git would see."""
    folder = root / ".dryfire" / "cassettes"
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*.json"))
        if ".partial" not in path.parts
    }


@pytest.mark.parametrize("spoke", ALL, ids=lambda each: each.name)
def test_what_was_recorded_replays_alone_and_the_same(
    tmp_path: Path, wire: Wire, spoke: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, spoke)
    wire.plan(spoke.answer("Let me see.", CALLS), spoke.answer("3 degrees in Oslo.", []))
    recorded = run(tmp_path, "record", wire.environ)
    assert (one(recorded).outcome, recorded.exit_code, len(wire.asked)) == ("passed", 0, 2)
    files = cassettes(tmp_path)
    header = json.loads(next(iter(files.values())))
    assert header["provider"] == spoke.name
    assert header["sdk"] == spoke.sdk
    assert header["sdk_version"][0].isdigit()
    assert header["served"] == "served-1"
    assert "key-of-" not in str(files)
    with alone(monkeypatch):
        replays = [run(tmp_path, mode) for mode in ("replay", "replay", "auto")]
    for replayed in replays:
        assert (one(replayed).outcome, replayed.exit_code) == ("passed", 0)
        assert trajectory(one(replayed)) == trajectory(one(recorded))
    assert cassettes(tmp_path) == files
    assert len(wire.asked) == 2


@pytest.mark.parametrize("spoke", ALL, ids=lambda each: each.name)
def test_recording_again_the_same_answers_leaves_the_file_as_it_is(
    tmp_path: Path, wire: Wire, spoke: Spoken
) -> None:
    write(tmp_path, spoke)
    for _ in range(2):
        wire.plan(spoke.answer("Let me see.", CALLS), spoke.answer("3 degrees in Oslo.", []))
    run(tmp_path, "record", wire.environ)
    files = cassettes(tmp_path)
    run(tmp_path, "record", wire.environ)
    assert cassettes(tmp_path) == files


@pytest.mark.parametrize("spoke", ALL, ids=lambda each: each.name)
@pytest.mark.parametrize("how", ["busy", "slow down", "dead", "broken stream"])
def test_failures_that_were_recovered_from_replay_too(
    tmp_path: Path, wire: Wire, spoke: Spoken, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = how == "broken stream"
    write(tmp_path, spoke, extra="params: {stream: true}" if stream else "")
    fault = {
        "busy": Reply(spoke.error(503, "overloaded_error", "busy"), 503, {"retry-after": "0"}),
        "slow down": Reply(spoke.error(429, "rate_limit_error", "slow down"), 429, {"retry-after-ms": "1"}),
        "dead": Reply(dead=True),
        "broken stream": spoke.stream(["3 de", "grees"], keep=3, cut=True),
    }[how]
    if stream:
        wire.plan(spoke.stream(["Let me ", "see."], CALLS), fault, spoke.stream(["3 de", "grees"]))
    else:
        wire.plan(spoke.answer("Let me see.", CALLS), fault, spoke.answer("3 degrees", []))
    # Waiting for real is not what this is about.
    monkeypatch.setattr("dryfire_action.retry.RetryPolicy.wait", lambda *_: 0.001)
    recorded = one(run(tmp_path, "record", wire.environ))
    assert recorded.outcome == "passed", recorded.error
    assert [turn.attempts for turn in recorded.runs[0].trace.turns] == [1, 2]  # type: ignore[union-attr]
    with alone(monkeypatch):
        replayed = one(run(tmp_path, "replay"))
    assert trajectory(replayed) == trajectory(recorded)
    assert len(wire.asked) == 3


def test_two_providers_in_one_run_get_their_own_requests(tmp_path: Path, wire: Wire) -> None:
    (tmp_path / "dryfire.yaml").write_text(
        f"version: 1\nproviders:\n  our-gateway: {{base_url: '{wire.url}/own', api_key_env: OUR_KEY}}\n"
    )
    names = [*(spoke.name for spoke in ALL), "our-gateway"]
    for name in names:
        write(tmp_path, name, name=name)
    by_path = {
        "/v1/messages": MESSAGES,
        "/v1/chat/completions": CHAT,
        "/own/chat/completions": CHAT,
        "/v1/responses": RESPONSES,
    }
    wire.choose = lambda asked: by_path.get(asked.path, GEMINI).answer("3 degrees", [])
    results = run(tmp_path, "record", {**wire.environ, "OUR_KEY": "key-of-our-own"})
    assert [case.outcome for case in results.cases] == ["failed"] * 5, "nobody called a tool"
    keys = {asked.path: asked.headers for asked in wire.asked}
    assert "key-of-anthropic" in str(keys["/v1/messages"])
    assert "key-of-openai" in str(keys["/v1/chat/completions"])
    assert "key-of-openai" in str(keys["/v1/responses"])
    assert "key-of-our-own" in str(keys["/own/chat/completions"])
    assert len(keys) == 5
    for path, headers in keys.items():
        assert str(headers).count("key-of-") == 1, path
    recorded_for = {
        json.loads(text)["suite"]: json.loads(text)["provider"] for text in cassettes(tmp_path).values()
    }
    assert recorded_for == {name: name for name in names}


# All values of six bits, so that the two alphabets of base64 differ.
SIGNATURE = b64encode(bytes(range(256))).decode()


def thinking(spoke: Spoken) -> tuple[Any, Any]:
    """An answer that thinks and then calls, and what must come back on the wire in the next turn."""
    body = spoke.answer("Let me see.", CALLS)
    if spoke is MESSAGES:
        parts = [
            {"type": "thinking", "thinking": "Two cities.", "signature": SIGNATURE},
            {"type": "redacted_thinking", "data": SIGNATURE[::-1]},
        ]
        return {**body, "content": [*parts, *body["content"]]}, parts
    if spoke is CHAT:
        detail = {"type": "reasoning.encrypted", "data": SIGNATURE, "index": 0}
        parts = {"reasoning_content": "Two cities.", "reasoning_details": [detail]}
        body["choices"][0]["message"].update(parts)
        return body, parts
    if spoke is RESPONSES:
        item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": SIGNATURE}
        return {**body, "output": [item, *body["output"]]}, [item]
    content = body["candidates"][0]["content"]
    content["parts"].insert(0, {"text": "Two cities.", "thought": True})
    content["parts"][2]["thoughtSignature"] = SIGNATURE
    return body, content["parts"]


def came_back(spoke: Spoken, body: dict[str, Any]) -> Any:
    """The part of a request that echoes the thinking."""
    if spoke is MESSAGES:
        return body["messages"][1]["content"][:2]
    if spoke is CHAT:
        found = body["messages"][2]
        return {name: found[name] for name in found if name.startswith("reasoning")}
    if spoke is RESPONSES:
        return [item for item in body["input"] if item.get("type") == "reasoning"]
    return body["contents"][1]["parts"]


def same_bytes(value: Any) -> Any:
    """Signatures in one of base64's two alphabets: Google's SDK writes the other one than it was sent."""
    return json.loads(json.dumps(value).replace("-", "+").replace("_", "/"))


@pytest.mark.parametrize("spoke", ALL, ids=lambda each: each.name)
def test_auto_goes_on_live_after_a_replayed_turn_and_sends_its_thinking_back(
    tmp_path: Path, wire: Wire, spoke: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, spoke)
    body, expected = thinking(spoke)
    wire.plan(body, spoke.answer("3 degrees", []))
    first = one(run(tmp_path, "record", wire.environ))
    assert first.outcome == "passed", first.error
    live = wire.bodies[1]
    write(tmp_path, spoke, edit="{degrees: 3} => {degrees: 4}")
    with alone(monkeypatch):
        stale = one(run(tmp_path, "replay"))
    assert stale.outcome == "stale"
    wire.plan(spoke.answer("No longer 3 degrees", []))
    again = one(run(tmp_path, "auto", wire.environ))
    assert (again.outcome, len(wire.asked)) == ("passed", 3)
    assert [turn.outcome for turn in again.runs[0].turns] == ["replayed", "recorded"]
    echoed = came_back(spoke, wire.bodies[2])
    assert same_bytes(echoed) == same_bytes(expected)
    assert echoed == came_back(spoke, live), "a replayed turn goes back as the live one did"
    with alone(monkeypatch):
        assert one(run(tmp_path, "replay")).outcome == "passed"


def test_malformed_arguments_are_recorded_and_sent_back_as_they_came(tmp_path: Path, wire: Wire) -> None:
    for spoke in (CHAT, RESPONSES):
        write(tmp_path, spoke, edit="count: 2 => count: 1")
        wire.plan(spoke.answer(None, [("get_weather", '{"city": ')]), spoke.answer("3 degrees", []))
        recorded = one(run(tmp_path, "record", wire.environ))
        assert recorded.outcome == "passed", recorded.error
        assert json.dumps('{"city": ') in json.dumps(wire.bodies[-1])
        assert trajectory(one(run(tmp_path, "replay"))) == trajectory(recorded)


def test_a_request_that_the_sdk_does_not_take_leaves_nothing_behind(tmp_path: Path, wire: Wire) -> None:
    write(tmp_path, MESSAGES, extra="params: {temprature: 0}")
    case = one(results := run(tmp_path, "record", wire.environ))
    assert (case.outcome, results.exit_code) == ("failed", 2)
    assert case.error.startswith("params.temprature: anthropic ")
    assert not wire.asked
    assert not (tmp_path / ".dryfire").exists()


@pytest.mark.parametrize("spoke", ALL, ids=lambda each: each.name)
def test_a_failure_that_ends_a_recording_is_shown_in_the_providers_words(
    tmp_path: Path, wire: Wire, spoke: Spoken
) -> None:
    write(tmp_path, spoke)
    wire.plan(Reply(spoke.error(401, "authentication_error", "the key is not valid"), 401))
    case = one(results := run(tmp_path, "record", wire.environ))
    assert (case.outcome, results.exit_code) == ("failed", 3)
    assert "the key is not valid" in case.error
    assert not cassettes(tmp_path)


@pytest.mark.parametrize("mode", ["record", "auto", "off"])
def test_a_provider_that_does_not_exist_is_no_reason_to_skip(tmp_path: Path, mode: str) -> None:
    write(tmp_path, "antropic")
    case = one(results := run(tmp_path, mode))
    assert (case.outcome, results.exit_code) == ("failed", 2)
    assert "did you mean 'anthropic'?" in case.error
    assert not (tmp_path / ".dryfire").exists()


@pytest.mark.parametrize("spoke", ALL, ids=lambda each: each.name)
def test_off_has_parallel_calls_answered_each_by_its_own_result(
    tmp_path: Path, wire: Wire, spoke: Spoken
) -> None:
    write(tmp_path, spoke)
    wire.plan(spoke.answer("Let me see.", CALLS), spoke.answer("3 degrees", []))
    assert one(run(tmp_path, "off", wire.environ)).outcome == "passed"
    assert not (tmp_path / ".dryfire").exists()


PNG = b"\x89PNG\r\n\x1a\n" + b"picture"


@pytest.mark.parametrize("spoke", ALL, ids=lambda each: each.name)
def test_an_image_by_path_is_sent_and_another_one_is_stale(tmp_path: Path, wire: Wire, spoke: Spoken) -> None:
    image = "[{type: text, text: What is it?}, {type: image, path: a.png}]"
    user = f"input: [{{role: user, content: {image}}}]"
    write(tmp_path, spoke, edit=f"input: Oslo and Rome? => {user}", count="count: 2 => count: 0")
    (tmp_path / "evals" / "a.png").write_bytes(PNG)
    wire.plan(spoke.answer("3 degrees", []))
    assert one(run(tmp_path, "record", wire.environ)).outcome == "passed"
    assert "iVBORw0KGgpwaWN0dXJl" in json.dumps(wire.bodies[0]).replace("-", "+")
    assert "a.png" not in json.dumps(wire.bodies[0])
    assert one(run(tmp_path, "replay")).outcome == "passed"
    (tmp_path / "evals" / "a.png").write_bytes(PNG + b"!")
    assert one(run(tmp_path, "replay")).outcome == "stale"


def test_a_git_lfs_pointer_replays_and_is_an_error_where_the_image_is_needed(
    tmp_path: Path, wire: Wire
) -> None:
    from hashlib import sha256

    image = "[{type: image, path: a.png}]"
    user = f"input: [{{role: user, content: {image}}}]"
    write(tmp_path, MESSAGES, edit=f"input: Oslo and Rome? => {user}", count="count: 2 => count: 0")
    (tmp_path / "evals" / "a.png").write_bytes(PNG)
    wire.plan(MESSAGES.answer("3 degrees", []))
    assert one(run(tmp_path, "record", wire.environ)).outcome == "passed"
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256(PNG).hexdigest()}\nsize 15\n"
    (tmp_path / "evals" / "a.png").write_text(pointer)
    assert one(run(tmp_path, "replay")).outcome == "passed"
    case = one(results := run(tmp_path, "record", wire.environ))
    assert (case.outcome, results.exit_code) == ("failed", 2)
    assert "git LFS pointer" in case.error
    assert "git lfs pull" in case.remedy
