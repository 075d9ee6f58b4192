"""Fixtures of the hooks' tests: pre-commit and prek install this repository once for all of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.git_repository import Repository
from tests.house.repository import ROOT
from tests.integration.hook_project import CONFIG, SUITE, config_of, run


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit and prek keep what they install: once for all tests."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """This repository as it is now, committed: its address and a revision."""
    place = tmp_path_factory.mktemp("product") / "dryfire"
    for name in ("src", "hooks"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", ".pre-commit-hooks.yaml", "README.md", "LICENSE", "CHANGELOG.md"):
        if (ROOT / name).is_file():
            shutil.copy(ROOT / name, place / name)
    repository = Repository(place)
    return place.as_uri(), repository.commit("a version")


@pytest.fixture
def project(tmp_path: Path, product: tuple[str, str], home: Path) -> Repository:
    """A repository with a suite, its recording, and the hooks switched on."""
    found = Repository(tmp_path / "a project")
    found.write(".pre-commit-config.yaml", config_of(product))
    found.write("dryfire.yaml", CONFIG)
    found.write("evals/parcels.eval.yaml", SUITE)
    done = run("dryfire", "run", "--cassette-mode", "record", cwd=found.root, home=home)
    assert done.returncode == 0, done.stdout + done.stderr
    found.commit("begin")
    return found
