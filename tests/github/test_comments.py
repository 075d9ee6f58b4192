"""One comment per key, found by marker and author, convergent, never older than what stands; never an exception."""

from __future__ import annotations

import itertools
import threading
from typing import TYPE_CHECKING

import pytest

from tests.github.talk import Waiting, body, client, keep, marker, once, saying, texts
from tests.github_double import STRANGER, Fault, GitHubDouble

if TYPE_CHECKING:
    from dryfire_action.comment_marker import Marker
    from tests.github_double import Call

NEXT = "3" * 40


def test_the_first_report_creates_a_comment(github: GitHubDouble, waiting: Waiting) -> None:
    kept = keep(github, waiting)
    (comment,) = github.comments(7)
    assert (kept.what, kept.id, kept.notice) == ("created", comment.id, "")
    assert kept.url.endswith(f"#issuecomment-{comment.id}")
    assert comment.body == body(marker())


def test_the_next_report_updates_it(github: GitHubDouble, waiting: Waiting) -> None:
    first = keep(github, waiting)
    seen: list[Marker | None] = []

    def compose(previous: Marker | None) -> tuple[Marker, str]:
        seen.append(previous)
        return marker(run=11), body(marker(run=11), "two")

    second = keep(github, waiting, compose)
    assert (second.what, second.id) == ("updated", first.id)
    assert texts(github) == ["two"]
    assert seen == [marker()]


def test_b22_an_unchanged_body_is_not_written(github: GitHubDouble, waiting: Waiting) -> None:
    keep(github, waiting)
    before = len(github.writes)
    assert keep(github, waiting).what == "unchanged"
    assert len(github.writes) == before


def test_nothing_to_say_is_not_said(github: GitHubDouble, waiting: Waiting) -> None:
    kept = keep(github, waiting, lambda previous: None)
    assert (kept.what, kept.id) == ("silent", None)
    github.add_comment(7, body(marker()))
    kept = keep(github, waiting, lambda previous: None)
    assert (kept.what, kept.id) == ("silent", github.comments(7)[0].id)
    assert github.writes == []


def test_b13_keys_have_a_comment_each(github: GitHubDouble, waiting: Waiting) -> None:
    for key in ("evals", "evals-two", "evals"):
        keep(github, waiting, saying(marker(key=key), key), key=key)
    assert texts(github) == ["evals", "evals-two"]


def test_b20_a_clean_run_edits_the_comment_and_deletes_our_own_duplicates(
    github: GitHubDouble, waiting: Waiting
) -> None:
    for run, attempt in ((3, 9), (5, 1), (4, 2)):
        github.add_comment(7, body(marker(run=run, attempt=attempt), f"stale in run {run}"))
    github.add_comment(7, body(marker(run=3), "a quotation"), STRANGER)
    seen: list[Marker | None] = []

    def compose(previous: Marker | None) -> tuple[Marker, str]:
        seen.append(previous)
        return marker(state="clear"), body(marker(state="clear"), "all clear")

    first = github.comments(7)[0].id
    assert (keep(github, waiting, compose).id, seen) == (first, [marker(run=5)])
    assert texts(github) == ["all clear", "a quotation"]


@pytest.mark.parametrize("others", [299, 100, 99])
def test_a_comment_is_found_behind_hundreds_of_others(
    github: GitHubDouble, waiting: Waiting, others: int
) -> None:
    for number in range(others):
        github.add_comment(7, f"opinion {number}", STRANGER)
    ours = github.add_comment(7, body(marker(run=1)))
    assert (keep(github, waiting).what, ours.body) == ("updated", body(marker()))
    assert len(github.comments(7)) == others + 1


# who has the word


@pytest.mark.parametrize(
    ("stands", "comes", "what"),
    [
        ((10, 1), (11, 1), "updated"),
        ((10, 1), (10, 2), "updated"),
        ((10, 1), (10, 1), "updated"),
        ((11, 1), (10, 1), "superseded"),
        ((10, 2), (10, 1), "superseded"),
        ((11, 1), (10, 9), "superseded"),
    ],
)
def test_an_older_run_or_attempt_never_overwrites_a_newer_one(
    github: GitHubDouble, waiting: Waiting, stands: tuple[int, int], comes: tuple[int, int], what: str
) -> None:
    github.add_comment(7, body(marker(run=stands[0], attempt=stands[1]), "stands"))
    kept = keep(github, waiting, saying(marker(run=comes[0], attempt=comes[1]), "comes"))
    assert (kept.what, texts(github)) == (what, ["comes" if what == "updated" else "stands"])
    assert bool(kept.notice) == (what == "superseded")


