"""Old texts are found in git by their digest, whatever has happened to the repository since."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dryfire_action import old_text
from dryfire_action.case_values import values_of
from dryfire_action.cassette_names import cassette_path
from dryfire_action.fingerprint import digest
from dryfire_action.git_log import NO_COMMITS, NO_REPOSITORY
from dryfire_action.git_objects import GitObjects
from dryfire_action.git_tree import CommitTree
from dryfire_action.ignore_rules import IgnoreRule, ignoring
from dryfire_action.old_text import (
    CUT_OFF,
    LEFT_OUT,
    NO_HISTORY,
    NOT_FOUND,
    History,
)
from dryfire_action.patterns import compile_pattern
from dryfire_action.suite_file import load_suites
from dryfire_action.tree import FolderTree
from tests.git_repository import Repository
from tests.pasts import FILE, NEW, OLD, SUITE, Past, begun, record
from tests.pasts_of_checkouts import CHECKOUTS
from tests.pasts_of_edits import EDITS

if TYPE_CHECKING:
    from collections.abc import Callable

    from dryfire_action.suite import Case


@pytest.fixture(autouse=True)
def _no_settings_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def case_in(root: Path, file: str = FILE, name: str = "late") -> Case:
    [suite] = load_suites(FolderTree(root), [file])
    return next(case for case in suite.cases if case.name == name)


SENTENCES = (NO_REPOSITORY, NO_COMMITS, NO_HISTORY, NOT_FOUND, CUT_OFF, LEFT_OUT)


@pytest.mark.parametrize("make", (*CHECKOUTS, *EDITS), ids=lambda make: make.__name__)
def test_the_old_text_is_recovered_or_said_to_be_out_of_reach(
    make: Callable[[Path], Past], tmp_path: Path
) -> None:
    past = make(tmp_path)
    tree = FolderTree(past.root)
    [suite] = load_suites(tree, [past.file])
    [case] = suite.cases
    assert digest(past.wanted) not in values_of(case), "the case still holds what is looked for"
    with History(past.root, tree, base=past.base) as history:
        cassette = cassette_path(".dryfire/cassettes", case.suite, case.name)
        found = history.old_value(case, cassette, digest(past.wanted))
        if past.found in SENTENCES:
            assert found is None
            assert history.why_none == past.found
            return
        assert found is not None, history.why_none
        assert json.dumps(found.value) == json.dumps(past.found)
        if past.at is not None:
            assert str(found.place) == past.at
        with GitObjects(past.root) as objects:
            assert objects.commit(found.revision), "the revision is one that can be shown"


@pytest.fixture
def git_calls(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with one line for every git that is started from now on."""
    folder = tmp_path_factory.mktemp("bin")
    calls = folder / "calls"
    calls.touch()
    program = folder / "git"
    program.write_text(f'#!/bin/sh\necho "$@" >> {calls}\nexec {shutil.which("git")} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return calls


def test_a_hundred_cases_are_recovered_with_two_processes(tmp_path: Path, git_calls: Path) -> None:
    repository = Repository(tmp_path)
    for number in range(10):
        cases = "".join(f"  - {{name: c{k}, input: Question {k}?, expect: []}}\n" for k in range(10))
        head = SUITE.split("cases:")[0].replace("refunds", f"s{number}")
        repository.write(f"evals/s{number}.eval.yaml", f"{head}cases:\n{cases}")
        for k in range(10):
            record(repository, f"s{number}", f"c{k}")
        repository.commit()
    for number in range(10):
        repository.replace(f"evals/s{number}.eval.yaml", OLD, NEW)
        repository.replace(f"evals/s{number}.eval.yaml", "Question", "Query")
    repository.commit()
    git_calls.write_text("")
    tree = FolderTree(tmp_path)
    suites = load_suites(tree, ["evals/*.eval.yaml"])
    recovered = 0
    with History(tmp_path, tree) as history:
        for suite in suites:
            for case in suite.cases:
                for text in (OLD, case.messages[0].content.replace("Query", "Question")):
                    found = history.old_value(
                        case, cassette_path(".dryfire/cassettes", case.suite, case.name), digest(text)
                    )
                    recovered += found is not None and found.value == text
    assert recovered == 200
    calls = git_calls.read_text().splitlines()
    assert len(calls) == 2, calls


def test_a_text_that_cannot_be_found_does_not_read_equal_files_again(
    tmp_path: Path, git_calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = begun(tmp_path)
    for number in range(30):
        repository.write("README.md", str(number))
        record(repository, date=str(number))
        repository.commit()
    loads = []

    def counting(tree: object, patterns: list[str]) -> object:
        loads.append(patterns)
        return load_suites(tree, patterns)  # type: ignore[arg-type]

    monkeypatch.setattr(old_text, "load_suites", counting)
    with History(tmp_path, FolderTree(tmp_path)) as history:
        case = case_in(tmp_path)
        for text in ("never", "ever"):
            assert (
                history.old_value(case, cassette_path(".dryfire/cassettes", "refunds", "late"), digest(text))
                is None
            )
    assert len(loads) == 1


def test_the_history_of_a_commit_is_that_before_it(tmp_path: Path) -> None:
    """Where a commit is compared with the past, what came after it is not its past."""
    repository = begun(tmp_path, SUITE.replace(OLD, "Refund never."))
    middle = repository.commit()
    repository.replace(FILE, "Refund never.", OLD)
    repository.commit()
    case = case_in(tmp_path)
    with GitObjects(tmp_path) as objects, History(tmp_path, CommitTree(objects, middle)) as history:
        assert history.old_value(case, "x.json", digest(OLD)) is None
        assert history.old_value(case, "x.json", digest("Refund never.")) is not None


def test_a_repository_that_git_refuses_is_a_sentence_and_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(tmp_path)
    case = case_in(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with History(tmp_path, FolderTree(tmp_path)) as history:
        assert history.old_value(case, "x.json", digest(OLD)) is None
        assert history.why_none == "git was not found on PATH"


def test_ignore_rules_of_today_find_a_text_recorded_under_them(tmp_path: Path) -> None:
    """After a rekey the recorded digest is that of the masked text, and the old commit knows no such rule."""
    repository = begun(tmp_path, SUITE.replace(OLD, "Today is 2025-01-31. Be brief."))
    repository.replace(FILE, "Today is 2025-01-31. Be brief.", "Today is 2025-06-30. Be long.")
    rules = (IgnoreRule("system", r"\d{4}-\d{2}-\d{2}"),)
    mask = ignoring((rule, compile_pattern(rule.pattern)) for rule in rules)
    assert mask is not None
    recorded = digest(mask("system", "Today is 2025-05-05. Be brief."))
    case = case_in(tmp_path)
    with History(tmp_path, FolderTree(tmp_path)) as history:
        assert history.old_value(case, "x.json", recorded) is None
        found = history.old_value(case, "x.json", recorded, ignore=rules)
    assert found is not None
    assert found.value == "Today is 2025-01-31. Be brief."


def test_reading_again_after_close_works(tmp_path: Path) -> None:
    begun(tmp_path)
    case = case_in(tmp_path)
    history = History(tmp_path, FolderTree(tmp_path))
    for _ in range(2):
        assert history.old_value(case, "x.json", digest(OLD)) is not None
        history.close()
