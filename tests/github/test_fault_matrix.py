"""Every failure at every call: never two comments, never an older text, never the token in anything, bounded time."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from tests.github.talk import Waiting, body, keep, marker, saying
from tests.github_double import FAULTS, STRANGER, GitHubDouble

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.github_double import Fault

# The calls that keeping a comment makes: name -> (method, part of the path, whether a comment stands before).
CALLS = {
    "list comments": ("GET", "/issues/7/comments", True),
    "list comments of an empty conversation": ("GET", "/issues/7/comments", False),
    "ask who wrote": ("POST", "/graphql", True),
    "get the pull request": ("GET", "/pulls/7", True),
    "create": ("POST", "/issues/7/comments", False),
    "update": ("PATCH", "/issues/comments/", True),
    "look again": ("GET", "/issues/comments/", True),
    "delete a duplicate": ("DELETE", "/issues/comments/", True),
}
# Every failure, and of those that leave it open also the one after the deed.
OPEN = (
    "lost",
    "500",
    "502 page",
    "503",
    "504",
    "page instead of JSON",
    "nothing instead of JSON",
    "cut",
    "drips",
)
PLANS = {
    **FAULTS,
    **{f"{name}, after the deed": FAULTS[name].after_the_deed() for name in OPEN if name != "cut"},
}
# What goes away when tried again soon; what does not.
PASSES = {
    *("403 primary limit", "403 secondary limit", "429", "500", "502 page", "503", "503 empty", "504"),
    *("page instead of JSON", "nothing instead of JSON", "JSON of another kind", "JSON too deep to read"),
    "an empty object",
    *("403 secondary limit, no time given", "429, no time given"),
    *("cut", "ends early", "lost", "drips"),
    *(f"{name}, after the deed" for name in OPEN if name != "cut"),
}
STAYS = {
    *("401", "403 no permission", "403 locked", "404", "410", "422"),
    *("403 primary limit for an hour", "429 for an hour"),
}


@pytest.fixture
def github(waiting: Waiting) -> Iterator[GitHubDouble]:
    with GitHubDouble(clock=waiting.clock, on_drip=waiting.drip) as double:
        double.add_pull_request(7)
        yield double


def ours(github: GitHubDouble) -> list[str]:
    """The texts of our comments, without markers."""
    return [
        comment.body.split("\n", 1)[1].strip() for comment in github.comments(7) if comment.author != STRANGER
    ]


def test_every_failure_is_in_one_of_the_two_lists() -> None:
    assert set(PLANS) == PASSES | STAYS
    assert not PASSES & STAYS


@pytest.mark.parametrize(
    ("plan", "call", "times"),
    [
        pytest.param(plan, call, times, id=f"{plan} at {call}{' for ever' if times > 1 else ''}")
        for plan in PLANS
        for call in CALLS
        # A question has no deed. That it never ends makes a difference where it is tried again and again.
        if "deed" not in plan or call in ("create", "update", "delete a duplicate")
        for times in ([1, 1000] if plan in PASSES and call in ("list comments", "create", "update") else [1])
    ],
)
def test_c28_c29_whatever_fails_there_is_one_comment_and_it_becomes_true(
    github: GitHubDouble,
    waiting: Waiting,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    plan: str,
    call: str,
    times: int,
) -> None:
    caplog.set_level(logging.DEBUG)
    fault: Fault = PLANS[plan]
    method, path, stands = CALLS[call]
    github.add_comment(7, body(marker(run=9), "forged"), STRANGER)
    if stands:
        github.add_comment(7, body(marker(run=5), "old"))
        if call == "delete a duplicate":
            github.add_comment(7, body(marker(run=4), "older"))
    github.fail_next(fault, times, method=method, path=path)
    started = waiting.now

    kept = keep(github, waiting, saying(marker(run=10), "new"))

    # One comment, old or new; where it could not even be said which, the next run must find it.
    assert ours(github) in ([], ["new"], ["old"], ["old", "older"], ["new", "older"]), kept
    if kept.what in ("created", "updated"):
        assert "new" in ours(github)
    if kept.what == "refused":
        assert kept.notice
    if times == 1 and plan in PASSES:
        assert kept.what in ("created", "updated"), kept
        assert ours(github) == ["new"]
    # Waiting ends; a few drops of a slow answer may have fallen since.
    assert waiting.now - started <= 90 + 40 * fault.drips
    # GitHub is well again: the next run makes it one comment that is true.
    for planned in github.planned:
        planned.times = 0
    again = keep(github, waiting, saying(marker(run=11), "newest"))
    assert again.what in ("created", "updated")
    assert ours(github) == ["newest"]

    printed = capfd.readouterr()
    seen = [repr(kept), repr(again), caplog.text, printed.out, printed.err]
    assert not [text for text in seen if github.token.text in text]
    # The token was in the header that is made for it, and nowhere else.
    for made in github.calls:
        assert github.token.text not in f"{made.path}{made.query}".encode().decode()
        assert github.token.text.encode() not in made.body