@pytest.mark.parametrize("stands", [True, False])
def test_b23_a_commit_that_is_no_longer_the_head_is_not_reported(
    github: GitHubDouble, waiting: Waiting, stands: bool
) -> None:
    if stands:
        github.add_comment(7, body(marker(run=1), "stands"))
    github.pull_requests[7].head = NEXT
    kept = keep(github, waiting)
    assert (kept.what, "newer commit" in kept.notice) == ("superseded", True)
    assert github.writes == []


def test_an_older_run_that_writes_in_between_is_written_over(github: GitHubDouble, waiting: Waiting) -> None:
    ours = github.add_comment(7, body(marker(run=1)))

    def meanwhile(call: Call) -> None:
        if call.method == "GET" and call.path.endswith(str(ours.id)) and len(ours.bodies) < 4:
            ours.bodies.append(body(marker(run=5), "late"))

    github.on_call = meanwhile
    assert keep(github, waiting).what == "updated"
    assert texts(github) == ["one case is stale"]


def test_a_newer_run_that_writes_in_between_is_left(github: GitHubDouble, waiting: Waiting) -> None:
    ours = github.add_comment(7, body(marker(run=1)))

    def meanwhile(call: Call) -> None:
        if call.method == "GET" and call.path.endswith(str(ours.id)):
            ours.bodies.append(body(marker(run=99), "newer"))

    github.on_call = meanwhile
    keep(github, waiting)
    assert texts(github) == ["newer"]


# two jobs at once


@pytest.mark.parametrize(
    ("other_run", "what", "stands"),
    [(9, "updated", "mine"), (10, "updated", "mine"), (11, "superseded", "theirs")],
)
def test_b14_whoever_creates_second_merges_into_the_first_and_deletes_only_its_own(
    github: GitHubDouble, waiting: Waiting, other_run: int, what: str, stands: str
) -> None:
    stranger = github.add_comment(7, body(marker(), "forged"), STRANGER)
    meanwhile = once(lambda: github.add_comment(7, body(marker(run=other_run), "theirs")) and None)
    github.on_call = lambda call: meanwhile() if call.method == "POST" and call.writes else None
    seen: list[Marker | None] = []

    def compose(previous: Marker | None) -> tuple[Marker, str]:
        seen.append(previous)
        return marker(), body(marker(), "mine")

    kept = keep(github, waiting, compose)
    assert (kept.what, texts(github)) == (what, ["forged", stands])
    assert kept.id == github.comments(7)[1].id
    assert seen == [None] if what == "superseded" else [None, marker(run=other_run)]
    deleted = [call.path.rsplit("/", 1)[1] for call in github.writes if call.method == "DELETE"]
    assert (len(deleted), str(stranger.id) in deleted) == (1, False)


def test_b14_whoever_created_first_deletes_nothing(github: GitHubDouble, waiting: Waiting) -> None:
    meanwhile = once(lambda: github.add_comment(7, body(marker(run=11), "theirs")) and None)

    def second(call: Call) -> None:
        if call.method == "GET" and call.path.endswith("/comments") and github.comments(7):
            meanwhile()

    github.on_call = second
    assert keep(github, waiting, saying(marker(), "mine")).what == "created"
    assert texts(github) == ["mine", "theirs"]
    assert [call.method for call in github.writes] == ["POST"]


@pytest.mark.parametrize("round_", range(5))
def test_b14_jobs_that_really_race_leave_one_comment(github: GitHubDouble, round_: int) -> None:
    """Three threads, started together: each looks, none finds one, all create."""
    together = threading.Barrier(3)
    github.on_call = lambda call: (
        together.wait(10) and None if call.writes and call.method == "POST" else None
    )
    kept: list[str] = []

    def job(run: int) -> None:
        kept.append(keep(github, Waiting(), saying(marker(run=run), f"run {run}")).what)

    jobs = [threading.Thread(target=job, args=(run,), daemon=True) for run in (10, 11, 12)]
    for thread in jobs:
        thread.start()
    for thread in jobs:
        thread.join(20)
    assert len(kept) == 3
    assert len(github.comments(7)) == 1
    assert "refused" not in kept


def test_jobs_of_several_runs_one_after_another_end_with_the_newest(
    github: GitHubDouble, waiting: Waiting
) -> None:
    for run in (12, 10, 11, 13, 9):
        keep(github, waiting, saying(marker(run=run), f"run {run}"))
    assert texts(github) == ["run 13"]


# what GitHub refuses


def test_a1_a_forks_token_writes_nothing_and_raises_nothing(github: GitHubDouble, waiting: Waiting) -> None:
    kept = keep(github, waiting, token=github.fork_token)
    assert (kept.what, kept.id, github.comments(7)) == ("refused", None, [])
    assert "fork" in kept.notice and "job summary is complete" in kept.notice
    assert waiting.waited == 0


