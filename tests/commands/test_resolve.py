"""`dryfire resolve`: of two sides of a conflict the one that replays for the merged suite is kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dryfire_action.merge_conflicts import sides_of
from tests import kept_project as kept
from tests.git_repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.commands.project import Done

    Dryfire = Callable[..., Done]

DESK = "evals/desk.eval.yaml"
HOURS = f"{kept.CASSETTES}/desk/hours.json"


@pytest.fixture
def merging(dryfire: Dryfire) -> Repository:
    """A merge that stopped: both branches edited the same prompt and recorded again."""
    made = Repository(Path.cwd())
    kept.make(made.root)
    kept.ask(made.root, "record")
    made.commit("recorded")
    made.git("switch", "-q", "-c", "topic")
    edited(made, "Be very brief.")
    made.git("switch", "-q", "main")
    edited(made, "Be polite.")
    with pytest.raises(AssertionError, match="merge topic"):
        made.merge("topic")
    assert b"<<<<<<<" in (made.root / HOURS).read_bytes()
    return made


def edited(made: Repository, system: str) -> None:
    """Another prompt and its recording, committed."""
    made.write(DESK, kept.DESK.replace("Be brief.", system))
    kept.ask(made.root)
    made.commit(system)


def merged_as(made: Repository, system: str) -> None:
    """Resolve the suite, as a person would."""
    made.write(DESK, kept.DESK.replace("Be brief.", system))
    made.git("add", DESK)


@pytest.mark.parametrize(
    ("system", "side", "revision"), [("Be polite.", "ours", "HEAD"), ("Be very brief.", "theirs", "topic")]
)
def test_the_side_that_replays_is_kept(
    dryfire: Dryfire, merging: Repository, system: str, side: str, revision: str
) -> None:
    merged_as(merging, system)
    assert dryfire("run").code == 3
    done = dryfire("resolve")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        f"{side:10}  desk::hours\n"
        f"            {side} replays, and is kept\n"
        "\n"
        "Look at them, then:\n"
        f"  git add -- {HOURS}\n"
    )
    assert (merging.root / HOURS).read_text().strip() == merging.git("show", f"{revision}:{HOURS}")
    assert HOURS in merging.git("diff", "--name-only", "--diff-filter=U"), "git add is the user's"
    assert dryfire("run").code == 0


def test_where_neither_replays_it_says_what_to_record(dryfire: Dryfire, merging: Repository) -> None:
    merged_as(merging, "Be polite and brief.")
    done = dryfire("resolve")
    assert done.code == 3
    assert "record      desk::hours\n" in done.out
    assert "neither side replays; ours is kept, which serves 0 of 2 turns" in done.out
    command = f"dryfire run {DESK} --cassette-mode auto"
    assert f"To record:\n  {command}\n" in done.out
    assert kept.ask(merging.root)[1] == 2
    assert kept.outcomes(kept.run(merging.root))["desk::hours"] == "passed"


def test_a_suite_that_is_in_conflict_itself_comes_first(dryfire: Dryfire, merging: Repository) -> None:
    before = (merging.root / HOURS).read_bytes()
    done = dryfire("resolve")
    assert done.code == 2
    assert f"{DESK}:" in done.err
    assert (merging.root / HOURS).read_bytes() == before


def test_both_sides_that_replay_leave_ours(dryfire: Dryfire, merging: Repository) -> None:
    merged_as(merging, "Be polite.")
    ours = (merging.git("show", f"HEAD:{HOURS}") + "\n").encode()
    for stage in (2, 3):
        oid = merging.git("hash-object", "-w", "--stdin", stdin=ours)
        merging.git("update-index", "--index-info", stdin=f"100644 {oid} {stage}\t{HOURS}\n".encode())
    assert dryfire("resolve").out.startswith("ours        desk::hours\n")


def test_marks_that_were_added_are_read_from_the_file(dryfire: Dryfire, merging: Repository) -> None:
    merged_as(merging, "Be very brief.")
    merging.git("add", "-A")
    assert dryfire("resolve").out.startswith("theirs      desk::hours\n")
    assert dryfire("run").code == 0


def test_a_deleted_side_leaves_the_other(dryfire: Dryfire, merging: Repository) -> None:
    merged_as(merging, "Be polite.")
    oid = merging.git("rev-parse", f":2:{HOURS}")
    merging.git("rm", "-q", "--cached", HOURS)
    merging.git("update-index", "--index-info", stdin=f"100644 {oid} 2\t{HOURS}\n".encode())
    assert dryfire("resolve").out.startswith("ours        desk::hours\n")


def test_a_case_that_is_gone_keeps_its_file_as_it_was(dryfire: Dryfire, merging: Repository) -> None:
    (merging.root / DESK).unlink()
    before = (merging.root / HOURS).read_bytes()
    done = dryfire("resolve")
    assert done.code == 0
    assert "no suite has this case; the file is as it was" in done.out
    assert f"no case     {HOURS}\n" in done.out
    assert (merging.root / HOURS).read_bytes() == before


def test_sides_that_cannot_be_read_are_named_and_left(dryfire: Dryfire, merging: Repository) -> None:
    merged_as(merging, "Be polite.")
    merging.git("add", HOURS)
    (merging.root / HOURS).write_text("<<<<<<< HEAD\n{\n=======\n[]\n>>>>>>> topic\n")
    done = dryfire("resolve")
    assert done.code == 3
    assert "neither side can be read (ours: not JSON" in done.out
    assert "dryfire run --case=desk::hours --cassette-mode record" in done.out
    assert (merging.root / HOURS).read_text().startswith("<<<<<<<")


def test_without_a_conflict_that_is_said(dryfire: Dryfire) -> None:
    kept.make(Path.cwd())
    assert dryfire("resolve") == (0, "no recording is in conflict\n", "")


MARKED = {
    "merge": "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\nd\n",
    "diff3": "a\n<<<<<<< HEAD\nb\n||||||| 12ab\nx\n=======\nc\n>>>>>>> topic\nd\n",
    "crlf": "a\r\n<<<<<<< HEAD\r\nb\r\n=======\r\nc\r\n>>>>>>> topic\r\nd\r\n",
}


@pytest.mark.parametrize("marked", MARKED.values(), ids=MARKED)
def test_both_sides_are_read_between_the_marks(marked: str) -> None:
    sides = {side: text.decode().split() for side, text in sides_of(marked.encode()).items()}
    assert sides == {"ours": ["a", "b", "d"], "theirs": ["a", "c", "d"]}


@pytest.mark.parametrize(
    "text",
    ["", "a\n", "<<<<<<< x\n", "=======\n", "<<<<<<< x\n<<<<<<< y\n", "<<<<<<< x\n>>>>>>> y\n", "<<<<<<<x\n"],
)
def test_marks_that_do_not_fit_together_are_no_sides(text: str) -> None:
    assert sides_of(text.encode()) == {}


def test_git_itself_makes_such_marks(merging: Repository) -> None:
    text = (merging.root / HOURS).read_bytes()
    for side, revision in (("ours", "HEAD"), ("theirs", "topic")):
        shown = merging.git("show", f"{revision}:{HOURS}")
        assert sides_of(text)[side] == f"{shown}\n".encode()  # type: ignore[index]
