"""The client tries again what may do better and nothing else, reads to the last page, and keeps the token to itself."""

from __future__ import annotations

import json
import traceback
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.github.client import GitHub
from dryfire_action.github.failures import GitHubError
from tests.github.talk import Waiting, client
from tests.github_double import FAULTS, STRANGER, Fault, GitHubDouble

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.github_double import Call

COMMENTS = "/repos/acme/demo/issues/7/comments"

ONE_TRY = {
    "401": "unauthorized",
    "403 no permission": "denied",
    "403 locked": "locked",
    "404": "missing",
    "410": "gone",
    "422": "invalid",
    "403 primary limit for an hour": "rate-limited",
    "429 for an hour": "rate-limited",
}
FIVE_TRIES = {
    "500": "unreachable",
    "502 page": "unreachable",
    "503 empty": "unreachable",
    "504": "unreachable",
    "lost": "unreachable",
    "cut": "unreachable",
    "page instead of JSON": "garbled",
    "nothing instead of JSON": "garbled",
    "JSON of another kind": "garbled",
    "an empty object": "garbled",
    "JSON too deep to read": "garbled",
    "ends early": "garbled",
}


def listed(made: GitHub) -> list[Any]:
    return list(made.pages(COMMENTS))


def created(made: GitHub) -> Any:
    return made.create(COMMENTS, {"body": "x"}, found=lambda: None)


@pytest.mark.parametrize("call", [listed, created])
@pytest.mark.parametrize(
    ("name", "kind", "tries"),
    [(name, kind, 1) for name, kind in ONE_TRY.items()]
    + [(name, kind, 5) for name, kind in FIVE_TRIES.items()],
)
def test_c29_what_cannot_do_better_is_asked_once_and_the_rest_five_times(
    github: GitHubDouble, waiting: Waiting, name: str, kind: str, tries: int, call: Callable[[GitHub], Any]
) -> None:
    github.fail_next(name, 1000)
    with pytest.raises(GitHubError) as caught:
        call(client(github, waiting))
    assert (caught.value.kind, len(github.calls)) == (kind, tries)
    assert waiting.waited <= 90


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("403 primary limit", 21),
        ("403 secondary limit", 5),
        ("403 secondary limit, no time given", 60),
        ("429", 3),
        ("429, no time given", 60),
        ("503", 1),
        ("page instead of JSON", 1),
    ],
)
def test_c28_a_wait_ends_well(github: GitHubDouble, waiting: Waiting, name: str, seconds: float) -> None:
    github.fail_next(name)
    assert listed(client(github, waiting)) == []
    assert waiting.slept == [seconds]


def test_c28_a_second_secondary_limit_is_given_up_softly(github: GitHubDouble, waiting: Waiting) -> None:
    github.fail_next("403 secondary limit, no time given", 2)
    with pytest.raises(GitHubError, match="secondary rate limit"):
        listed(client(github, waiting))
    assert waiting.slept == [60]


def test_a_503_that_says_when_is_believed(github: GitHubDouble, waiting: Waiting) -> None:
    github.fail_next(Fault(503, b"", headers={"retry-after": "17"}))
    assert listed(client(github, waiting)) == []
    assert waiting.slept == [17]


def test_the_time_of_all_calls_together_is_bounded(github: GitHubDouble, waiting: Waiting) -> None:
    made = client(github, waiting)
    for _ in range(2):
        github.fail_next(Fault(503, b"", headers={"retry-after": "40"}))
        listed(made)
    github.fail_next("503", 1000)
    with pytest.raises(GitHubError):
        listed(made)
    assert waiting.waited <= 90
    waiting.now += 1000  # time that others take is none of the client's
    github.planned.clear()
    assert listed(made) == []


def test_slow_answers_use_up_the_time_too(github: GitHubDouble, waiting: Waiting) -> None:
    def slowly(call: Call) -> None:
        waiting.now += 25

    github.on_call = slowly
    github.fail_next("503", 1000)
    with pytest.raises(GitHubError, match="too slowly"):
        listed(client(github, waiting))
    assert (len(github.calls), waiting.slept) == (4, [1, 2, 4])


