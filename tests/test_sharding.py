"""Shards: each case in exactly one, none of them overfull, few that move, and all of them together the whole run."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dryfire_action.cli import main
from dryfire_action.errors import UsageError
from dryfire_action.reports.result_json import document
from dryfire_action.result_merge import merge_results, read_result
from dryfire_action.runner import RunOptions
from dryfire_action.sharding import ROOM, Shard, divided, in_shard, parse_shard
from dryfire_action.suite_file import load_suites
from dryfire_action.tree import FolderTree
from tests.integration import forty_cases

if TYPE_CHECKING:
    from pathlib import Path

    from tests.git_repository import Repository

WEIGHTS = st.lists(st.integers(1, 40), min_size=1, max_size=80)


@pytest.mark.parametrize(
    ("text", "shard"),
    [("1/1", Shard(1, 1)), ("2/8", Shard(2, 8)), (" 8/8 ", Shard(8, 8))],
)
def test_a_shard_is_written_as_which_of_how_many(text: str, shard: Shard) -> None:
    assert parse_shard(text) == shard
    assert parse_shard(str(shard)) == shard


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *(
            (text, "is no shard")
            for text in ("", "2", "2/", "/8", "a/b", "1.5/2", "-1/2", "1/2/3", "２/８", "1 / 2")
        ),
        ("0/4", "there is no shard 0 of 4"),
        ("5/4", "there is no shard 5 of 4"),
        ("1/0", "0 shards cannot be"),
        ("1/257", "257 shards cannot be"),
    ],
)
def test_anything_else_is_a_mistake_that_says_why(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_shard(text)


@settings(max_examples=200, deadline=None)
@given(weights=WEIGHTS, total=st.integers(1, 16))
def test_each_case_is_in_one_shard_and_no_shard_is_overfull(weights: list[int], total: int) -> None:
    names = [f"case {number}" for number in range(len(weights))]
    found = divided(names, weights, total)
    assert len(found) == len(weights)
    assert set(found) <= set(range(1, total + 1))
    fair = sum(weights) / total
    for shard in range(1, total + 1):
        load = sum(weight for weight, at in zip(weights, found, strict=True) if at == shard)
        assert load <= max(ROOM * fair, fair + max(weights))


@settings(max_examples=100, deadline=None)
@given(weights=WEIGHTS, total=st.integers(1, 8), order=st.randoms(use_true_random=False))
def test_the_order_of_cases_does_not_matter(weights: list[int], total: int, order: random.Random) -> None:
    names = [f"case {number}" for number in range(len(weights))]
    numbers = list(range(len(weights)))
    order.shuffle(numbers)
    mixed = divided([names[n] for n in numbers], [weights[n] for n in numbers], total)
    plain = divided(names, weights, total)
    assert mixed == [plain[n] for n in numbers]


def test_few_cases_move_when_a_suite_is_added() -> None:
    chance = random.Random(7)
    moved = cases = 0
    for _ in range(20):
        size, total = chance.choice([40, 100, 300]), chance.choice([3, 4, 8])
        names = [f"{chance.random()}" for _ in range(size)]
        weights = [chance.choice([1, 2, 2, 3, 3, 4, 5, 8]) for _ in names]
        new = [f"new {chance.random()}" for _ in range(size // 20)]
        after = divided(names + new, weights + [3] * len(new), total)
        moved += sum(a != b for a, b in zip(divided(names, weights, total), after, strict=False))
        cases += size
    assert moved / cases < 0.04


# --- runs


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Forty cases with their recordings; on the head the prompt is edited, one suite is gone, one recording broken."""
    made = forty_cases.recorded(tmp_path_factory.mktemp("forty"))
    root = made.root
    (root / "evals/triage.eval.yaml").unlink()
    prompt = root / "prompts/support.md"
    prompt.write_text(prompt.read_text(encoding="utf-8").replace("30 days", "14 days"), encoding="utf-8")
    one = next((root / ".dryfire/cassettes/orders").glob("*.json"))
    one.write_text("<<<<<<<\n", encoding="utf-8")
    made.commit("edited")
    return made


def result(root: Path, **options: Any) -> dict[str, Any]:
    """The result file of a run that was compared with the commit before."""
    found = forty_cases.compared(root, RunOptions(mode="replay", **options), revision="HEAD~1")
    return document(found, commit=None, show="prompts", exit_code=found.exit_code)


@pytest.mark.parametrize("total", [1, 2, 5])
def test_the_shards_of_a_real_run_merged_are_that_run(project: Repository, total: int) -> None:
    shards = [result(project.root, shard=Shard(number, total)) for number in range(1, total + 1)]
    whole = result(project.root)
    assert whole["state"] == "stale"
    assert len(whole["no_longer_replayed"]) == forty_cases.SIZES["triage"]
    merged = merge_results(shards)
    # What a shard says of itself is no part of the whole.
    merged["warnings"] = [one for one in merged["warnings"] if not one.startswith("shard ")]
    assert merged == whole
    assert {one["shard"] for one in shards} == {f"{number}/{total}" for number in range(1, total + 1)}


def test_an_empty_shard_says_so_and_does_not_fail(project: Repository) -> None:
    # Seventeen cases in thirty shards.
    found = (result(project.root, shard=Shard(number, 30), filter="case 1") for number in range(1, 5))
    empty = [one for one in found if not one["counts"]["cases"]]
    assert empty
    for one in empty:
        assert one["exit_code"] == 0
        assert one["state"] == "nothing_checked"
        assert f"shard {one['shard']} holds no case; the others hold all 17" in one["warnings"]


def test_a_selection_without_cases_fails_in_every_shard(project: Repository) -> None:
    for number in (1, 2):
        assert result(project.root, shard=Shard(number, 2), filter="nobody")["exit_code"] == 2


@pytest.mark.parametrize("mode", ["auto", "record"])
def test_recordings_are_not_divided_by_what_changes_meanwhile(project: Repository, mode: Any) -> None:
    with pytest.raises(UsageError, match=f"the mode {mode} changes that"):
        forty_cases.run(project.root, RunOptions(mode=mode, shard=Shard(1, 2)))


def test_what_is_no_recording_counts_as_one_turn(project: Repository) -> None:
    suites = load_suites(FolderTree(project.root), ())
    chosen = [(suite, case) for suite in suites for case in suite.cases]
    tree = FolderTree(project.root, limit=10)
    found = [in_shard(chosen, Shard(number, 3), tree) for number in (1, 2, 3)]
    assert sorted(n for numbers in found for n in numbers) == list(range(len(chosen)))
    assert in_shard(chosen, None, tree) == list(range(len(chosen)))


def test_the_command_line_takes_a_shard_and_says_what_is_none(
    project: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(project.root)
    out = tmp_path / "r.json"
    assert main(["run", "--shard", "1/2", "--json-out", str(out)]) == 3
    found = read_result(out)
    assert (found["shard"], found["counts"]["cases"] + found["elsewhere"]) == ("1/2", 33)
    for arguments in (["--shard", "3/2"], ["--shard", "two"], ["--shard", "1/2", "--dry-run"]):
        assert main(["run", *arguments]) == 2
        assert "--shard" in capsys.readouterr().err
