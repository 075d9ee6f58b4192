"""The hooks where a repository's past and shape matter: merges, shallow clones, several packages, odd files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.git_repository import Repository
from tests.integration.hook_project import CONFIG, HOOKS, KEY, SUITE, config_of, run, vcr

BOTH = pytest.mark.parametrize("tool", ["pre-commit", "prek"])


def said(done: subprocess.CompletedProcess[str]) -> str:
    return done.stdout + done.stderr


def branch(repository: Repository, name: str, path: str, content: str) -> None:
    """A branch off the main one with one more commit, made without hooks."""
    repository.git("checkout", "-q", "-b", name, "main")
    repository.write(path, content)
    repository.git("add", "-A")
    repository.git("commit", "-q", "--no-verify", "-m", name)


@pytest.mark.slow
@BOTH
class TestMerges:
    """What a merge commit would hold."""

    def conflict(self, project: Repository, home: Path) -> None:
        """Two branches that recorded the same cassette differently; the merge has stopped in the middle."""
        project.write("tests/cassettes/a.yaml", vcr("REDACTED"))
        project.commit("a recording")
        branch(project, "ours", "tests/cassettes/a.yaml", vcr("REDACTED-1"))
        branch(project, "theirs", "tests/cassettes/a.yaml", vcr("REDACTED-2"))
        assert run("git", "merge", "ours", cwd=project.root, home=home).returncode == 1

    def test_marks_of_a_conflict_are_named(self, tool: str, project: Repository, home: Path) -> None:
        self.conflict(project, home)
        project.git("add", "-A")
        done = run(tool, "run", "cassette-redact", cwd=project.root, home=home)
        assert done.returncode == 1
        assert (
            "tests/cassettes/a.yaml:6: (text): conflict: not checked: the marks of a merge conflict"
            in done.stdout
        )

    def test_a_secret_that_the_resolution_brings_blocks(
        self, tool: str, project: Repository, home: Path
    ) -> None:
        run(tool, "install", cwd=project.root, home=home)
        self.conflict(project, home)
        project.write("tests/cassettes/a.yaml", vcr(KEY))
        project.git("add", "-A")
        done = run("git", "commit", "--no-edit", cwd=project.root, home=home)
        assert done.returncode != 0 and "anthropic-key: sk-a…" in said(done)
        project.write("tests/cassettes/a.yaml", vcr("REDACTED-1"))
        project.git("add", "-A")
        done = run("git", "commit", "--no-edit", cwd=project.root, home=home)
        assert done.returncode == 0, said(done)

    def test_a_secret_from_the_other_side_blocks(self, tool: str, project: Repository, home: Path) -> None:
        run(tool, "install", "-t", "pre-commit", "-t", "pre-merge-commit", cwd=project.root, home=home)
        branch(project, "other", "tests/cassettes/b.yaml", vcr(KEY))
        branch(project, "here", "notes.txt", "notes\n")
        done = run("git", "merge", "--no-edit", "other", cwd=project.root, home=home)
        assert done.returncode != 0
        assert "tests/cassettes/b.yaml:6: " in said(done) and KEY[:12] not in said(done)
        project.git("merge", "--abort")
        branch(project, "clean", "tests/cassettes/c.yaml", vcr("REDACTED"))
        project.git("checkout", "-q", "here")
        done = run("git", "merge", "--no-edit", "clean", cwd=project.root, home=home)
        assert done.returncode == 0, said(done)

    def test_two_branches_of_one_case_make_it_stale(self, tool: str, project: Repository, home: Path) -> None:
        """Each side is in order; together, the suite of one answers to the recording of the other."""
        run(tool, "install", "-t", "pre-commit", "-t", "pre-merge-commit", cwd=project.root, home=home)
        branch(
            project,
            "prompt",
            "evals/parcels.eval.yaml",
            SUITE.replace("You track parcels.", "You find them."),
        )
        branch(project, "here", "notes.txt", "notes\n")
        done = run("git", "merge", "--no-edit", "prompt", cwd=project.root, home=home)
        assert done.returncode != 0
        assert "1. system changed" in said(done)


@pytest.mark.slow
@BOTH
def test_a_shallow_clone(tool: str, project: Repository, home: Path, tmp_path: Path) -> None:
    project.write("tests/cassettes/old.yaml", vcr("REDACTED"))
    project.commit("more")
    clone = project.clone(tmp_path / "shallow", "--depth", "1")
    done = run(tool, "run", "--all-files", cwd=clone.root, home=home)
    assert done.returncode == 0, said(done)
    clone.write("tests/cassettes/old.yaml", vcr(KEY))
    clone.replace("evals/parcels.eval.yaml", "You track parcels.", "You find parcels.")
    clone.git("add", "-A")
    done = run(tool, "run", cwd=clone.root, home=home)
    assert done.returncode == 1
    assert "tests/cassettes/old.yaml:6: " in done.stdout
    assert "1. system changed" in done.stdout
    assert "Traceback" not in said(done)


PACKAGE_RULES = """\
redact:
  rules:
    - {id: customer, pattern: 'CUST-[0-9]{5}'}
  allow:
    - {rule: anthropic-key, path: 'packages/one/*', reason: revoked}
