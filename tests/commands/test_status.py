"""`dryfire status`: each suite's recordings in a few words, for people and for programs."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dryfire_action.reports import status as report
from dryfire_action.reports.lines import as_text
from dryfire_action.suite_status import SuiteStatus
from tests import kept_project as kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.commands.project import Done

    Dryfire = Callable[..., Done]


@pytest.fixture
def root(dryfire: Dryfire) -> Path:
    """The project in the current folder, recorded, then one case edited, one added, and one damaged."""
    here = Path.cwd()
    (here / ".git").mkdir()
    kept.make(here)
    kept.ask(here, "record")
    kept.ask(here, "record", model="m-2")
    kept.edit(here, "evals/shop.eval.yaml", "I send order 2 back.", "I send order 3 back.")
    text = (here / "evals/shop.eval.yaml").read_text()
    (here / "evals/shop.eval.yaml").write_text(text + "  - {name: new, input: Hello, expect: []}\n")
    (here / kept.CASSETTES / "desk/hours.json").write_text("{")
    return here


def test_the_json_document_counts_everything(dryfire: Dryfire, root: Path) -> None:
    done = dryfire("status", "--json")
    assert done.code == 0
    found = json.loads(done.out)
    assert found["format"] == "dryfire-status/1"
    desk, shop = found["suites"]
    assert shop == {
        "name": "shop",
        "file": "evals/shop.eval.yaml",
        "cases": 3,
        "turns": 4,
        "fresh": 1,
        "stale": 1,
        "missing": 1,
        "damaged": 0,
        "excluded": 0,
        "scripted": 0,
        "beside": 2,
        "oldest": kept.TODAY,
        "newest": kept.TODAY,
        "asked": ["m-1"],
        "served": [],
    }
    assert (desk["damaged"], desk["turns"], desk["newest"]) == (1, 0, None)


def test_people_get_two_lines_a_suite(dryfire: Dryfire, root: Path) -> None:
    done = dryfire("status", "evals/shop.eval.yaml")
    assert done.code == 0
    first, second = done.out.splitlines()
    assert first == "shop  3 cases, 4 turns: 1 fresh, 1 stale, 1 never recorded  evals/shop.eval.yaml"
    assert second.startswith(f"      recorded {kept.TODAY}")
    assert second.endswith("of m-1, 2 recordings of other models beside")


def test_the_table_has_a_row_a_suite(dryfire: Dryfire, root: Path) -> None:
    done = dryfire("status", "--markdown")
    rows = done.out.splitlines()
    assert len(rows) == 4
    assert rows[3].startswith("| shop | 3 | 4 | 1 | 1 | 1 | 0 | 0 | 0 | 2026-11-29 | 2026-11-29 | m-1 |")
    assert len({row.count("|") for row in rows}) == 1
    assert dryfire("status", "--markdown", "--json").code == 2


def test_nothing_is_recorded_yet(dryfire: Dryfire) -> None:
    here = Path.cwd()
    (here / ".git").mkdir()
    kept.make(here)
    assert "shop  2 cases, 0 turns: 2 never recorded" in dryfire("status").out


def of(**facts: object) -> str:
    status = SuiteStatus("a", "a.yaml", 1, 2, **facts)  # type: ignore[arg-type]
    return as_text(report.render([status], today="2027-01-10")).splitlines()[1].strip()


def test_ages_and_models_in_words() -> None:
    yesterday = {"oldest": "2027-01-09", "newest": "2027-01-09", "asked": ("m",)}
    assert of(**yesterday) == "recorded 2027-01-09 (1 day ago), of m"
    both = {**yesterday, "oldest": "2026-12-31", "served": ("m", "m-0709")}
    assert of(**both) == "recorded 2026-12-31 (10 days ago) to 2027-01-09, of m (served by m-0709)"
    assert of(asked=("m",)) == "recorded at an unknown time, of m"
    assert of(oldest="soon", newest="soon", asked=("m",)) == "recorded soon, of m"


def test_a_hostile_name_stays_in_its_cell() -> None:
    name = "a|b\n<img src=x> @team `x` [l](javascript:1)"
    table = report.markdown([SuiteStatus(name, "a.yaml", 1, 0)])
    rows = table.splitlines()
    assert len(rows) == 3
    assert r"a\|b\n\<img src=x\>" in rows[2].replace("\\\\n", "\\n")
    assert "@team" not in rows[2]
    assert r"\[l\](" in rows[2]


def test_today_is_that_of_the_clock(dryfire: Dryfire, root: Path) -> None:
    today = datetime.now(UTC).date()
    found = json.loads(dryfire("status", "--json").out)["date"]
    assert found in (today.isoformat(), (today + timedelta(days=1)).isoformat())
