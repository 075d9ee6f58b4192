"""What holds for every test: no network but loopback, bounded property tests."""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests import socket_guard

if TYPE_CHECKING:
    from collections.abc import Iterator

# A machine that is busy must not fail a property: no deadlines, and "too slow" is nobody's bug.
_common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("dev", max_examples=100, **_common)
# The same examples on every run, so that a red build can be repeated by whoever looks at it.
settings.register_profile("ci", max_examples=100, derandomize=True, print_blob=True, database=None, **_common)
settings.register_profile("thorough", max_examples=5_000, **_common)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))

# Tests start Python often. What it compiles is kept for all of them, outside the tree, whatever the caller's settings.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ["PYTHONPYCACHEPREFIX"] = str(Path(sys.prefix, "pycache"))
# A job in the background ignores interrupts, and so would every process that a test starts and interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Let the garbage collector forget the thousands of tests, which stay until the end: it is quicker without them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _socket_guard() -> Iterator[None]:
    """Refuse every connection and look-up that would leave this machine, for the whole session."""
    with socket_guard.blocked():
        yield


@pytest.fixture(autouse=True)
def _no_network_attempt() -> Iterator[None]:
    """Fail the test that tried to reach the network, even where the code under test swallowed the error."""
    socket_guard.attempts.clear()
    yield
    if socket_guard.attempts:
        pytest.fail("swallowed: " + "; ".join(f"a test tried to {what}" for what in socket_guard.attempts))
