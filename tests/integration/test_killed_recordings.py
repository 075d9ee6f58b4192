"""A recording that is killed anywhere: the old cassette or the new one, and nothing is paid for twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dryfire_action.cassette_file import decode
from dryfire_action.messages import ToolCall
from tests.made_cases import Told, a_case, asks, by_turn, cassette_of, live, partial_of, run, run_one, says

if TYPE_CHECKING:
    from dryfire_action.messages import Response

TURNS = 4
ROOT = Path(__file__).parents[2]

# Records in a process of its own and kills itself at the n-th of the named moments.
RECORD = """
import asyncio, os, signal, sys
from pathlib import Path
from tests.integration import test_killed_recordings as made
from tests.made_cases import live, run

root, mode, version, moment, which, by = Path(sys.argv[1]), *sys.argv[2:]
seen = 0

def reached(here):
    global seen
    if here == moment:
        seen += 1
        if seen == int(which):
            os.kill(os.getpid(), getattr(signal, by))

class Watched(made.Paying):
    async def complete(self, request):
        reached("before an answer")
        await asyncio.sleep(0)
        answer = await super().complete(request)
        reached("after an answer")
        return answer

def around(module, name, here):
    inner = getattr(module, name)
    def watched(*args, **kwargs):
        reached("before " + here)
        found = inner(*args, **kwargs)
        reached("after " + here)
        return found
    setattr(module, name, watched)

around(os, "fsync", "a sync")
around(Path, "replace", "a replacement")
around(Path, "unlink", "a removal")
from dryfire_action import cassette_partial
line = cassette_partial._line
def torn(document):
    whole = line(document)
    if moment == "in the middle of a line" and "key" in document:
        global seen
        seen += 1
        if seen == int(which):
            return Torn(whole)
    return whole
class Torn(bytes):
    pass
