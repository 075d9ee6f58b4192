"""What a suite sets reaches the wire and the fingerprint; what a provider does not take is refused before the call."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.test_live_recording import cassettes, one, run, write
from tests.providers import wire_server
from tests.providers.spoken import ALL, CHAT, GEMINI, MESSAGES, RESPONSES, Spoken

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.providers.wire_server import Wire

SCHEMA = (
    "{type: object, properties: {degrees: {type: number}}, required: [degrees], additionalProperties: false}"
)
AS_JSON = {
    "type": "object",
    "properties": {"degrees": {"type": "number"}},
    "required": ["degrees"],
    "additionalProperties": False,
}


@pytest.fixture
def wire() -> Iterator[Wire]:
    """The loopback server."""
    with wire_server.serving() as server:
        yield server


def head(root: Path) -> dict[str, Any]:
    """The fingerprint's fields before the messages."""
    (text,) = cassettes(root).values()
    found: dict[str, Any] = json.loads(text)["exchanges"][0]["head"]
    return found


def answered(root: Path, wire: Wire, spoke: Spoken, extra: str) -> dict[str, Any]:
    """Record a case of one answer; the body that was sent."""
    write(root, spoke, extra=extra, count="count: 2 => count: 0")
    wire.plan(spoke.answer("3 degrees", []))
    case = one(run(root, "record", wire.environ))
    assert case.outcome == "passed", case.error
    return wire.bodies[-1]


def schema_in(spoke: Spoken, body: dict[str, Any]) -> Any:
    """The schema where the provider's API has it."""
    if spoke is MESSAGES:
        return body["output_config"]["format"]["schema"]
    if spoke is CHAT:
        return body["response_format"]["json_schema"]["schema"]
    if spoke is RESPONSES:
        return body["text"]["format"]["schema"]
    config = body["generationConfig"]
    return config.get("responseJsonSchema") or config.get("responseSchema")


@pytest.mark.parametrize("spoke", ALL, ids=lambda each: each.name)
def test_an_output_schema_is_sent_and_counts(tmp_path: Path, wire: Wire, spoke: Spoken) -> None:
    body = answered(tmp_path, wire, spoke, f"output_schema: {SCHEMA}")
    assert schema_in(spoke, body) == AS_JSON
    assert "output_schema" in head(tmp_path)
    assert one(run(tmp_path, "replay")).outcome == "passed"
    write(
        tmp_path, spoke, extra=f"output_schema: {SCHEMA}", count="count: 2 => count: 0", a="number => string"
    )
    stale = run(tmp_path, "replay")
    assert one(stale).outcome == "stale"
    (cause,) = stale.causes
    assert (cause.path, [place.line for place in cause.where]) == ("output_schema", [5])


def test_a_case_has_its_own_schema_or_none(tmp_path: Path, wire: Wire) -> None:
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals/shape.json").write_text(json.dumps(AS_JSON))
    suite = write(tmp_path, CHAT, extra="output_schema: {$ref: shape.json}", count="count: 2 => count: 0")
    text = suite.read_text()
    own = text[text.index("  - name: two cities") :].replace("two cities", "none")
    own = own.replace("    input:", "    output_schema: null\n    input:")
    suite.write_text(text + own + own.replace("name: none", "name: own").replace("null", "{type: object}"))
    wire.choose = lambda _: CHAT.answer("3 degrees", [])
    results = run(tmp_path, "record", wire.environ)
    assert [case.outcome for case in results.cases] == ["passed"] * 3
    sent = [body.get("response_format", {}).get("json_schema", {}).get("schema") for body in wire.bodies]
    assert sorted(sent, key=str) == sorted([AS_JSON, None, {"type": "object"}], key=str)


PARAMS: list[tuple[Spoken, str, Any]] = [
    (MESSAGES, "{max_tokens: 77, stop_sequences: [X]}", {"max_tokens": 77, "stop_sequences": ["X"]}),
    (MESSAGES, "{tool_choice: {type: any}}", {"tool_choice": {"type": "any"}}),
    (MESSAGES, "{extra_body: {temperature: 0.5}}", {"temperature": 0.5}),
    (CHAT, "{temperature: 0.5, seed: 7, stop: [X]}", {"temperature": 0.5, "seed": 7, "stop": ["X"]}),
    (CHAT, "{extra_body: {min_p: 0.1}}", {"min_p": 0.1}),
    (RESPONSES, "{top_p: 0.5, max_output_tokens: 77}", {"top_p": 0.5, "max_output_tokens": 77}),
    (RESPONSES, "{reasoning: {effort: low}}", {"reasoning": {"effort": "low"}}),
    (GEMINI, "{temperature: 0.5, top_k: 3}", {"generationConfig": {"temperature": 0.5, "topK": 3.0}}),
]


@pytest.mark.parametrize(("spoke", "params", "sent"), PARAMS, ids=lambda each: getattr(each, "name", None))
def test_every_parameter_is_sent_and_counts(
    tmp_path: Path, wire: Wire, spoke: Spoken, params: str, sent: dict[str, Any]
) -> None:
    import yaml

    body = answered(tmp_path, wire, spoke, f"params: {params}")
    for name, value in sent.items():
        held = body[name]
        assert ({key: held[key] for key in value} if isinstance(value, dict) else held) == value
    assert {f"params.{name}" for name in yaml.safe_load(params)} <= head(tmp_path).keys()


@pytest.mark.parametrize("spoke", ALL, ids=lambda each: each.name)
def test_a_parameter_that_is_not_taken_is_refused_before_the_call(
    tmp_path: Path, wire: Wire, spoke: Spoken
) -> None:
    write(tmp_path, spoke, extra="params: {temprature: 0}")
    case = one(results := run(tmp_path, "record", wire.environ))
    assert (case.outcome, results.exit_code, wire.asked) == ("failed", 2, [])
    assert case.error.startswith("params.temprature: ")
    assert not (tmp_path / ".dryfire").exists()
