"""Recordings of another runner answer in the place of the provider: what is taken over, and what is named instead.

The project in `tests/data/third_party/dryfire-0.4.0` was recorded by that runner itself, see the README beside it.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.cli import main
from dryfire_action.errors import UsageError
from dryfire_action.foreign_recordings import ForeignRecordings, folder_name
from tests.house.repository import ROOT

if TYPE_CHECKING:
    pass

OLD = ROOT / "tests/data/third_party/dryfire-0.4.0"
CASSETTES = ".dryfire/cassettes"
FROM = ("--cassette-mode", "record", "--from", f"dryfire:{CASSETTES}")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project, with the current folder in it, and no key anywhere."""
    folder = tmp_path / "old"
    shutil.copytree(OLD, folder)
    (folder / ".git").mkdir()
    monkeypatch.chdir(folder)
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return folder


def ran(*words: str) -> dict[str, Any]:
    """The result file of ``dryfire run``."""
    result = Path("../result.json")
    code = main(["run", "--json-out", str(result), *words])
    found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    assert found["exit_code"] == code
    return found


def new(folder: Path) -> dict[str, dict[str, Any]]:
    """The cassettes by case."""
    found = [
        json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob(f"{CASSETTES}/*/*.json"))
    ]
    return {document["case"]: document for document in found}


def outcomes(result: dict[str, Any]) -> dict[str, str]:
    return {case["name"]: case["outcome"] for suite in result["suites"] for case in suite["cases"]}


def edit(path: str, old: str, new: str) -> None:
    text = Path(path).read_text(encoding="utf-8")
    assert old in text
    Path(path).write_text(text.replace(old, new), encoding="utf-8")


def answers(folder: Path, case: str) -> list[str | None]:
    """The texts that the other runner recorded for a case, run by run."""
    files = sorted(
        folder.glob(f"{CASSETTES}/*/{folder_name(case)}/*.json"),
        key=lambda path: (path.stem.partition("#")[2], path.name),
    )
    return [json.loads(path.read_text(encoding="utf-8"))["response"]["text"] for path in files]


def test_a_whole_project_is_taken_over_without_a_call_and_replays_green(project: Path) -> None:
    imported = ran(*FROM)
    assert (imported["exit_code"], set(outcomes(imported).values())) == (0, {"passed"})
    assert imported["counts"]["cases"] == 8
    assert imported["counts"]["turns"] == 7 + 9 + 4 + 2
    cassettes = new(project)
    assert len(cassettes) == 7
    assert {each["origin"] for each in cassettes.values()} == {"dryfire"}
    for case, document in cassettes.items():
        assert [exchange["answer"]["text"] for exchange in document["exchanges"]] == answers(project, case), (
            case
        )
    first = cassettes["two at once"]["exchanges"][0]
    assert first["answer"]["reasoning"][0]["signature"].startswith("c2lnbmVk")
    assert first["usage"] == {"input_tokens": 10, "output_tokens": 5}
    assert (first["recorded"], first["served"]) == ("2026-11-29", "served-1")
    assert [exchange.get("run", 0) for exchange in cassettes["three times"]["exchanges"]] == [
        0,
        0,
        0,
        1,
        1,
        1,
        2,
        2,
        2,
    ]
    replayed = ran()
    assert (replayed["exit_code"], set(outcomes(replayed).values())) == (0, {"passed"})
    shutil.rmtree(project / CASSETTES / "orders" / folder_name("two at once"))
    assert ran()["exit_code"] == 0, "the old files are not read any more"


def test_cases_that_begin_alike_keep_their_own_answers(project: Path) -> None:
    ran(*FROM)
    own = {case: document["exchanges"][0]["answer"]["text"] for case, document in new(project).items()}
    assert own["two at once"] != own["begins like another"]


def test_taking_over_again_changes_no_byte(project: Path) -> None:
    ran(*FROM)
    before = {path: path.read_bytes() for path in project.glob(f"{CASSETTES}/*/*.json")}
    ran(*FROM)
    assert {path: path.read_bytes() for path in project.glob(f"{CASSETTES}/*/*.json")} == before


def test_what_is_taken_over_is_redacted(project: Path) -> None:
    key = "sk-" + "ant-api03-" + "q7" * 48
    (path,) = project.glob(f"{CASSETTES}/the_desk-*/says_a_key-*/*.json")
    edit(str(path), "SECRET-GOES-HERE", key)
    assert ran(*FROM)["exit_code"] == 0
    (cassette,) = project.glob(f"{CASSETTES}/the-desk-*/says-a-key-*.json")
    text = cassette.read_text(encoding="utf-8")
    assert key not in text
    assert "[redacted:" in text


