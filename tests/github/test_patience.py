"""How long is waited, and that it ends."""

from __future__ import annotations

import pytest

from dryfire_action.github.failures import GitHubError
from dryfire_action.github.patience import Patience, seconds_after_a_failure, seconds_of_a_limit
from tests.github.talk import Waiting

SECONDARY = "You have exceeded a secondary rate limit."
NOW = 1_800_000_000.0
WHY = GitHubError("rate-limited", "why")


@pytest.mark.parametrize(
    ("status", "headers", "message", "tries", "seconds"),
    [
        (403, {"retry-after": "7"}, "", 1, 7),
        (429, {"retry-after": "7"}, "", 3, 7),
        (403, {"retry-after": "Fri, 15 Jan 2027 08:00:30 GMT"}, "", 1, 30),
        (403, {"retry-after": "Fri, 15 Jan 2027 07:00:00 GMT"}, "", 1, 0),
        (429, {"retry-after": "soon"}, "", 1, 60),
        (429, {"retry-after": "9" * 40}, "", 1, 60),
        (
            403,
            {"retry-after": "7", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000050"},
            "",
            1,
            7,
        ),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000050"}, "", 1, 51),
        (429, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1799999000"}, "", 1, 1),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "x"}, SECONDARY, 1, 60),
        (403, {"x-ratelimit-remaining": "12"}, SECONDARY, 1, 60),
        (403, {}, SECONDARY.upper(), 2, 120),
        (403, {}, "You have triggered an abuse detection mechanism", 3, 240),
        (429, {}, "", 2, 120),
        (403, {}, "Resource not accessible by integration", 1, None),
        (403, {"x-ratelimit-remaining": "4999"}, "", 1, None),
        (404, {"retry-after": "7"}, SECONDARY, 1, None),
        (200, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000050"}, "", 1, None),
    ],
)
def test_c28_limits_are_obeyed_as_github_asks(
    status: int, headers: dict[str, str], message: str, tries: int, seconds: float | None
) -> None:
    assert seconds_of_a_limit(status, headers, message, tries, NOW) == seconds


def test_failures_are_waited_on_for_longer_each_time() -> None:
    assert [seconds_after_a_failure(tries) for tries in (1, 2, 3, 4)] == [1, 2, 4, 8]


def test_more_than_what_is_left_is_not_waited_at_all() -> None:
    waiting = Waiting()
    patience = Patience(waiting.clock, waiting.sleep, 90)
    patience.wait(50, WHY)
    with pytest.raises(GitHubError, match="why"):
        patience.wait(40, WHY)
    patience.wait(39, WHY)
    assert (waiting.slept, patience.left) == ([50, 39], 1)


def test_a_second_lies_between_writes_however_long_they_take() -> None:
    waiting = Waiting()
    patience = Patience(waiting.clock, waiting.sleep, 90)
    patience.before_a_write()
    waiting.now += 5
    patience.wrote()
    waiting.now += 0.25
    patience.before_a_write()
    patience.before_a_write()
    assert waiting.slept == [0.75, 1]


def test_a_clock_that_is_set_back_neither_gives_time_nor_takes_it() -> None:
    waiting = Waiting()
    patience = Patience(waiting.clock, waiting.sleep, 90)
    patience.before_a_write()
    started = waiting.now
    waiting.now -= 1000
    patience.spend_since(started)
    patience.before_a_write()
    assert (waiting.slept, patience.left) == ([1], 89)
