"""Housekeeping: what no case has any more goes, what may still be somebody's stays."""

from __future__ import annotations

import json
import os
import shutil
import time
from typing import TYPE_CHECKING

import pytest

from dryfire_action.cassette_partial import recording_to
from dryfire_action.errors import SpecError
from dryfire_action.housekeeping import Plan, carry_out, plan
from tests import kept_project as kept

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FOLDER = kept.CASSETTES


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The project, recorded."""
    kept.make(tmp_path)
    kept.ask(tmp_path, "record")
    return tmp_path


def found(root: Path, later: float = 0.0) -> Plan:
    """The plan, made ``later`` seconds from now. Locks, which every recording leaves, are not of interest here."""
    made = plan(root, now=time.time() + later)
    locks = tuple(item for item in made.removals if not item.path.endswith(".lock"))
    return Plan(made.moves, locks, made.kept)


def removals(root: Path, later: float = 0.0) -> list[tuple[str, str]]:
    """What would go: paths below the cassette folder, and kinds."""
    return [(item.path.removeprefix(f"{FOLDER}/"), item.kind) for item in found(root, later).removals]


def kept_paths(root: Path) -> list[str]:
    return [item.path.removeprefix(f"{FOLDER}/") for item in found(root).kept]


def files(root: Path) -> list[Path]:
    """All files but locks."""
    found = (root / FOLDER).rglob("*")
    return sorted(path for path in found if not path.is_dir() and path.suffix != ".lock")


def cassette(root: Path, stem: str = "where", suite: str = "shop") -> Path:
    """A recording on disk."""
    return next((root / FOLDER / suite).glob(f"{stem}*.json"))


def test_where_everything_belongs_to_a_case_there_is_nothing_to_do(root: Path) -> None:
    kept.ask(root, "record", model="m-2")
    assert found(root) == Plan()
    carry_out(plan(root, now=time.time()), root)
    assert len(kept.recordings(root)) == 6


def without_suite(root: Path) -> None:
    (root / "evals/desk.eval.yaml").unlink()


def without_case(root: Path) -> None:
    text = (root / "evals/shop.eval.yaml").read_text()
    (root / "evals/shop.eval.yaml").write_text(text[: text.index("  - name: send it back")])


def of_no_format(root: Path) -> None:
    path = cassette(root, "hours", "desk")
    path.write_text(path.read_text().replace("dryfire-cassette/1", "dryfire-cassette/0"))


def damaged_without_suite(root: Path) -> None:
    cassette(root, "hours", "desk").write_text("<<<<<<< HEAD\n{")
    without_suite(root)


def empty_folder(root: Path) -> None:
    (root / FOLDER / "old/older").mkdir(parents=True)


def cut_off_partial(root: Path) -> None:
    (root / FOLDER / ".partial/desk/hours.jsonl").write_text('{"format": "dryfire-cassette/1", "suite')


def orphaned_partial(root: Path) -> None:
    document = json.loads(cassette(root, "hours", "desk").read_text())
    exchanges = document.pop("exchanges")
    text = "".join(json.dumps(part) + "\n" for part in (document, exchanges[0]))
    (root / FOLDER / ".partial/desk/hours.jsonl").write_text(text)
    cassette(root, "hours", "desk").unlink()
    without_suite(root)


GOES: list[tuple[Callable[[Path], None], list[tuple[str, str]]]] = [
    (without_suite, [("desk/hours.json", "suite")]),
    (without_case, [("shop/send-it-back-…", "case")]),
    (of_no_format, [("desk/hours.json", "format")]),
    (damaged_without_suite, [("desk/hours.json", "suite")]),
    (empty_folder, [("old/older", "folder")]),
    (cut_off_partial, [(".partial/desk/hours.jsonl", "leftover")]),
    (orphaned_partial, [(".partial/desk/hours.jsonl", "suite"), ("desk", "folder")]),
]


@pytest.mark.parametrize(("change", "goes"), GOES, ids=lambda value: getattr(value, "__name__", ""))
def test_what_goes(root: Path, change: Callable[[Path], None], goes: list[tuple[str, str]]) -> None:
    stem = cassette(root, "send").name
    change(root)
    assert removals(root) == [(path.replace("send-it-back-…", stem), kind) for path, kind in goes]
    carry_out(plan(root, now=time.time()), root)
    assert removals(root) == []
    assert not [path for path, _ in goes if (root / FOLDER / path).exists()]
    assert not (root / FOLDER / "old").exists()
    assert cassette(root).exists()


def test_the_number_of_answers_that_would_go_is_told(root: Path) -> None:
    without_suite(root)
    (item,) = found(root).removals
    assert item.answers == 2
    assert item.reason == "recorded for the suite 'desk', which is gone"


def conflict_in_suite(root: Path) -> None:
    kept.edit(
        root, "evals/desk.eval.yaml", "name: desk", "<<<<<<< HEAD\nname: desk\n=======\nname: d\n>>>>>>> x"
    )


def name_from_elsewhere(root: Path) -> None:
    kept.edit(root, "evals/desk.eval.yaml", "name: desk", "name: ${DESK}")


def problems_in_suite(root: Path) -> None:
    kept.edit(root, "evals/desk.eval.yaml", "expect: []", "expect: [{no_such_check: 1}]")


def run_by_path(root: Path) -> None:
    (root / "elsewhere").mkdir()
    (root / "evals/desk.eval.yaml").rename(root / "elsewhere/desk.yml")


def in_a_hidden_folder(root: Path) -> None:
    (root / ".ci").mkdir()
    (root / "evals/desk.eval.yaml").rename(root / ".ci/desk.eval.yaml")


def of_a_second_suite_of_the_name(root: Path) -> None:
    text = (root / "evals/desk.eval.yaml").read_text()
    (root / "elsewhere.eval.yaml").write_text(text)
    kept.edit(root, "evals/desk.eval.yaml", "name: hours", "name: hours of opening")
    kept.edit(root, "evals/desk.eval.yaml", "When are", "Today: when are")


def newer_format(root: Path) -> None:
    path = cassette(root, "hours", "desk")
    path.write_text(path.read_text().replace("dryfire-cassette/1", "dryfire-cassette/2"))
    without_suite(root)


def damaged(root: Path) -> None:
    cassette(root, "hours", "desk").write_text("<<<<<<< HEAD\n{")


def somebody_elses(root: Path) -> None:
    (root / FOLDER / "desk/notes.json").write_text('{"by": "hand"}')
    (root / FOLDER / "README.md").write_text("what this is")


def foreign(root: Path) -> None:
    (root / FOLDER / "gone/case").mkdir(parents=True)
    turn = {"schema_version": 1, "suite": "gone", "case": "case", "turn": 0}
    (root / FOLDER / "gone/case/00-f27124abbf84d84e.json").write_text(json.dumps(turn))


def link(root: Path) -> None:
    (root / FOLDER / "gone").mkdir()
    (root / FOLDER / "gone/case.json").symlink_to(cassette(root))


def partial_of_a_case(root: Path) -> None:
    orphaned = cassette(root, "hours", "desk").read_text()
    document = json.loads(orphaned)
    exchanges = document.pop("exchanges")
    text = "".join(json.dumps(part) + "\n" for part in (document, exchanges[0]))
    (root / FOLDER / ".partial/desk/hours.jsonl").write_text(text)


STAYS: list[tuple[Callable[[Path], None], list[str]]] = [
    (conflict_in_suite, ["desk/hours.json"]),
    (name_from_elsewhere, ["desk/hours.json"]),
    (problems_in_suite, []),
    (run_by_path, []),
    (in_a_hidden_folder, []),
    (of_a_second_suite_of_the_name, []),
    (newer_format, ["desk/hours.json"]),
    (damaged, []),
    (somebody_elses, []),
    (foreign, ["gone/case/00-f27124abbf84d84e.json"]),
    pytest.param(
        link, ["gone/case.json"], marks=pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
    ),
    (partial_of_a_case, []),
]


@pytest.mark.parametrize(("change", "told"), STAYS, ids=lambda value: getattr(value, "__name__", ""))
def test_what_stays_and_whether_it_is_told(
    root: Path, change: Callable[[Path], None], told: list[str]
) -> None:
    change(root)
    everything = files(root)
    assert removals(root) == []
    assert kept_paths(root) == told
    carry_out(plan(root, now=time.time()), root)
    assert files(root) == everything


def test_a_temporary_file_goes_when_nobody_can_be_writing_it_any_more(root: Path) -> None:
    (root / FOLDER / ".partial/.hours.json.77.tmp").write_text("{")
    assert removals(root) == []
    assert removals(root, later=61) == [(".partial/.hours.json.77.tmp", "leftover")]


def test_a_partial_file_that_somebody_is_about_to_write_to_stays(root: Path) -> None:
    path = f"{FOLDER}/.partial/desk/hours.jsonl"
    (root / path).write_text("")
    with recording_to(root, path):
        assert removals(root) == []
    assert removals(root) == [(".partial/desk/hours.jsonl", "leftover")]


def test_a_config_that_is_wrong_stops_everything(root: Path) -> None:
    without_suite(root)
    (root / "dryfire.yaml").write_text("version: 1\nsuits: []\n")
    with pytest.raises(SpecError):
        plan(root, now=0.0)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_cassette_folder_that_is_a_link_is_not_looked_into(root: Path, tmp_path: Path) -> None:
    without_suite(root)
    shutil.move(root / FOLDER, root / "away")
    (root / FOLDER).symlink_to(root / "away")
    assert plan(root, now=time.time()) == Plan()


def moves(root: Path) -> list[tuple[str, str]]:
    return [
        (move.source.removeprefix(f"{FOLDER}/"), move.target.removeprefix(f"{FOLDER}/"))
        for move in found(root).moves
    ]


def test_the_recording_of_a_renamed_case_moves_and_says_what_it_is_now(root: Path) -> None:
    kept.edit(root, "evals/desk.eval.yaml", "name: hours", "name: opening-hours")
    assert moves(root) == [("desk/hours.json", "desk/opening-hours.json")]
    assert removals(root) == []
    carry_out(plan(root, now=time.time()), root)
    assert kept.outcomes(kept.run(root))["desk::opening-hours"] == "passed"
    assert found(root) == Plan()


def test_a_file_that_was_moved_by_hand_gets_its_new_names(root: Path) -> None:
    kept.edit(root, "evals/desk.eval.yaml", "name: hours", "name: opening-hours")
    path = cassette(root, "hours", "desk")
    path.rename(path.with_name("opening-hours.json"))
    assert moves(root) == [("desk/opening-hours.json",) * 2]
    carry_out(plan(root, now=time.time()), root)
    assert kept.outcomes(kept.run(root))["desk::opening-hours"] == "passed"


TWINS = """\
  - name: {0}
    input: When are you open?
    expect: []
