"""The markers of one file: the same value gets the same one, and none that stands there already is used again."""

from __future__ import annotations

import re

from dryfire_action.late_pattern import late
from dryfire_action.secret_placeholders import MARKER_PATTERN

_WORD = late(r"\bredacted-([a-z][a-z0-9-]{0,62}?)-([0-9]{1,9})\b")
_IN_URL = late(r"[A-Za-z][A-Za-z0-9+.-]{1,20}:\\?/\\?/[^\s\"'<>]*\Z")


class Markers:
    """Gives every value of a file its marker: `[redacted:github-token:1]`.

    In a URL it is written as a word (`redacted-github-token-1`): brackets there mean an address of version 6, and
    parsers refuse all others.
    """

    def __init__(self, whole: str) -> None:
        self._taken = {found[0] for found in MARKER_PATTERN.finditer(whole)}
        self._taken |= {f"[redacted:{found[1]}:{found[2]}]" for found in _WORD.finditer(whole)}
        self._known: dict[tuple[str, str], str] = {}

    def __call__(self, value: str, rule: str, text: str, start: int) -> str:
        """The marker of a value that a rule found at a place of a text."""
        marker = self._known.get((value, rule)) or self._new(value, rule)
        if _IN_URL.search(text, max(0, start - 2048), start):
            return marker[1:-1].replace(":", "-")
        return marker

    def _new(self, value: str, rule: str) -> str:
        name = re.sub(r"[^a-z0-9]+", "-", rule.lower()).strip("-")[:64].strip("-") or "rule"
        number = 1
        while (marker := f"[redacted:{name}:{number}]") in self._taken:
            number += 1
        self._taken.add(marker)
        self._known[value, rule] = marker
        return marker
