"""The double with one open pull request, and time that passes only when told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.github.talk import Waiting
from tests.github_double import GitHubDouble

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def waiting() -> Waiting:
    """Time that tests pass."""
    return Waiting()


@pytest.fixture
def github(waiting: Waiting) -> Iterator[GitHubDouble]:
    """The double, with pull request 7; its clock is that of ``waiting``."""
    with GitHubDouble(clock=waiting.clock) as double:
        double.add_pull_request(7)
        yield double
