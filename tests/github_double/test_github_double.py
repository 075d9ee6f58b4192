"""The double behaves as GitHub does where it matters, and notices what GitHub would not take or say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import requests

from tests.github_double import BOT, FAULTS, STRANGER, GitHubDouble
from tests.github_double import contract as contracts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.github_double import Token

COMMENTS = "/repos/acme/demo/issues/7/comments"


@pytest.fixture(params=["", "/api/v3"])
def github(request: pytest.FixtureRequest) -> Iterator[GitHubDouble]:
    with GitHubDouble(base_path=request.param) as double:
        double.add_pull_request(7)
        yield double


def call(
    github: GitHubDouble, method: str, path: str, token: Token | None = None, **more: Any
) -> requests.Response:
    headers = {"Authorization": f"Bearer {(token or github.token).text}"}
    return requests.request(
        method, github.url + path, headers=headers, timeout=5, allow_redirects=False, **more
    )


def test_comments_are_kept_with_their_author_and_every_body(github: GitHubDouble) -> None:
    made = call(github, "POST", COMMENTS, json={"body": "one"})
    one = f"/repos/acme/demo/issues/comments/{made.json()['id']}"
    assert (made.status_code, made.json()["user"]["login"]) == (201, BOT.login)
    assert call(github, "PATCH", one, json={"body": "two"}).json()["body"] == "two"
    assert [comment.bodies for comment in github.comments(7)] == [["one", "two"]]
    assert call(github, "GET", one).json()["body"] == "two"
    assert call(github, "DELETE", one).status_code == 204
    assert call(github, "GET", one).status_code == 404
    assert [(item.method, item.status) for item in github.writes] == [
        ("POST", 201),
        ("PATCH", 200),
        ("DELETE", 204),
    ]


def test_pages_are_linked_to_the_last(github: GitHubDouble) -> None:
    for number in range(250):
        github.add_comment(7, str(number), STRANGER)
    first = call(github, "GET", COMMENTS, params={"per_page": 100})
    assert len(first.json()) == 100
    second = requests.get(
        first.links["next"]["url"], headers={"Authorization": f"Bearer {github.token.text}"}, timeout=5
    )
    assert (second.links["next"]["url"], len(second.json())) == (second.links["last"]["url"], 100)
    assert "next" not in call(github, "GET", COMMENTS, params={"per_page": 100, "page": 3}).links


def test_rights_belong_to_the_token(github: GitHubDouble) -> None:
    assert requests.get(github.url + COMMENTS, timeout=5).status_code == 401
    assert call(github, "GET", COMMENTS, github.fork_token).status_code == 200
    assert call(github, "POST", COMMENTS, github.fork_token, json={"body": "x"}).status_code == 403
    assert call(github, "GET", "/user").status_code == 403
    assert call(github, "GET", "/user", github.personal_token).json()["login"] == "ada"
    github.pull_requests[7].locked = True
    assert "locked" in call(github, "POST", COMMENTS, json={"body": "x"}).json()["message"]


def test_who_wrote_a_comment_is_answered_for_the_token_that_asks(github: GitHubDouble) -> None:
    ids = [github.add_comment(7, "x", author).node_id for author in (BOT, STRANGER)]
    question = (
        "query($ids: [ID!]!) { nodes(ids: $ids) { ... on IssueComment { databaseId viewerDidAuthor } } }"
    )
    answer = requests.post(
        github.graphql_url,
        json={"query": question, "variables": {"ids": [*ids, "IC_0"]}},
        headers={"Authorization": f"Bearer {github.token.text}"},
        timeout=5,
    ).json()
    assert [node and node["viewerDidAuthor"] for node in answer["data"]["nodes"]] == [True, False, None]
    assert answer["errors"][0]["type"] == "NOT_FOUND"


def test_pull_requests_are_found_by_head_and_of_forks_not_by_commit(github: GitHubDouble) -> None:
    github.add_pull_request(8, head="f" * 40, head_repository="mallory/demo")
    github.add_pull_request(9, head="e" * 40, head_repository=None)
    by_head = call(github, "GET", "/repos/acme/demo/pulls", params={"head": "mallory:topic"}).json()
    assert [(item["number"], item["head"]["repo"]["full_name"]) for item in by_head] == [(8, "mallory/demo")]
    assert call(github, "GET", f"/repos/acme/demo/commits/{'f' * 40}/pulls").json() == []
    assert call(github, "GET", "/repos/acme/demo/pulls/9").json()["head"]["repo"] is None


def test_files_lie_on_another_host_that_wants_no_token(github: GitHubDouble) -> None:
    github.add_run(5)
    item = github.add_artifact(5, "report", ("report.json", b"{}"))
    listed = call(github, "GET", "/repos/acme/demo/actions/runs/5/artifacts").json()
    assert [entry["name"] for entry in listed["artifacts"]] == ["report"]
    moved = call(github, "GET", f"/repos/acme/demo/actions/artifacts/{item.id}/zip")
    assert (moved.status_code, moved.headers["location"].startswith(github.storage)) == (302, True)
    assert requests.get(moved.headers["location"], timeout=5).content == item.data
    shown = {"Authorization": f"Bearer {github.token.text}"}
    assert requests.get(moved.headers["location"], headers=shown, timeout=5).status_code == 400
    assert github.workflow_run_event(5)["workflow_run"]["pull_requests"] == []


@pytest.mark.parametrize(
    ("method", "path", "more"),
    [
        ("POST", COMMENTS, {"json": {"text": "no body"}}),
        ("POST", COMMENTS, {"json": {"body": 7}}),
        ("POST", COMMENTS, {"data": b"{"}),
        ("GET", "/repos/acme/demo/issues/seven/comments", {}),
        ("GET", COMMENTS, {"params": {"page": "x"}}),
        ("GET", COMMENTS, {"params": {"per_page": "1000"}}),
        ("PUT", COMMENTS, {"json": {"body": "x"}}),
        ("GET", "/repos/acme/demo/nothing", {}),
    ],
)
def test_what_the_description_forbids_is_refused_and_fails_the_block(
    method: str, path: str, more: Any
) -> None:
    double = GitHubDouble()
    with pytest.raises(AssertionError, match=f"request {method}"), double:
        double.add_pull_request(7)
        assert call(double, method, path, **more).status_code == 422


def test_an_answer_against_the_description_fails_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    double = GitHubDouble()
    with pytest.raises(AssertionError, match="answer to GET"), double:
        double.add_pull_request(7)
        double.add_comment(7, "x")
        monkeypatch.setattr(
            "tests.github_double.routes.filled", lambda schema, known: {**known, "id": "text"}
        )
        call(double, "GET", COMMENTS)


@pytest.mark.parametrize(
    "schema", ["issue-comment", "pull-request", "pull-request-simple", "workflow-run", "artifact"]
)
def test_samples_hold_what_is_required(schema: str) -> None:
    required = contracts.description()["components"]["schemas"][schema]["required"]
    assert set(required) <= set(contracts.filled(schema, {}))


@pytest.mark.parametrize("name", FAULTS)
def test_a_planned_failure_happens_once_and_to_the_call_it_was_planned_for(name: str) -> None:
    drips: list[int] = []
    with GitHubDouble(on_drip=lambda: drips.append(1)) as github:
        github.add_pull_request(7)
        github.fail_next(name, method="POST")
        assert call(github, "GET", COMMENTS).status_code == 200
        try:
            answer = call(github, "POST", COMMENTS, json={"body": "x"})
        except requests.RequestException:
            assert name in ("cut", "lost")
        else:
            assert answer.status_code == (FAULTS[name].status or 201)
        assert bool(drips) == (name == "drips")
        assert len(github.comments(7)) == (name in ("cut", "drips"))
        assert call(github, "POST", COMMENTS, json={"body": "y"}).status_code == 201


def test_a_call_can_fail_after_it_was_carried_out(github: GitHubDouble) -> None:
    github.fail_next(FAULTS["502 page"].after_the_deed())
    assert call(github, "POST", COMMENTS, json={"body": "x"}).status_code == 502
    assert [comment.body for comment in github.comments(7)] == ["x"]
