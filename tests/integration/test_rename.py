"""Renaming suites and cases, and changing ignore rules, costs nothing: nobody pays twice for the same answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests import kept_project as kept

if TYPE_CHECKING:
    from pathlib import Path

    from dryfire_action.suite import Mode


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The project, recorded: three cases of two turns."""
    kept.make(tmp_path)
    assert kept.ask(tmp_path, "record")[1] == 6
    return tmp_path


def rename(root: Path) -> None:
    """Give a suite and two of its cases other names."""
    kept.edit(root, "evals/shop.eval.yaml", "name: shop", "name: store")
    kept.edit(root, "evals/shop.eval.yaml", "name: where is it", "name: where is my order")
    kept.edit(root, "evals/shop.eval.yaml", "name: send it back", "name: returns")


def test_a_renamed_suite_with_two_renamed_cases_is_found_again_and_nothing_is_asked(root: Path) -> None:
    before = kept.recordings(root)
    rename(root)
    results, calls = kept.ask(root)
    assert calls == 0
    assert set(kept.outcomes(results).values()) == {"passed"}
    notices = {case.id: case.notices for case in results.cases}
    assert notices["store::returns"] == ("the recording of shop::send it back was moved here",)
    assert notices["desk::hours"] == ()
    after = kept.recordings(root)
    assert len(after) == len(before) == 3
    assert not (root / kept.CASSETTES / "shop").exists()
    names = {(found["suite"], found["case"]) for found in map(json.loads, after.values())}
    assert names == {("store", "where is my order"), ("store", "returns"), ("desk", "hours")}
    assert set(kept.outcomes(kept.run(root)).values()) == {"passed"}


def test_record_moves_the_file_and_then_asks_as_always(root: Path) -> None:
    before = {path.rpartition("/")[2]: text for path, text in kept.recordings(root).items()}
    kept.edit(root, "evals/shop.eval.yaml", "name: shop", "name: store")
    # Told the next day: what did not change keeps its date, which it only can where the old file is at hand.
    results, calls = kept.ask(root, "record")
    assert calls == 6
    after = {path.rpartition("/")[2]: text for path, text in kept.recordings(root).items()}
    assert {name: text.replace(b'"store"', b'"shop"') for name, text in after.items()} == before
    assert results.exit_code == 0


def test_replay_moves_nothing(root: Path) -> None:
    before = kept.recordings(root)
    rename(root)
    results = kept.run(root)
    assert kept.outcomes(results)["store::returns"] == "missing"
    assert kept.recordings(root) == before


def test_a_recording_under_another_model_moves_along(root: Path) -> None:
    assert kept.ask(root, "record", model="m-2")[1] == 6
    rename(root)
    assert kept.ask(root, "auto", model="m-2")[1] == 0
    assert kept.ask(root)[1] == 0
    assert [path.split("/")[0] for path in kept.recordings(root)] == ["desk"] * 2 + ["store"] * 4
    assert sum("@m-2" in path for path in kept.recordings(root)) == 3


def test_a_case_that_asks_something_else_is_no_renamed_one(root: Path) -> None:
    kept.edit(root, "evals/shop.eval.yaml", "name: send it back", "name: returns")
    kept.edit(root, "evals/shop.eval.yaml", "I send order 2 back.", "I send order 3 back.")
    results, calls = kept.ask(root)
    assert calls == 2
    assert {path.split("/")[0] for path in kept.recordings(root)} == {"shop", "desk"}
    assert len(kept.recordings(root)) == 4, "the old recording stays until somebody prunes it"
    assert results.exit_code == 0


def test_a_copied_case_pays_for_itself_because_the_first_still_has_its_recording(root: Path) -> None:
    text = (root / "evals/shop.eval.yaml").read_text()
    (root / "evals/copy.eval.yaml").write_text(text.replace("name: shop", "name: copy"))
    assert kept.ask(root)[1] == 4


def test_the_recording_of_a_suite_that_no_glob_names_is_not_taken_away(root: Path) -> None:
    (root / "evals/shop.eval.yaml").rename(root / "evals/shop.yaml")
    text = (root / "evals/shop.yaml").read_text()
    (root / "evals/copy.eval.yaml").write_text(text.replace("name: shop", "name: copy"))
    before = kept.recordings(root)
    assert kept.ask(root)[1] == 4
    assert kept.recordings(root).items() >= before.items()


IGNORING = 'fingerprint:\n  ignore:\n    - {path: system, pattern: "Today is [0-9-]+"}\n'


def test_auto_under_other_ignore_rules_asks_nothing(root: Path) -> None:
    (root / "dryfire.yaml").write_text(kept.CONFIG + IGNORING)
    assert kept.outcomes(kept.run(root))["shop::send it back"] == "stale"
    results, calls = kept.ask(root)
    assert calls == 0
    assert [case.notices for case in results.cases] == [
        ("its digests follow the ignore rules in force now; no answer changed",)
    ] * 3
    kept.edit(root, "evals/shop.eval.yaml", "2026-11-29", "2027-01-01")
    assert set(kept.outcomes(kept.run(root)).values()) == {"passed"}


@pytest.mark.parametrize("mode", ["auto", "record"])
def test_an_unfinished_recording_of_a_renamed_case_goes_on(root: Path, mode: Mode) -> None:
    cassette = next((root / kept.CASSETTES / "shop").glob("send*.json"))
    document = json.loads(cassette.read_text())
    exchanges = document.pop("exchanges")
    partial = root / kept.CASSETTES / ".partial/shop" / f"{cassette.stem}.jsonl"
    partial.write_text("".join(json.dumps(part) + "\n" for part in (document, exchanges[0])))
    cassette.unlink()
    rename(root)
    assert kept.ask(root, mode)[1] == (1 if mode == "auto" else 6)
    assert not list((root / kept.CASSETTES).rglob("*.jsonl"))
