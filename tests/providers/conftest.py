"""The loopback server, fresh for each test, and each wire format in turn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import certifi
import pytest

from tests.providers import spoken, wire_server

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True, scope="session")
def _few_authorities(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Every client reads the certificates it would trust, which takes longer than all else; they speak plain HTTP."""
    first = Path(certifi.where()).read_text(encoding="utf-8").partition("-----END CERTIFICATE-----")
    file = tmp_path_factory.mktemp("authorities") / "one.pem"
    file.write_text("".join(first[:2]) + "\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield


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
