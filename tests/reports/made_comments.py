"""What comments in tests are made with."""

from __future__ import annotations

from typing import Any

from dryfire_action.comment_marker import Marker
from dryfire_action.reports.links import Links

SERVER = "https://github.com"
HEAD = "9b1d77c4" * 5
OLD_HEAD = "3f9c2e1b" * 5
LINKS = Links(SERVER, "acme/shop", HEAD, f"{SERVER}/acme/shop/actions/runs/18240551")


def marker(**values: Any) -> Marker:
    """The marker of a comment about ``HEAD``."""
    base = {"key": "evals", "head": HEAD, "run": 18240551, "attempt": 1, "state": "stale", "stale": 3}
    return Marker(**{**base, **values})


WAS_STALE = marker(head=OLD_HEAD, run=18233107, stale=40)
