"""How far a recording is opened, and what is said of it where that ends.

What is not opened is never passed in silence: it becomes a `NotChecked` with the id of one of these rules, which
blocks like a finding and can be allowed like one.
"""

from __future__ import annotations

MAX_FILE = 200_000_000  # bytes of one file
MAX_OPENED = 256_000_000  # bytes that all compressed layers of one file may hold together
MAX_RATIO = 1200  # zlib cannot do better than 1032 to 1; more than that is two layers of it
MAX_LAYERS = 12  # texts in texts in texts

RULES = {
    "unreadable": "The file is no JSON or YAML, although its name says so; it was searched as plain text",
    "conflict": "The file holds the marks of a merge conflict",
    "compressed": "A compressed body that could not be opened",
    "too-deep": "Texts in texts, nested more than 12 deep, or trees too deep to be read",
    "too-large": "A file of more than 200 MB, or compressed bodies of more than 256 MB in one file",
    "pattern-timeout": "A pattern of `redact.rules` that took too long on one text",
    "not-a-file": "A link, a submodule or something else that is no regular file",
}


class LimitReached(Exception):
    """A layer is larger than what is opened. `rule` is an id of `RULES`."""

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(reason)
        self.rule = rule
        self.reason = reason
