"""What the manifests promise exists: scripts, make targets, hook entries, locks, one version."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import re
import shlex
import subprocess
import tomllib
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import dryfire_action
from tests.house.import_rules import DISTRIBUTIONS
from tests.house.repository import ROOT, modules, tracked

PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SCRIPTS: dict[str, str] = PYPROJECT["project"]["scripts"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
HOOK_IDS = {"cassette-redact", "cassette-passthrough", "cassette-stale", "suite-validate"}
LOCKS = {"run": ROOT / "requirements/run.txt", "dev": ROOT / "requirements/dev.txt"}


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_is_something_that_can_be_called(script: str) -> None:
    module, _, function = SCRIPTS[script].partition(":")
    assert callable(getattr(importlib.import_module(module), function))


def test_the_command_is_called_dryfire() -> None:
    assert SCRIPTS["dryfire"] == "dryfire_action.cli:main"


def test_every_hook_module_has_a_script_and_every_hook_script_a_module() -> None:
    hooks = {f"{name}:main" for name in modules() if name.startswith("dryfire_hooks.")}
    scripts = {target for target in SCRIPTS.values() if target.startswith("dryfire_hooks.")}
    assert scripts == hooks


def test_the_hook_manifest_agrees_with_the_scripts() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {hook["id"] for hook in hooks} == HOOK_IDS
    for hook in hooks:
        assert hook["language"] == "python", f"{hook['id']}: only this language installs the package"
        assert shlex.split(hook["entry"])[0] in SCRIPTS, (
            f"{hook['id']}: its entry is no script of pyproject.toml"
        )
    offered = {shlex.split(hook["entry"])[0] for hook in hooks}
    assert {name for name, target in SCRIPTS.items() if target.startswith("dryfire_hooks.")} <= offered


def promised_targets() -> set[str]:
    """The make targets others rely on; the benchmarks bring theirs along."""
    always = {
        "build",
        "demo",
        "fuzz",
        "hooks",
        "lint",
        "lock",
        "mutants",
        "site",
        "test",
        "test-previous-sdks",
        "version-is",
    }
    return always | ({"bench"} if (ROOT / "benchmarks").is_dir() else set())


def test_the_promised_make_targets_exist_and_are_phony() -> None:
    targets = set(re.findall(r"^([a-z][\w-]*):(?!=)", MAKEFILE, re.MULTILINE))
    phony = set(re.findall(r"^\.PHONY:(.*)$", MAKEFILE, re.MULTILINE)[0].split())
    assert targets == phony == promised_targets()


@pytest.mark.parametrize("target", sorted(promised_targets()))
def test_make_knows_how_to_reach_the_target(target: str) -> None:
    done = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", target],
        cwd=ROOT,
        env={
            key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert ".venv/bin/python" in done.stdout


@pytest.mark.parametrize(
    "file", sorted(set(re.findall(r"^\t.*\$\(PYTHON\) (\S+\.py)", MAKEFILE, re.MULTILINE)))
)
def test_every_file_that_make_runs_exists(file: str) -> None:
    assert (ROOT / file).is_file()


def test_ci_runs_what_the_readme_tells_people_to_run() -> None:
    script = ROOT / ".ci/run"
    commands = script.read_text(encoding="utf-8").splitlines()
    assert os.access(script, os.X_OK)
    assert [line for line in commands if line.startswith("make ")] == ["make lint", "make test"]
    readme = ROOT / "README.md"
    if readme.exists():
        assert "make test" in readme.read_text(encoding="utf-8")


def test_the_version_stands_in_one_place() -> None:
    assert "version" not in PYPROJECT["project"]
    assert PYPROJECT["tool"]["hatch"]["version"]["path"] == "src/dryfire_action/version.py"
    places = [
        path.relative_to(ROOT).as_posix()
        for path in tracked(".py")
        if re.search(r"^__version__\s*[:=]", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert places == ["src/dryfire_action/version.py"]


def test_the_installed_package_has_that_version() -> None:
    assert importlib.metadata.version("dryfire-action") == dryfire_action.__version__


def test_both_packages_are_built_and_typed() -> None:
    packages = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert packages == ["src/dryfire_action", "hooks/dryfire_hooks"]
    assert all((ROOT / package / "py.typed").is_file() for package in packages)


def declared() -> dict[str, list[Requirement]]:
    """What pyproject.toml asks for: to run, and to run and develop."""
    run = [Requirement(text) for text in PYPROJECT["project"]["dependencies"]]
    return {"run": run, "dev": [*run, *map(Requirement, PYPROJECT["dependency-groups"]["dev"])]}


def pins(lock: str) -> dict[str, str]:
    """The versions that a lock file pins; every pin must carry a hash."""
    text = LOCKS[lock].read_text(encoding="utf-8").replace("\\\n", " ")
    found = {}
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            match = re.match(r"([\w.-]+)==(\S+)", line)
            assert match, f"{lock}: not a pin: {line[:60]}"
            assert " --hash=sha256:" in line, f"{lock}: {match[1]} has no hash"
            found[canonicalize_name(match[1])] = match[2]
    return found


@pytest.mark.parametrize("lock", LOCKS)
def test_the_lock_pins_what_is_declared(lock: str) -> None:
    pinned = pins(lock)
    for requirement in declared()[lock]:
        version = pinned.get(canonicalize_name(requirement.name))
        assert version, f"{requirement.name} is not pinned: make lock"
        assert requirement.specifier.contains(version), f"{requirement} is pinned to {version}: make lock"


def test_what_is_tested_is_what_the_action_installs() -> None:
    run, dev = pins("run"), pins("dev")
    assert run == {name: dev.get(name) for name in run}


def test_no_development_tool_is_needed_to_run() -> None:
    assert not {"pytest", "ruff", "mypy", "hypothesis", "hatchling"} & pins("run").keys()


def test_every_third_party_module_has_its_distribution_declared() -> None:
    extras = PYPROJECT["project"]["optional-dependencies"]
    known = {Requirement(text).name for texts in extras.values() for text in texts}
    known |= {requirement.name for requirement in declared()["dev"]}
    assert set(DISTRIBUTIONS.values()) <= known
    assert {requirement.name for requirement in declared()["run"]} <= set(DISTRIBUTIONS.values())


def test_the_extra_all_is_the_sum_of_the_others() -> None:
    extras = PYPROJECT["project"]["optional-dependencies"]
    assert sorted(extras["all"]) == sorted(
        text for name, texts in extras.items() if name != "all" for text in texts
    )


def test_pages_pin_the_hooks_to_this_version() -> None:
    pinned = {
        (path.relative_to(ROOT).as_posix(), rev)
        for path in tracked(".md")
        for rev in re.findall(r"^\s*rev: (\S+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {rev for _, rev in pinned} == {f"v{dryfire_action.__version__}"}, pinned
