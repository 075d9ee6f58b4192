"""No green by shrinking: what the base replays and a change takes away is told, and never an all-clear."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from dryfire_action import comparison
from dryfire_action.behaviour import NoLongerReplayed
from dryfire_action.cli import main
from dryfire_action.git_log import NO_COMMITS, NO_REPOSITORY
from dryfire_action.reports.wording import headline, tally_of
from dryfire_action.runner import RunOptions
from tests.git_repository import Repository
from tests.integration import forty_cases
from tests.integration.forty_cases import compared

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ORDERS, REFUNDS, TRIAGE = (f"evals/{name}.eval.yaml" for name in ("orders", "refunds", "triage"))
IMPL = "lookup: [{impl: 'trap:spring'}]"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return forty_cases.recorded(tmp_path_factory.mktemp("made") / "r")


@pytest.fixture
def project(made: Repository, tmp_path: Path) -> Repository:
    """The project on a branch, with one stale case."""
    found = forty_cases.copy(made, tmp_path / "r")
    found.git("switch", "-q", "-c", "topic")
    return found


def case_text(number: int) -> str:
    return forty_cases.CASE.format(number=number)


def stale(project: Repository, number: int) -> str:
    """Make one case of triage stale; returns its text."""
    old = case_text(number)
    new = old.replace("Where is order", "Where on earth is order")
    project.replace(TRIAGE, old, new)
    return new


def cassettes(project: Repository, suite: str, number: int) -> list[Path]:
    return list((project.root / f".dryfire/cassettes/{suite}").glob(f"case-{number}-*.json"))


def delete_the_case(project: Repository) -> None:
    project.replace(TRIAGE, stale(project, 3), "")
    (path,) = cassettes(project, "triage", 3)
    path.unlink()


def let_it_run_code(project: Repository) -> None:
    text = stale(project, 3)
    project.replace(TRIAGE, text, text.replace("    expect:", f"    mocks: {{{IMPL}}}\n    expect:"))


def do_not_record_the_script(project: Repository) -> None:
    stale(project, 3)
    project.replace("dryfire.yaml", "cassettes: {scripted: true}", "cassettes: {scripted: false}")


def switch_recordings_off(project: Repository) -> None:
    stale(project, 3)
    project.replace("dryfire.yaml", "{scripted: true}", "{scripted: true, mode: 'off'}")


def delete_the_suite(project: Repository) -> None:
    stale(project, 3)
    (project.root / TRIAGE).unlink()


def name_fewer_suites(project: Repository) -> None:
    stale(project, 3)
    project.replace("dryfire.yaml", "evals/**/*.eval.yaml", "evals/[or]*.eval.yaml")


ALL_OF_TRIAGE = [f"triage::case {n}" for n in range(1, 8)]
EVERYTHING = [
    f"{suite}::case {n}"
    for suite in sorted(forty_cases.SIZES)
    for n in range(1, forty_cases.SIZES[suite] + 1)
]
SHRUNK: dict[str, tuple[Callable[[Repository], None], list[str], str, str]] = {
    "the stale case deleted, with its cassette": (
        delete_the_case,
        ["triage::case 3"],
        "deleted",
        "39 of 40 cases clear, 1 no longer replayed",
    ),
    "an impl: added to it": (
        let_it_run_code,
        ["triage::case 3"],
        "passthrough",
        "39 of 40 cases clear, 1 no longer replayed",
    ),
    "switched to the scripted provider": (
        do_not_record_the_script,
        EVERYTHING,
        "scripted",
        "0 of 40 cases clear, 40 no longer replayed",
    ),
    "recordings switched off": (
        switch_recordings_off,
        EVERYTHING,
        "off",
        "0 of 40 cases clear, 40 no longer replayed",
    ),
    "its suite deleted": (
        delete_the_suite,
        ALL_OF_TRIAGE,
        "deleted",
        "33 of 40 cases clear, 7 no longer replayed",
    ),
    "its suite named no more": (
        name_fewer_suites,
        ALL_OF_TRIAGE,
        "deleted",
        "33 of 40 cases clear, 7 no longer replayed",
    ),
}


@pytest.mark.parametrize(("edit", "gone", "reason", "said"), SHRUNK.values(), ids=SHRUNK)
def test_nothing_that_takes_a_stale_case_away_is_an_all_clear(
    edit: Callable[[Repository], None], gone: list[str], reason: str, said: str, project: Repository
) -> None:
    edit(project)
    results = compared(project.root)
    assert results.exit_code == 0
    assert results.no_longer_replayed == tuple(NoLongerReplayed(case, reason) for case in gone)  # type: ignore[arg-type]
    assert results.state == "shrunk"
    assert headline(tally_of(results)) == said


def test_committing_it_does_not_help(project: Repository) -> None:
    delete_the_case(project)
    project.commit()
    assert compared(project.root).state == "shrunk"


@pytest.mark.parametrize(
    ("options", "patterns"),
    [
        (RunOptions(filter="case 1"), ()),
        (RunOptions(cases=("triage::case 1", "orders::case 2")), ()),
        (RunOptions(), (ORDERS, REFUNDS)),
        (RunOptions(), ("evals/o*.eval.yaml",)),
    ],
)
def test_narrower_arguments_list_nothing_as_shrunk(
    options: RunOptions, patterns: tuple[str, ...], project: Repository
) -> None:
    delete_the_case(project)
    results = compared(project.root, options, patterns)
    assert (results.state, results.no_longer_replayed) == ("clear", ())


def test_what_the_same_arguments_no_longer_select_is_shrunk(project: Repository) -> None:
    for suite in (ORDERS, TRIAGE):
        project.replace(suite, "\nsystem:", "\ntags: [smoke]\nsystem:")
    project.commit()
    project.git("branch", "-f", "main")
    project.replace(TRIAGE, "tags: [smoke]\n", "")
    results = compared(project.root, RunOptions(tags=("smoke",)))
    assert results.no_longer_replayed == tuple(NoLongerReplayed(case, "left_out") for case in ALL_OF_TRIAGE)
    assert compared(project.root).state == "clear"


def test_a_permanent_passthrough_case_does_not_prevent_clear(project: Repository) -> None:
    let_it_run_code(project)
    project.commit()
    project.git("branch", "-f", "main")
    results = compared(project.root)
    assert (results.state, results.no_longer_replayed) == ("clear", ())
    assert headline(tally_of(results)) == "39 of 40 cases clear, 1 excluded"


def test_a_case_moved_to_another_file_is_still_replayed(project: Repository) -> None:
    (project.root / "evals/deep").mkdir()
    (project.root / TRIAGE).rename(project.root / "evals/deep/triage.eval.yaml")
    project.replace("evals/deep/triage.eval.yaml", "../prompts", "../../prompts")
    assert compared(project.root).state == "clear"


def test_new_answers_are_told_as_behaviour(project: Repository) -> None:
    project.replace(TRIAGE, "text: Order 2 was paid back.", "text: Order 2 is on its way.")
    forty_cases.run(project.root, RunOptions(mode="auto"))
    results = compared(project.root)
    assert results.state == "clear"
    assert results.behaviour is not None
    assert [(change.case, change.kind) for change in results.behaviour] == [("triage::case 2", "wording")]


def new_main(project: Repository) -> None:
    """The default branch goes on: what it has beyond the common ancestor is nobody's fault here."""
    project.git("switch", "-q", "main")
    project.write(TRIAGE, (project.root / TRIAGE).read_text(encoding="utf-8") + case_text(99))
    forty_cases.run(project.root, RunOptions(mode="record"))
    project.commit()
    project.git("switch", "-q", "topic")


