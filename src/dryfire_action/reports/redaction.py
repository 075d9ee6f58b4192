"""Redacting what leaves the machine: every text of a document is searched, whoever wrote it and wherever it stands.

Recordings are redacted when they are made. What suites, prompts, names and messages of errors say was not, until here.
Equal secrets have equal marks and different ones have different marks, so that a diff still says *that* they changed.
"""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING, Any

from dryfire_action.redact import DEFAULT_RULES, MARKER_PATTERN, redact_text
from dryfire_action.visible import cut

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dryfire_action.redact import Rules

_MOST_CHARACTERS = 20_000
# What holds digests and commit ids; they are searched all the same where they are something else.
_DIGESTS = frozenset({"old", "new", "recorded", "current", "commit", "base"})
_DIGEST = re.compile(r"[0-9a-f]{4,64}\Z")
# What is never cut: half a command is another command.
_WHOLE = frozenset({"command"})
# Where keys are names that somebody gave, and say what kind of value they hold.
_FOREIGN = frozenset({"expected", "actual", "before", "after"})


def redacted(document: Mapping[str, Any], rules: Rules = DEFAULT_RULES) -> dict[str, Any]:
    """``document``, a result or a part of one, with every secret in it replaced by a mark, and long texts cut.

    Raises ``PatternTimeout`` where a team's rule takes too long.
    """
    found: dict[str, Any] = _Search(rules, taken=set(_marks(document))).of(dict(document), None)
    return found


class _Search:
    """Which secret has which mark, and what was made of which text: the same names stand in many places."""

    def __init__(self, rules: Rules, taken: set[str]) -> None:
        self._rules = rules
        self._taken = taken
        self._numbers: dict[str, Iterator[int]] = {}
        self._marks: dict[tuple[str, str], str] = {}
        self._found: dict[tuple[str, str | None], str] = {}

    def of(self, value: Any, key: str | None, *, foreign: bool = False) -> Any:
        if isinstance(value, str):
            if key in _DIGESTS and _DIGEST.match(value):
                return value
            shown = self._text(value, key if foreign else None)
            return shown if key in _WHOLE else cut(shown, _MOST_CHARACTERS)
        if isinstance(value, dict):
            return {
                self._text(name, None) if foreign else name: self.of(
                    item, name, foreign=foreign or name in _FOREIGN
                )
                for name, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.of(item, key, foreign=foreign) for item in value]
        return value

    def _text(self, text: str, key: str | None) -> str:
        at = (text, key)
        if at not in self._found:
            self._found[at] = redact_text(text, self._mark, rules=self._rules, key=key)
        return self._found[at]

    def _mark(self, value: str, rule: str) -> str:
        at = (value, rule)
        if at not in self._marks:
            numbers = self._numbers.setdefault(rule, count())
            marks = (f"[redacted:{rule}:{number}]" for number in numbers)
            self._marks[at] = next(mark for mark in marks if mark not in self._taken)
        return self._marks[at]


def _marks(value: Any) -> Iterator[str]:
    """The marks that are there already."""
    if isinstance(value, str):
        if "[redacted:" in value:
            yield from MARKER_PATTERN.findall(value)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _marks(name)
            yield from _marks(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _marks(item)
