"""`action.yml` by itself: what the local runner does not enforce, and what GitHub's parser and the linters say."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml

from dryfire_action.action_check import bare_environment
from dryfire_action.action_inputs import Inputs, read_inputs, variable
from dryfire_action.action_publish import TOKEN
from dryfire_action.action_verdict import JobVerdict, outputs_of
from tests.house.repository import ROOT

MANIFEST = ROOT / "action.yml"
TEXT = MANIFEST.read_text(encoding="utf-8")
ACTION: dict[str, Any] = yaml.safe_load(TEXT)
STEPS: dict[str, dict[str, Any]] = {step["id"]: step for step in ACTION["runs"]["steps"]}
INPUTS = set(ACTION["inputs"])
BIN = Path(sys.executable).parent
NODE = Path(__file__).with_name("node")
WORKFLOWS = [*sorted((ROOT / ".github/workflows").glob("*.yml")), *sorted((ROOT / "examples").rglob("*.yml"))]


def expression(step: str, name: str) -> str:
    """The expression that a step's variable holds, without its braces."""
    found = re.fullmatch(r"\$\{\{ (.*) \}\}", STEPS[step]["env"][name])
    assert found, f"{step}: {name} holds more than an expression"
    return found[1]


def test_every_input_is_read_by_both_processes_through_a_variable_of_its_own() -> None:
    named = {field.name.replace("_", "-") for field in fields(Inputs)}
    assert named | {"token"} == INPUTS
    for step in ("check", "publish"):
        for name in named:
            assert expression(step, variable(name)) == f"inputs.{name}", f"{step}: {name}"


def test_only_the_process_that_publishes_is_given_the_token_and_only_where_it_may_need_it() -> None:
    holders = [step for step, found in STEPS.items() if "token" in str(found)]
    assert holders == ["publish"]
    assert expression("publish", TOKEN) == "inputs.mode != 'check' && inputs.token || ''"
    assert ACTION["inputs"]["token"]["default"] == "${{ github.token }}"


def test_no_variable_is_mapped_that_nobody_reads() -> None:
    known = {variable(name) for name in INPUTS - {"token"}} | {
        "DRYFIRE_PYTHON",
        "DRYFIRE_FOLDER",
        variable("matrix"),
    }
    assert set(STEPS["check"]["env"]) == known
    assert set(STEPS["publish"]["env"]) == known | {TOKEN}


def test_the_defaults_are_those_of_the_code() -> None:
    environ = {
        variable(name): found["default"] for name, found in ACTION["inputs"].items() if name != "token"
    }
    given = read_inputs(environ)
    assert given == read_inputs({})
    for field in fields(Inputs):
        if field.name != "key":
            assert getattr(given, field.name) == field.default, field.name


def test_every_input_and_output_is_described_and_in_kebab_case() -> None:
    for kind in ("inputs", "outputs"):
        for name, found in ACTION[kind].items():
            assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name), name
            assert found["description"].strip().endswith("."), name
    assert not [name for name, found in ACTION["inputs"].items() if "default" not in found]


def test_every_output_is_set_by_the_step_that_publishes_and_every_one_it_sets_is_declared() -> None:
    counts = dict.fromkeys(
        ("cases", "passed", "failed", "stale", "missing", "damaged", "excluded", "skipped", "turns"), 0
    )
    document = {"counts": counts, "causes": [], "behaviour": [], "no_longer_replayed": None}
    told = {*outputs_of(document, JobVerdict("clear")), "report-file", "comment-id", "comment-url", "posted"}
    assert set(ACTION["outputs"]) == told
    for name, found in ACTION["outputs"].items():
        assert re.match(rf"\$\{{\{{ steps\.publish\.outputs\.{name}( \|\| '\w+')? \}}\}}$", found["value"]), (
            name
        )
    # Where nothing could even be set up, the result is no empty text.
    assert ACTION["outputs"]["result"]["value"] == "${{ steps.publish.outputs.result || 'error' }}"


def test_no_expression_stands_in_a_script_and_every_script_is_strict_bash() -> None:
    for name, step in STEPS.items():
        assert "${{" not in step["run"], name
        assert step["shell"] == "bash", name
        assert step["run"].startswith("set -euo pipefail\n"), name
        assert "uses" not in step, (
            "an action inside of the action would have to be allowed and pinned by everybody"
        )