def test_the_base_is_where_the_branch_left(project: Repository) -> None:
    new_main(project)
    results = compared(project.root, revision="main")
    assert (results.state, results.base) == ("clear", project.git("merge-base", "main", "topic"))


# What a checkout is like -> why nothing was compared.
def no_repository(project: Repository) -> Path:
    shutil.rmtree(project.root / ".git")
    return project.root


def no_commits(project: Repository) -> Path:
    shutil.rmtree(project.root / ".git")
    return Repository(project.root).root


def pull_request(project: Repository, depth: int) -> Path:
    """What a workflow of a pull request checks out: its merge commit, and no branch."""
    delete_the_case(project)
    project.commit()
    project.git("switch", "-q", "--detach", "main")
    project.merge("topic")
    project.git("update-ref", "refs/pull/1/merge", "HEAD")
    shallow = Repository(project.root.parent / "s")
    shallow.git("switch", "-q", "-c", "unborn")
    shallow.git("fetch", "-q", f"--depth={depth}", project.root.as_uri(), "refs/pull/1/merge")
    shallow.git("checkout", "-q", "--detach", "FETCH_HEAD")
    return shallow.root


def other_branch(project: Repository) -> Path:
    project.git("branch", "-q", "-m", "main", "trunk")
    return project.root


def unreadable(project: Repository) -> Path:
    project.replace(TRIAGE, "name: triage", "nam: triage")
    project.commit()
    project.git("branch", "-f", "main")
    project.replace(TRIAGE, "nam: triage", "name: triage")
    return project.root


