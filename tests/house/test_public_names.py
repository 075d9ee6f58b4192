"""The package offers exactly the names it lists, and importing it costs next to nothing."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import dryfire_action

HEAVY = {"pydantic", "yaml", "ruamel", "requests", "rich", "regex", "jsonschema", "junitparser", "filelock"}
NAMES = sorted(dryfire_action._MODULES)


def modules_after(statement: str) -> set[str]:
    """The modules that a fresh interpreter holds after a statement."""
    done = subprocess.run(
        [sys.executable, "-c", f"import json, sys\n{statement}\nprint(json.dumps(sorted(sys.modules)))"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_can_be_imported(name: str) -> None:
    value = getattr(dryfire_action, name)
    module = importlib.import_module(f"dryfire_action.{dryfire_action._MODULES[name]}")
    assert value is getattr(module, name)
    assert name in dir(dryfire_action)


def test_the_list_of_names_is_complete_and_sorted_out() -> None:
    assert sorted(dryfire_action.__all__) == NAMES
    namespace: dict[str, object] = {}
    exec("from dryfire_action import *", namespace)
    assert set(NAMES) <= namespace.keys()


def test_type_checkers_see_the_same_names() -> None:
    """Under `TYPE_CHECKING` stand the names of `_MODULES`, from the same modules, exported by `X as X`."""
    source = Path(dryfire_action.__file__).read_text(encoding="utf-8")
    seen = {}
    for block in ast.parse(source).body:
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
            for line in block.body:
                assert isinstance(line, ast.ImportFrom)
                for alias in line.names:
                    assert alias.asname == alias.name, f"write `{alias.name} as {alias.name}`"
                    seen[alias.name] = line.module
    assert seen == {name: f"dryfire_action.{module}" for name, module in dryfire_action._MODULES.items()}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"^module 'dryfire_action' has no attribute 'no_such_name'$"):
        _ = dryfire_action.no_such_name


def test_the_probe_sees_what_an_import_loads() -> None:
    assert "requests" in modules_after("import requests")


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = modules_after("import dryfire_action; dir(dryfire_action); dryfire_action.__all__")
    assert "dryfire_action" in loaded
    assert not loaded & HEAVY
    assert "dataclasses" not in loaded, "a dataclass import alone costs more than starting Python"


def test_importing_the_hooks_package_loads_nothing_heavy() -> None:
    assert not modules_after("import dryfire_hooks") & HEAVY
