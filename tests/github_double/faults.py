"""What can go wrong between us and GitHub, one planned failure each, as real ones look."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

DOCS = "https://docs.github.com/rest"
PAGE = b"<!DOCTYPE html><html><head><title>Unicorn!</title></head><body>We had issues</body></html>"


@dataclass(frozen=True)
class Fault:
    """An answer that is no good.

    ``carried_out``: the call takes effect all the same. ``cut``: the connection ends in the middle of the answer.
    ``drips``: it comes byte by byte. ``lost``: the connection ends without any. What is cut or drips is the true
    answer, so the call takes effect. ``reset_after`` seconds from now stand in `x-ratelimit-reset`.
    """

    status: int | None = None
    body: bytes | None = None
    kind: str = "application/json; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    reset_after: float | None = None
    carried_out: bool = False
    cut: bool = False
    lost: bool = False
    drips: bool = False

    def after_the_deed(self) -> Fault:
        """The same failure of a call that was carried out."""
        return replace(self, carried_out=True)


def said(status: int, message: str, *, reset_after: float | None = None, **headers: str) -> Fault:
    """A failure in GitHub's own words; underscores in names of headers are dashes."""
    body = json.dumps({"message": message, "documentation_url": DOCS, "status": str(status)}).encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Fault(status, body, headers=names, reset_after=reset_after)


SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
PRIMARY = "API rate limit exceeded for installation ID 7."

FAULTS = {
    "401": said(401, "Bad credentials"),
    "403 no permission": said(403, "Resource not accessible by integration"),
    "403 locked": said(403, "Unable to create comment because issue is locked."),
    "403 primary limit": said(403, PRIMARY, reset_after=20, x_ratelimit_remaining="0"),
    "403 primary limit for an hour": said(403, PRIMARY, reset_after=3600, x_ratelimit_remaining="0"),
    "403 secondary limit": said(403, SECONDARY, retry_after="5"),
    "403 secondary limit, no time given": said(403, SECONDARY),
    "404": said(404, "Not Found"),
    "410": said(410, "This issue was deleted"),
    "422": said(422, "Validation Failed"),
    "429": said(429, "Too Many Requests", retry_after="3"),
    "429, no time given": said(429, "Too Many Requests"),
    "429 for an hour": said(429, "Too Many Requests", retry_after="3600"),
    "500": said(500, "Server Error"),
    "502 page": Fault(502, PAGE, "text/html"),
    "503": said(503, "Service unavailable"),
    "503 empty": Fault(503, b""),
    "504": said(504, "Gateway timeout"),
    "page instead of JSON": Fault(200, PAGE, "text/html; charset=utf-8"),
    "nothing instead of JSON": Fault(200, b""),
    "JSON of another kind": Fault(200, b'"unexpected"'),
    "an empty object": Fault(200, b"{}"),
    "JSON too deep to read": Fault(200, b"[" * 100_000),
    "cut": Fault(cut=True),
    "ends early": Fault(200, b'[{"id": 1, "bo'),
    "lost": Fault(lost=True),
    "drips": Fault(drips=True),
}