def test_python_is_started_so_that_nothing_of_the_workspace_counts() -> None:
    for name in ("check", "publish"):
        assert (
            STEPS[name]["run"]
            .splitlines()[-1]
            .startswith('exec "$DRYFIRE_PYTHON" -I -X utf8 -m dryfire_action.')
        )
    assert "-I -X utf8" in STEPS["environment"]["run"]


def test_nothing_is_written_that_outlives_the_action() -> None:
    ours = (ROOT / "src/dryfire_action").glob("action_*.py")
    for file in (MANIFEST, *ours):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"GITHUB_(ENV|PATH)\b", text), file.name
        assert "actions/cache" not in text


def test_no_code_reads_what_only_the_local_runner_sets() -> None:
    for file in (MANIFEST, *(ROOT / "src").rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"\bINPUT_|\bACT\b", text), file.name


def test_a_check_that_failed_is_still_published_and_one_that_was_cancelled_is_not() -> None:
    assert STEPS["publish"]["if"] == "${{ !cancelled() && steps.environment.outcome == 'success' }}"
    assert "if" not in STEPS["check"] and "continue-on-error" not in str(STEPS)


def test_the_permissions_that_it_needs_are_said() -> None:
    assert "`pull-requests` `write`" in ACTION["inputs"]["token"]["description"]
    page = (ROOT / "docs/reference/action.md").read_text(encoding="utf-8")
    assert "pull-requests: write" in page and "contents: read" in page


def test_the_check_is_told_every_input_and_never_the_token() -> None:
    environ = dict.fromkeys([*STEPS["publish"]["env"], "GITHUB_TOKEN", "GITHUB_OUTPUT", "ANY_KEY"], "x")
    given = bare_environment(environ | {"GITHUB_WORKSPACE": str(ROOT), "PATH": os.defpath}, "", "")
    assert {variable(name) for name in INPUTS - {"token"}} <= given.keys()
    assert not {TOKEN, "GITHUB_TOKEN", "GITHUB_OUTPUT", "ANY_KEY"} & given.keys()


@pytest.mark.parametrize(
    "arguments",
    [
        ("zizmor", "--offline", "--no-progress", "--config", str(ROOT / ".github/zizmor.yml"), "action.yml"),
        ("jactionlint", "--profile", "correctness", "--shellcheck", str(BIN / "shellcheck"), "action.yml"),
        ("check-jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_the_linters_are_silent(arguments: tuple[str, ...]) -> None:
    done = ran([str(BIN / arguments[0]), *arguments[1:]])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "did not check" not in done.stdout + done.stderr


def ran(command: list[str]) -> subprocess.CompletedProcess[str]:
    """A program of the development environment, in the root of the repository."""
    return subprocess.run(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def githubs_parser(*files: Path) -> list[dict[str, Any]]:
    """What GitHub's own parser finds in files. Skips where it is not installed, but where everything must be."""
    node = shutil.which("node")
    if node is None or not (NODE / "node_modules").is_dir():
        why = "GitHub's parser is not installed: npm ci --prefix tests/action/node"
        if os.environ.get("DRYFIRE_SKIP_NOTHING"):
            pytest.fail(why)
        pytest.skip(why)
    done = ran([node, "--import", str(NODE / "json.mjs"), str(NODE / "check.mjs"), *map(str, files)])
    assert done.returncode == 0, done.stderr
    return [json.loads(row) for row in done.stdout.splitlines()]


def test_githubs_own_parser_accepts_the_action_and_every_workflow() -> None:
    assert len(WORKFLOWS) > 5
    assert githubs_parser(MANIFEST, *WORKFLOWS) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("      shell: bash\n      env:", "      env:"),
        ("${{ inputs.suites }}", "${{ secrets.suites }}"),
        ("toJSON(matrix)", "toJSN(matrix)"),
        ("using: composite", "using: compost"),
    ],
)
def test_githubs_own_parser_would_say_what_is_wrong(tmp_path: Path, old: str, new: str) -> None:
    assert old in TEXT
    (tmp_path / "action.yml").write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    assert githubs_parser(tmp_path / "action.yml")