cassette_partial._line = torn
view = memoryview
def half(data):
    if isinstance(data, Torn):
        partial = made.partial_of(root)
        with partial.open("ab") as file:
            file.write(data[: len(data) * 2 // 3])
        os.kill(os.getpid(), getattr(signal, by))
    return view(data)
cassette_partial.memoryview = half

with live(Watched(root, version)):
    results = run(root, made.a_paid_case(), mode=mode)
sys.exit(130 if results.interrupted else results.exit_code)
"""


class Paying(Told):
    """Answers turn by turn, and keeps an account on disk of every call, which outlives a kill."""

    def __init__(self, root: Path, version: str) -> None:
        super().__init__(by=lambda request: paid_answer(len(request.messages) // 2, version))
        self._account = root / "account"

    async def complete(self, request: object) -> Response:
        """The answer of the turn."""
        with self._account.open("a") as file:
            file.write(f"{len(request.messages) // 2}\n")  # type: ignore[attr-defined]
        return await super().complete(request)  # type: ignore[arg-type]


def paid_answer(turn: int, version: str) -> Response:
    if turn == TURNS - 1:
        return says(f"Done, {version}: é ✓")
    return asks({"turn": turn, "é": version if turn == 2 else "same"})


def a_paid_case() -> object:
    return a_case()


def account(root: Path) -> list[int]:
    """The turns that were paid for so far."""
    path = root / "account"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def record_and_kill(root: Path, mode: str, version: str, moment: str, which: int, by: str = "SIGKILL") -> int:
    command = [sys.executable, "-c", RECORD, str(root), mode, version, moment, str(which), by]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode in (0, 3, 130, -signal.SIGKILL), done.stderr
    return done.returncode


def answers_kept(root: Path) -> int:
    """How many whole lines of the partial file hold an answer; the first is the header."""
    path = partial_of(root)
    return max(path.read_bytes().count(b"\n") - 1, 0) if path.exists() else 0


def whole(root: Path) -> str | None:
    """What the cassette's last answer says; the file is whole, or is not there."""
    path = cassette_of(root)
    if not path.exists():
        return None
    answer = decode(path.read_text(encoding="utf-8"), "x").exchanges[-1].answer
    assert answer is not None
    return str(answer["text"])


def finish(root: Path, version: str, expected_calls: int) -> None:
    """``auto`` asks exactly for what is still missing, and after it a replay is fresh and needs nobody."""
    with live(told := by_turn(*(paid_answer(turn, version) for turn in range(TURNS)))):
        assert run_one(root, a_case(), mode="auto").outcome == "passed"
    assert told.calls == expected_calls
    assert whole(root) == f"Done, {version}: é ✓"
    assert run_one(root, a_case()).outcome == "passed"
    assert answers_kept(root) == 0
    junk = [path.name for path in root.rglob("*.tmp") if ".partial" not in path.parts]
    assert junk == [], "what a kill leaves is never where git looks"


# Moments of a first recording, and how many of its four answers are on disk then.
MOMENTS = [
    *[("before an answer", turn, turn - 1) for turn in (1, 2, 3, 4)],
    *[("after an answer", turn, turn - 1) for turn in (1, 2, 3, 4)],
    *[("in the middle of a line", turn, turn - 1) for turn in (1, 2, 3, 4)],
    ("before a sync", 1, 0),  # of the partial's header
    ("after a replacement", 1, 0),
    *[("before a sync", turn + 1, turn) for turn in (1, 2, 3, 4)],
    *[("after a sync", turn + 1, turn) for turn in (1, 2, 3, 4)],
    ("before a sync", 6, 4),  # of the cassette
    ("before a replacement", 2, 4),
    ("after a replacement", 2, 4),
    ("after a removal", 3, 4),  # of the partial file
]


@pytest.mark.parametrize(("moment", "which", "kept"), MOMENTS)
def test_a_killed_recording_leaves_all_that_was_answered(
    tmp_path: Path, moment: str, which: int, kept: int
) -> None:
    assert record_and_kill(tmp_path, "record", "v1", moment, which) == -signal.SIGKILL
    assert whole(tmp_path) in (None, "Done, v1: é ✓")
    # An answer that had arrived, but was not yet on disk, is the only one that can be lost.
    assert len(account(tmp_path)) - kept in (0, 1)
    finish(tmp_path, "v1", TURNS - kept)


@pytest.mark.parametrize(
    ("moment", "which", "kept"),
    [
        ("before an answer", 1, 0),
        ("before an answer", 3, 2),
        ("in the middle of a line", 3, 2),
        ("after an answer", 4, 3),
        ("before a replacement", 2, 4),
        ("after a replacement", 2, 4),
        ("after a sync", 6, 4),
    ],
)
def test_a_killed_re_recording_leaves_the_old_or_the_new_and_new_answers_win(
    tmp_path: Path, moment: str, which: int, kept: int
) -> None:
    with live(by_turn(*(paid_answer(turn, "v1") for turn in range(TURNS)))):
        run(tmp_path, a_case(), mode="record")
    record_and_kill(tmp_path, "record", "v2", moment, which)
    replaced = moment == "after a replacement"
    assert whole(tmp_path) == ("Done, v2: é ✓" if replaced else "Done, v1: é ✓")
    assert run_one(tmp_path, a_case()).outcome == "passed"
    if kept < 3:  # the first two answers are the same in both, and so is what follows in the old recording
        finish(tmp_path, "v1", 0)
    else:
        finish(tmp_path, "v2", TURNS - kept)


def test_a_killed_auto_goes_on_too(tmp_path: Path) -> None:
    record_and_kill(tmp_path, "record", "v1", "before an answer", 2)
    record_and_kill(tmp_path, "auto", "v1", "before an answer", 2)
    record_and_kill(tmp_path, "auto", "v1", "in the middle of a line", 3)  # two are known
    assert account(tmp_path) == [0, 1, 2]
    finish(tmp_path, "v1", 2)


def test_what_the_partial_held_survives_a_kill_while_it_is_begun_again(tmp_path: Path) -> None:
    record_and_kill(tmp_path, "record", "v1", "before an answer", 3)
    for moment in ("before a sync", "after a sync", "before a replacement", "after a replacement"):
        record_and_kill(tmp_path, "auto", "v1", moment, 1)
        assert answers_kept(tmp_path) == 2
    finish(tmp_path, "v1", 2)


@pytest.mark.parametrize(("moment", "which", "kept"), [("before an answer", 1, 0), ("after an answer", 3, 2)])
def test_an_interrupt_ends_with_130_and_keeps_what_was_answered(
    tmp_path: Path, moment: str, which: int, kept: int
) -> None:
    assert record_and_kill(tmp_path, "record", "v1", moment, which, "SIGINT") == 130
    # The answer during which it came may have arrived all the same, and then it is kept.
    kept_now = answers_kept(tmp_path)
    assert kept_now in (kept, kept + 1)
    finish(tmp_path, "v1", TURNS - kept_now)


def test_the_partial_file_is_plain_lines_that_a_person_can_read(tmp_path: Path) -> None:
    record_and_kill(tmp_path, "record", "v1", "before an answer", 3)
    lines = partial_of(tmp_path).read_text(encoding="utf-8").splitlines()
    assert [json.loads(line).get("turn", 0) for line in lines[1:]] == [0, 1]
    assert ToolCall("call_0", "lookup", {"turn": 0}).name in lines[1]
