"""One installation of the action for all tests, made by the action itself in a workflow run."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from tests.action.act_run import ACT, Runner, export
from tests.action.scene import BASIC, Scene
from tests.github_double import GitHubDouble

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The first run of the action, on an empty runner; what it installed is kept for the other tests.
_KEEP = """\
      - if: always()
        run: |
          cp -a "$RUNNER_TEMP"/dryfire-packages-* KEPT
          env | sort > LEFT/after.txt
          git status --porcelain --ignored > LEFT/workspace.txt
          cat "$GITHUB_PATH" "$GITHUB_ENV" > LEFT/files.txt
"""


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the exported action, the packages that it installed, and how that run went."""
    # The workers of one session share a folder above their own.
    own = tmp_path_factory.getbasetemp()
    place = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "dryfire-action-installed"
    with FileLock(f"{place}.lock"):
        if not (place / "log.json").exists():
            shutil.rmtree(place, ignore_errors=True)
            _install(place)
    return place


def _install(place: Path) -> None:
    kept, left = place / "kept", place / "left"
    kept.mkdir(parents=True)
    left.mkdir()
    runner = Runner(place / "runner", export(place / "action"))
    with GitHubDouble() as github:
        scene = Scene(place / "scene", runner, github)
        workflow = BASIC.replace("SEED", f"env | sort > {left}/before.txt") + _KEEP
        run = scene.run(workflow.replace("KEPT", str(kept)).replace("LEFT", str(left)))
        (place / "comments.txt").write_text("\n".join(scene.bodies), encoding="utf-8")
    run.save(place / "log.json")


@pytest.fixture
def runner(installed: Path, tmp_path: Path) -> Runner:
    """A runner on which the action has been before."""
    return Runner(tmp_path / "runner", installed / "action", packages=installed / "kept")


@pytest.fixture
def github() -> Iterator[GitHubDouble]:
    """GitHub, with one pull request."""
    with GitHubDouble() as double:
        yield double


@pytest.fixture
def scene(tmp_path: Path, runner: Runner, github: GitHubDouble) -> Scene:
    """A repository with a pull request that changes nothing yet."""
    return Scene(tmp_path / "scene", runner, github)


@pytest.fixture(autouse=True)
def _there_is_a_runner(request: pytest.FixtureRequest) -> None:
    if "installed" not in request.fixturenames:
        return
    if sys.platform != "linux":
        pytest.skip("the workflows of these tests are for Linux")
    assert ACT.is_file(), "act is part of the development environment: make test installs it"
