"""What the action's processes are started with, as a runner does it, around the project of `kept_project`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests import kept_project
from tests.git_repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

NUMBER = 7
SYSTEM = "evals/shop.eval.yaml"


@dataclass
class Job:
    """A job on a pull request: the workspace, the runner's temp folder, and the folder of one use of the action."""

    home: Path
    workspace: Path = field(init=False)
    temp: Path = field(init=False)
    folder: Path = field(init=False)
    repository: Repository = field(init=False)

    def __post_init__(self) -> None:
        self.workspace, self.temp = self.home / "workspace", self.home / "temp"
        self.folder = self.temp / "dryfire-1"
        self.folder.mkdir(parents=True)
        self.repository = Repository(self.workspace)
        kept_project.make(self.workspace)
        kept_project.ask(self.workspace)
        self.repository.write(".gitignore", "*.partial\n*.partial.lock\n")
        self.repository.commit("begin")
        self.repository.git("checkout", "-q", "-b", "topic")

    def edit(self, old: str, new: str, path: str = SYSTEM) -> None:
        """Edit a file of the pull request, and commit."""
        self.repository.replace(path, old, new)
        self.repository.commit()

    @property
    def head(self) -> str:
        """The commit that is checked out."""
        return self.repository.git("rev-parse", "HEAD")

    @property
    def base(self) -> str:
        """The tip of the branch that the pull request goes to."""
        return self.repository.git("rev-parse", "main")

    def payload(self, repository: str = "acme/demo") -> dict[str, Any]:
        """The payload of `pull_request`; ``repository`` is where the head lies."""
        where = {"full_name": "acme/demo"}
        head = {"sha": self.head, "ref": "topic", "repo": {"full_name": repository}}
        pull_request = {
            "number": NUMBER,
            "head": head,
            "base": {"sha": self.base, "ref": "main", "repo": where},
        }
        return {"number": NUMBER, "repository": where, "pull_request": pull_request}

    def environ(
        self, event: str = "pull_request", payload: dict[str, Any] | None = None, **more: str
    ) -> dict[str, str]:
        """The variables of a step; ``more`` are inputs of the action (`fail_on`) and variables (`GITHUB_RUN_ID`)."""
        file = self.home / "event.json"
        file.write_text(json.dumps(self.payload() if payload is None else payload))
        given = {name if name.isupper() else f"DRYFIRE_{name.upper()}": value for name, value in more.items()}
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "RUNNER_TEMP": str(self.temp),
            "DRYFIRE_FOLDER": str(self.folder),
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(file),
            "GITHUB_REPOSITORY": "acme/demo",
            "GITHUB_SHA": self.head,
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_RUN_ID": "1",
            "GITHUB_JOB": "evals",
            "GITHUB_OUTPUT": str(self.home / "output"),
            "GITHUB_STEP_SUMMARY": str(self.home / "summary"),
            **given,
        }

    def result(self) -> dict[str, Any]:
        """The result file."""
        found: dict[str, Any] = json.loads((self.folder / "result.json").read_text())
        return found
