"""The command, ready to be called in a scratch folder."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.commands import project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def dryfire(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., project.Done]:
    """The command, called in a folder whose name has a blank and more than ASCII."""
    folder = tmp_path / "my projekt ü"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name in ("NO_COLOR", "FORCE_COLOR", "DRYFIRE_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    return partial(project.dryfire, capsys)
