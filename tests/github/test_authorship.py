"""A comment is ours because GitHub says that this token wrote it: never for its text, never for a guessed login."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.github.talk import Waiting, body, keep, marker, saying, texts
from tests.github_double import BOT, STRANGER, Account, GitHubDouble

if TYPE_CHECKING:
    from dryfire_action.comment_marker import Marker


@pytest.mark.parametrize(
    ("text", "author"),
    [
        (body(marker(run=10**17), "captured"), STRANGER),
        (body(marker(run=1), "captured"), STRANGER),
        ("> quoted\n" + body(marker(run=10**17)), BOT),
        (" " + body(marker()), BOT),
        (body(marker(key="another")), BOT),
        ('<!-- dryfire-action:v1 key="evals" -->\nno marker of ours', BOT),
    ],
)
def test_b17_a_forged_or_foreign_marker_is_ignored(
    github: GitHubDouble, waiting: Waiting, text: str, author: Account
) -> None:
    github.add_comment(7, text, author)
    assert keep(github, waiting).what == "created"
    assert [comment.bodies for comment in github.comments(7)] == [[text], [body(marker())]]


def test_b17_three_hundred_forged_markers_do_not_hide_ours(github: GitHubDouble, waiting: Waiting) -> None:
    for number in range(150):
        github.add_comment(7, body(marker(run=10**16 + number)), STRANGER)
    ours = github.add_comment(7, body(marker(run=1)))
    for number in range(150):
        github.add_comment(7, body(marker(run=10**16 + number)), STRANGER)
    kept = keep(github, waiting)
    assert (kept.what, kept.id) == ("updated", ours.id)
    assert len(github.comments(7)) == 301


@pytest.mark.parametrize("kind", ["workflow", "person", "app"])
def test_b16_whoever_the_token_is_there_is_one_comment(
    github: GitHubDouble, waiting: Waiting, kind: str
) -> None:
    tokens = {
        "workflow": github.token,
        "person": github.personal_token,
        "app": github.add_token("ghs" + "_app00" + "0" * 30, Account("our-app[bot]", 99, "Bot")),
    }
    for run in (10, 11, 12):
        keep(github, waiting, saying(marker(run=run), f"run {run}"), token=tokens[kind])
    assert texts(github) == ["run 12"]
    assert github.comments(7)[0].author == tokens[kind].account


def test_b16_another_accounts_comment_is_left_alone(github: GitHubDouble, waiting: Waiting) -> None:
    keep(github, waiting, saying(marker(run=10), "of the workflow"))
    keep(github, waiting, saying(marker(run=11), "of a person"), token=github.personal_token)
    assert texts(github) == ["of the workflow", "of a person"]


@pytest.mark.parametrize("refusal", ["403 no permission", "404", "JSON of another kind"])
@pytest.mark.parametrize("personal", [False, True])
def test_a11_without_graphql_the_comment_is_still_one(
    github: GitHubDouble, waiting: Waiting, refusal: str, personal: bool
) -> None:
    token = github.personal_token if personal else github.token
    github.add_comment(7, body(marker(run=10**17), "forged"), STRANGER)
    for run in (10, 11, 12):
        github.fail_next(refusal, times=100, path="/graphql")
        kept = keep(github, waiting, saying(marker(run=run), f"run {run}"), token=token)
        assert kept.what == ("created" if run == 10 else "updated")
    assert texts(github) == ["forged", "run 12"]
    # Who can say who it is needs no comment to find out.
    made = [call for call in github.writes if call.method == "POST"]
    assert len(made) == (1 if personal else 3)


def test_a11_who_is_unknown_does_not_take_an_old_copy_of_its_text_for_its_own(
    github: GitHubDouble, waiting: Waiting
) -> None:
    forged = github.add_comment(7, body(marker()), STRANGER)
    github.fail_next("403 no permission", times=100, path="/graphql")
    github.fail_next("lost", method="POST", path="/comments")
    kept = keep(github, waiting)
    assert (kept.what, kept.id != forged.id, len(github.comments(7))) == ("created", True, 2)


def test_a11_without_graphql_a_clean_run_does_not_leave_the_old_complaint(
    github: GitHubDouble, waiting: Waiting
) -> None:
    keep(github, waiting)
    github.fail_next("403 no permission", times=100, path="/graphql")

    def compose(previous: Marker | None) -> tuple[Marker, str] | None:
        return (
            (marker(run=11, state="clear"), body(marker(run=11, state="clear"), "clear"))
            if previous
            else None
        )

    keep(github, waiting, compose)
    assert texts(github) == ["clear"]
