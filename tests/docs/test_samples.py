"""Every YAML sample of the pages is valid: wrapped in what stands around it, it loads without a problem or warning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from docs import build
from dryfire_action.errors import SpecError
from dryfire_action.suite_file import load_suites
from tests.house.repository import ROOT
from tests.memory_tree import MemoryTree

if TYPE_CHECKING:
    from typing import Any

    from dryfire_action.suite import Suite

TOOLS = ["find_order", "refund_items", "quote_postage", "hand_over"]
CASE = {"name": "c", "input": "Hello", "expect": [], "script": [{"text": "Hi."}]}
CONFIG = "version: 1\nsuites: ['evals/*.eval.yaml']\n"
# Files that samples refer to.
FILES = {
    "images/receipt.png": "any bytes: only their digest counts",
    "prompts/support.md": "You are the support agent.",
    "tools/find_order.yaml": "{name: find_order, input_schema: {type: object}}",
}


def suite_with(sample: dict[str, Any], kind: str) -> dict[str, Any]:
    """A whole suite around a sample of a kind."""
    suite: dict[str, Any] = {
        "name": "s",
        "provider": "fake",
        "tools": [{"name": name, "input_schema": {"type": "object"}} for name in TOOLS],
        "mocks": {name: [{"return": None}] for name in TOOLS},
        "cases": [CASE],
    }
    if kind == "expect":
        return {**suite, "cases": [{**CASE, **sample}]}
    if kind == "settings":
        return {**suite, "cases": [{**CASE, **sample}]}
    if kind == "tools":
        return {**suite, **sample, "mocks": {}}
    return {**suite, **sample}


# kind of a sample -> the keys that it holds at its top
KINDS = {
    "suite": None,
    "config": None,
    "system": {"system"},
    "tools": {"tools"},
    "mocks": {"mocks"},
    "cases": {"cases"},
    "expect": {"expect"},
    "settings": None,
}


def loaded(kind: str, text: str) -> tuple[Suite, ...]:
    files = dict(FILES)
    if kind == "config":
        files["dryfire.yaml"] = text if "suites:" in text else f"{text}suites: ['evals/*.eval.yaml']\n"
        files["evals/s.eval.yaml"] = yaml.safe_dump(suite_with({}, ""))
    elif kind == "suite":
        files["dryfire.yaml"], files["evals/s.eval.yaml"] = CONFIG, text
    else:
        sample = yaml.safe_load(text)
        assert KINDS[kind] in (None, set(sample))
        files["dryfire.yaml"] = CONFIG
        files["evals/s.eval.yaml"] = yaml.safe_dump(suite_with(sample, kind), allow_unicode=True)
    suites = load_suites(MemoryTree(files), [])
    assert [warning for suite in suites for warning in suite.warnings] == []
    return suites


SAMPLES = [
    pytest.param(block, id=f"{page.relative_to(ROOT).as_posix()}:{block.line}")
    for page in build.pages()
    for block in build.blocks(page.read_text(encoding="utf-8"))
    if block.mark("sample")
]


def test_there_are_samples() -> None:
    assert len(SAMPLES) >= 10


@pytest.mark.parametrize("block", SAMPLES)
def test_the_sample_is_valid(block: build.Block) -> None:
    assert block.language == "yaml"
    kind = block.mark("sample") or ""
    assert kind in KINDS, f"line {block.line}: no kind of sample is called {kind!r}"
    assert loaded(kind, block.text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("expect", "expect:\n  - calls_tol: find_order\n"),
        ("mocks", "mocks:\n  find_order:\n    - retrun: 1\n"),
        ("config", "version: 1\nfingerprint: {ignored: []}\n"),
        ("settings", "repeat: 0\n"),
        ("suite", "name: s\n"),
    ],
)
def test_a_sample_with_a_mistake_is_found(kind: str, text: str) -> None:
    with pytest.raises(SpecError):
        loaded(kind, text)
