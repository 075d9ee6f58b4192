"""The loopback server, fresh for each test, and each wire format in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.providers import spoken, wire_server

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def wire() -> Iterator[wire_server.Wire]:
    """A server that answers what the test plans."""
    with wire_server.serving() as server:
        yield server


@pytest.fixture(params=spoken.ALL, ids=lambda each: each.name)
def spoke(request: pytest.FixtureRequest) -> spoken.Spoken:
    """Every wire format in turn."""
    found: spoken.Spoken = request.param
    return found
