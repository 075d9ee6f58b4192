"""`dryfire prune`: a list with reasons, and only `--yes` acts on it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import kept_project as kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.commands.project import Done

    Dryfire = Callable[..., Done]


@pytest.fixture
def root(dryfire: Dryfire) -> Path:
    """The project in the current folder, recorded, with one suite gone and one case renamed since."""
    here = Path.cwd()
    (here / ".git").mkdir()
    kept.make(here)
    kept.ask(here, "record")
    (here / "evals/desk.eval.yaml").unlink()
    kept.edit(here, "evals/shop.eval.yaml", "name: send it back", "name: returns")
    return here


def test_without_yes_it_only_lists_with_reasons(dryfire: Dryfire, root: Path) -> None:
    before = kept.recordings(root)
    done = dryfire("prune")
    assert (done.code, done.err) == (0, "")
    stem = next((root / kept.CASSETTES / "shop").glob("send*")).name
    assert f"move     {kept.CASSETTES}/shop/{stem} → {kept.CASSETTES}/shop/returns.json\n" in done.out
    assert "shop::send it back is shop::returns now: it replays as recorded" in done.out
    assert f"delete   {kept.CASSETTES}/desk/hours.json\n" in done.out
    assert "recorded for the suite 'desk', which is gone (2 answers)" in done.out
    assert done.out.endswith("1 to move, 3 to delete. To do it:\n  dryfire prune --yes\n")
    assert kept.recordings(root) == before


def test_yes_does_it_and_then_there_is_nothing_left(dryfire: Dryfire, root: Path) -> None:
    done = dryfire("prune", "--yes")
    assert done.code == 0
    assert done.out.endswith("1 moved, 3 deleted\n")
    assert [path.split("/")[0] for path in kept.recordings(root)] == ["shop", "shop"]
    assert not (root / kept.CASSETTES / "desk").exists()
    assert not (root / kept.CASSETTES / ".partial/desk").exists()
    assert dryfire("prune", "--check") == (0, "nothing to prune\n", "")
    assert dryfire("run").code == 0


def test_check_changes_nothing_and_fails_where_there_is_something_to_do(dryfire: Dryfire, root: Path) -> None:
    before = kept.recordings(root)
    assert dryfire("prune", "--check").code == 1
    assert kept.recordings(root) == before
    done = dryfire("prune", "--check", "--yes")
    assert done.code == 2
    assert "cannot be asked for at once" in done.err


def test_paths_narrow_it_to_their_suites(dryfire: Dryfire, root: Path) -> None:
    done = dryfire("prune", "evals/shop.eval.yaml", "--yes")
    assert "desk" not in done.out
    assert sorted(path.split("/")[0] for path in kept.recordings(root)) == ["desk", "shop", "shop"]


def test_paths_are_shown_as_seen_from_where_it_is_called(
    dryfire: Dryfire, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / "evals")
    assert f"delete   ../{kept.CASSETTES}/desk/hours.json\n" in dryfire("prune").out


def test_files_of_other_programs_are_named_once_a_folder(dryfire: Dryfire, root: Path) -> None:
    folder = root / kept.CASSETTES / "desk/hours"
    folder.mkdir()
    for turn in range(4):
        (folder / f"{turn:02}-f27124abbf84d84e.json").write_text('{"schema_version": 1}')
    done = dryfire("prune", "--yes")
    assert f"kept     {kept.CASSETTES}/desk/hours/\n" in done.out
    assert "4 files: one turn, as dryfire 0.2 to 0.4 keeps it; not ours" in done.out
    assert len(list(folder.iterdir())) == 4


def test_a_broken_suite_protects_and_is_named(dryfire: Dryfire, root: Path) -> None:
    (root / "evals/new.eval.yaml").write_text("name: [\ncases: []\n")
    done = dryfire("prune", "--yes")
    assert "may belong to evals/new.eval.yaml, which cannot be read" in done.out
    assert len(kept.recordings(root)) == 3
