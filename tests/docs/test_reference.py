"""The reference is complete: every key the loader takes is in its table, every error has its section."""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest
import yaml

from dryfire_action.errors import SpecError
from dryfire_action.suite_file import load_suites
from dryfire_action.suite_settings import BUILT_IN
from tests.house.repository import ROOT, modules
from tests.memory_tree import MemoryTree

FORMAT = (ROOT / "docs/reference/suite-format.md").read_text(encoding="utf-8")
MESSAGES = (ROOT / "docs/reference/messages.md").read_text(encoding="utf-8")
UNKNOWN = "zzzzzzzz"


def tables() -> dict[str, dict[str, list[str]]]:
    """The marked tables: ``keys: suite`` -> key -> the other cells of its row."""
    found: dict[str, dict[str, list[str]]] = {}
    for mark, table in re.findall(r"^<!-- (.+) -->\n((?:\|.*\n)+)", FORMAT, re.MULTILINE):
        rows: dict[str, list[str]] = {}
        for row in table.splitlines()[2:]:
            first, *rest = (cell.strip() for cell in row.strip("|").split(" | "))
            for key in re.findall(r"`([^`]+)`", first):
                assert key not in rows, f"{mark}: {key} stands twice"
                rows[key] = rest
        found[mark] = rows
    return found


TABLES = tables()

CASE: dict[str, Any] = {"name": "c", "input": "Hello", "expect": [], "script": [{"text": "Hi."}]}
X = {UNKNOWN: 1}


def in_case(**keys: Any) -> dict[str, Any]:
    return {"name": "s", "provider": "fake", "tools": [], "mocks": {"t": []}, "cases": [{**CASE, **keys}]}


def in_suite(**keys: Any) -> dict[str, Any]:
    return {**in_case(), **keys}


# table -> (a suite, a config) with an unknown key in the one map that the table is about
PLACES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "keys: suite": (X, {}),
    "keys: case": (in_suite(cases=[X]), {}),
    "keys: tool": (in_suite(tools=[X]), {}),
    "keys: message": (in_case(input=[X]), {}),
    "keys: call": (in_case(input=[{"role": "assistant", "tool_calls": [X]}]), {}),
    "keys: result": (in_case(input=[{"role": "tool", "tool_results": [X]}]), {}),
    "keys: rule": (in_case(mocks={"t": [X]}), {}),
    "keys: step of a sequence": (in_case(mocks={"t": [{"sequence": [X]}]}), {}),
    "keys: step of a script": (in_case(script=[X]), {}),
    "keys: scripted call": (in_case(script=[{"tool_call": X}]), {}),
    "keys: failure": (in_case(script=[{"fails": X}]), {}),
    "kinds": (in_case(expect=[X]), {}),
    "keys: tool_args": (in_case(expect=[{"tool_args": X}]), {}),
    "keys: tool_result": (in_case(expect=[{"tool_result": X}]), {}),
    "keys: final_json": (in_case(expect=[{"final_json": X}]), {}),
    "keys: config": (in_case(), X),
    "keys: defaults": (in_case(), {"defaults": X}),
    "keys: cassettes": (in_case(), {"cassettes": X}),
    "keys: expect": (in_case(), {"cassettes": {"expect": X}}),
    "keys: provider": (in_case(), {"providers": {"own": X}}),
    "keys: fingerprint": (in_case(), {"fingerprint": X}),
    "keys: ignore rule": (in_case(), {"fingerprint": {"ignore": [X]}}),
    "keys: redact": (in_case(), {"redact": X}),
    "keys: redaction rule": (in_case(), {"redact": {"rules": [X]}}),
    "keys: exception": (in_case(), {"redact": {"allow": [X]}}),
    "keys: price": (in_case(), {"prices": {"own:m": X}}),
}


def known_at(suite: dict[str, Any], config: dict[str, Any]) -> set[str]:
    """What the loader says it knows, where a document holds an unknown key."""
    files = {
        "dryfire.yaml": yaml.safe_dump({**({"version": 1} if UNKNOWN not in config else {}), **config}),
        "s.eval.yaml": yaml.safe_dump(suite),
    }
    with pytest.raises(SpecError) as caught:
        load_suites(MemoryTree(files), ["s.eval.yaml"])
    [hint] = [problem.hint for problem in caught.value.problems if UNKNOWN in problem.message]
    assert hint.startswith("Known: "), hint
    return set(hint.removeprefix("Known: ").removesuffix(".").split(", "))


@pytest.mark.parametrize("table", PLACES)
def test_the_table_has_every_key_that_the_loader_takes_and_no_other(table: str) -> None:
    assert set(TABLES[table]) == known_at(*PLACES[table])


def test_every_marked_table_is_checked() -> None:
    assert set(TABLES) == {*PLACES, "keys: settings"}


@pytest.mark.parametrize("table", ["keys: suite", "keys: settings"])
def test_the_defaults_are_those_of_the_loader(table: str) -> None:
    for key, value in BUILT_IN.items():
        if key == "provider" and table == "keys: settings":
            continue  # no setting of a case
        default = TABLES[table][key][1]
        assert default == f"`{str(value).lower() if isinstance(value, bool) else value}`", key


def test_the_settings_are_those_that_a_case_takes() -> None:
    assert set(TABLES["keys: settings"]) == set(TABLES["keys: defaults"]) - {"provider"}
    assert set(TABLES["keys: settings"]) <= set(TABLES["keys: case"])


def slugs() -> set[str]:
    """Every slug in the source: class attributes and arguments that are called so."""
    found = set()
    for path in modules().values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case (
                    ast.keyword(arg="slug", value=ast.Constant(value=str(slug)))
                    | ast.Assign(targets=[ast.Name(id="slug")], value=ast.Constant(value=str(slug)))
                    | ast.AnnAssign(target=ast.Name(id="slug"), value=ast.Constant(value=str(slug)))
                ):
                    found.add(slug)
    return found


def test_every_error_has_its_section_and_every_section_its_error() -> None:
    sections = re.findall(r"^## (.+)$", MESSAGES, re.MULTILINE)
    assert len(sections) == len(set(sections))
    assert set(sections) == slugs()


def test_every_section_says_something() -> None:
    for section in re.split(r"^## .+$", MESSAGES, flags=re.MULTILINE)[1:]:
        assert len(section.split()) >= 15, section


def test_every_dependency_has_its_section() -> None:
    import tomllib

    from packaging.requirements import Requirement

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs/explanation/dependencies.md").read_text(encoding="utf-8")
    sections = set(re.findall(r"^## (.+)$", page, re.MULTILINE))
    assert {Requirement(text).name for text in project["dependencies"]} <= sections