"""


def twins(root: Path, suite: str, *names: str) -> None:
    """Two cases that ask the same."""
    text = kept.DESK.replace("name: desk", f"name: {suite}")
    text = text[: text.index("  - name: hours")] + "".join(TWINS.format(name) for name in names)
    (root / "evals/desk.eval.yaml").write_text(text)


def test_twins_of_a_renamed_suite_are_told_apart_by_their_names(root: Path) -> None:
    twins(root, "desk", "a", "b")
    kept.ask(root, "record")
    twins(root, "counter", "a", "b")
    assert moves(root) == [("desk/a.json", "counter/a.json"), ("desk/b.json", "counter/b.json")]


def test_renamed_twins_are_not_told_apart_and_stay(root: Path) -> None:
    twins(root, "desk", "a", "b")
    kept.ask(root, "record")
    cassette(root, "hours", "desk").unlink(missing_ok=True)
    twins(root, "counter", "c", "d")
    assert moves(root) == removals(root) == []
    assert kept_paths(root) == ["desk/a.json", "desk/b.json"]
    assert "counter::c, counter::d" in found(root).kept[0].reason


def test_a_twin_whose_brother_keeps_his_name_takes_what_is_left(root: Path) -> None:
    twins(root, "desk", "a", "b")
    kept.ask(root, "record")
    cassette(root, "hours", "desk").unlink(missing_ok=True)
    twins(root, "counter", "a", "c")
    assert sorted(moves(root)) == [("desk/a.json", "counter/a.json"), ("desk/b.json", "counter/c.json")]


def test_a_plan_can_be_narrowed_to_the_folders_of_some_suites(root: Path) -> None:
    without_suite(root)
    without_case(root)
    only = plan(root, now=time.time()).of([f"{FOLDER}/desk"])
    assert [item.path for item in only.removals if item.kind == "suite"] == [f"{FOLDER}/desk/hours.json"]
    assert not [item for item in only.removals if "shop" in item.path]
