"""Git is called so that a repository can neither run anything nor reach out, and its refusals are sentences."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from dryfire_action.git_log import log_of, merge_base, repository
from dryfire_action.git_objects import GitObjects
from dryfire_action.git_process import GitError, NoRepository, ask, refusal
from dryfire_action.git_tree import CommitTree, IndexTree
from tests.git_repository import Repository


def fake_git(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "git").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


REFUSALS = {
    "owner": (
        b"fatal: detected dubious ownership in repository at '/x'\nTo add an exception ...",
        "git refuses to read {root}, because the folder belongs to another user",
        "git config --global --add safe.directory {root}",
    ),
    "owner, as older versions say it": (
        b"fatal: unsafe repository ('/x' is owned by someone else)",
        "git refuses to read {root}, because the folder belongs to another user",
        "safe.directory",
    ),
    "anything else": (
        b"warning: x\nfatal: bad config line 1 in file .git/config\n",
        "git log failed: bad config line 1 in file .git/config",
        "git -C {root} status",
    ),
    "what hides": (b"fatal: \x1b[31mred", "git log failed: \\x1b[31mred", ""),
    "nothing": (b"", "git log failed: it ended at once", ""),
}


@pytest.mark.parametrize(("said", "message", "remedy"), REFUSALS.values(), ids=REFUSALS.keys())
def test_a_refusal_is_a_sentence_with_a_remedy(
    said: bytes, message: str, remedy: str, tmp_path: Path
) -> None:
    error = refusal(tmp_path, "log", said)
    assert error.message == message.format(root=tmp_path)
    assert remedy.format(root=tmp_path) in error.remedy
    assert not isinstance(error, NoRepository)


def test_no_git_on_the_path_is_an_error_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="git was not found on PATH") as caught:
        ask(tmp_path, ["status"])
    assert "install it" in caught.value.remedy


def test_a_git_in_the_current_folder_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marker = tmp_path / "marker"
    (tmp_path / "git").write_text(f"#!/bin/sh\ntouch {marker}\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")
    with pytest.raises(GitError, match="not found"):
        ask(tmp_path, ["status"])
    assert not marker.exists()


def test_a_git_that_cannot_be_started_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "git").write_text("no program")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="could not be started"):
        ask(tmp_path, ["status"])


def test_a_git_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_git(tmp_path / "bin", monkeypatch, "exec sleep 60")
    with pytest.raises(GitError, match=r"took more than 0\.2 s"):
        ask(tmp_path, ["status"], seconds=0.2)


def test_a_refusal_reaches_every_way_to_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_git(
        tmp_path / "bin",
        monkeypatch,
        "echo \"fatal: detected dubious ownership in repository at '/x'\" >&2; exit 128",
    )
    objects = GitObjects(tmp_path)
    for read in (
        lambda: repository(tmp_path),
        lambda: log_of(tmp_path),
        lambda: merge_base(tmp_path),
        lambda: objects.read("HEAD:x"),
        lambda: CommitTree(objects),
        lambda: IndexTree(objects).read("x"),
    ):
        with pytest.raises(GitError, match="belongs to another user"):
            read()


def test_nothing_in_a_repository_is_run(tmp_path: Path) -> None:
    """Everything in its settings that could start a program, and content that would make git use it."""
    found = Repository(tmp_path / "repository")
    marker = tmp_path / "marker"
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $@" >> {marker}\n')
    program.chmod(0o755)
    found.write("a.yaml", "x\n" * 20)
    found.write(".gitattributes", "* diff=odd filter=odd\n")
    found.commit()
    found.git("mv", "a.yaml", "b.yaml")
    found.write("b.yaml", "x\n" * 20 + "y")
    found.commit()
    unsigned = found.git("cat-file", "commit", "HEAD")
    head, _, body = unsigned.partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    commit = f"{head}\n{signature}\n\n{body}\n".encode()
    signed = found.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=commit)
    found.git("update-ref", "HEAD", signed)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "post-index-change", "fsmonitor-watchman", "reference-transaction"):
        (hooks / name).symlink_to(program)
    for name in (
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "pager.cat-file",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "gpg.program",
        "diff.external",
        "diff.odd.command",
        "diff.odd.textconv",
        "filter.odd.smudge",
        "filter.odd.clean",
        "filter.odd.process",
        "core.alternateRefsCommand",
        "credential.helper",
        "uploadpack.packObjectsHook",
    ):
        found.git("config", name, str(program))
    for name, value in {
        "log.showSignature": "true",
        "log.follow": "true",
        "log.showRoot": "false",
        "diff.renames": "false",
        "color.ui": "always",
        "core.hooksPath": str(hooks),
        "alias.log": f"!{program}",
        "alias.ls-files": f"!{program}",
        "format.pretty": "oneline",
        "log.decorate": "full",
        "core.untrackedCache": "true",
        "core.quotePath": "true",
    }.items():
        found.git("config", name, value)
    for command in (("log", "-1"), ("status",), ("log", "-1", "-p")):
        marker.unlink(missing_ok=True)
        with suppress(AssertionError):
            found.git(*command)
        assert marker.exists(), f"git {command} runs nothing here, so this test would prove nothing"
    marker.unlink()
    log = log_of(found.root, ["*.yaml"])
    assert [(list(commit.paths), dict(commit.renamed)) for commit in log.commits] == [
        (["a.yaml", "b.yaml"], {"b.yaml": "a.yaml"}),
        (["a.yaml"], {}),
    ]
    assert merge_base(found.root, "HEAD^") == log.commits[1].oid
    assert repository(found.root) is not None
    with GitObjects(found.root) as objects:
        assert sorted(CommitTree(objects).files()) == sorted(IndexTree(objects).files())
        assert CommitTree(objects).read("b.yaml") == IndexTree(objects).read("b.yaml")
    assert not marker.exists(), marker.read_text()
