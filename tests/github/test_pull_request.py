"""The pull request of an event: for forks too, never by a guess, and never somebody else's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.github.event import Event, read_event
from dryfire_action.github.pull_request import PullRequest, Refused, find_pull_request, refused_target
from tests.github.talk import client
from tests.github.test_event import payload
from tests.github_double import BASE_SHA, SHA, Fault

if TYPE_CHECKING:
    from tests.github.talk import Waiting
    from tests.github_double import GitHubDouble

NEXT = "3" * 40
FORK = {"head_repository": "mallory/demo"}


def run_event(github: GitHubDouble, **known: Any) -> Event:
    """The event of a finished run."""
    github.add_run(5, **known)
    return read_event("workflow_run", github.workflow_run_event(5), repository="acme/demo")


def find(github: GitHubDouble, waiting: Waiting, event: Event, checked: str = "") -> Any:
    found = find_pull_request(client(github, waiting), event, checked=checked)
    assert not [call for call in github.calls if "/commits/" in call.path], (
        "empty for forks: not to be relied on"
    )
    return found


def refusal(found: Any) -> str:
    assert isinstance(found, Refused), found
    return found.notice


def test_a_pull_request_event_names_its_own_without_a_call(github: GitHubDouble, waiting: Waiting) -> None:
    found = find(github, waiting, read_event("pull_request", payload("pull_request")))
    assert (found.number, found.head) == (2, "ec26c3e57ca3a959ca5aad62de7213c562f8c821")
    assert github.calls == []


def test_a4_a5_the_pull_request_of_a_forks_run_is_found_by_its_branch_and_commit(
    github: GitHubDouble, waiting: Waiting
) -> None:
    # GitHub names no pull request in the event, nor for the commit.
    github.add_pull_request(8, head=NEXT, **FORK)
    event = run_event(github, head_sha=NEXT, **FORK)
    assert (event.run and event.run.numbers) == ()
    assert find(github, waiting, event) == PullRequest(8, NEXT, BASE_SHA)
    assert [call.query["head"] for call in github.calls] == ["mallory:topic"]


@pytest.mark.parametrize(
    "branch", ["a b", "ümläut", "x#1?y=&z", "refs/heads/main", "feature/äöü%2F", "$(id)`"]
)
def test_branch_names_may_hold_anything(github: GitHubDouble, waiting: Waiting, branch: str) -> None:
    github.add_pull_request(8, head=NEXT, head_ref=branch, **FORK)
    event = run_event(github, head_sha=NEXT, head_branch=branch, **FORK)
    assert find(github, waiting, event).number == 8
    assert github.calls[0].query["head"] == f"mallory:{branch}"


@pytest.mark.parametrize(
    ("known", "why"),
    [
        ({"head": SHA, **FORK}, "no open pull request"),  # it moved on
        ({"head": NEXT, **FORK, "state": "closed"}, "no open pull request"),
        ({"head": NEXT, **FORK, "head_ref": "another"}, "no open pull request"),
        ({"head": NEXT, "head_repository": "eve/demo"}, "no open pull request"),
        ({"head": NEXT, "head_repository": "mallory/other"}, "no open pull request"),
        ({"head": NEXT, "head_repository": "acme/demo"}, "no open pull request"),
    ],
)
def test_a5_another_pull_request_is_not_taken_for_it(
    github: GitHubDouble, waiting: Waiting, known: dict[str, Any], why: str
) -> None:
    github.add_pull_request(8, **known)
    assert why in refusal(find(github, waiting, run_event(github, head_sha=NEXT, **FORK)))


def test_a_filter_that_github_ignores_proves_nothing(github: GitHubDouble, waiting: Waiting) -> None:
    for number in range(100, 250):
        github.add_pull_request(number)
    github.add_pull_request(8, head=NEXT, **FORK)
    github.on_call = lambda call: call.query.pop("head", None) and None
    assert find(github, waiting, run_event(github, head_sha=NEXT, **FORK)).number == 8
    assert len(github.calls) == 2


@pytest.mark.parametrize("wrong", ["closed", "into another repository"])
def test_a_listing_is_looked_at_again_by_ourselves(
    github: GitHubDouble, waiting: Waiting, wrong: str
) -> None:
    item = github.add_pull_request(8, head=NEXT, **FORK)
    listed = github.routes.pull_request_json(item, "pull-request-simple")
    right = client(github, waiting)
    event = run_event(github, head_sha=NEXT, **FORK)
    github.fail_next(Fault(200, json.dumps([listed]).encode()))
    assert find_pull_request(right, event) == PullRequest(8, NEXT, BASE_SHA)
    if wrong == "closed":
        listed["state"] = "closed"
    else:
        listed["base"]["repo"]["full_name"] = "mallory/demo"
    github.fail_next(Fault(200, json.dumps([listed]).encode()))
    assert "no open pull request" in refusal(find(github, waiting, event))


@pytest.mark.parametrize(("numbers", "number"), [((), None), ((9,), 9), ((9, 8), None), ((77,), None)])
def test_of_several_only_the_one_that_githubs_own_event_names_is_taken(
    github: GitHubDouble, waiting: Waiting, numbers: tuple[int, ...], number: int | None
) -> None:
    github.add_pull_request(8, head=NEXT)
    github.add_pull_request(9, head=NEXT, base_ref="release")
    github.add_run(5, head_sha=NEXT)
    told = github.workflow_run_event(5)
    told["workflow_run"]["pull_requests"] = [{"number": item} for item in numbers]
    found = find(github, waiting, read_event("workflow_run", told, repository="acme/demo"))
    if number is None:
        assert "several" in refusal(found)
    else:
        assert found.number == number


@pytest.mark.parametrize(
    ("known", "why"),
    [
        ({"event": "push"}, "not started by pull_request"),
        ({"event": "pull_request_target"}, "not started by pull_request"),
        ({"event": ""}, "not started by pull_request"),
        ({"head_repository": None}, "deleted"),
    ],
)
def test_5c_a_run_that_is_not_one_to_publish_is_refused_before_any_call(
    github: GitHubDouble, waiting: Waiting, known: dict[str, Any], why: str
) -> None:
    assert why in refusal(find(github, waiting, run_event(github, **known)))
    assert github.calls == []


def test_5c_a_run_of_another_repository_is_refused(github: GitHubDouble, waiting: Waiting) -> None:
    github.add_run(5)
    told = github.workflow_run_event(5)
    told["workflow_run"]["repository"]["full_name"] = "mallory/demo"
    found = find(github, waiting, read_event("workflow_run", told, repository="acme/demo"))
    assert "another repository" in refusal(found)


@pytest.mark.parametrize("name", ["push", "workflow_dispatch"])
@pytest.mark.parametrize(("head", "number"), [(SHA, 7), (NEXT, None)])
def test_a_push_or_dispatch_on_the_head_of_a_pull_request_finds_it(
    github: GitHubDouble, waiting: Waiting, name: str, head: str, number: int | None
) -> None:
    event = Event(name, "acme/demo", head=head, branch="topic")
    found = find(github, waiting, event)
    assert (found and found.number) == number


@pytest.mark.parametrize(
    "event",
    [
        Event("push", "acme/demo", head=SHA, branch=""),
        Event("push", "acme/demo", head="", branch="topic"),
        Event("schedule", "acme/demo", head=SHA, branch="main"),
        Event("issue_comment", "acme/demo", head=SHA, branch="main"),
    ],
)
def test_events_without_a_pull_request_have_none(
    github: GitHubDouble, waiting: Waiting, event: Event
) -> None:
    assert find(github, waiting, event) is None
    assert github.calls == []


def test_a7_a_merge_queue_has_no_pull_request_and_does_not_fail(
    github: GitHubDouble, waiting: Waiting
) -> None:
    assert find(github, waiting, read_event("merge_group", payload("merge_group"))) is None
    assert github.calls == []


@pytest.mark.parametrize(("checked", "refused"), [("", True), (SHA, True), (NEXT, True), (BASE_SHA, False)])
def test_5c_pull_request_target_is_refused_unless_the_base_itself_was_checked(
    github: GitHubDouble, waiting: Waiting, checked: str, refused: bool
) -> None:
    event = Event("pull_request_target", "acme/demo", head=SHA, base=BASE_SHA, number=7)
    found = find(github, waiting, event, checked)
    if refused:
        assert "workflow_run" in refusal(found)
    else:
        assert found is None
    assert refused_target(Event("pull_request", "acme/demo", head=SHA, base=BASE_SHA, number=7), SHA) is None
