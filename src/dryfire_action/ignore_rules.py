"""Ignore rules: volatile text of requests that a team declares not to count, such as a date in a system prompt."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dryfire_action.errors import FingerprintError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dryfire_action.messages import JsonValue

    # What the rules do to a field: (path, value) -> the value to digest.
    Masker = Callable[[str, JsonValue], JsonValue]

IGNORED = "\N{SYMBOL FOR SUBSTITUTE}ignored"


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """Volatile text that a team declares not to count: matches of ``pattern`` in fields whose path fits ``path``.

    ``path`` is a field path in which ``[*]`` stands for any index or name, as in ``messages[*].content``.
    """

    path: str
    pattern: str


def ignoring(rules: Iterable[tuple[IgnoreRule, Any]]) -> Masker | None:
    """The masker for ``rules``, each with its compiled pattern; None where there are no rules.

    A match becomes a constant in every text of the field, however deep in it.
    """
    compiled = [(re.compile(_path_pattern(rule.path)), pattern) for rule, pattern in rules]
    if not compiled:
        return None

    def mask(path: str, value: JsonValue) -> JsonValue:
        patterns = [pattern for where, pattern in compiled if where.fullmatch(path)]
        try:
            return _replaced(value, patterns) if patterns else value
        except RecursionError:
            raise FingerprintError(path, "the value is nested too deeply, or holds itself") from None

    return mask


def _path_pattern(path: str) -> str:
    return re.escape(path).replace(r"\[\*\]", r"\[(?:[^\]\"]*|\"(?:[^\"\\]|\\.)*\"(?:#\d+)?)\]")


def _replaced(value: JsonValue, patterns: Sequence[Any]) -> JsonValue:
    if isinstance(value, str):
        for pattern in patterns:
            value = pattern.sub(IGNORED, value)
        return value
    if isinstance(value, dict):
        return {key: _replaced(item, patterns) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_replaced(item, patterns) for item in value]
    return value
