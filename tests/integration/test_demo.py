"""`make demo` shows what it promises, says so by its exit code, and leaves the repository alone."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from examples import demo
from tests.house.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def snapshot() -> dict[Path, bytes]:
    return {
        path: path.read_bytes()
        for path in sorted(demo.SHOP.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def shown(folder: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "examples/demo.py")],
        cwd=folder,
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def test_the_demo_names_its_three_edits_and_ends_green(tmp_path: Path) -> None:
    before = snapshot()
    done = shown(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    assert "Everything was as promised." in done.stdout
    for edit in demo.EDITS:
        assert f"=> {edit.field} changed: {edit.cases} of 19 cases" in done.stdout
    assert "--cassette-mode auto" in done.stdout
    assert len(done.stdout.splitlines()) <= 105
    assert snapshot() == before


def test_the_demo_is_readable_where_only_ascii_can_be_written(tmp_path: Path) -> None:
    done = shown(tmp_path, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.isascii()


@pytest.mark.parametrize(
    "claim", [{"field": "tools[track_parcel].input_schema"}, {"cases": 14}], ids=["field", "cases"]
)
def test_the_demo_fails_where_a_replay_says_something_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], claim: dict[str, object]
) -> None:
    wrong = replace(demo.EDITS[0], **claim)  # type: ignore[arg-type]
    monkeypatch.setattr(demo, "EDITS", (wrong,))
    assert demo.main() == 1
    assert "NOT AS PROMISED" in capsys.readouterr().out


def test_the_demo_fails_where_an_edit_finds_nothing_to_edit(tmp_path: Path) -> None:
    copy = demo.copy_to(tmp_path / "copy")
    with pytest.raises(SystemExit, match="does not hold"):
        demo.apply(copy, replace(demo.EDITS[0], old="a sentence that stands nowhere"))
