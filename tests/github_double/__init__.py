"""A stateful double of GitHub on loopback, held against GitHub's own description of its API.

    with GitHubDouble() as github:
        github.add_pull_request(7)
        ...                                   # the code under test talks to github.url with github.token.text
        assert [comment.body for comment in github.comments(7)] == [...]

`base_path="/api/v3"` makes it an enterprise server. Leaving the block fails where a request or an answer broke the
contract.
"""

from tests.github_double.faults import FAULTS, Fault
from tests.github_double.server import Call, GitHubDouble
from tests.github_double.state import (
    BASE_SHA,
    BOT,
    SHA,
    STRANGER,
    Account,
    Artifact,
    Comment,
    PullRequest,
    Run,
    Token,
    zipped,
)

__all__ = [
    "BASE_SHA",
    "BOT",
    "FAULTS",
    "SHA",
    "STRANGER",
    "Account",
    "Artifact",
    "Call",
    "Comment",
    "Fault",
    "GitHubDouble",
    "PullRequest",
    "Run",
    "Token",
    "zipped",
]
