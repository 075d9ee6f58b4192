"""The hooks, run by the real pre-commit and the real prek, from this repository at a revision."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.git_repository import Repository
from tests.integration.hook_project import CONFIG, HOOKS, KEY, SUITE, run, vcr


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["pre-commit", "prek"])
class TestWithAFramework:
    """What a framework does with the hooks."""

    def test_a_clean_repository_passes(self, tool: str, project: Repository, home: Path) -> None:
        done = run(tool, "run", "--all-files", cwd=project.root, home=home)
        assert done.returncode == 0, done.stdout + done.stderr

    def test_a_secret_blocks_and_is_not_shown(self, tool: str, project: Repository, home: Path) -> None:
        project.write("tests/cassettes/été 1.yaml", vcr(KEY))
        project.git("add", "-A")
        done = run(tool, "run", "cassette-redact", cwd=project.root, home=home)
        assert done.returncode == 1
        assert (
            "été 1.yaml:6: interactions[0].request.headers.x-api-key[0]: anthropic-key: sk-a…" in done.stdout
        )
        assert KEY[:12] not in done.stdout + done.stderr
        assert "No dryfire here? pip install dryfire-action brings it" in done.stdout

    def test_all_files_finds_what_is_committed(self, tool: str, project: Repository, home: Path) -> None:
        project.write("tests/cassettes/a.yaml", vcr(KEY))
        commit = project.commit("oops")
        done = run(tool, "run", "cassette-redact", "--all-files", cwd=project.root, home=home)
        assert done.returncode == 1
        assert f"already in history, in {commit[:10]}" in done.stdout
        assert "Revoke" in done.stdout

    def test_what_is_not_staged_does_not_count(self, tool: str, project: Repository, home: Path) -> None:
        project.write("tests/cassettes/a.yaml", vcr("REDACTED"))
        project.git("add", "-A")
        project.write("tests/cassettes/a.yaml", vcr(KEY))
        done = run(tool, "run", "cassette-redact", cwd=project.root, home=home)
        assert done.returncode == 0, done.stdout
        assert KEY in (project.root / "tests/cassettes/a.yaml").read_text(encoding="utf-8")

    def test_what_is_staged_counts_although_the_file_is_clean_now(
        self, tool: str, project: Repository, home: Path
    ) -> None:
        project.write("tests/cassettes/a.yaml", vcr(KEY))
        project.git("add", "-A")
        project.write("tests/cassettes/a.yaml", vcr("REDACTED"))
        assert run(tool, "run", "cassette-redact", cwd=project.root, home=home).returncode == 1

    def test_a_passthrough_case_keeps_its_recording_out(
        self, tool: str, project: Repository, home: Path
    ) -> None:
        project.replace("evals/parcels.eval.yaml", "{return: {at: Oslo}}", "{impl: parcels:track}")
        project.git("add", "-A")
        done = run(tool, "run", "cassette-passthrough", cwd=project.root, home=home)
        assert done.returncode == 1
        assert "evals/parcels.eval.yaml:10" in done.stdout
        assert "parcels::where becomes a passthrough (impl: parcels:track)" in done.stdout
        assert ".dryfire/cassettes/parcels/where.json" in done.stdout
        project.git("rm", "-q", "--cached", ".dryfire/cassettes/parcels/where.json")
        done = run(tool, "run", "cassette-passthrough", cwd=project.root, home=home)
        assert done.returncode == 0, done.stdout

    def test_a_stale_recording_blocks_with_its_cause(
        self, tool: str, project: Repository, home: Path
    ) -> None:
        project.replace("evals/parcels.eval.yaml", "You track parcels.", "You find parcels.")
        project.git("add", "-A")
        done = run(tool, "run", "cassette-stale", cwd=project.root, home=home)
        assert done.returncode == 1
        assert "1. system changed" in done.stdout
        assert "--cassette-mode auto" in done.stdout

    def test_a_deleted_recording_is_seen(self, tool: str, project: Repository, home: Path) -> None:
        project.git("rm", "-q", ".dryfire/cassettes/parcels/where.json")
        done = run(tool, "run", cwd=project.root, home=home)
        assert done.returncode == 1
        assert "missing" in done.stdout

    def test_a_wrong_suite_is_told(self, tool: str, project: Repository, home: Path) -> None:
        project.replace("evals/parcels.eval.yaml", "call_order", "cal_order")
        project.git("add", "-A")
        done = run(tool, "run", "suite-validate", cwd=project.root, home=home)
        assert done.returncode == 1
        assert "cal_order" in done.stdout

    def test_fix_redacts_and_blocks_once(self, tool: str, project: Repository, home: Path) -> None:
        project.replace(
            ".pre-commit-config.yaml", "id: cassette-redact", "id: cassette-redact\n        args: [--fix]"
        )
        project.write("tests/cassettes/a.yaml", vcr(KEY))
        project.git("add", "-A")
        done = run(tool, "run", "cassette-redact", cwd=project.root, home=home)
        assert done.returncode == 1
        fixed = (project.root / "tests/cassettes/a.yaml").read_text(encoding="utf-8")
        assert fixed == vcr("'[redacted:anthropic-key:1]'")
        project.git("add", "-A")
        assert run(tool, "run", "cassette-redact", cwd=project.root, home=home).returncode == 0

    def test_a_commit_is_stopped_and_let_through(self, tool: str, project: Repository, home: Path) -> None:
        run(tool, "install", cwd=project.root, home=home)
        project.write("tests/cassettes/a.yaml", vcr(KEY))
        project.git("add", "-A")
        assert run("git", "commit", "-q", "-m", "x", cwd=project.root, home=home).returncode != 0
        project.write("tests/cassettes/a.yaml", vcr("REDACTED"))
        project.git("add", "-A")
        done = run("git", "commit", "-q", "-m", "x", cwd=project.root, home=home)
        assert done.returncode == 0, done.stdout + done.stderr

    def test_a_worktree_and_a_rename(
        self, tool: str, project: Repository, home: Path, tmp_path: Path
    ) -> None:
        project.git("worktree", "add", "-q", str(tmp_path / "other tree"), "-b", "other")
        other = Repository(tmp_path / "other tree", begin=False)
        other.write("tests/cassettes/a.yaml", vcr(KEY))
        other.git("add", "-A")
        other.git("commit", "-q", "--no-verify", "-m", "oops")
        other.git("mv", "tests/cassettes/a.yaml", "tests/cassettes/b.yaml")
        done = run(tool, "run", "cassette-redact", cwd=other.root, home=home)
        assert done.returncode == 1
        assert "b.yaml:6:" in done.stdout


class TestWithoutAFramework:
    """What a plain git hook runs."""

    def test_the_staged_content_counts(self, tmp_path: Path, home: Path) -> None:
        repository = Repository(tmp_path / "r")
        repository.write("tests/cassettes/a.yaml", vcr(KEY))
        repository.git("add", "-A")
        repository.write("tests/cassettes/a.yaml", vcr("REDACTED"))
        done = run("dryfire-cassette-redact", cwd=repository.root, home=home)
        assert done.returncode == 1
        assert "tests/cassettes/a.yaml:6:" in done.stdout
        assert "the file in the folder is another" in done.stdout
        repository.git("add", "-A")
        assert run("dryfire-cassette-redact", cwd=repository.root, home=home).returncode == 0

    def test_all_files_without_a_framework(self, tmp_path: Path, home: Path) -> None:
        repository = Repository(tmp_path / "r")
        repository.write("tests/cassettes/a.yaml", vcr(KEY))
        repository.commit()
        assert run("dryfire-cassette-redact", cwd=repository.root, home=home).returncode == 0
        assert run("dryfire-cassette-redact", "--all-files", cwd=repository.root, home=home).returncode == 1

    def test_no_repository_is_needed(self, tmp_path: Path, home: Path) -> None:
        (tmp_path / "a.json").write_text(json.dumps({"api_key": KEY}), encoding="utf-8")
        done = run("dryfire-cassette-redact", "a.json", cwd=tmp_path, home=home)
        assert done.returncode == 1
        assert "a.json:1: api_key: anthropic-key" in done.stdout

    def test_a_recording_of_an_older_version_of_a_passthrough_case(self, tmp_path: Path, home: Path) -> None:
        repository = Repository(tmp_path / "r")
        repository.write("dryfire.yaml", CONFIG)
        repository.write(
            "evals/parcels.eval.yaml", SUITE.replace("{return: {at: Oslo}}", "{impl: parcels:track}")
        )
        old = {
            "schema_version": 1,
            "fingerprint": "0" * 16,
            "suite": "parcels",
            "case": "where",
            "response": {},
        }
        repository.write(".dryfire/cassettes/parcels/where/00-0000000000000000.json", json.dumps(old))
        repository.git("add", "-A")
        done = run("dryfire-cassette-passthrough", cwd=repository.root, home=home)
        assert done.returncode == 1
        assert "parcels::where runs real code" in done.stdout

    def test_hooks_have_nothing_to_say_in_a_repository_that_never_heard_of_us(
        self, tmp_path: Path, home: Path
    ) -> None:
        repository = Repository(tmp_path / "r")
        repository.write("a.txt", "hello\n")
        repository.git("add", "-A")
        for hook in HOOKS:
            done = run(f"dryfire-{hook}", cwd=repository.root, home=home)
            assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), hook
