"""This repository's own workflows: linted, pinned, least permissions, and they run what the Makefile has."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from tests.house.repository import ROOT
from tests.workflow_linters import LINTERS, complaints

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in WORKFLOWS}


@pytest.mark.parametrize("linter", LINTERS)
def test_the_linters_are_silent(linter: str) -> None:
    assert complaints(linter, ROOT, list(TEXTS)) == ""


def loaded(name: str) -> dict[Any, Any]:
    return yaml.safe_load(TEXTS[name])


@pytest.mark.parametrize("name", TEXTS)
def test_actions_are_pinned_by_commit_and_say_which_version_that_is(name: str) -> None:
    used = re.findall(r"uses: *(.+)", TEXTS[name])
    assert used
    for one in used:
        assert one.startswith("./") or re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one), one


@pytest.mark.parametrize("name", TEXTS)
def test_every_job_asks_for_its_own_permissions(name: str) -> None:
    workflow = loaded(name)
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert "permissions" in job


@pytest.mark.parametrize("name", TEXTS)
def test_what_they_make_is_in_the_makefile(name: str) -> None:
    targets = set(
        re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert set(re.findall(r"run: make ([\w-]+)", TEXTS[name])) <= targets


def test_only_the_major_tag_is_moved_with_the_right_to_write() -> None:
    writers = {
        job
        for name in TEXTS
        for job, steps in loaded(name)["jobs"].items()
        if steps["permissions"].get("contents") == "write"
    }
    assert writers == {"major-tag"}


def test_the_action_runs_on_the_examples() -> None:
    steps = loaded("ci.yml")["jobs"]["examples"]["steps"]
    own = [step for step in steps if step["uses"] == "./"]
    assert [step["with"]["working-directory"] for step in own] == ["examples/shop"]
