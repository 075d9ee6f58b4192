"""Imports go downwards only, edges do not know each other, and words and engine are pure."""

from __future__ import annotations

import pytest

from tests.house import import_rules
from tests.house.import_rules import problems
from tests.house.repository import modules


def test_every_import_of_the_repository_follows_the_rules() -> None:
    sources = {name: path.read_text(encoding="utf-8") for name, path in modules().items()}
    assert "dryfire_action" in sources, "the walker looks in the wrong place"
    found = problems(sources)
    assert not found, "\n" + "\n".join(found)


# what is planted: module, source, part of the complaint
VIOLATIONS = {
    "words import the engine": (
        "dryfire_action.cassette",
        "from dryfire_action.playback import serve",
        "upwards, from tier 0 to tier 1",
    ),
    "the engine imports an edge, by module": (
        "dryfire_action.agent",
        "from dryfire_action import tree",
        "upwards, from tier 1 to tier 2",
    ),
    "an edge imports the assembly inside a function": (
        "dryfire_action.reports.comment",
        "def render():\n    import dryfire_action.runner",
        "upwards, from tier 2 to tier 3",
    ),
    "the assembly imports a front door": (
        "dryfire_action.runner",
        "from dryfire_action.cli import main",
        "upwards, from tier 3 to tier 4",
    ),
    "a type from above that is not listed": (
        "dryfire_action.messages",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from dryfire_action.agent import Run",
        "messages:3: imports dryfire_action.agent for types: upwards",
    ),
    "a listed type, loaded for real": (
        "dryfire_action.errors",
        "from dryfire_action.playback import Miss",
        "upwards",
    ),
    "an edge imports a sibling": (
        "dryfire_action.github.client",
        "from dryfire_action.reports.comment import render",
        "an edge does not know its siblings",
    ),
    "an edge imports a sibling file": (
        "dryfire_action.suite_file",
        "import dryfire_action.cassette_file as files",
        "an edge does not know its siblings",
    ),
    "a hook imports a hook": (
        "dryfire_hooks.stale",
        "from dryfire_hooks.redact import main",
        "a hook does not know another hook",
    ),
    "a module imports from the package": (
        "dryfire_action.runner",
        "from dryfire_action import Cassette",
        "the package is for users",
    ),
    "the package loads a module at once": (
        "dryfire_action",
        "from dryfire_action.cassette import Cassette",
        "when they are asked for",
    ),
    "a relative import": ("dryfire_action.runner", "from .agent import run", "relative"),
    "an unknown module": ("dryfire_action.helpers", "", "unknown unit 'helpers': give it a tier in TIERS"),
    "an import of an unknown module": (
        "dryfire_action.runner",
        "from dryfire_action.helpers import f",
        "unknown unit: give it a tier in TIERS",
    ),
    "words use a third party": ("dryfire_action.suite", "import pydantic", "use the standard library"),
    "the engine uses a third party lazily": (
        "dryfire_action.agent",
        "def f():\n    import requests",
        "use the standard library",
    ),
    "the engine loads what is heavy at once": (
        "dryfire_action.checks",
        "import regex",
        "in the function that",
    ),
    "a third party nobody declared": (
        "dryfire_action.runner",
        "import attrs",
        "declare it in pyproject.toml",
    ),
    "an SDK outside providers": (
        "dryfire_action.runner",
        "def f():\n    from google import genai",
        "only providers",
    ),
    "an SDK at import": ("dryfire_action.providers.openai", "import openai", "only providers, in a function"),
    "words read files": ("dryfire_action.cassette", "from pathlib import Path", "have it handed in"),
    "the engine knows the clock": ("dryfire_action.retry", "def f():\n    import time", "have it handed in"),
    "words know the environment": ("dryfire_action.suite", "import os.path", "have it handed in"),
    "words open files": ("dryfire_action.redact", "def f():\n    return open('x')", "calls open()"),
    "the engine asks for the date": (
        "dryfire_action.agent",
        "import datetime\ndef f():\n    return datetime.datetime.now(datetime.UTC)",
        "calls datetime.now()",
    ),
}


@pytest.mark.parametrize(("module", "source", "complaint"), VIOLATIONS.values(), ids=VIOLATIONS.keys())
def test_a_planted_violation_is_found(module: str, source: str, complaint: str) -> None:
    around = dict.fromkeys(["dryfire_action.tree", "dryfire_action.agent", "dryfire_hooks.redact"], "")
    assert not problems(around)
    found = problems({**around, module: source})
    assert len(found) == 1, found
    assert complaint in found[0]


ALLOWED = {
    "downwards": ("dryfire_action.cli", "from dryfire_action.runner import run\nimport dryfire_action.tree"),
    "words among themselves": (
        "dryfire_action.cassette",
        "from dryfire_action.fingerprint import Fingerprint",
    ),
    "a listed type": (
        "dryfire_action.errors",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from dryfire_action.playback import Miss",
    ),
    "a shared edge": ("dryfire_action.suite_file", "from dryfire_action.yaml_io import load"),
    "within a folder": ("dryfire_action.providers.openai", "from dryfire_action.providers.http import post"),
    "an SDK where it belongs": ("dryfire_action.providers.openai", "def f():\n    import openai"),
    "a heavy module where it is needed": ("dryfire_action.checks", "def f():\n    import jsonschema"),
    "two files of one edge": ("dryfire_action.suite_file", "from dryfire_action.suite_checks import read"),
    "the clock where it is made": ("dryfire_action.ambient", "import time"),
    "chance with a seed": ("dryfire_action.retry", "from random import Random"),
    "paths without files": ("dryfire_action.suite", "from pathlib import PurePosixPath"),
    "the package for its users": (
        "dryfire_action",
        "import typing\nif typing.TYPE_CHECKING:\n    from dryfire_action.cassette import Cassette",
    ),
}


@pytest.mark.parametrize(("module", "source"), ALLOWED.values(), ids=ALLOWED.keys())
def test_what_the_rules_allow_is_not_complained_about(module: str, source: str) -> None:
    assert problems({module: source}) == []


def test_a_circle_of_imports_is_found() -> None:
    found = problems(
        {
            "dryfire_action.suite": "from dryfire_action.cassette import Cassette",
            "dryfire_action.cassette": "from dryfire_action.suite import Suite",
        }
    )
    assert len(found) == 1
    assert found[0].startswith("a circle of imports: ")


def test_a_hook_that_loads_a_heavy_module_by_a_detour_is_found() -> None:
    found = problems(
        {
            "dryfire_hooks.stale": "from dryfire_action.runner import run",
            "dryfire_action.runner": "from dryfire_action.github.client import Client",
            "dryfire_action.github.client": "import requests",
        }
    )
    assert found == ["dryfire_hooks.stale: loads requests at import: too heavy for every commit"]


def test_every_exception_for_types_is_still_needed() -> None:
    """An exception whose two modules exist and that nobody uses is taken off the list."""
    found = modules()
    for unit, others in import_rules.TYPES_ONLY.items():
        for other in others:
            path = found.get(f"dryfire_action.{unit}")
            if path is None or f"dryfire_action.{other}" not in found:
                continue
            named = {item.module for item in import_rules.imports(path.read_text(encoding="utf-8"))}
            assert f"dryfire_action.{other}" in named, f"take {other!r} off TYPES_ONLY[{unit!r}]"
