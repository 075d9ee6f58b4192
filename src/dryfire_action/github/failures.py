"""What GitHub can refuse or get wrong, as one error with a kind."""

from __future__ import annotations

from typing import Literal

from dryfire_action.errors import EXIT_RECORDING, DryfireError

Kind = Literal[
    "unauthorized",  # 401: the token is no good (any more)
    "denied",  # 403: the token may not do this
    "locked",  # 403: the conversation is locked
    "rate-limited",  # 403 or 429, for longer than we may wait
    "missing",  # 404
    "gone",  # 410
    "invalid",  # 422: GitHub does not take what we send
    "unreachable",  # no answer, or 5xx, as often as we asked
    "garbled",  # an answer that is not what the call answers
    "out of time",  # all the waiting we are allowed is used up
    "misused",  # we were told to talk to something that we do not talk to
]

REMEDIES: dict[Kind, str] = {
    "unauthorized": "give the action a valid `token`, such as the default `github.token`",
    "denied": "give the job `permissions: pull-requests: write`; a fork's token never has it: see the recipe for forks",
    "locked": "unlock the conversation of the pull request",
    "rate-limited": "wait until the limit is over and run the job again",
    "missing": "see whether the pull request still exists and the token may read it",
    "misused": "see the address of the API and the token that the action was given",
}

MOST_TEXT = 200


class GitHubError(DryfireError):
    """A call to GitHub came to nothing. ``kind`` says how, ``status`` is the HTTP status (0: no answer).

    No token ever stands in its text: it is made of the call's method and path, the status, and what GitHub said of it,
    cut short and without control characters.
    """

    slug = "github"
    exit_code = EXIT_RECORDING

    def __init__(self, kind: Kind, message: str, *, status: int = 0) -> None:
        self.kind: Kind = kind
        self.status = status
        super().__init__(message, remedy=REMEDIES.get(kind, ""))


def plain(text: str) -> str:
    """Text of others, short and printable on one line."""
    words = " ".join("".join(sign if sign.isprintable() else " " for sign in text[: 10 * MOST_TEXT]).split())
    return words if len(words) <= MOST_TEXT else words[: MOST_TEXT - 1] + "…"
