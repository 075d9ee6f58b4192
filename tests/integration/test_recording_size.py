"""Long conversations: files grow with their turns, and a turn costs the same however many came before it."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action import canonical_json, fingerprint
from dryfire_action.playback import ReplayingProvider
from dryfire_action.recorder import RecordingProvider
from tests.made_cases import Told, a_case, asks, cassette_of, live, run_one, says

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dryfire_action.messages import Request, Response


def plain(turn: int) -> dict[str, Any]:
    return {"order": f"o-{turn}", "note": "please"}


def secret(turn: int) -> dict[str, Any]:
    """Arguments with an address of the tool's results, and one that nobody has seen before."""
    return {"order": f"o-{turn}", "to": "ann" + "@" + "corp.io", "cc": f"new{turn}" + "@" + "corp.io"}


def long_case(turns: int, arguments: Callable[[int], dict[str, Any]] = plain) -> tuple[Any, Told]:
    def by(request: Request) -> Response:
        turn = len(request.messages) // 2
        return says("Done.") if turn == turns - 1 else asks(arguments(turn))

    return a_case(max_turns=turns + 1, system="Serve " + "ann" + "@" + "corp.io"), Told(by=by)


def recorded_size(root: Path, turns: int) -> int:
    case, told = long_case(turns)
    with live(told):
        assert run_one(root, case, mode="record").outcome == "passed"
    return cassette_of(root).stat().st_size


def test_a_hundred_turns_with_small_answers_fit_in_120_kb(tmp_path: Path) -> None:
    assert recorded_size(tmp_path, 100) < 120_000


def test_a_file_grows_linearly(tmp_path: Path) -> None:
    sizes = {turns: recorded_size(tmp_path / str(turns), turns) for turns in (20, 40, 80, 160)}
    per_turn = [(sizes[2 * turns] - sizes[turns]) / turns for turns in (20, 40, 80)]
    assert max(per_turn) < 1.05 * min(per_turn)


class Steps:
    """Counts Python's function calls, and marks how many there were at each turn."""

    def __init__(self) -> None:
        self.count = 0
        self.marks: list[int] = []

    def __call__(self, frame: Any, event: str, argument: Any) -> None:
        if event in ("call", "c_call"):
            self.count += 1

    def mark(self) -> None:
        self.marks.append(self.count)

    def mean(self, first: int, last: int) -> float:
        """The mean number of calls in the turns from ``first`` to ``last``."""
        return (self.marks[last] - self.marks[first]) / (last - first)


@contextmanager
def counting(monkeypatch: pytest.MonkeyPatch, provider: type) -> Iterator[Steps]:
    """Count what happens between one request to ``provider`` and the next."""
    steps = Steps()
    complete = provider.complete

    async def marked(self: Any, request: Request) -> Response:
        steps.mark()
        answer: Response = await complete(self, request)
        return answer

    before = sys.getprofile()
    with monkeypatch.context() as patched:
        patched.setattr(provider, "complete", marked)
        sys.setprofile(steps)
        try:
            yield steps
        finally:
            sys.setprofile(before)


@pytest.mark.parametrize("arguments", [plain, secret])
@pytest.mark.parametrize("mode", ["record", "replay", "auto"])
def test_a_turn_takes_as_many_steps_at_turn_200_as_at_turn_20(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, arguments: Callable[[int], dict[str, Any]]
) -> None:
    case, told = long_case(205, arguments)
    with live(told):
        if mode != "record":
            run_one(tmp_path, case, mode="record")
        watched = ReplayingProvider if mode == "replay" else RecordingProvider
        with counting(monkeypatch, watched) as steps:
            assert run_one(tmp_path, case, mode=mode).outcome == "passed"
    assert steps.mean(190, 200) < 1.1 * steps.mean(15, 25)


@pytest.mark.parametrize("mode", ["record", "replay"])
def test_a_turn_hashes_as_much_at_turn_200_as_at_turn_20(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    case, told = long_case(205)
    encoded: list[int] = [0]
    marks: list[int] = []
    encode = canonical_json.encode

    def counted(value: Any) -> str:
        text = encode(value)
        encoded[0] += len(text)
        return text

    with live(told):
        run_one(tmp_path, case, mode="record")
        for module in (canonical_json, fingerprint):
            for name in ("encode", "_encode"):
                if getattr(module, name, None) is encode:
                    monkeypatch.setattr(module, name, counted)
        watched = ReplayingProvider if mode == "replay" else RecordingProvider
        complete = watched.complete

        async def marked(self: Any, request: Request) -> Response:
            marks.append(encoded[0])
            answer: Response = await complete(self, request)
            return answer

        monkeypatch.setattr(watched, "complete", marked)
        assert run_one(tmp_path, case, mode=mode).outcome == "passed"
    assert marks[25] > marks[15]
    assert marks[200] - marks[190] < 1.1 * (marks[25] - marks[15])
