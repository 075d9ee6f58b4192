"""The page about architecture names what there is: every file of its tree, every function of its walks."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.house.import_rules import ASSEMBLY, DOOR, EDGE, ENGINE, TIERS, WORDS, unit_of
from tests.house.repository import ROOT

PAGE = (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")
SOURCE = ROOT / "src/dryfire_action"
TIER_OF = {"words": WORDS, "engine": ENGINE, "edges": EDGE, "assembly": ASSEMBLY, "front doors": DOOR}


def sections() -> dict[str, str]:
    return dict(part.split("\n", 1) for part in PAGE.split("\n## ")[1:])


def tree() -> list[str]:
    [block] = re.findall(r"```text\n(.*?)```", sections()["The tree"], re.DOTALL)
    return block.splitlines()


def named_modules() -> list[tuple[str, int]]:
    """Every name in the part of the tree that shows the package, with its tier."""
    found, tier = [], -1
    for line in tree()[1:]:
        if not line.startswith("  "):
            break
        names = re.split(r" {2,}|(?<=\S) {2,}", line.strip())[0]
        if line.startswith("    "):
            found += [(name, tier) for name in names.split()]
        else:
            tier = TIER_OF[names]
    return found


def named_in_walks() -> list[str]:
    """What stands in backquotes in the walks and has a dot: `module.name`."""
    walks = "".join(text for heading, text in sections().items() if heading.startswith("A "))
    return list(dict.fromkeys(re.findall(r"`([a-z_]\w*(?:\.\w+)+)`", walks)))


def resolved(name: str) -> object:
    """What a dotted name below one of our packages stands for; raises where there is nothing."""
    parts = name.split(".")
    package = () if parts[0] == "dryfire_hooks" else ("dryfire_action",)
    for length in range(len(parts) - 1, 0, -1):
        try:
            found: object = import_module(".".join((*package, *parts[:length])))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return found
    raise AttributeError(name)


def test_it_is_the_tree_the_direction_and_three_walks() -> None:
    walks = ["A replayed suite", "A stale turn, from the miss to its row in the comment"]
    assert list(sections()) == ["The tree", "The direction", *walks, "A staged cassette through the hook"]


@pytest.mark.parametrize(("name", "tier"), named_modules())
def test_a_file_of_the_tree_is_there_in_its_tier(name: str, tier: int) -> None:
    path = SOURCE / name if name.endswith("/") else SOURCE / f"{name}.py"
    assert path.exists()
    assert TIERS[unit_of(f"dryfire_action.{name.rstrip('/')}")] == tier


def test_the_tree_shows_what_stands_beside_the_package() -> None:
    outside = [line for line in tree() if not line.startswith("  ")]
    names = [name for line in outside for name in re.split(r" {3,}", line)[0].split()]
    assert [name for name in names if not (ROOT / name).exists()] == []
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")}
    assert {"src", "hooks", "tests", "docs", "examples", "benchmarks"} <= folders
    [tests] = [line for line in outside if line.startswith("tests/")]
    assert [name for name in re.findall(r"(\w+)/", tests) if not (ROOT / "tests" / Path(name)).exists()] == [
        "tests"
    ]


@pytest.mark.parametrize("name", named_in_walks())
def test_a_name_in_a_walk_is_the_name_of_something(name: str) -> None:
    if name in ("dryfire.yaml", "action.yml"):
        return
    assert resolved(name) is not None


@pytest.mark.parametrize("name", ["runner.run_suite", "playback.Replaying.complete", "nothing.at_all"])
def test_a_name_of_nothing_is_found(name: str) -> None:
    with pytest.raises(AttributeError):
        resolved(name)
