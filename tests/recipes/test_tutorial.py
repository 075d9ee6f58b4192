"""The tutorial, word for word, with the pull request that it opens checked by the action run for real."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from docs import build
from tests.action.act_run import Runner
from tests.action.scene import NUMBER
from tests.git_repository import Repository
from tests.house.repository import ROOT

if TYPE_CHECKING:
    from tests.action.act_run import ActRun
    from tests.github_double import GitHubDouble

PAGE = ROOT / "docs/tutorial/pull-request.md"
WORKFLOW = ".github/workflows/evals.yml"


@dataclass
class Reader:
    """Somebody who does what the page says, in a folder of their own."""

    folder: Path
    runner: Runner
    github: GitHubDouble

    def do(self, block: build.Block) -> None:
        """Write the file, make the edit or call the commands of a block; what commands print is not looked at here."""
        file = block.mark("file")
        rows = block.text.splitlines()
        if block.language == "diff" and file:
            old, new = ("\n".join(row[1:] for row in rows if row[:1] in ("", " ", sign)) for sign in "-+")
            text = (self.folder / file).read_text(encoding="utf-8")
            assert text.count(old) == 1
            (self.folder / file).write_text(text.replace(old, new), encoding="utf-8")
        elif file:
            (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / file).write_text(block.text, encoding="utf-8")
        elif block.language == "sh":
            self.call(block.text, 0)
        elif block.language == "console":
            commands = [row[2:] for row in rows if row.startswith("$ ")]
            self.call("\n".join(commands), int(block.mark("exit") or 0))

    def call(self, script: str, code: int) -> None:
        """Call commands, which must end with ``code``."""
        names = {
            f"GIT_{who}_{what}": "ada@example.com"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        done = subprocess.run(
            ["bash", "-c", f"set -eu\n{script}"],
            cwd=self.folder,
            env={**names, "PATH": path, "HOME": str(self.folder.parent), "LANG": "C.UTF-8"},
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == code, done.stdout.decode() + done.stderr.decode()

    def push(self, number: int) -> ActRun:
        """What GitHub does after a push: the workflow of the branch, on its merge with `main`."""
        own = Repository(self.folder, begin=False)
        head, base = (own.git("rev-parse", name) for name in ("generous", "main"))
        checkout = own.clone(self.folder.parent / f"checkout{number}", branch="main")
        checkout.merge("origin/generous")
        checkout.git("remote", "set-url", "origin", "https://github.com/acme/demo.git")
        self.github.pull_requests[NUMBER].head = head
        repository = {"full_name": "acme/demo"}
        sides = {
            side: {"sha": sha, "ref": ref, "repo": repository}
            for side, sha, ref in (("head", head, "generous"), ("base", base, "main"))
        }
        return self.runner.run(
            checkout.root,
            (checkout.root / WORKFLOW)
            .read_text(encoding="utf-8")
            .replace("steps:\n", "steps:\n      - run: SEED\n"),
            event="pull_request",
            payload={"number": NUMBER, "repository": repository, "pull_request": {"number": NUMBER, **sides}},
            environ={"GITHUB_API_URL": self.github.url, "GITHUB_RUN_ID": str(number)},
            token=self.github.token.text,
        )


def test_the_tutorial_leads_to_a_red_and_then_a_green_pull_request(
    tmp_path: Path, installed: Path, github: GitHubDouble
) -> None:
    github.add_pull_request(NUMBER)
    runner = Runner(tmp_path / "runner", installed / "action", packages=installed / "kept")
    reader = Reader(tmp_path / "agent", runner, github)
    reader.folder.mkdir()
    text = PAGE.read_text(encoding="utf-8")
    runs: list[ActRun] = []
    bodies: list[str] = []
    said = ""
    for block in build.blocks(text):
        reader.do(block)
        if block.language == "text" and not block.mark("file"):
            if "git push" in block.text and "main" not in block.text:
                runs.append(reader.push(len(runs) + 1))
                bodies += [comment.body for comment in github.comments(NUMBER)]
            elif "git" not in block.text:
                said = block.text
    red, green = runs
    assert not red.passed and green.passed
    stale, changed = bodies
    assert "Re-record 3 of 3 cases: one change explains all of them" in stale
    assert "evals/prompts/support.md?plain=1#L3" in stale
    assert "dryfire run evals/support.eval.yaml --cassette-mode auto" in stale
    # What the page shows of the second comment, but for the commit.
    plain = changed.replace("`", "").replace("**", "")
    for row in said.splitlines():
        assert row.partition(" (was: 3 stale at ")[0] in plain, row
    assert "(was: 3 stale at [" in plain