OUT_OF_REACH: dict[str, tuple[Callable[[Repository], Path], str]] = {
    "no repository": (no_repository, NO_REPOSITORY),
    "no commits": (no_commits, NO_COMMITS),
    "depth 1": (lambda project: pull_request(project, 1), comparison.CUT_OFF),
    "no default branch": (other_branch, comparison.NO_BRANCH),
    "suites that cannot be read": (unreadable, f"its suites cannot be read: {TRIAGE}:1"),
}


@pytest.mark.parametrize(("make", "why"), OUT_OF_REACH.values(), ids=OUT_OF_REACH)
def test_no_base_in_reach_says_so(make: Callable[[Repository], Path], why: str, project: Repository) -> None:
    results = compared(make(project))
    assert results.not_compared == why
    assert (results.base, results.no_longer_replayed, results.behaviour) == (None, None, None)


def test_a_checkout_of_depth_2_is_enough(project: Repository) -> None:
    results = compared(pull_request(project, 2))
    assert (results.state, results.not_compared) == ("shrunk", "")


def test_a_revision_that_is_not_there_is_told(project: Repository) -> None:
    assert compared(project.root, revision="nowhere").not_compared.startswith("there is no commit 'nowhere'")


# The command: when it compares, and what it says then.


@pytest.mark.parametrize(
    ("words", "ci", "told"),
    [
        ((), "", False),
        ((), "true", True),
        ((), "false", False),
        (("--base", "main"), "", True),
        (("--json-out", "r.json"), "", True),
        (("--markdown-out", "r.md"), "", True),
        (("--junit-out", "r.xml"), "", False),
    ],
)
def test_the_command_compares_where_somebody_reads_it(
    words: tuple[str, ...],
    ci: str,
    told: bool,
    project: Repository,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    delete_the_case(project)
    monkeypatch.chdir(project.root)
    monkeypatch.setenv("CI", ci)
    assert main(("run", *words)) == 0
    out = capsys.readouterr().out
    assert ("39 of 40 cases clear, 1 no longer replayed" in out) == told
    assert ("no longer replayed: triage::case 3: no suite holds it any more" in out) == told


def test_every_report_says_it_first(
    project: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    delete_the_case(project)
    monkeypatch.chdir(project.root)
    assert main(("run", "--json-out", "r.json", "--markdown-out", "r.md")) == 0
    found = json.loads((project.root / "r.json").read_text(encoding="utf-8"))
    assert found["state"] == "shrunk"
    assert [one["case"] for one in found["no_longer_replayed"]] == ["triage::case 3"]
    assert (
        (project.root / "r.md")
        .read_text(encoding="utf-8")
        .startswith("### ⚠️ 39 of 40 cases clear, 1 no longer replayed\n")
    )
