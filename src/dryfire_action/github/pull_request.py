"""The pull request that an event is about, found so that nobody's commit is taken for another's.

What GitHub's `workflow_run.pull_requests` and `commits/{sha}/pulls` say is empty for forks, so neither is asked. The
open pull requests of the head's branch are, and of those only one whose head is exactly the commit counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dryfire_action.github.client import GitHub
    from dryfire_action.github.event import Event, WorkflowRun


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request: ``head`` is the commit its author pushed, ``base`` the commit it is compared with."""

    number: int
    head: str
    base: str


@dataclass(frozen=True, slots=True)
class Refused:
    """Why no pull request, or nothing of another run, is taken; one sentence or two for a notice."""

    notice: str


def find_pull_request(github: GitHub, event: Event, *, checked: str = "") -> PullRequest | Refused | None:
    """The pull request to comment on; None where the event has none, ``Refused`` where it should and has not.

    ``checked`` is the commit that the results are about, for `pull_request_target`. Raises ``GitHubError``.
    """
    if event.name == "pull_request" and event.number is not None:
        return PullRequest(event.number, event.head, event.base)
    if event.name == "pull_request_target":
        # Of the base's own files nothing is to be said on a pull request.
        return refused_target(event, checked)
    if event.run is not None:
        return _of_run(github, event, event.run)
    if event.name in ("push", "workflow_dispatch") and event.branch and event.head:
        owner = event.repository.split("/")[0]
        found = _open_with_head(github, event.repository, owner, event.branch, event.head, event.repository)
        return _the_one(found, ()) if found else None
    return None


def refused_target(event: Event, checked: str) -> Refused | None:
    """Why results of a commit are not published for a `pull_request_target`; None where they are the base's own.

    That event has a token that may write and secrets, whoever opened the pull request. Files of the pull request must
    never be near them.
    """
    if event.name != "pull_request_target" or (checked and checked in (event.base, event.sha)):
        return None
    return Refused(
        "pull_request_target runs with secrets and a token that may write, so files of a pull request are not checked "
        "in it. Check them on pull_request, and publish for forks from a workflow_run: see the recipe for forks."
    )


def refused_run(event: Event) -> Refused | None:
    """Why nothing of the finished run behind a `workflow_run` event is published; None where it may be."""
    run = event.run
    if run is None:
        return Refused("there is no finished run to publish: this works on workflow_run events only")
    if run.event != "pull_request":
        return Refused("the finished run was not started by pull_request, so nothing of it is published")
    if run.repository != event.repository:
        return Refused("the finished run is of another repository, so nothing of it is published")
    if run.head_repository is None:
        return Refused("the fork that the finished run is about is deleted, so nothing of it is published")
    return None


def _of_run(github: GitHub, event: Event, run: WorkflowRun) -> PullRequest | Refused:
    refused = refused_run(event)
    if refused is not None or run.head_repository is None:
        return refused or Refused("")
    owner = run.head_repository.split("/")[0]
    found = _open_with_head(github, event.repository, owner, run.branch, run.head, run.head_repository)
    if not found:
        return Refused(
            "no open pull request has the checked commit as its head any more: a newer commit will be reported by its "
            "own run"
        )
    return _the_one(found, run.numbers)


def _open_with_head(
    github: GitHub, repository: str, owner: str, branch: str, head: str, head_repository: str
) -> list[PullRequest]:
    """The open pull requests into a repository whose head is a commit on a branch of a repository."""
    found = []
    params = {"state": "open", "head": f"{owner}:{branch}"}
    for item in github.pages(f"/repos/{repository}/pulls", params) if branch else ():
        # The filter of the call is no proof: where it makes no sense to GitHub, it filters nothing.
        facts = (_at(item, "head", "sha"), _at(item, "head", "repo", "full_name"))
        into = _at(item, "base", "repo", "full_name")
        number, base = item.get("number"), _at(item, "base", "sha")
        fits = facts == (head, head_repository) and into == repository and item.get("state") == "open"
        if fits and isinstance(number, int) and isinstance(base, str):
            found.append(PullRequest(number, head, base))
    return found


def _the_one(found: list[PullRequest], numbers: Iterable[int]) -> PullRequest | Refused:
    """The only pull request, or the only one whose number GitHub's own event names."""
    if len(found) > 1:
        named = set(numbers)
        found = [item for item in found if item.number in named]
    if len(found) == 1:
        return found[0]
    return Refused(
        "several open pull requests have the checked commit as their head, and nothing says which is meant"
    )


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
