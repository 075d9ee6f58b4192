"""What the double of GitHub holds: accounts, tokens, pull requests, comments, runs and artifacts."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field

SHA = "1" * 40
BASE_SHA = "2" * 40


@dataclass(frozen=True)
class Account:
    """Who writes; ``kind`` is "Bot" or "User"."""

    login: str
    id: int
    kind: str = "User"


BOT = Account("github-actions[bot]", 41898282, "Bot")
STRANGER = Account("mallory", 666)


@dataclass(frozen=True)
class Token:
    """What a token is good for. One of a workflow run is an ``installation``: it cannot ask who it is."""

    text: str
    account: Account = BOT
    may_write: bool = True
    installation: bool = True


@dataclass
class PullRequest:
    """A pull request; ``head_repository`` is None once the fork is deleted."""

    number: int
    head: str = SHA
    head_ref: str = "topic"
    head_repository: str | None = "acme/demo"
    base: str = BASE_SHA
    base_ref: str = "main"
    state: str = "open"
    locked: bool = False


@dataclass
class Comment:
    """A comment with every body it has had; ``body`` is the newest."""

    id: int
    number: int
    bodies: list[str]
    author: Account = BOT

    @property
    def body(self) -> str:
        """What it says now."""
        return self.bodies[-1]

    @property
    def node_id(self) -> str:
        """Its name in GraphQL."""
        return f"IC_{self.id}"


@dataclass
class Run:
    """A workflow run; ``head_repository`` is None once the fork is deleted."""

    id: int
    event: str = "pull_request"
    head_sha: str = SHA
    head_branch: str = "topic"
    head_repository: str | None = "acme/demo"
    attempt: int = 1
    started_at: str = "2026-01-01T00:00:00Z"


@dataclass
class Artifact:
    """A file kept by a run: ``data`` is what is downloaded, ``size`` what the listing says of it."""

    id: int
    run: int
    name: str
    data: bytes
    size: int | None = None
    expired: bool = False
    created_at: str = "2026-01-01T00:01:00Z"
    head_sha: str = SHA


@dataclass
class State:
    """Everything a repository holds."""

    repository: str = "acme/demo"
    pull_requests: dict[int, PullRequest] = field(default_factory=dict)
    comments: dict[int, Comment] = field(default_factory=dict)
    runs: dict[int, Run] = field(default_factory=dict)
    artifacts: dict[int, Artifact] = field(default_factory=dict)
    next_id: int = 1001

    def new_id(self) -> int:
        """An id that was never given; ids grow."""
        self.next_id += 1
        return self.next_id - 1

    def add_comment(self, number: int, body: str, author: Account) -> Comment:
        """A new comment at the end of a pull request's conversation."""
        comment = Comment(self.new_id(), number, [body], author)
        self.comments[comment.id] = comment
        return comment

    def comments_on(self, number: int) -> list[Comment]:
        """The conversation of one pull request, oldest first."""
        return [comment for comment in self.comments.values() if comment.number == number]


def zipped(*members: tuple[str, bytes]) -> bytes:
    """A zip file of members (name, content)."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return packed.getvalue()
