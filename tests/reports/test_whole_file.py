"""A report's file is written in one step, and readable by others."""

from __future__ import annotations

import os
import stat as stat_module
from typing import TYPE_CHECKING

import pytest

from dryfire_action.reports.whole_file import write

if TYPE_CHECKING:
    from pathlib import Path


def test_the_file_is_written_in_one_step_and_readable_by_others(tmp_path: Path) -> None:
    target = tmp_path / "result é.json"
    target.write_text("old")
    write(target, "é\ud83d\u202e\n")
    assert target.read_bytes() == "é\\ud83d\u202e\n".encode()
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    umask = os.umask(0)
    os.umask(umask)
    assert stat_module.S_IMODE(target.stat().st_mode) == 0o666 & ~umask


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "result.json"
    target.write_text("old")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", refuse)
    with pytest.raises(OSError, match="No space"):
        write(target, "new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
