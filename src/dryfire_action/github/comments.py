"""The one comment per key on a pull request, kept true by whichever job comes last.

A comment is ours if its first bytes are our marker with our key **and** GitHub says that this token wrote it.

GitHub has no way to write "only if nobody wrote meanwhile". Two jobs that create at once both look again: the comment
with the lowest id stays, and whoever made the other one merges into it and then deletes its own. A job whose comment is
overwritten by an older run writes it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dryfire_action.comment_marker import Marker, parse_marker
from dryfire_action.github.authorship import Authors, Comment, read_comment
from dryfire_action.github.failures import GitHubError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dryfire_action.github.client import GitHub

    Compose = Callable[[Marker | None], tuple[Marker, str] | None]

What = Literal["created", "updated", "unchanged", "silent", "refused", "superseded"]

# How long others may take between looking and writing, as far as we wait for them.
SECONDS_TO_SETTLE = 1.0
MOST_ROUNDS = 5
NEWER_RUN = "A newer run has already reported on this pull request, so its comment stands"
NEWER_COMMIT = "The pull request has a newer commit, which its own run reports, so no comment was written"


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of the comment. ``notice`` is for people, "" where there is nothing to say.

    ``id`` and ``url`` are those of the comment as it stands now; None and "" where there is none or none was reached.
    "silent": there was nothing to say. "superseded": a newer run, attempt or commit has the word.
    """

    id: int | None
    url: str
    what: What
    notice: str = ""


def keep_comment(github: GitHub, repository: str, number: int, key: str, compose: Compose) -> Kept:
    """Make the one comment with ``key`` on pull request ``number`` say what ``compose`` says.

    ``compose`` is given the marker of the comment as it stands (None: there is none) and returns the new marker and
    the body that begins with it, or None where nothing is to be said; it may be asked more than once. Nothing that
    GitHub refuses or gets wrong raises: it is "refused", with a notice.
    """
    conversation = _Conversation(github, repository, number, key)
    try:
        return conversation.keep(compose)
    except GitHubError as error:
        return Kept(None, "", "refused", _notice(error, locked=conversation.locked))


