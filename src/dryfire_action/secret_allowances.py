"""What a team allows to stand: findings that are known, with a reason, and perhaps until a date.

An entry names a rule, a place, a digest of the value, or several of them; all that it names must agree. Digests
are keyed, so that a short value cannot be found by trying; and they say nothing about lines, so entries of two
branches merge.
"""

from __future__ import annotations

from typing import NamedTuple


class Allowance(NamedTuple):
    """One entry of `redact.allow` in `dryfire.yaml`.

    `rule` is a rule's id. `path` is a pattern for the file's path with `*`, `?` and `[…]`, where `*` crosses
    folders. `digest` is what `keyed_digest` returns. `expires` is the last day it holds, as `2027-01-31`.
    """

    reason: str
    rule: str | None = None
    path: str | None = None
    digest: str | None = None
    expires: str | None = None

    def holds(self, rule: str, value: str, *, path: str, today: str, key: str) -> bool:
        """Whether this entry lets a finding pass.

        `value` is the secret; `path` its file with `/` between folders; `today` an ISO date; `key` the key of
        the digests. An entry that names nothing lets nothing pass.
        """
        from fnmatch import fnmatchcase

        if self.rule is self.path is self.digest is None or self.has_expired(today):
            return False
        return (
            (self.rule is None or self.rule == rule)
            and (self.path is None or fnmatchcase(path, self.path))
            and (self.digest is None or self.digest == keyed_digest(value, key))
        )

    def has_expired(self, today: str) -> bool:
        """Whether the last day is over on an ISO date."""
        return self.expires is not None and self.expires < today


def keyed_digest(value: str, key: str) -> str:
    """The digest of a secret that an entry may hold: 32 hexadecimal digits of HMAC-SHA256 under a key."""
    import hashlib
    import hmac

    secret, message = (text.encode("utf-8", "surrogatepass") for text in (key, value))
    return hmac.new(secret, message, hashlib.sha256).hexdigest()[:32]
