"""One example suite for each provider: recorded through the real SDKs, replayed by nothing but the recording."""

from __future__ import annotations

import json
import shutil
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.cli import main
from tests.providers.record_examples import CASSETTES, EXAMPLES, copied, record

if TYPE_CHECKING:
    from pathlib import Path

SDKS = {
    "anthropic": "anthropic",
    "openai": "openai",
    "openai-responses": "openai",
    "gemini": "google-genai",
    "our-gateway": "openai",
}


def recordings(folder: Path) -> dict[str, str]:
    """The texts of the cassettes, with the version of an SDK that is installed now for the one that is recorded."""
    base = folder / CASSETTES
    found = {}
    for path in sorted(base.glob("*/*.json")):
        text = path.read_text(encoding="utf-8")
        header = json.loads(text)
        written = f'"sdk_version": "{header["sdk_version"]}"'
        found[path.relative_to(base).as_posix()] = text.replace(
            written, f'"sdk_version": "{version(header["sdk"])}"', 1
        )
    return found


def headers() -> list[dict[str, Any]]:
    return [json.loads(text) for text in recordings(EXAMPLES).values()]


def test_each_provider_has_a_suite_whose_recordings_say_what_made_them() -> None:
    assert {header["suite"] for header in headers()} == SDKS.keys()
    for header in headers():
        assert header["provider"] == header["suite"]
        assert header["sdk"] == SDKS[header["provider"]]
        assert (header["origin"], header["served"]) == ("loopback", "served-1")
        assert not header.get("scripted")


def test_what_is_particular_to_a_provider_is_in_its_recordings() -> None:
    exchanges = {(header["provider"], header["case"]): header["exchanges"] for header in headers()}
    both = "two cities at once"
    assert "signature" in exchanges["anthropic", both][0]["answer"]["reasoning"][0]
    assert "encrypted_content" in exchanges["openai-responses", both][0]["answer"]["reasoning"][0]
    assert exchanges["openai", both][1]["cuts"] == [20]
    assert [each.get("error", {}).get("status") for each in exchanges["our-gateway", both]] == [
        503,
        None,
        None,
    ]


def test_the_recordings_replay_where_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    before = recordings(EXAMPLES)
    assert main(["run"]) == 0
    assert recordings(EXAMPLES) == before


@pytest.mark.parametrize("mode", ["record", "auto"])
def test_recording_again_leaves_every_byte(tmp_path: Path, mode: str) -> None:
    folder = copied(tmp_path / "providers")
    done = record(folder, mode=mode)
    assert done.returncode == 0, done.stdout + done.stderr
    assert recordings(folder) == recordings(EXAMPLES)


def test_recording_from_nothing_holds_the_same_answers(tmp_path: Path) -> None:
    folder = copied(tmp_path / "providers")
    shutil.rmtree(folder / CASSETTES)
    done = record(folder)
    assert done.returncode == 0, done.stdout + done.stderr

    def timeless(text: str) -> Any:
        document = json.loads(text)
        for part in (document, *document["exchanges"]):
            for name in ("recorded", "latency_ms", "digest"):
                part.pop(name, None)
        return document

    fresh, committed = recordings(folder), recordings(EXAMPLES)
    assert fresh.keys() == committed.keys()
    for name, text in fresh.items():
        assert timeless(text) == timeless(committed[name]), name
