"""Two processes at once, disks that refuse, and files that cannot be trusted: one clear line, and nothing is lost."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.cassette_file import decode
from tests.made_cases import (
    Told,
    a_case,
    a_suite,
    asks,
    by_turn,
    cassette_of,
    live,
    partial_of,
    run,
    run_one,
    says,
)

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
ANSWERS = (asks({"order": "o1"}), asks({"order": "o2"}), says("Sent."))

# Records in a process of its own: says that it holds the case, and goes on when it is told to.
HOLD = """
import sys
from pathlib import Path
from tests.integration.test_recordings_in_trouble import ANSWERS
from tests.made_cases import Told, a_case, live, run_one

class Held(Told):
    async def complete(self, request):
        if self.calls == 1:
            print("holding", flush=True)
            sys.stdin.readline()
        return await super().complete(request)

with live(Held(*ANSWERS)):
    result = run_one(Path(sys.argv[1]), a_case(), mode=sys.argv[2])
print(result.outcome, result.error, flush=True)
"""


def hold(root: Path, mode: str = "record") -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(root), mode],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "holding\n"
    return process


def let_go(process: subprocess.Popen[str]) -> str:
    said, _ = process.communicate("\n", timeout=60)
    return said.strip()


# ---- two at once


@pytest.mark.parametrize("mode", ["record", "auto"])
def test_of_two_recorders_of_one_case_one_is_told_and_pays_nothing(tmp_path: Path, mode: str) -> None:
    first = hold(tmp_path)
    with live(told := Told()):
        result = run_one(tmp_path, a_case(), mode=mode)
    # In auto the second is served what the first already has, and stops where it would have to ask.
    assert told.calls == 0
    assert (result.outcome, result.exit_code) == ("failed", 3)
    assert result.error == (
        "another process is recording this case (.dryfire/cassettes/.partial/shop/refund.jsonl is locked)"
    )
    assert "--cassette-mode auto" in result.remedy
    assert let_go(first) == "passed"
    assert run_one(tmp_path, a_case()).outcome == "passed"


def test_a_second_process_with_nothing_to_ask_does_not_take_the_partial_of_the_first(tmp_path: Path) -> None:
    with live(by_turn(*ANSWERS)):
        run(tmp_path, a_case(), mode="record")
    first = hold(tmp_path)
    kept = partial_of(tmp_path).read_bytes()
    for mode in ("auto", "replay"):
        assert run_one(tmp_path, a_case(), mode=mode).outcome == "passed"
    assert partial_of(tmp_path).read_bytes() == kept
    assert let_go(first) == "passed"


def test_what_another_process_has_recorded_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    class Late(Told):
        """Between what the second reads and what it asks, the first finishes."""

        async def complete(self, request: Any) -> Any:
            raise AssertionError("nobody may pay for what is recorded by now")

    from dryfire_action import live_provider

    real = live_provider.make_provider

    def late(name: str, **settings: Any) -> Any:
        other = Thread(target=lambda: run_one(tmp_path, a_case(), mode="record"))
        with live(by_turn(*ANSWERS)):
            other.start()
            other.join()
        return real(name, **settings)

    with live(Late()), pytest.MonkeyPatch.context() as patched:
        calls = iter([late])
        patched.setattr(
            live_provider, "make_provider", lambda name, **settings: next(calls, real)(name, **settings)
        )
        result = run_one(tmp_path, a_case(), mode="auto")
    assert (result.outcome, result.exit_code) == ("failed", 3)
    assert result.error == ".dryfire/cassettes/shop/refund.json: another process has just recorded this case"
    assert run_one(tmp_path, a_case()).outcome == "passed"


def test_two_processes_record_two_cases_side_by_side(tmp_path: Path) -> None:
    first = hold(tmp_path)
    with live(by_turn(*ANSWERS)):
        assert run_one(tmp_path, a_case("other"), mode="record").outcome == "passed"
    assert let_go(first) == "passed"
    assert [case.outcome for case in run(tmp_path, a_case(), a_case("other")).cases] == ["passed", "passed"]


# ---- the disk refuses


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EIO])
@pytest.mark.parametrize("nth", [1, 2, 3, 5])
def test_a_disk_that_refuses_is_one_line_and_the_other_cases_still_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, nth: int
) -> None:
    syncs = 0
    fsync = os.fsync

    def failing(handle: int) -> None:
        nonlocal syncs
        if os.fstat(handle).st_ino in {path.stat().st_ino for path in tmp_path.rglob("*refund*")}:
            syncs += 1
            if syncs >= nth:
                raise OSError(code, os.strerror(code))
        fsync(handle)

    with live(by_turn(*ANSWERS)), monkeypatch.context() as patched:
        patched.setattr(os, "fsync", failing)
        results = run(tmp_path, a_case(), a_case("other"), mode="record")
    first, second = results.cases
    assert (first.outcome, second.outcome, results.exit_code) == ("failed", "passed", 3)
    assert f"cannot be written: {os.strerror(code)}" in first.error
    assert "\n" not in first.error
    assert "--cassette-mode auto" in first.remedy
    with live(told := by_turn(*ANSWERS)):
        assert run_one(tmp_path, a_case(), mode="auto").outcome == "passed"
    # The first sync is the header's; what an append could not sync may be there all the same.
    assert told.calls <= 3 - max(nth - 2, 0)


def test_a_cassette_folder_that_is_a_file_refuses_before_anything_is_paid_for(tmp_path: Path) -> None:
    (tmp_path / ".dryfire").write_text("in the way")
    with live(told := by_turn(*ANSWERS)):
        results = run(tmp_path, a_case(), mode="record")
    assert (told.calls, results.exit_code) == (0, 3)
    assert next(iter(results.cases)).error.startswith(".dryfire/cassettes/")


@pytest.mark.parametrize("mode", ["record", "auto"])
def test_a_folder_in_place_of_the_cassette_refuses_before_anything_is_paid_for(
    tmp_path: Path, mode: str
) -> None:
    cassette_of(tmp_path).mkdir(parents=True)
    with live(told := by_turn(*ANSWERS)):
        result = run_one(tmp_path, a_case(), mode=mode)
    assert (told.calls, result.exit_code) == (0, 3)
    assert result.remedy


# ---- files that cannot be trusted


def _sparse(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(100_000_000)


def _edit(path: Path, change: Callable[[Any], object]) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")


def _linked(path: Path) -> None:
    path.rename(path.with_suffix(".moved"))
    path.symlink_to(path.with_suffix(".moved"))


DAMAGE: dict[str, Callable[[Path], object]] = {
    "conflict": lambda path: path.write_text("<<<<<<< HEAD\n" + path.read_text() + "=======\n>>>>>>> x\n"),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:700]),
    "edited answer": lambda path: path.write_text(path.read_text().replace("Sent.", "Lost.")),
    "edited digest": lambda path: _edit(path, lambda d: d["exchanges"][0]["head"].update(system="0" * 16)),
    "edited key": lambda path: _edit(path, lambda d: d["exchanges"][0].update(key="0" * 16)),
    "another case's": lambda path: _edit(path, lambda d: d.update(case="Refund")),
    "another suite's": lambda path: _edit(path, lambda d: d.update(suite="other")),
    "unknown format": lambda path: _edit(path, lambda d: d.update(format="dryfire-cassette/99")),
    "a list": lambda path: path.write_text("[]"),
    "empty": lambda path: path.write_text(""),
    "NUL bytes": lambda path: path.write_bytes(b"\0" * 100),
    "100 MB": _sparse,
    "deep": lambda path: path.write_text("[" * 100_000 + "]" * 100_000),
    "not UTF-8": lambda path: path.write_bytes(path.read_bytes().replace(b"Sent.", b"\xff\xfe")),
    "surrogate": lambda path: path.write_text(path.read_text().replace("Sent.", "\\ud800")),
    "NaN": lambda path: path.write_text(path.read_text().replace('"Sent."', "NaN")),
    "1e400": lambda path: path.write_text(path.read_text().replace('"o1"', "1e400")),
    "a key twice": lambda path: path.write_text(
        path.read_text().replace('"text":', '"text": "x", "text":', 1)
    ),
    "a link": _linked,
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_recording_is_named_in_one_line_and_only_record_replaces_it(
    tmp_path: Path, name: str
) -> None:
    cases = (a_case(), a_case("other"))
    with live(by_turn(*ANSWERS)):
        run(tmp_path, *cases, mode="record")
    path = cassette_of(tmp_path)
    DAMAGE[name](path)
    before = path.read_bytes()
    for mode in (None, "auto"):
        with live(told := Told()):
            results = run(tmp_path, *cases, mode=mode)
        first, second = results.cases
        assert (first.outcome, first.exit_code, second.outcome, results.exit_code) == (
            "damaged",
            3,
            "passed",
            3,
        )
        assert first.error.startswith(".dryfire/cassettes/shop/refund.json:")
        assert first.error.isprintable()
        assert len(first.error) < 250
        assert first.remedy
        assert told.calls == 0
        assert path.read_bytes() == before
        assert results.command == "dryfire run evals/s.eval.yaml --case shop::refund --cassette-mode record"
    with live(told := by_turn(*ANSWERS)):
        assert run_one(tmp_path, a_case(), mode="record").outcome == "passed"
    assert told.calls == 3
    assert not path.is_symlink()
    assert run_one(tmp_path, a_case()).outcome == "passed"


@pytest.mark.parametrize("layout", ["CRLF and a byte order mark", "other spaces and key order"])
def test_another_layout_of_the_file_replays_fresh(tmp_path: Path, layout: str) -> None:
    with live(by_turn(*ANSWERS)):
        run(tmp_path, a_case(), mode="record")
    path = cassette_of(tmp_path)
    text = path.read_text(encoding="utf-8")
    if layout.startswith("CRLF"):
        path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    else:
        path.write_text(json.dumps(json.loads(text), indent=4, sort_keys=True), encoding="utf-8")
    assert run_one(tmp_path, a_case()).outcome == "passed"
    assert decode(path.read_text(encoding="utf-8-sig"), "x").header.case == "refund"


# ---- an agent cannot hide a miss


def test_an_agent_that_swallows_every_error_still_has_missed(tmp_path: Path) -> None:
    from dryfire_action.playback import ReplayingProvider

    with live(by_turn(*ANSWERS)):
        run(tmp_path, a_suite(a_case()), mode="record")
    cassette = decode(cassette_of(tmp_path).read_text(encoding="utf-8"), "x")
    provider = ReplayingProvider(cassette)

    async def agent() -> str:
        from dryfire_action.messages import Message, Request

        try:
            await provider.complete(Request("told", "m-1", (Message("user", "Something else"),)))
        except Exception:
            return "all is well"
        return "served"

    assert asyncio.run(agent()) == "all is well"
    assert [miss.outcome for miss in provider.tape.misses] == ["stale"]