def test_a1_a_read_only_token_that_finds_its_own_old_comment_writes_nothing(
    github: GitHubDouble, waiting: Waiting
) -> None:
    github.add_comment(7, body(marker(run=1), "old"))
    kept = keep(github, waiting, token=github.fork_token)
    assert (kept.what, texts(github)) == ("refused", ["old"])


def test_a2_the_notice_tells_dependabots_way_out(github: GitHubDouble, waiting: Waiting) -> None:
    notice = keep(github, waiting, token=github.fork_token).notice
    assert "Dependabot" in notice and "pull-requests: write" in notice


@pytest.mark.parametrize("exists", [True, False])
def test_a8_a_locked_conversation_is_named(github: GitHubDouble, waiting: Waiting, exists: bool) -> None:
    if exists:
        github.add_comment(7, body(marker(run=1), "old"))
    github.pull_requests[7].locked = True
    kept = keep(github, waiting)
    assert (kept.what, "locked" in kept.notice) == ("refused", True)
    assert len(github.comments(7)) == exists


def test_b17_a_comment_that_may_not_be_changed_leads_to_another_one(
    github: GitHubDouble, waiting: Waiting
) -> None:
    fixed = github.add_comment(7, body(marker(run=1), "fixed"))
    for run in (10, 11):
        github.fail_next("403 no permission", method="PATCH", path=str(fixed.id))
        assert keep(github, waiting, saying(marker(run=run), f"run {run}")).what == (
            "created" if run == 10 else "updated"
        )
    assert texts(github) == ["run 11"]


@pytest.mark.parametrize("gone", ["404", "410"])
def test_a_comment_that_is_deleted_meanwhile_is_made_again(
    github: GitHubDouble, waiting: Waiting, gone: str
) -> None:
    ours = github.add_comment(7, body(marker(run=1)))

    def delete(call: Call) -> None:
        if call.method == "PATCH":
            github.state.comments.pop(ours.id, None)

    github.on_call = delete
    github.fail_next(gone, method="PATCH")
    assert keep(github, waiting).what == "created"
    assert texts(github) == ["one case is stale"]


def test_a_duplicate_that_cannot_be_deleted_is_left_to_the_next_run(
    github: GitHubDouble, waiting: Waiting
) -> None:
    for run in (1, 2):
        github.add_comment(7, body(marker(run=run)))
    github.fail_next("403 no permission", method="DELETE")
    assert keep(github, waiting, saying(marker(run=10), "ten")).what == "updated"
    keep(github, waiting, saying(marker(run=11), "eleven"))
    assert texts(github) == ["eleven"]


def test_writes_lie_a_second_apart(github: GitHubDouble, waiting: Waiting) -> None:
    times: list[float] = []
    github.on_call = lambda call: times.append(waiting.now) if call.writes else None
    for run in (1, 2, 3):
        github.add_comment(7, body(marker(run=run)))
    made = client(github, waiting)
    for run in (10, 11, 12):
        keep(github, waiting, saying(marker(run=run), f"run {run}"), github=made)
    assert len(times) == 5
    assert all(after - before >= 1 for before, after in itertools.pairwise(times))


def test_a_body_without_its_marker_is_a_mistake_of_ours(github: GitHubDouble, waiting: Waiting) -> None:
    with pytest.raises(ValueError, match="marker"):
        keep(github, waiting, lambda previous: (marker(), "no marker"))
    with pytest.raises(ValueError, match="marker"):
        keep(github, waiting, saying(marker(key="another")))


def test_a10_an_enterprise_server_is_no_different(waiting: Waiting) -> None:
    with GitHubDouble(base_path="/api/v3", clock=waiting.clock) as github:
        github.add_pull_request(7)
        for number in range(120):
            github.add_comment(7, body(marker(run=10**16), f"forged {number}"), STRANGER)
        assert [keep(github, waiting, saying(marker(run=run))).what for run in (10, 11, 11)] == [
            "created",
            "updated",
            "unchanged",
        ]
        assert len(github.comments(7)) == 121
        assert {call.path for call in github.calls if not call.path.startswith("/api/v3/")} == {
            "/api/graphql"
        }


def test_a_pull_request_without_a_head_is_none_to_report_on(github: GitHubDouble, waiting: Waiting) -> None:
    github.fail_next(Fault(200, b'{"id": 1}'), path="/pulls/7")
    kept = keep(github, waiting)
    assert (kept.what, "no head" in kept.notice, github.writes) == ("refused", True, [])


def test_an_answer_about_another_comment_is_not_taken_for_ours(
    github: GitHubDouble, waiting: Waiting
) -> None:
    github.fail_next(Fault(201, b'{"id": 1}').after_the_deed(), method="POST", path="/comments")
    assert keep(github, waiting).what == "refused"
    keep(github, waiting, saying(marker(run=11), "next"))
    assert texts(github) == ["next"]
