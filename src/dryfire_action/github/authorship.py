"""Which comments this token wrote, as GitHub tells it; no login is ever guessed.

GraphQL is asked (`viewerDidAuthor`). Where it is refused, `GET /user` is; and where that is refused too, as it is to
the token of a workflow run, the answer to the next comment that we write tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dryfire_action.comment_marker import Marker, parse_marker
from dryfire_action.github.failures import GitHubError

if TYPE_CHECKING:
    from dryfire_action.github.client import GitHub

IDS_PER_QUERY = 100
WHO_WROTE = "query($ids: [ID!]!) { nodes(ids: $ids) { ... on IssueComment { databaseId viewerDidAuthor } } }"


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment that begins with a marker. ``node`` is its id in GraphQL, ``author`` its writer's account (0: gone)."""

    id: int
    node: str
    url: str
    author: int
    body: str
    marker: Marker


def read_comment(item: dict[str, Any]) -> Comment | None:
    """A comment as GitHub shows it; None where it does not begin with a marker, or is not what GitHub shows."""
    match item:
        case {"id": int(number), "node_id": str(node), "html_url": str(url), "body": str(body)}:
            marker = parse_marker(body)
        case _:
            return None
    user = item.get("user")
    author = user.get("id") if isinstance(user, dict) else 0
    if marker is None or not isinstance(author, int):
        return None
    return Comment(number, node, url, author, body, marker)


class Authors:
    """Tells comments of this token from those of others; what GitHub once answered is not asked again."""

    def __init__(self, github: GitHub) -> None:
        self._github = github
        self._did_write: dict[int, bool] = {}
        # The account of this token, once GitHub has told it; whether GraphQL is of any use.
        self._account: int | None = None
        self._may_query = True

    @property
    def is_unknown(self) -> bool:
        """Whether GitHub was asked who we are, and did not tell."""
        return self._account is None and not self._may_query

    def is_written_by_us(self, comment: Comment) -> None:
        """Learn from the answer to a comment that we wrote."""
        self._account = comment.author

    def ours(self, marked: list[Comment]) -> list[Comment]:
        """Those that this token wrote, as far as it can be known by now. Raises ``GitHubError``."""
        unknown = [item for item in marked if item.id not in self._did_write]
        if self._account is None and unknown and self._may_query:
            self._ask_who_wrote(unknown)
        if self._account is not None:
            return [item for item in marked if item.author == self._account]
        return [item for item in marked if self._did_write.get(item.id)]

    def _ask_who_wrote(self, unknown: list[Comment]) -> None:
        try:
            for start in range(0, len(unknown), IDS_PER_QUERY):
                nodes = [item.node for item in unknown[start : start + IDS_PER_QUERY]]
                for answer in self._github.query(WHO_WROTE, {"ids": nodes}).get("nodes") or ():
                    match answer:
                        case {"databaseId": int(number), "viewerDidAuthor": bool(did)}:
                            self._did_write[number] = did
        except GitHubError as error:
            if error.kind in ("unauthorized", "out of time"):
                raise
            self._may_query = False
            self._account = self._own_account()

    def _own_account(self) -> int | None:
        try:
            account = self._github.get("/user").get("id")
        except GitHubError as error:
            if error.kind in ("unauthorized", "out of time"):
                raise
            return None
        return account if isinstance(account, int) else None
