"""The hooks that replay and validate look at everything staged, or at the suites that their arguments name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dryfire_hooks import cassette_stale, suite_validate
from tests.git_repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

SUITE = """\
name: desk
provider: fake
model: m-1
system: Be brief.
cases:
  - name: hours
    input: When are you open?
    script: [{text: From nine to five.}]
    expect: []
"""
CONFIG = "version: 1\nsuites: ['*.eval.yaml']\ncassettes: {scripted: true}\n"


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Two packages: nothing is recorded in `theirs`, where a suite is wrong too; `ours` has none of that."""
    found = Repository(tmp_path / "repository")
    found.write("theirs/dryfire.yaml", CONFIG)
    found.write("theirs/desk.eval.yaml", SUITE)
    found.write("theirs/odd.eval.yaml", SUITE.replace("input", "imput"))
    found.write("ours/dryfire.yaml", CONFIG.replace("scripted: true", "scripted: false"))
    found.write("ours/desk.eval.yaml", SUITE)
    found.commit()
    monkeypatch.chdir(found.root)
    return found


@pytest.mark.parametrize("hook", [cassette_stale, suite_validate])
def test_without_a_pattern_all_packages_count(hook: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert hook.main([]) in (1, 2)  # type: ignore[attr-defined]
    assert "theirs/odd.eval.yaml" in "".join(capsys.readouterr())


@pytest.mark.parametrize("hook", [cassette_stale, suite_validate])
def test_with_a_pattern_only_what_it_names(hook: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert hook.main(["ours/**/*.eval.yaml"]) == 0  # type: ignore[attr-defined]
    assert capsys.readouterr() == ("", "")


def test_what_is_named_is_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cassette_stale.main(["theirs/desk.eval.yaml"]) == 1
    assert "desk::hours" in capsys.readouterr().out


@pytest.mark.parametrize("hook", [cassette_stale, suite_validate])
@pytest.mark.parametrize(
    ("word", "said"), [("--fix", "unknown argument '--fix'"), ("none/*", "no file matches none/*")]
)
def test_what_cannot_be_meant_is_refused(
    hook: object, word: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert hook.main([word]) == 2  # type: ignore[attr-defined]
    assert said in capsys.readouterr().err
