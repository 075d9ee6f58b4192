"""Baselines: lines that depend on no other line, so that real merges of real branches need no hand."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dryfire_action.secret_baseline import (
    ATTRIBUTES_FILE,
    ATTRIBUTES_LINE,
    BASELINE_FILE,
    Baseline,
    entry_of,
    read_baseline,
    without_entries,
    written_baseline,
)
from tests.git_repository import Repository

VALUES = ("a-first-secret", "another-secret", "the-third-secret")
RULE = "credential-key"


def entries(count: int, prefix: str, key: str = "") -> list[object]:
    return [entry_of(RULE, f"secret {n}", f"tests/{prefix}/{n:03}.yaml", key) for n in range(count)]


def test_what_was_written_is_known_again() -> None:
    known = read_baseline(written_baseline([entry_of(RULE, VALUES[0], "a/b c.yaml", "")]))
    assert known.knows(RULE, VALUES[0], "a/b c.yaml")
    assert not known.knows(RULE, VALUES[1], "a/b c.yaml")
    assert not known.knows("bearer", VALUES[0], "a/b c.yaml")
    assert not known.knows(RULE, VALUES[0], "a/other.yaml")


def test_no_secret_stands_in_it() -> None:
    text = written_baseline([entry_of(RULE, value, "a.yaml", "k") for value in VALUES])
    assert not [value for value in VALUES if value in text]


def test_an_entry_holds_under_its_key_only() -> None:
    text = written_baseline([entry_of(RULE, VALUES[0], "a.yaml", "the key")])
    assert read_baseline(text, "the key").knows(RULE, VALUES[0], "a.yaml")
    assert not read_baseline(text, "another key").knows(RULE, VALUES[0], "a.yaml")
    assert not read_baseline(text).knows(RULE, VALUES[0], "a.yaml")
    assert read_baseline(text).needs_key and not read_baseline(text, "the key").needs_key


def test_lines_that_are_no_entries_are_told_by_their_numbers() -> None:
    known = read_baseline("# a comment\n\nwhat is this?\na.yaml: rule: 12\n" + "a: b: " + "0f" * 16 + "\n")
    assert known.odd == (3, 4)
    assert len(known.entries) == 1
    assert without_entries("# x\na: b: " + "0f" * 16 + "\nleft") == "# x\n\nleft"


def test_entries_that_are_over_are_told() -> None:
    known = Baseline([entry_of(RULE, value, f"{value}.yaml", "") for value in VALUES])
    assert known.knows(RULE, VALUES[0], f"{VALUES[0]}.yaml")
    looked_at = {f"{VALUES[0]}.yaml", f"{VALUES[1]}.yaml"}
    assert [entry.path for entry in known.over(looked_at, lambda _: True)] == [f"{VALUES[1]}.yaml"]
    there = looked_at.__contains__
    assert [entry.path for entry in known.over(looked_at, there)] == [f"{value}.yaml" for value in VALUES[1:]]


def test_a_renamed_file_is_recognized() -> None:
    known = Baseline([entry_of(RULE, VALUES[0], "old.yaml", "")])
    assert known.former_path(RULE, VALUES[0], lambda path: path != "old.yaml") == "old.yaml"
    assert known.former_path(RULE, VALUES[0], lambda _: True) is None


@settings(max_examples=200, deadline=None)
@given(path=st.text(min_size=1, max_size=30).filter(lambda path: "\0" not in path))
def test_every_name_of_a_file_comes_back(path: str) -> None:
    entry = entry_of(RULE, "value", path, "")
    text = written_baseline([entry])
    assert read_baseline(text).entries == {entry}
    assert len(text.splitlines()) == 3


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
class TestMerges:
    """Real merges, with what `--write-baseline` writes."""

    def repository(self, tmp_path: Path) -> Repository:
        found = Repository(tmp_path / "r")
        found.write(ATTRIBUTES_FILE, ATTRIBUTES_LINE)
        found.write(BASELINE_FILE, written_baseline(entries(20, "m")))
        found.commit("begin")
        return found

    def on_branch(self, repository: Repository, branch: str, lines: list[object]) -> None:
        repository.git("checkout", "-q", "-b", branch, "main")
        repository.write(BASELINE_FILE, written_baseline(lines))
        repository.commit(branch)

    @pytest.mark.parametrize(
        ("ours", "theirs"),
        [
            (["a"], ["z"]),
            (["z"], ["zz"]),
            (["n"], ["n2"]),
            (["n", "a", "z"], ["n2", "b", "zz"]),
        ],
    )
    def test_both_branches_add(self, tmp_path: Path, ours: list[str], theirs: list[str]) -> None:
        repository = self.repository(tmp_path)
        one = [entry for prefix in ours for entry in entries(3, prefix)]
        two = [entry for prefix in theirs for entry in entries(3, prefix)]
        self.on_branch(repository, "one", [*entries(20, "m"), *one])
        self.on_branch(repository, "two", [*entries(20, "m"), *two])
        repository.merge("one")
        known = read_baseline((repository.root / BASELINE_FILE).read_text(encoding="utf-8"))
        assert known.entries == {*entries(20, "m"), *one, *two}
        assert known.odd == ()

    def test_the_same_entry_added_twice_and_others_taken_out(self, tmp_path: Path) -> None:
        repository = self.repository(tmp_path)
        self.on_branch(repository, "one", [*entries(20, "m")[5:], *entries(2, "z")])
        self.on_branch(repository, "two", [*entries(20, "m")[:15], *entries(2, "z"), *entries(1, "a")])
        repository.merge("one")
        known = read_baseline((repository.root / BASELINE_FILE).read_text(encoding="utf-8"))
        # A union may bring back what one side took out beside what the other added: that is told as no longer needed.
        wanted = {*entries(20, "m")[5:15], *entries(2, "z"), *entries(1, "a")}
        assert wanted <= known.entries <= wanted | {*entries(20, "m")}
        assert known.odd == ()

    def test_both_branches_begin_one(self, tmp_path: Path) -> None:
        repository = Repository(tmp_path / "r")
        repository.write("x", "x")
        repository.commit("begin")
        for branch, prefix in (("one", "a"), ("two", "b")):
            repository.git("checkout", "-q", "-b", branch, "main")
            repository.write(ATTRIBUTES_FILE, ATTRIBUTES_LINE)
            repository.write(BASELINE_FILE, written_baseline(entries(3, prefix)))
            repository.commit(branch)
        repository.merge("one")
        known = read_baseline((repository.root / BASELINE_FILE).read_text(encoding="utf-8"))
        assert known.entries == {*entries(3, "a"), *entries(3, "b")}

    def test_a_cherry_pick(self, tmp_path: Path) -> None:
        repository = self.repository(tmp_path)
        self.on_branch(repository, "one", [*entries(20, "m"), *entries(2, "y")])
        self.on_branch(repository, "two", [*entries(20, "m"), *entries(2, "z")])
        repository.git("cherry-pick", "one")
        known = read_baseline((repository.root / BASELINE_FILE).read_text(encoding="utf-8"))
        assert known.entries == {*entries(20, "m"), *entries(2, "y"), *entries(2, "z")}
