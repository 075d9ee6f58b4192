"""The examples under pytest: they replay without key and network, and recording them again changes no byte."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.house.repository import ROOT
from tests.integration.example_recordings import EXAMPLES, pytest_in, recorded

if TYPE_CHECKING:
    from pathlib import Path

EDITS = {
    "cassette_pytest": ("agent.py", "Looks an order up by its number.", "Finds an order by its number.", 3),
    "framework_pytest": ("agent.py", "Looks an order up by its number.", "Finds an order by its number.", 2),
}


@pytest.fixture(params=EXAMPLES)
def copy(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns(".partial", "__pycache__")
    return shutil.copytree(ROOT / "examples" / request.param, tmp_path / request.param, ignore=ignored)


def test_the_example_replays_and_an_edit_is_named(copy: Path) -> None:
    done = pytest_in(copy)
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout
    name, old, new, stale = EDITS[copy.name]
    file = copy / name
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    done = pytest_in(copy, "--dryfire-result", "result.json")
    assert f"{stale} failed" in done.stdout
    assert "stale recording: tools[lookup_order].description changed" in done.stdout
    (cause,) = json.loads((copy / "result.json").read_text(encoding="utf-8"))["causes"]
    assert len(cause["cases"]) == stale


@pytest.mark.slow
def test_recording_the_example_again_gives_the_files_that_are_committed(copy: Path) -> None:
    before = {path: path.read_bytes() for path in copy.rglob("*.jsonl")}
    for path in before:
        path.unlink()
    done = recorded(copy)
    assert done.returncode == 0, done.stdout
    assert {path: path.read_bytes() for path in copy.rglob("*.jsonl")} == before
    assert all(
        b'"recorded against": "a server on this machine, no real model"' in text for text in before.values()
    )
