"""A repository with a pull request, GitHub's double, and a runner that has checked the pull request out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dryfire_action.messages import Response, ToolCall, Usage
from tests import kept_project
from tests.git_repository import Repository
from tests.made_cases import Told, live

if TYPE_CHECKING:
    from pathlib import Path

    from dryfire_action.messages import Request
    from tests.action.act_run import ActRun, Runner
    from tests.github_double import GitHubDouble

NUMBER = 7
SEED = "      - run: SEED\n"
HEAD = """\
on: [pull_request, push, merge_group, workflow_dispatch, pull_request_target, workflow_run]
permissions: {contents: read, pull-requests: write}
jobs:
"""
STEPS = f"""\
    runs-on: ubuntu-latest
    steps:
{SEED}      - uses: actions/checkout@v7
        with: {{fetch-depth: 2}}
"""
BASIC = f"""\
{HEAD}  evals:
{STEPS}      - id: dryfire
        uses: org/dryfire-action@v1
"""


def basic(**inputs: str) -> str:
    """The basic workflow, with inputs of the action; `_` stands for `-`."""
    rows = "".join(f"          {name.replace('_', '-')}: {value!r}\n" for name, value in inputs.items())
    return BASIC + (f"        with:\n{rows}" if inputs else "")


def otherwise(request: Request) -> Response:
    """Answers as `kept_project.two_turns` does, but looks twice as hard, in other words."""
    if request.messages[-1].role == "tool":
        return Response("It is on its way.", usage=Usage(30, 9))
    calls = tuple(ToolCall(f"toolu_{number}", "lookup", {"q": "it", "n": number}) for number in (1, 2))
    return Response(tool_calls=calls, stop_reason="tool_use", usage=Usage(12, 4))


@dataclass
class Scene:
    """The author's repository is `origin`: `main`, and `topic` with the pull request."""

    home: Path
    runner: Runner
    github: GitHubDouble
    origin: Repository = field(init=False)
    token: str = ""
    runs: int = 0

    def __post_init__(self) -> None:
        self.origin = Repository(self.home / "origin")
        kept_project.make(self.origin.root)
        kept_project.ask(self.origin.root)
        self.origin.write(".gitignore", "*.partial\n*.partial.lock\n")
        self.origin.commit("begin")
        self.origin.git("checkout", "-q", "-b", "topic")
        self.origin.write("README.md", "A shop.")
        self.push()
        self.github.add_pull_request(NUMBER)
        self.token = self.token or self.github.token.text

    def edit(self, path: str, old: str, new: str) -> None:
        """Edit a file of the pull request, and push."""
        self.origin.replace(path, old, new)
        self.push()

    def make_stale(self, words: str = "Be kind and quick.") -> None:
        """Edit the system prompt of both cases of `shop`, and push."""
        self.edit("evals/shop.eval.yaml", "Be kind.", words)

    def record(self, by: Any = otherwise) -> None:
        """Record what is stale, and push."""
        with live(Told(by=by)):
            kept_project.run(self.origin.root, "auto")
        self.push()

    def push(self) -> str:
        """Commit what there is. Returns the new head of the pull request."""
        return self.origin.commit()

    @property
    def head(self) -> str:
        """The head of the pull request."""
        return self.origin.git("rev-parse", "topic")

    @property
    def base(self) -> str:
        """The tip of the branch it goes to."""
        return self.origin.git("rev-parse", "main")

    @property
    def bodies(self) -> list[str]:
        """What the comments on the pull request say."""
        return [comment.body for comment in self.github.comments(NUMBER)]

    def checkout(self, depth: int = 2, *, ref: str = "merge") -> Path:
        """What `actions/checkout` makes of the pull request: the merge of both branches, with little history."""
        self.origin.git("checkout", "-q", "-B", "merge", "main")
        self.origin.merge("topic")
        self.origin.git("checkout", "-q", "topic")
        place = self.home / f"checkout{self.runs}"
        options = ("--depth", str(depth)) if depth else ()
        clone = self.origin.clone(place, *options, branch=ref)
        clone.git("remote", "set-url", "origin", "https://github.com/acme/demo.git")
        return place

    def payload(self, **more: Any) -> dict[str, Any]:
        """The event's payload, as far as anybody reads it."""
        repository = {"full_name": "acme/demo"}
        head = {"sha": self.head, "ref": "topic", "repo": repository}
        base = {"sha": self.base, "ref": "main", "repo": repository}
        return {
            "number": NUMBER,
            "repository": repository,
            "pull_request": {"number": NUMBER, "head": head, "base": base},
            **more,
        }

    def environ(self) -> dict[str, str]:
        """The runner's variables of one more workflow run; the double is told what the head is by now."""
        self.runs += 1
        self.github.pull_requests[NUMBER].head = self.head
        return {"GITHUB_API_URL": self.github.url, "GITHUB_RUN_ID": str(self.runs)}

    def run(
        self,
        workflow: str = BASIC,
        *,
        event: str = "pull_request",
        depth: int = 2,
        ref: str = "merge",
        payload: dict[str, Any] | None = None,
        environ: dict[str, str] | None = None,
    ) -> ActRun:
        """Let the workflow run on the pull request as it is now."""
        known = self.environ() | (environ or {})
        return self.runner.run(
            self.checkout(depth, ref=ref),
            workflow,
            event=event,
            payload=self.payload() if payload is None else payload,
            environ=known,
            token=self.token,
        )
