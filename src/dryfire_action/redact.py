"""Finding secrets in texts and trees, and replacing them. Pure: no files, no clock, standard library only.

The same engine redacts what is recorded and reviews what is about to be committed. Three sets of rules:
`DEFAULT_RULES` (everything, published samples too: a recorder that replaces one value too many loses
nothing), `REVIEW_RULES` (the same without published samples and invented values), and
`REVIEW_RULES.outside_recordings()` (without e-mail addresses and card numbers).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from dryfire_action.named_texts import named_texts
from dryfire_action.secret_allowances import Allowance, keyed_digest
from dryfire_action.secret_keys import key_kind
from dryfire_action.secret_placeholders import MARKER_PATTERN, is_marker, mask
from dryfire_action.secret_rule import Rule
from dryfire_action.secret_rule_set import DEFAULT_RULES, REVIEW_RULES, Rules, TeamRule
from dryfire_action.secret_rules import RULES, RULESET_VERSION
from dryfire_action.secret_search import search

__all__ = [
    "DEFAULT_RULES",
    "MARKER_PATTERN",
    "REVIEW_RULES",
    "RULES",
    "RULESET_VERSION",
    "Allowance",
    "Finding",
    "JsonValue",
    "Rule",
    "Rules",
    "Span",
    "TeamRule",
    "find",
    "find_in_text",
    "is_marker",
    "keyed_digest",
    "mask",
    "redact_text",
]

JsonValue = Any
"""What `json.loads` or a YAML loader returns; tuples count as lists."""

# A replacement can bring text together that was apart before; more often than this it never does.
_MOST_ROUNDS = 12


@dataclass(frozen=True, slots=True)
class Span:
    """A secret in one text: `text[start:end]`, and the id of the rule that found it."""

    start: int
    end: int
    rule: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A secret in a tree: the keys and indices that lead to its text, and where in that text it stands.

    With `in_key` the path leads to a mapping, and the text is one of its keys.
    """

    path: tuple[str | int, ...]
    rule: str
    start: int
    end: int
    text: str = field(repr=False)
    in_key: bool = False

    @property
    def value(self) -> str:
        """The secret itself."""
        return self.text[self.start : self.end]

    def mask(self) -> str:
        """The secret as it may be shown: at most four of its characters."""
        return mask(self.value)


def find_in_text(text: str, *, rules: Rules = DEFAULT_RULES, key: str | None = None) -> tuple[Span, ...]:
    """The secrets in a text, sorted and without overlaps. `key` is the name that the text stands under.

    A text that is a JSON object or array is searched leaf by leaf, and so is JSON in its strings; the spans
    are those of the text as it is written.
    """
    kind = key_kind(key) if key else None
    return tuple(Span(*found) for found in search(text, rules, key, kind))


def find(value: JsonValue, *, rules: Rules = DEFAULT_RULES, key: str | None = None) -> Iterator[Finding]:
    """The secrets in a tree of mappings and lists, in its order. `key` is the name that the tree stands
    under.

    Names reach their values in mappings, in lists of `[name, value]`, in lists of `{"name": …, "value": …}`
    and in `rawHeaders` lists that take turns. Only texts are searched; numbers are never secrets.
    """
    for named in named_texts(value, key):
        for start, end, rule in search(named.text, rules, named.name, named.kind):
            yield Finding(named.path(), rule, start, end, named.text, in_key=named.is_key)


def redact_text(
    text: str,
    marker_for: Callable[[str, str], str],
    *,
    rules: Rules = DEFAULT_RULES,
    key: str | None = None,
) -> str:
    """The text with every secret replaced by `marker_for(value, rule)`, searched again until nothing is
    found.

    Everything outside the secrets is unchanged. What is still found after twelve rounds, because the
    replacement itself reads as a secret, is cut out.
    """
    for round_ in range(_MOST_ROUNDS + 1):
        spans = find_in_text(text, rules=rules, key=key)
        if not spans:
            break
        parts: list[str] = []
        at = 0
        for span in spans:
            parts.append(text[at : span.start])
            if round_ < _MOST_ROUNDS:
                parts.append(marker_for(text[span.start : span.end], span.rule))
            at = span.end
        text = "".join((*parts, text[at:]))
    return text
