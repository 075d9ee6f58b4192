"""Code as other pages print it runs here, but for the names that are imported."""

from __future__ import annotations

import ast
import asyncio
from typing import TYPE_CHECKING, Any

from dryfire_action.llm import AsyncMockLLM
from dryfire_action.messages import Message, Request
from dryfire_action.replay import (
    AgentRunner,
    Cassette,
    FakeClock,
    RecordingProvider,
    ReplayingProvider,
    SequentialIds,
    assert_same_run,
)
from tests.house.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PRINTED = ROOT / "tests/data/third_party"


def printed(name: str) -> str:
    return (PRINTED / name).read_text(encoding="utf-8")


def test_the_code_around_callables_does_what_its_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    first = printed("agentlens-replay-1.py.txt")
    assert first.count("agentlens") == 7
    exec(first.replace("agentlens", "dryfire_action"), names)
    assert capsys.readouterr().out == "Order 1234 has shipped.\nOrder 1234 has shipped.\n"
    assert len((tmp_path / "cassettes/support.jsonl").read_text(encoding="utf-8").splitlines()) == 3

    exec(printed("agentlens-replay-2.py.txt").replace("agentlens", "dryfire_action"), names)
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "llm call #0: request differs from the recording [lenient]"
    assert any(line.startswith("-") and "Summarise {" in line for line in shown)
    assert any(line.startswith("+") and "Summarise briefly: {" in line for line in shown)
    assert shown[-1] == "0"


def test_the_code_of_deterministic_runs_does_with_the_names_it_leaves_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``...`` stands for the request; the folder of the file is not made by anybody else."""
    monkeypatch.chdir(tmp_path)
    from pathlib import Path

    names: dict[str, Any] = {
        "provider": AsyncMockLLM(["At noon."], name="anthropic"),
        **{each.__name__: each for each in (AgentRunner, Cassette, FakeClock, Path, RecordingProvider)},
        **{each.__name__: each for each in (ReplayingProvider, SequentialIds)},
    }
    source = printed("determinism-and-replay.py.txt")
    assert source.count("run(...)") == 2
    start = Request("anthropic", "small-1", (Message("user", "When does the train leave?"),))
    runs = []
    names["start"] = start
    code = compile(source.replace("run(...)", "run(start)"), "page", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)

    async def whole() -> None:
        await eval(code, names)

    asyncio.run(whole())
    runs.append(names["run"])
    assert (names["run"].final_text, names["run"].id) == ("At noon.", "run_1")
    asyncio.run(whole_replay(names, runs, start))
    assert_same_run(*runs)
    assert (tmp_path / "tests/cassettes/trains.json").is_file()


async def whole_replay(names: dict[str, Any], runs: list[Any], start: Request) -> None:
    replay = ReplayingProvider(Cassette.load("tests/cassettes/trains.json"), expect_provider="anthropic")
    runs.append(await AgentRunner(provider=replay, ids=SequentialIds(), clock=FakeClock()).run(start))
