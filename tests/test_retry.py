"""What is tried again, how often, and after how long."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from dryfire_action.errors import RETRYABLE_STATUSES, CassetteDamaged, FingerprintError, ProviderError
from dryfire_action.messages import Response
from dryfire_action.retry import RetryPolicy, with_retries

BUSY = ProviderError("busy", status=503)


class Provider:
    """Raises or returns its outcomes one after the other."""

    def __init__(self, *outcomes: Response | Exception) -> None:
        self._outcomes = iter(outcomes)
        self.asked = 0

    async def ask(self) -> Response:
        self.asked += 1
        outcome = next(self._outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


class Trying:
    """Runs `with_retries` and keeps what it told."""

    def __init__(self, *outcomes: Response | Exception, policy: RetryPolicy | None = None) -> None:
        self.provider = Provider(*outcomes)
        self.policy = policy or RetryPolicy()
        self.slept: list[float] = []
        self.told: list[tuple[str, int, float | None]] = []

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def run(self) -> tuple[Response, int]:
        return asyncio.run(
            with_retries(
                self.provider.ask,
                self.policy,
                sleep=self._sleep,
                jitter=lambda: Random(7),
                failed=lambda error, attempt, wait: self.told.append((error.message, attempt, wait)),
            )
        )


def test_an_answer_at_once_is_one_attempt() -> None:
    trying = Trying(Response("hi"))
    assert trying.run() == (Response("hi"), 1)
    assert (trying.slept, trying.told) == ([], [])


def test_a_failure_that_may_pass_is_tried_again_after_the_wait_it_told() -> None:
    trying = Trying(BUSY, ProviderError("still busy", status=429), Response("hi"))
    assert trying.run() == (Response("hi"), 3)
    assert [(message, attempt) for message, attempt, _ in trying.told] == [("busy", 0), ("still busy", 1)]
    assert [wait for _, _, wait in trying.told] == trying.slept
    assert all(seconds >= 0 for seconds in trying.slept)


def test_after_the_last_attempt_the_last_failure_is_raised() -> None:
    last = ProviderError("the last", status=503)
    trying = Trying(BUSY, BUSY, last, Response("hi"), policy=RetryPolicy(max_retries=2))
    with pytest.raises(ProviderError) as caught:
        trying.run()
    assert caught.value is last
    assert trying.provider.asked == 3
    assert trying.told[-1] == ("the last", 2, None)
    assert len(trying.slept) == 2


def test_no_retries_means_one_attempt() -> None:
    trying = Trying(BUSY, Response("hi"), policy=RetryPolicy(max_retries=0))
    with pytest.raises(ProviderError):
        trying.run()
    assert (trying.provider.asked, trying.slept, trying.told) == (1, [], [("busy", 0, None)])


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, None])
def test_a_failure_that_stays_is_not_tried_again(status: int | None) -> None:
    trying = Trying(ProviderError("no", status=status), Response("hi"))
    with pytest.raises(ProviderError):
        trying.run()
    assert (trying.provider.asked, trying.told) == (1, [("no", 0, None)])


@pytest.mark.parametrize("status", sorted(RETRYABLE_STATUSES))
def test_the_statuses_that_may_pass_are_tried_again(status: int) -> None:
    assert Trying(ProviderError("no", status=status), Response("hi")).run()[1] == 2


def test_the_provider_has_the_last_word_on_what_is_worth_it() -> None:
    assert Trying(ProviderError("cut off", retryable=True), Response("hi")).run()[1] == 2
    with pytest.raises(ProviderError):
        Trying(ProviderError("quota", status=429, retryable=False), Response("hi")).run()


@pytest.mark.parametrize(
    "error", [FingerprintError("system", "no"), CassetteDamaged("f", "no"), ValueError("no")]
)
def test_what_is_no_failure_of_the_provider_is_never_tried_again(error: Exception) -> None:
    trying = Trying(error, Response("hi"))
    with pytest.raises(type(error)):
        trying.run()
    assert (trying.provider.asked, trying.told) == (1, [])


# ---- how long


def wait(policy: RetryPolicy, failures: int, *, retry_after: float | None = None, seed: int = 1) -> float:
    return policy.wait(ProviderError("x", status=429, retry_after=retry_after), failures, Random(seed))


@pytest.mark.parametrize(
    ("asked", "waited"), [(0.0, 0.0), (2.5, 2.5), (60.0, 60.0), (3600.0, 60.0), (-5.0, 0.0)]
)
def test_what_the_provider_asks_for_is_obeyed_up_to_the_limit(asked: float, waited: float) -> None:
    assert wait(RetryPolicy(), 1, retry_after=asked) == waited


def test_the_wait_is_drawn_below_a_limit_that_doubles() -> None:
    policy = RetryPolicy(base=0.5, max_wait=3.0)
    for failures, limit in [(1, 0.5), (2, 1.0), (3, 2.0), (4, 3.0), (5, 3.0)]:
        drawn = [wait(policy, failures, seed=seed) for seed in range(200)]
        assert all(0.0 <= seconds <= limit for seconds in drawn)
        assert max(drawn) > 0.9 * limit
        assert min(drawn) < 0.1 * limit


def test_the_same_seed_waits_as_long() -> None:
    assert wait(RetryPolicy(), 3, seed=5) == wait(RetryPolicy(), 3, seed=5)
    assert wait(RetryPolicy(), 3, seed=5) != wait(RetryPolicy(), 3, seed=6)


def test_ever_so_many_failures_wait_no_longer_than_the_limit() -> None:
    assert 0.0 <= wait(RetryPolicy(), 5_000) <= RetryPolicy().max_wait