def test_no_time_left_is_said_before_anything_is_sent(github: GitHubDouble, waiting: Waiting) -> None:
    made = GitHub(github.url, github.token.text, clock=waiting.clock, sleep=waiting.sleep, most_waiting=0)
    with pytest.raises(GitHubError) as caught:
        listed(made)
    assert (caught.value.kind, github.calls) == ("out of time", [])


# reading all of it


@pytest.mark.parametrize("count", [0, 1, 100, 101, 300])
def test_lists_are_read_to_the_last_page(github: GitHubDouble, waiting: Waiting, count: int) -> None:
    for number in range(count):
        github.add_comment(7, str(number), STRANGER)
    assert [item["body"] for item in listed(client(github, waiting))] == [
        str(number) for number in range(count)
    ]
    assert len(github.calls) == max(1, -(-count // 100))


def test_a_failure_in_the_middle_of_a_list_loses_nothing(github: GitHubDouble, waiting: Waiting) -> None:
    for number in range(250):
        github.add_comment(7, str(number), STRANGER)
    made = client(github, waiting).pages(COMMENTS)
    first = [next(made) for _ in range(100)]
    github.fail_next("502 page")
    assert len([*first, *made]) == 250


def next_page(link: str) -> Fault:
    return Fault(200, b"[]", headers={"Link": link})


@pytest.mark.parametrize(
    "link",
    [
        '<https://github.invalid/next>; rel="next"',
        '<//github.invalid/next>; rel="next"',
        '<http://[broken/next>; rel="next"',
    ],
)
def test_a_list_that_goes_on_elsewhere_is_not_followed(
    github: GitHubDouble, waiting: Waiting, link: str
) -> None:
    github.fail_next(next_page(link))
    with pytest.raises(GitHubError, match="another host"):
        listed(client(github, waiting))


def test_a_list_without_end_ends(github: GitHubDouble, waiting: Waiting) -> None:
    github.fail_next(next_page(f'<{github.url}{COMMENTS}?page=2>; rel="next"'), 10_000)
    with pytest.raises(GitHubError, match="more than 100 pages"):
        listed(client(github, waiting))


def test_a_list_of_something_else_is_no_list(github: GitHubDouble, waiting: Waiting) -> None:
    github.fail_next(Fault(200, b"[1, 2]"), 100)
    with pytest.raises(GitHubError, match="what it never answers"):
        listed(client(github, waiting))


# a POST of which nobody knows


@pytest.mark.parametrize(
    "name", ["lost", "500", "502 page", "503 empty", "504", "page instead of JSON", "drips"]
)
def test_c29_after_a_post_that_may_have_worked_it_looks_before_it_sends_again(
    github: GitHubDouble, waiting: Waiting, name: str
) -> None:
    github.on_drip = waiting.drip
    github.fail_next(FAULTS[name].after_the_deed(), method="POST")
    made = client(github, waiting)
    looked: list[list[Any]] = []

    def found() -> dict[str, Any] | None:
        looked.append(listed(made))
        return next(iter(looked[-1]), None)

    assert made.create(COMMENTS, {"body": "x"}, found=found)["body"] == "x"
    assert ([call.method for call in github.writes], len(looked)) == (["POST"], 1)


@pytest.mark.parametrize("name", ["lost", "502 page"])
def test_c29_a_post_that_did_not_work_is_sent_again(
    github: GitHubDouble, waiting: Waiting, name: str
) -> None:
    github.fail_next(name, method="POST")
    looked: list[None] = []
    client(github, waiting).create(COMMENTS, {"body": "x"}, found=lambda: looked.append(None))
    assert ([comment.body for comment in github.comments(7)], len(looked)) == (["x"], 1)


def test_a_post_that_met_a_limit_is_sent_again_without_looking(
    github: GitHubDouble, waiting: Waiting
) -> None:
    github.fail_next("429", method="POST")
    client(github, waiting).create(COMMENTS, {"body": "x"}, found=lambda: pytest.fail("looked"))
    assert len(github.comments(7)) == 1


@pytest.mark.parametrize("name", ["404", "410"])
def test_what_is_gone_is_as_good_as_deleted(github: GitHubDouble, waiting: Waiting, name: str) -> None:
    github.fail_next(name)
    client(github, waiting).delete("/repos/acme/demo/issues/comments/1")
    assert [call.method for call in github.calls] == ["DELETE"]


def test_what_may_not_be_deleted_is_said(github: GitHubDouble, waiting: Waiting) -> None:
    github.fail_next("403 no permission")
    with pytest.raises(GitHubError, match="403"):
        client(github, waiting).delete("/repos/acme/demo/issues/comments/1")


# servers and hosts


@pytest.mark.parametrize(
    ("base", "graphql"), [("", "/graphql"), ("/api/v3", "/api/graphql"), ("/api/v3/", "/api/graphql")]
)
def test_a10_a11_everything_goes_to_the_address_that_was_given(
    waiting: Waiting, base: str, graphql: str
) -> None:
    with GitHubDouble(base_path=base.rstrip("/")) as github:
        github.add_pull_request(7)
        ours = github.add_comment(7, "x")
        made = GitHub(
            f"{github.url}{'/' if base.endswith('/') else ''}",
            github.token.text,
            clock=waiting.clock,
            sleep=waiting.sleep,
        )
        assert len(listed(made)) == 1
        question = (
            "query($ids: [ID!]!) { nodes(ids: $ids) { ... on IssueComment { databaseId viewerDidAuthor } } }"
        )
        assert made.query(question, {"ids": [ours.node_id]})["nodes"][0]["viewerDidAuthor"] is True
        assert [call.path for call in github.calls] == [f"{base.rstrip('/')}{COMMENTS}", graphql]


def test_a11_graphql_that_only_has_errors_is_a_refusal(github: GitHubDouble, waiting: Waiting) -> None:
    github.fail_next(Fault(200, b'{"errors": [{"message": "API rate limit"}]}'))
    with pytest.raises(GitHubError, match="API rate limit") as caught:
        client(github, waiting).query("query { x }", {})
    assert caught.value.kind == "denied"


# the token


def every_failure(github: GitHubDouble, waiting: Waiting) -> list[str]:
    """Texts, representations and tracebacks of an error for every fault, and for tokens that are none."""
    texts = []
    for fault in [*FAULTS.values(), echo(github)]:
        github.planned.clear()
        github.fail_next(fault, 1000)
        try:
            listed(client(github, waiting))
        except GitHubError as error:
            texts += [str(error), repr(error), repr(error.args), "".join(traceback.format_exception(error))]
    return texts


def echo(github: GitHubDouble) -> Fault:
    """A refusal that repeats the token, as a broken proxy might."""
    said = {"message": f"bad header {github.token.text}\r\n::error::x\x1b[0m"}
    return Fault(400, json.dumps(said).encode())


def test_no_failure_says_the_token(github: GitHubDouble, waiting: Waiting) -> None:
    github.on_drip = waiting.drip
    texts = every_failure(github, waiting)
    assert len(texts) > 80
    assert not [text for text in texts if github.token.text in text]
    assert any("bad header ***" in text for text in texts)


def test_what_github_says_stands_on_one_short_line(github: GitHubDouble, waiting: Waiting) -> None:
    github.fail_next(echo(github))
    with pytest.raises(GitHubError) as caught:
        listed(client(github, waiting))
    assert caught.value.message.isprintable()
    github.fail_next(Fault(400, json.dumps({"message": "x" * 100_000}).encode()))
    with pytest.raises(GitHubError) as caught:
        listed(client(github, waiting))
    assert len(caught.value.message) < 300


def test_the_client_does_not_show_its_token(github: GitHubDouble, waiting: Waiting) -> None:
    made = client(github, waiting)
    assert repr(made) == f"GitHub('{github.url}')"
    assert github.token.text not in f"{made} {made._transport} {made._transport._session.headers}"


@pytest.mark.parametrize("end", ["\nX-Other: 1", "\r\n.", " two", "\x00", "é"])
def test_a_token_that_is_none_is_refused_without_quoting_it(end: str) -> None:
    text = "ghs" + "_broken"
    with pytest.raises(GitHubError) as caught:
        GitHub("https://api.github.com", text + end)
    assert text not in "".join(traceback.format_exception(caught.value))
    with pytest.raises(GitHubError, match="empty"):
        GitHub("https://api.github.com", "\n")
