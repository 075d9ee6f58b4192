"""Real git repositories in a test's folder, the same on every machine: own settings, author and dates."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from textwrap import dedent

# Nothing of whoever runs the tests: neither settings, nor the hook that may be running them.
_ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.com",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_TEMPLATE_DIR": "",  # fifteen samples of hooks in every repository
    "GIT_ALLOW_PROTOCOL": "file",
    "LC_ALL": "C",
}
_FIRST = 1_750_000_000


class Repository:
    """A repository with its work tree at ``root``. Every commit is a minute later than the one before."""

    def __init__(self, root: Path, *, begin: bool = True, minutes: int = 0) -> None:
        self.root = root
        self.minutes = minutes
        if begin:
            root.mkdir(parents=True, exist_ok=True)
            self.git("init", "-q", "-b", "main")
            (root / ".git/hooks").mkdir(exist_ok=True)

    def git(self, *arguments: str, stdin: bytes | None = None) -> str:
        """What git says. Fails the test with its complaint where git does."""
        date = f"{_FIRST + 60 * self.minutes} +0000"
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            input=stdin,
            capture_output=True,
            env={**_ENVIRONMENT, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
            check=False,
        )
        assert done.returncode == 0, f"git {arguments}: {done.stderr.decode()}"
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, path: str, content: str | bytes) -> None:
        """Write a file of the work tree. Texts may be indented."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else dedent(content).encode())

    def replace(self, path: str, old: str, new: str) -> None:
        """Edit a file of the work tree; the text must be there."""
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text, f"{path} holds no {old!r}"
        self.write(path, text.replace(old, new).encode())

    def commit(self, message: str = "change") -> str:
        """Commit everything there is, also nothing. Returns the commit's id."""
        self.minutes += 1
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def merge(self, branch: str) -> str:
        """Merge a branch with a merge commit. Returns its id."""
        self.minutes += 1
        self.git("merge", "-q", "--no-ff", "-m", f"merge {branch}", branch)
        return self.git("rev-parse", "HEAD")

    def clone(self, root: Path, *options: str, branch: str = "") -> Repository:
        """A clone as a workflow has it, with ``--depth`` and the like."""
        chosen = ("--branch", branch) if branch else ()
        self.git("clone", "-q", *options, *chosen, self.root.as_uri(), str(root))
        return Repository(root, begin=False, minutes=self.minutes)
