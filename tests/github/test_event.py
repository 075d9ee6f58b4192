"""Payloads as GitHub sends them are read; what is not as it always is, is refused with a sentence."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dryfire_action.github.event import MOST_BYTES, Event, EventError, WorkflowRun, load_event, read_event
from tests.github_double import BASE_SHA, SHA

PAYLOADS = Path(__file__).parents[1] / "data" / "third_party" / "github-events"


def payload(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((PAYLOADS / f"{name}.json").read_text(encoding="utf-8"))
    return value


def test_a_pull_request_is_about_the_authors_commit_not_the_test_merge() -> None:
    event = read_event("pull_request", payload("pull_request"), sha=SHA, ref="refs/pull/2/merge")
    assert event == Event(
        "pull_request",
        "Codertocat/Hello-World",
        sha=SHA,
        head="ec26c3e57ca3a959ca5aad62de7213c562f8c821",
        branch="changes",
        base="f95f852bd8fca8fcc58a9a2d6c842781e32a215e",
        number=2,
    )


@pytest.mark.parametrize("repo", [{"full_name": "mallory/Hello-World"}, None])
def test_a1_a_pull_request_is_ours_whichever_repository_it_comes_from(repo: Any) -> None:
    found = payload("pull_request")
    found["pull_request"]["head"]["repo"] = repo
    event = read_event("pull_request", found)
    assert (event.repository, event.number) == ("Codertocat/Hello-World", 2)


def test_a4_a_finished_run_is_read_without_its_list_of_pull_requests() -> None:
    event = read_event("workflow_run", payload("workflow_run"))
    assert event.run == WorkflowRun(
        id=289782451,
        event="repository_dispatch",
        head="3484a3fb816e0859fd6e1cea078d76385ff50625",
        branch="master",
        head_repository="octo-org/octo-repo",
        repository="octo-org/octo-repo",
        started="2020-10-05T16:33:49Z",
    )
    assert read_event("workflow_run", payload("workflow_run_same_repository")).run.numbers == (2,)  # type: ignore[union-attr]


@pytest.mark.parametrize(("repository", "name"), [(None, None), ({"full_name": "mallory/x"}, "mallory/x")])
def test_a4_the_head_repository_of_a_run_may_be_gone(repository: Any, name: str | None) -> None:
    found = payload("workflow_run")
    found["workflow_run"]["head_repository"] = repository
    run = read_event("workflow_run", found).run
    assert run is not None
    assert run.head_repository == name


def test_a7_a_merge_group_has_commits_and_no_pull_request() -> None:
    event = read_event("merge_group", payload("merge_group"), sha=SHA)
    assert (event.number, event.run, event.branch) == (None, None, "")
    assert (event.head, event.base) == (
        "2ffea6db159f6b6c47a24e778fb9ef40cf6b1c7d",
        "380387fbc80638b734a49e1be1c4dfec1c01b33c",
    )


@pytest.mark.parametrize(
    ("name", "file", "sha", "ref", "branch", "head"),
    [
        ("push", "push", "", "", "master", "6113728f27ae82c7b1a177c8d03f9e96e0adf246"),
        ("push", "push_tag", "", "", "", "6113728f27ae82c7b1a177c8d03f9e96e0adf246"),
        ("push", "push_tag_deleted", SHA, "", "", ""),
        ("workflow_dispatch", "workflow_dispatch", SHA, "refs/heads/main", "main", SHA),
        ("workflow_dispatch", "workflow_dispatch", SHA, "", "main", SHA),
        ("workflow_dispatch", "workflow_dispatch", "", "refs/tags/v1", "", ""),
        ("schedule", "workflow_dispatch", SHA, "refs/heads/main", "main", SHA),
    ],
)
def test_pushes_and_dispatches_are_about_a_branch_and_its_commit(
    name: str, file: str, sha: str, ref: str, branch: str, head: str
) -> None:
    event = read_event(name, payload(file), sha=sha, ref=ref)
    assert (event.branch, event.head, event.number) == (branch, head, None)


def test_what_a_local_runner_makes_up_is_enough() -> None:
    made_up = {
        "number": 7,
        "pull_request": {"number": 7, "head": {"ref": "f", "sha": SHA}, "base": {"sha": BASE_SHA}},
    }
    event = read_event("pull_request", made_up, repository="acme/demo")
    assert (event.number, event.head, event.base, event.repository) == (7, SHA, BASE_SHA, "acme/demo")


def test_the_runners_repository_wins() -> None:
    assert read_event("push", payload("push"), repository="acme/demo").repository == "acme/demo"


@pytest.mark.parametrize(
    "repository",
    [
        "",
        "acme",
        "acme/demo/x",
        "acme/..",
        "../demo",
        "./.",
        "ac me/demo",
        "acme/demo\n",
        "acme/dé",
        "a" * 201 + "/b",
    ],
)
def test_a_repository_is_owner_and_name(repository: str) -> None:
    with pytest.raises(EventError, match="GITHUB_REPOSITORY"):
        read_event("push", {}, repository=repository)


@pytest.mark.parametrize("number", [None, "7", 7.0, True, 0, -7, 2**63, [7], "7; rm -rf /"])
def test_d34_a_number_is_a_number(number: Any) -> None:
    found = payload("pull_request")
    found["pull_request"]["number"] = number
    with pytest.raises(EventError, match=r"no number at pull_request\.number"):
        read_event("pull_request", found)


@pytest.mark.parametrize("sha", [None, "main", SHA[:39], SHA + "1", SHA.replace("1", "G"), SHA + "\n", 7])
def test_d34_a_commit_is_a_commit(sha: Any) -> None:
    found = payload("pull_request")
    found["pull_request"]["head"]["sha"] = sha
    with pytest.raises(EventError, match=r"no commit id at pull_request\.head\.sha"):
        read_event("pull_request", found)


def test_a_commit_of_the_longer_kind_is_one_too() -> None:
    found = payload("pull_request")
    found["pull_request"]["head"]["sha"] = "a" * 64
    assert read_event("pull_request", found).head == "a" * 64


KEYS = ["pull_request", "workflow_run", "head", "base", "repo", "sha", "number", "id", "full_name", "ref"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "pull_request",
                    "workflow_run",
                    "head",
                    "base",
                    "repo",
                    "sha",
                    "number",
                    "id",
                    "full_name",
                    "ref",
                ]
            )
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(
    st.sampled_from(["pull_request", "pull_request_target", "workflow_run", "merge_group", "push", "x", ""]),
    st.dictionaries(st.sampled_from(["pull_request", "workflow_run", "merge_group", "ref", "after"]), JSON),
)
def test_whatever_stands_in_a_payload_it_is_read_or_refused(name: str, value: dict[str, Any]) -> None:
    try:
        event = read_event(name, value, repository="acme/demo")
    except EventError:
        return
    assert event.repository == "acme/demo"


# the file


def environ(path: Path) -> dict[str, str]:
    return {"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(path), "GITHUB_REPOSITORY": "acme/demo"}


def test_e49_the_file_is_read_as_utf_8_with_or_without_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    for mark in (b"", b"\xef\xbb\xbf"):
        path.write_bytes(mark + json.dumps({"ref": "refs/heads/größe"}, ensure_ascii=False).encode())
        assert load_event(environ(path)).branch == "größe"


def test_without_a_file_the_runners_variables_tell() -> None:
    known = {"GITHUB_EVENT_NAME": "push", "GITHUB_REPOSITORY": "acme/demo", "GITHUB_SHA": SHA}
    event = load_event({**known, "GITHUB_REF": "refs/heads/main"})
    assert (event.name, event.branch, event.head) == ("push", "main", SHA)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"[]", "no JSON object"),
        (b"\xff{}", "no JSON"),
        (b"[" * 10**6, "no JSON"),
    ],
    ids=["empty", "cut", "list", "latin", "deep"],
)
def test_a_file_that_is_no_payload_is_refused(tmp_path: Path, data: bytes, why: str) -> None:
    path = tmp_path / "event.json"
    path.write_bytes(data)
    with pytest.raises(EventError, match=why):
        load_event(environ(path))


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EventError, match="cannot be read"):
        load_event(environ(tmp_path / "absent.json"))
    with pytest.raises(EventError, match="no regular file"):
        load_event(environ(tmp_path))
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(EventError, match="no regular file"):
            load_event(environ(tmp_path / "pipe"))


def test_a_file_without_bounds_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(EventError, match="larger than"):
        load_event(environ(path))
