"""The recipes as they will be copied: no linter complains, everything is pinned, no token can do more than it must."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs import build
from tests.recipes.machine import NAMES, RECIPES, text
from tests.workflow_linters import LINTERS, complaints

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that has taken all recipes over."""
    root = tmp_path_factory.mktemp("taker")
    shutil.copytree(RECIPES, root / ".github/workflows")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


@pytest.mark.parametrize("linter", LINTERS)
def test_the_linters_are_silent(linter: str, repository: Path) -> None:
    assert complaints(linter, repository, NAMES, HERE / "zizmor.yml") == ""


def loaded(name: str) -> dict[Any, Any]:
    """A recipe as data; `on` is a word here."""
    found: dict[Any, Any] = yaml.load(text(name), Loader=yaml.BaseLoader)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_actions_of_others_are_pinned_by_commit_and_say_which_version_that_is(name: str) -> None:
    for one in re.findall(r"uses: *(.+)", text(name)):
        pinned = re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)
        assert pinned or one == "org/dryfire-action@v1", one


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_permitted_but_what_a_job_asks_for(name: str) -> None:
    recipe = loaded(name)
    assert recipe["permissions"] == {}
    for job in recipe["jobs"].values():
        permissions = job["permissions"]
        assert set(permissions) <= {"contents", "pull-requests", "actions"}
        assert permissions.get("contents", "read") == "read"
        assert "timeout-minutes" in job
        assert permissions.get("pull-requests") in (None, "write")


@pytest.mark.parametrize("name", NAMES)
def test_a_job_that_can_write_runs_nothing_of_the_pull_request(name: str) -> None:
    for job in loaded(name)["jobs"].values():
        if job["permissions"].get("pull-requests") != "write":
            continue
        for step in job["steps"]:
            used = step.get("uses", "").partition("@")[0]
            own = {"org/dryfire-action", "actions/checkout", "actions/download-artifact"}
            assert used in own or step["run"].startswith("echo "), step


@pytest.mark.parametrize("name", NAMES)
def test_no_checkout_leaves_its_token_behind(name: str) -> None:
    for job in loaded(name)["jobs"].values():
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] == "false"
            if "org/dryfire-action" in step.get("uses", "") and step.get("with", {}).get("mode") != "publish":
                depths = [
                    one["with"].get("fetch-depth")
                    for one in job["steps"]
                    if "checkout" in one.get("uses", "")
                ]
                assert depths == ["2"], "the base must be in reach"


def test_no_recipe_runs_on_pull_request_target() -> None:
    assert not [name for name in NAMES if "pull_request_target" in text(name)]


@pytest.mark.parametrize("name", ["record-again.yml", "record-again-for-a-fork.yml"])
def test_the_key_and_the_token_that_writes_are_never_in_one_job(name: str) -> None:
    jobs = [str(job) for job in loaded(name)["jobs"].values()]
    assert [job for job in jobs if "ANTHROPIC_API_KEY" in job]
    assert not [job for job in jobs if "ANTHROPIC_API_KEY" in job and "app.outputs.token" in job]
    (record,) = re.findall(r"dryfire run .*", text(name))
    assert record == "dryfire run --cassette-mode auto --passthrough skip --max-calls 200"


def test_the_check_of_one_job_for_many_always_reports() -> None:
    for name in ("monorepo.yml", "sharded.yml", "pytest.yml"):
        recipe = loaded(name)
        assert recipe["jobs"]["evals"]["if"] == "${{ !cancelled() }}"
        assert recipe["on"] == "pull_request", "a filter by paths would leave a required check pending"


def shown() -> dict[str, str]:
    """The workflows in the pages of the documentation, by their page."""
    return {
        f"{page.stem}.yml": block.text
        for page in build.pages()
        for block in build.blocks(page.read_text(encoding="utf-8"))
        if (block.mark("file") or "").startswith(".github/workflows/")
    }


def test_the_workflows_in_the_documentation_are_as_clean(tmp_path: Path) -> None:
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert len(shown()) >= 3
    for name, workflow in shown().items():
        (folder / name).write_text(workflow, encoding="utf-8")
        for action in re.findall(r"uses: *(actions/.+)", workflow):
            assert any(action in text(recipe) for recipe in NAMES), "the recipes pin another version"
    for linter in LINTERS:
        assert complaints(linter, tmp_path, list(shown()), HERE / "zizmor.yml") == ""


def test_the_tutorial_shows_the_basic_recipe() -> None:
    assert shown()["pull-request.yml"] == text("basic.yml")


def test_an_enterprise_server_needs_no_artifacts_and_no_cache() -> None:
    used = re.findall(r"uses: *([\w/-]+)@", text("enterprise-server.yml"))
    assert used == ["actions/checkout", "org/dryfire-action"]