"""


@pytest.mark.slow
@BOTH
def test_packages_with_a_config_each(tool: str, product: tuple[str, str], home: Path, tmp_path: Path) -> None:
    found = Repository(tmp_path / "packages")
    found.write(".pre-commit-config.yaml", config_of(product))
    for package, more in (("one", PACKAGE_RULES), ("two", "")):
        found.write(f"packages/{package}/dryfire.yaml", CONFIG + more)
        found.write(f"packages/{package}/evals/parcels.eval.yaml", SUITE)
        done = run(
            "dryfire", "run", "--cassette-mode", "record", cwd=found.root / "packages" / package, home=home
        )
        assert done.returncode == 0, said(done)
    found.commit("begin")
    done = run(tool, "run", "--all-files", cwd=found.root, home=home)
    assert done.returncode == 0, said(done)

    # Rules and exceptions hold in their package only.
    found.write("packages/one/cassettes/a.yaml", vcr(KEY))
    found.write("packages/one/cassettes/b.yaml", vcr("REDACTED") + "# CUST-12345\n")
    found.write("packages/two/cassettes/a.yaml", vcr(KEY))
    found.write("packages/two/cassettes/b.yaml", vcr("REDACTED") + "# CUST-12345\n")
    # One edit that makes one package's recording stale, and one that makes the other's suite wrong.
    found.replace("packages/one/evals/parcels.eval.yaml", "You track parcels.", "You find parcels.")
    found.replace("packages/two/evals/parcels.eval.yaml", "{return: {at: Oslo}}", "{impl: parcels:track}")
    found.git("add", "-A")
    done = run(tool, "run", cwd=found.root, home=home)
    assert done.returncode == 1
    assert "packages/one/cassettes/b.yaml:11: (text): customer: " in done.stdout
    assert "packages/two/cassettes/a.yaml:6: " in done.stdout
    assert "packages/one/cassettes/a.yaml" not in done.stdout
    assert "packages/two/cassettes/b.yaml" not in done.stdout
    assert "1. system changed" in done.stdout
    assert "packages/two/evals/parcels.eval.yaml:10" in done.stdout


@pytest.mark.slow
@BOTH
def test_the_baseline_and_the_teams_rules_count(tool: str, project: Repository, home: Path) -> None:
    project.write("tests/cassettes/old.yaml", vcr(KEY))
    done = run("dryfire", "redact", "--write-baseline", "tests", cwd=project.root, home=home)
    assert done.returncode == 0, said(done)
    project.git("add", "-A")
    done = run(tool, "run", cwd=project.root, home=home)
    assert done.returncode == 0, said(done)
    project.write("dryfire.yaml", CONFIG + "redact: {rules: [{id: customer, pattern: 'CUST-[0-9]{5}'}]}\n")
    project.write("tests/cassettes/new.json", '{"response": {"body": "for CUST-12345"}}\n')
    project.git("add", "-A")
    done = run(tool, "run", "cassette-redact", cwd=project.root, home=home)
    assert done.returncode == 1
    assert "new.json:1: response.body: customer: …(10 characters)" in done.stdout
    assert "old.yaml" not in done.stdout


class TestWithoutAFramework:
    """What a plain git hook sees of odd states."""

    @pytest.fixture
    def repository(self, tmp_path: Path, home: Path) -> Repository:
        found = Repository(tmp_path / "r")
        found.write("a.txt", "hello\n")
        found.commit("begin")
        hook = found.root / ".git/hooks/pre-commit"
        hook.write_text("#!/bin/sh\ndryfire-cassette-redact\n", encoding="utf-8")
        hook.chmod(0o755)
        return found

    def commit(self, repository: Repository, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
        return run("git", "commit", "-q", "-m", "x", *words, cwd=repository.root, home=home)

    def test_commits_of_all_and_of_some_files(self, repository: Repository, home: Path) -> None:
        repository.write("cassettes/a.yaml", vcr("REDACTED"))
        repository.write("cassettes/b.yaml", vcr("REDACTED"))
        repository.git("add", "-A")
        assert self.commit(repository, home).returncode == 0
        repository.write("cassettes/a.yaml", vcr(KEY))
        assert self.commit(repository, home, "-a").returncode == 1
        assert self.commit(repository, home, "cassettes/a.yaml").returncode == 1
        repository.write("cassettes/b.yaml", vcr("REDACTED-2"))
        # Only what this commit would hold counts: the other file stays behind.
        done = self.commit(repository, home, "cassettes/b.yaml")
        assert done.returncode == 0, said(done)

    @pytest.mark.parametrize(
        "name", ["a\nb.yaml", "ä ö.yaml", "-rf.yaml", "a'b\"c.yaml", "no-ending", "a.yaml.orig"]
    )
    def test_names(self, repository: Repository, home: Path, name: str) -> None:
        repository.write(f"cassettes/{name}", vcr(KEY))
        repository.git("add", "-A")
        done = self.commit(repository, home)
        assert done.returncode == 1
        assert KEY[:12] not in said(done)

    def test_a_link_is_not_followed_and_not_passed_in_silence(
        self, repository: Repository, home: Path
    ) -> None:
        repository.write("data/a.txt", vcr(KEY))
        (repository.root / "cassettes").mkdir()
        (repository.root / "cassettes/a.yaml").symlink_to("../data/a.txt")
        repository.git("add", "-A")
        done = self.commit(repository, home)
        assert done.returncode == 1 and "cassettes/a.yaml:1: (file): not-a-file" in said(done)

    def test_what_is_kept_elsewhere_is_read_from_the_folder(self, repository: Repository, home: Path) -> None:
        pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 3\n"
        repository.write("cassettes/a.yaml", pointer)
        repository.git("add", "-A")
        repository.write("cassettes/a.yaml", vcr(KEY))
        assert self.commit(repository, home).returncode == 1

    def test_a_clean_filter_counts(self, repository: Repository, home: Path) -> None:
        """Git stages what the filter makes of the file, so that is what is judged."""
        repository.git("config", "filter.hide.clean", f"sed s/{KEY}/REDACTED/")
        repository.write(".gitattributes", "cassettes/** filter=hide\n")
        repository.write("cassettes/a.yaml", vcr(KEY))
        repository.git("add", "-A")
        done = self.commit(repository, home)
        assert done.returncode == 0, said(done)

    def test_a_submodule_is_a_repository_of_its_own(
        self, repository: Repository, home: Path, tmp_path: Path
    ) -> None:
        inner = Repository(tmp_path / "inner")
        inner.write("cassettes/a.yaml", vcr(KEY))
        inner.commit("oops")
        repository.git(
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "add",
            "-q",
            inner.root.as_uri(),
            "cassettes/inner",
        )
        done = self.commit(repository, home)
        assert "Traceback" not in said(done)
        assert done.returncode in (0, 1)

    def test_fixed_in_the_folder_is_not_fixed_in_the_commit(self, repository: Repository, home: Path) -> None:
        repository.write("cassettes/a.yaml", vcr(KEY))
        repository.git("add", "-A")
        for _ in range(2):
            done = run("dryfire-cassette-redact", "--fix", cwd=repository.root, home=home)
            assert done.returncode == 1
        assert "the file in the folder is another" in done.stdout
        repository.git("add", "-A")
        assert run("dryfire-cassette-redact", "--fix", cwd=repository.root, home=home).returncode == 0

    def test_a_file_that_is_staged_and_gone_from_the_folder(self, repository: Repository, home: Path) -> None:
        repository.write("cassettes/a.yaml", vcr(KEY))
        repository.git("add", "-A")
        os.unlink(repository.root / "cassettes/a.yaml")  # noqa: PTH108
        assert self.commit(repository, home).returncode == 1

    def test_every_hook_in_a_subfolder_and_a_bare_state(self, repository: Repository, home: Path) -> None:
        repository.write("sub/cassettes/a.yaml", vcr(KEY))
        repository.git("add", "-A")
        done = run("dryfire-cassette-redact", cwd=repository.root / "sub", home=home)
        assert done.returncode == 1
        for hook in HOOKS[1:]:
            assert run(f"dryfire-{hook}", cwd=repository.root / "sub", home=home).returncode == 0
