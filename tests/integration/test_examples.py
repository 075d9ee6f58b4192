"""The example project replays green from the repository, and recording it again changes no byte."""

from __future__ import annotations

import json
import re
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.cli import main
from dryfire_action.spending import Spending
from tests.house.repository import ROOT, tracked

if TYPE_CHECKING:
    from pathlib import Path

SHOP = ROOT / "examples/shop"
CASSETTES = ".dryfire/cassettes"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project, as a repository of its own, with the current folder in it."""
    folder = tmp_path / "shop"
    shutil.copytree(SHOP, folder)
    (folder / ".git").mkdir()
    monkeypatch.chdir(folder)
    # Each copy's own code is imported, and not the one of the copy before.
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in [name for name in sys.modules if name.partition(".")[0] == "shop_code"]:
        monkeypatch.delitem(sys.modules, name)
    return folder


def ran(result: Path, *arguments: str) -> dict[str, Any]:
    """The result file of ``dryfire run``; its exit code is the process's."""
    code = main(["run", "--json-out", str(result), *arguments])
    found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    assert found["exit_code"] == code
    return found


def recordings(folder: Path) -> dict[str, bytes]:
    base = folder / CASSETTES
    return {path.relative_to(base).as_posix(): path.read_bytes() for path in sorted(base.rglob("*.json"))}


def test_the_example_replays_green_where_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SHOP)
    before = recordings(SHOP)
    result = ran(tmp_path / "result.json")
    counts = result["counts"]
    assert result["exit_code"] == 0
    assert (counts["cases"], counts["passed"], counts["excluded"], counts["turns"]) == (20, 19, 1, 51)
    assert len(result["suites"]) == 3
    turns = [
        turn
        for suite in result["suites"]
        for case in suite["cases"]
        for run in case["runs"]
        for turn in run["turns"]
    ]
    assert {turn["outcome"] for turn in turns} == {"replayed"}
    assert recordings(SHOP) == before, "a replay writes nothing"


def test_the_example_is_as_large_as_promised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SHOP)
    result = ran(tmp_path / "result.json")
    assert len(result["suites"]) >= 3
    assert result["counts"]["passed"] >= 12
    assert result["counts"]["turns"] >= 40


def test_every_recording_is_committed_and_says_that_it_is_scripted() -> None:
    held = recordings(SHOP)
    assert {f"{SHOP.relative_to(ROOT).as_posix()}/{CASSETTES}/{name}" for name in held} == {
        path.relative_to(ROOT).as_posix() for path in tracked(".json") if (SHOP / CASSETTES) in path.parents
    }
    for name, content in held.items():
        assert json.loads(content)["scripted"] is True, name


@pytest.mark.parametrize("mode", ["record", "auto"])
def test_recording_again_leaves_every_byte(shop: Path, tmp_path: Path, mode: str) -> None:
    result = ran(tmp_path / "result.json", "--cassette-mode", mode)
    assert result["exit_code"] == 0
    assert recordings(shop) == recordings(SHOP)


EDITS = {
    "nothing": (),
    "a prompt": ("prompts/support.md", "up to 30 days after delivery", "up to 14 days after delivery"),
    "a mock": ("evals/refunds.eval.yaml", "waiting: 2", "waiting: 5"),
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("mode", ["record", "auto", "off", "replay"])
def test_a_dry_run_foresees_the_calls_of_the_run_and_writes_nothing(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], mode: str, edit: str
) -> None:
    if EDITS[edit]:
        name, old, new = EDITS[edit]
        (shop / name).write_text(
            (shop / name).read_text(encoding="utf-8").replace(old, new), encoding="utf-8"
        )
    before = {path: path.read_bytes() for path in shop.rglob("*") if path.is_file()}
    assert main(["run", "--cassette-mode", mode, "--dry-run"]) == 0
    told = re.search(r"^20 cases: ([\d,]+) calls?$", capsys.readouterr().out, re.MULTILINE)
    assert told is not None
    assert {path: path.read_bytes() for path in shop.rglob("*") if path.is_file()} == before
    made: list[int] = []
    count = Spending.asked
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Spending, "asked", lambda *given: (made.append(1), count(*given))[1])
        ran(tmp_path / "result.json", "--cassette-mode", mode)
    assert int(told[1]) == len(made)
    assert bool(made) == (mode != "replay")


def test_recording_from_nothing_holds_the_same_answers(shop: Path, tmp_path: Path) -> None:
    """Only the date may differ: there is no old recording that would keep it."""
    shutil.rmtree(shop / CASSETTES)
    assert ran(tmp_path / "result.json", "--cassette-mode", "record")["exit_code"] == 0
    fresh, committed = recordings(shop), recordings(SHOP)
    assert fresh.keys() == committed.keys()
    for name in fresh:
        assert undated(json.loads(fresh[name])) == undated(json.loads(committed[name])), name


def undated(document: dict[str, Any]) -> dict[str, Any]:
    for part in (document, *document["exchanges"]):
        del part["recorded"]
        part.pop("digest", None)
    return document


def test_the_passthrough_case_runs_its_code_only_when_asked(shop: Path, tmp_path: Path) -> None:
    name = "orders::postage is worked out by our own code"
    skipped = ran(tmp_path / "skipped.json", "--case", name, "--allow-empty")
    assert skipped["counts"]["excluded"] == 1
    run = ran(tmp_path / "run.json", "--case", name, "--passthrough", "run")
    assert (run["exit_code"], run["counts"]["passed"]) == (0, 1)


def test_a_failure_of_the_provider_is_replayed_with_its_second_attempt(shop: Path, tmp_path: Path) -> None:
    result = ran(tmp_path / "result.json", "--case", "orders::the model's provider is busy once")
    [case] = result["suites"][0]["cases"]
    assert [(turn["index"], turn["attempt"]) for turn in case["runs"][0]["turns"]] == [(0, 0), (1, 0), (1, 1)]


def test_a_mail_address_of_a_request_is_not_in_its_recording(shop: Path) -> None:
    held = recordings(shop)
    address = b"renee.mueller" + b"@example.com"
    assert address in (shop / "evals/refunds.eval.yaml").read_bytes()
    assert not [name for name, content in held.items() if address in content]