@pytest.mark.parametrize(
    ("file", "old", "changed", "cases", "why"),
    [
        ("evals/desk.eval.yaml", "Be brief.", "Be terse.", {"hours", "says a key"}, "turn 0.* differs in system"),
        ("evals/desk.eval.yaml", "null}", "closed}", {"hours"}, r"turn 2: .*02-\w+\.json .*\[6\]\.tool_results"),
        ("evals/desk.eval.yaml", "0.2", "0.3", {"hours", "says a key"}, r"differs in params\.temperature"),
        ("evals/sky.eval.yaml", "Looks up.", "Looks.", {"both ways"}, r"differs in tools\[look\]\.description"),
        ("evals/orders.eval.yaml", "repeat: 3", "repeat: 4", {"three times"}, "run 3, turn 0: nothing is recorded"),
        ("evals/orders.eval.yaml", "total: 12.50", "total: 12", {"three times", "two at once", "begins like another"},
         r"turn 1: .*messages\[2\]\.tool_results"),
    ],
)  # fmt: skip
def test_one_edit_is_named_with_its_cases_turn_and_field(
    project: Path, file: str, old: str, changed: str, cases: set[str], why: str
) -> None:
    edit(file, old, changed)
    result = ran(*FROM)
    failed = {name for name, outcome in outcomes(result).items() if outcome != "passed"}
    assert (failed, result["exit_code"]) == (cases, 3)
    for suite in result["suites"]:
        for case in suite["cases"]:
            if case["name"] in cases:
                assert f"{suite['name']}::{case['name']}, " in case["error"]
                assert re.search(why, case["error"]), case["error"]
                assert "--cassette-mode auto" in case["remedy"]


def test_a_renamed_case_is_found_by_what_it_asks(project: Path) -> None:
    edit("evals/sky.eval.yaml", "name: both ways", "name: up")
    assert ran(*FROM, "evals/sky.eval.yaml")["exit_code"] == 0
    edit("evals/sky.eval.yaml", "clear", "dark")
    result = ran(*FROM, "evals/sky.eval.yaml")
    assert "sky::up, turn 1: nothing is recorded for it" in result["suites"][0]["cases"][0]["error"]


def test_turns_that_matched_are_kept_and_auto_asks_only_for_the_rest(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dryfire_action import live_provider
    from tests.made_cases import Told, says

    edit("evals/desk.eval.yaml", "null}", "closed}")
    ran(*FROM)
    told = Told(says("Closed."))
    monkeypatch.setattr(live_provider, "make_provider", lambda *_, **__: told)
    result = ran("--cassette-mode", "auto", "evals/desk.eval.yaml")
    assert (result["exit_code"], told.calls) == (0, 1)


def test_a_file_that_is_not_what_its_name_says_is_passed_over(project: Path) -> None:
    for case in ("two at once", "begins like another"):
        (path,) = project.glob(f"{CASSETTES}/orders/{folder_name(case)}/00-*.json")
        path.write_text("{", encoding="utf-8")
    result = ran(*FROM, "evals/orders.eval.yaml")
    assert outcomes(result)["two at once"] == "failed"
    assert outcomes(result)["three times"] == "passed"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--from", f"dryfire:{CASSETTES}"), "--from takes recordings over"),
        (("--cassette-mode", "off", "--from", f"dryfire:{CASSETTES}"), "--from takes recordings over"),
        (("--cassette-mode", "record", "--from", CASSETTES), "must be dryfire:DIR"),
        (("--cassette-mode", "record", "--from", "dryfire:"), "must be dryfire:DIR"),
        (("--cassette-mode", "record", "--from", "dryfire:nowhere"), "there is no folder nowhere"),
        (
            ("--cassette-mode", "record", "--from", "dryfire:evals"),
            "holds no recordings of dryfire 0.2 to 0.4",
        ),
        ((*FROM, "--passthrough", "run"), "leave --passthrough out"),
    ],
)
def test_what_cannot_be_taken_over_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], why: str
) -> None:
    assert main(["run", *words]) == 2
    assert why in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "folder"),
    [("a/b c:é", "a_b_c__-f3db1100"), ("..", "..-5ec1f7e7"), ("orders", "orders"), ("A-1._", "A-1._")],
)
def test_folders_are_called_as_the_other_runner_calls_them(name: str, folder: str) -> None:
    assert folder_name(name) == folder


def test_a_folder_that_is_not_there_is_no_source(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        ForeignRecordings(tmp_path / "none")
