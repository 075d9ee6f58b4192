"""The recipes' scene: that of the action's own tests, on a runner with stand-ins for the actions of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.action.conftest import github, installed
from tests.action.scene import Scene
from tests.recipes.machine import RecipeRunner, stand_ins

if TYPE_CHECKING:
    from pathlib import Path

    from tests.github_double import GitHubDouble

__all__ = ["github", "installed"]


@pytest.fixture
def scene(tmp_path: Path, installed: Path, github: GitHubDouble) -> Scene:
    """A repository with a pull request that changes nothing yet, on a machine that knows the recipes' actions."""
    runner = RecipeRunner(
        tmp_path / "runner",
        installed / "action",
        packages=installed / "kept",
        more=stand_ins(tmp_path / "stand-ins"),
        origin=tmp_path / "scene/origin",
    )
    return Scene(tmp_path / "scene", runner, github)