class _Conversation:
    """The comments on one pull request that carry our key, and who wrote them."""

    def __init__(self, github: GitHub, repository: str, number: int, key: str) -> None:
        self._github = github
        self._base = f"/repos/{repository}"
        self._number = number
        self._key = key
        self.locked = False
        self._authors = Authors(github)
        # Comments of ours that GitHub does not let us change.
        self._fixed: set[int] = set()

    def keep(self, compose: Compose) -> Kept:
        """See ``keep_comment``; raises ``GitHubError``."""
        marked = self._marked()
        ours = self._authors.ours(marked)
        newest = _newest(ours)
        # Where nobody tells who we are, any of them may be ours, and must not go on saying what is over.
        composed = compose(_newest(marked) if self._authors.is_unknown else newest)
        if composed is None:
            return _left(ours, "silent")
        marker, body = composed
        if not body.startswith(marker.text()) or marker.key != self._key:
            raise ValueError("a comment begins with its own marker, which has its key")
        if newest is not None and marker.is_older_than(newest):
            return _left(ours, "superseded", NEWER_RUN)
        if not self._is_current(marker):
            return _left(ours, "superseded", NEWER_COMMIT)
        kept = self._say(ours, marker, body)
        if kept is None:
            kept = self._create(marked, marker, body, compose)
        # Of ours there is one; those that could not be changed can perhaps be taken away.
        self._delete(item for item in ours if item.id != kept.id)
        return kept

    # looking

    def _marked(self) -> list[Comment]:
        """Every comment whose first bytes are a marker with our key, lowest id first."""
        found = []
        for item in self._github.pages(f"{self._base}/issues/{self._number}/comments"):
            comment = read_comment(item)
            if comment is not None and comment.marker.key == self._key:
                found.append(comment)
        return sorted(found, key=lambda item: item.id)

    def _is_current(self, marker: Marker) -> bool:
        """Whether the pull request's head is still the commit that is to be spoken of."""
        pull_request = self._github.get(f"{self._base}/pulls/{self._number}")
        self.locked = pull_request.get("locked") is True
        head = pull_request.get("head")
        current = head.get("sha") if isinstance(head, dict) else None
        if not isinstance(current, str):
            raise GitHubError("garbled", f"pull request {self._number} has no head")
        return current.startswith(marker.head)

    # writing

    def _say(self, ours: list[Comment], marker: Marker, body: str) -> Kept | None:
        """Let the first of our comments that can be changed say it; None where there is none."""
        for item in ours:
            if item.body == body:
                return Kept(item.id, item.url, "unchanged")
            if item.id not in self._fixed and self._update(item.id, body):
                self._insist(item.id, marker, body)
                return Kept(item.id, item.url, "updated")
        return None

    def _update(self, comment: int, body: str) -> bool:
        """Whether a comment says it now; not where it is gone or we may not change it."""
        try:
            self._github.update(self._path(comment), {"body": body})
        except GitHubError as error:
            if error.kind not in ("denied", "missing", "gone"):
                raise
            self._fixed.add(comment)
            return False
        return True

    def _insist(self, comment: int, marker: Marker, body: str) -> None:
        """Look again whether an older run has written over it meanwhile, and if so write it again."""
        try:
            for _ in range(MOST_ROUNDS):
                self._github.pause(SECONDS_TO_SETTLE)
                stands = parse_marker(str(self._github.get(self._path(comment)).get("body")))
                if stands is None or not stands.is_older_than(marker):
                    return
                self._github.update(self._path(comment), {"body": body})
        except GitHubError:
            return  # It was written; that it stays was a hope.

    def _create(self, marked: list[Comment], marker: Marker, body: str, compose: Compose) -> Kept:
        before = {item.id for item in marked}

        def found() -> Comment | None:
            fresh = [item for item in self._marked() if item.id not in before and item.body == body]
            # Who we are may be unknown yet. Nobody else could know what this body is going to say.
            return next(iter(fresh if self._authors.is_unknown else self._authors.ours(fresh)), None)

        made = self._github.create(
            f"{self._base}/issues/{self._number}/comments", {"body": body}, found=found
        )
        comment = read_comment(made) if isinstance(made, dict) else made
        if comment is None:
            raise GitHubError("garbled", "GitHub answers a new comment with another one")
        if isinstance(made, dict):
            # GitHub has just said who we are, for whichever token this is.
            self._authors.is_written_by_us(comment)
        try:
            return self._settle(comment, marker, compose)
        except GitHubError:
            return Kept(comment.id, comment.url, "created")

    def _settle(self, made: Comment, marker: Marker, compose: Compose) -> Kept:
        """See whether another job has created one too; of two, the one with the lower id stays."""
        for _ in range(MOST_ROUNDS):
            self._github.pause(SECONDS_TO_SETTLE)
            ours = self._authors.ours(self._marked())
            earlier = [item for item in ours if item.id < made.id and item.id not in self._fixed]
            if not earlier:
                break
            first = earlier[0]
            if marker.is_older_than(first.marker):
                self._delete([made])
                return _left(earlier, "superseded", NEWER_RUN)
            composed = compose(first.marker)
            if composed is None or self._update(first.id, composed[1]):
                self._delete([made])
                return Kept(first.id, first.url, "updated")
        return Kept(made.id, made.url, "created")

    def _delete(self, comments: Iterable[Comment]) -> None:
        """Delete comments of ours; one that stays is seen to by the next run."""
        for item in comments:
            try:
                self._github.delete(self._path(item.id))
            except GitHubError:
                return

    def _path(self, comment: int) -> str:
        return f"{self._base}/issues/comments/{comment}"


def _newest(comments: Iterable[Comment]) -> Marker | None:
    """The marker of the run, and of the attempt at it, that spoke last."""
    markers = (item.marker for item in comments)
    return max(markers, key=lambda item: (item.run, item.attempt), default=None)


def _left(ours: list[Comment], what: What, notice: str = "") -> Kept:
    """The comment as it stood, if there is one."""
    return Kept(ours[0].id, ours[0].url, what, notice) if ours else Kept(None, "", what, notice)


def _notice(error: GitHubError, *, locked: bool) -> str:
    """What a failure to comment means, in words for people; GitHub's own stand at its end."""
    if error.kind == "locked" or (locked and error.kind == "denied"):
        meaning = "The conversation of this pull request is locked, so no comment was written"
    elif error.kind == "denied":
        meaning = (
            "This token may not comment, so no comment was written. The token of a pull request from a fork never may; "
            "others, Dependabot's too, need `permissions: pull-requests: write`"
        )
    elif error.kind == "unauthorized":
        meaning = "GitHub does not accept the token, so no comment was written"
    elif error.kind in ("rate-limited", "out of time"):
        meaning = "GitHub asked to wait for longer than the action waits, so no comment was written"
    else:
        meaning = "GitHub did not take the comment"
    return f"{meaning}. The job summary is complete. ({error.message})"
