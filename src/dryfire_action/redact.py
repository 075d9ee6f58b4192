"""Finding secrets in texts and trees, and replacing them. Pure: no files, no clock, standard library only.

The same engine redacts what is recorded and reviews what is about to be committed. Three sets of rules:
`DEFAULT_RULES` (everything, published samples too: a recorder that replaces one value too many loses
nothing), `REVIEW_RULES` (the same without published samples and invented values), and
`REVIEW_RULES.outside_recordings()` (without e-mail addresses and card numbers).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from dryfire_action import json_leaves
from dryfire_action.secret_keys import KeyKind, key_kind, plain_name
from dryfire_action.secret_names import Found, assigned_spans, spans_under
from dryfire_action.secret_placeholders import MARKER_PATTERN, is_marker, is_redacted, mask
from dryfire_action.secret_rules import RULES, RULESET_VERSION, Rule, group_of

__all__ = [
    "DEFAULT_RULES",
    "MARKER_PATTERN",
    "REVIEW_RULES",
    "RULES",
    "RULESET_VERSION",
    "Finding",
    "JsonValue",
    "Rule",
    "Rules",
    "Span",
    "TeamRule",
    "find",
    "find_in_text",
    "is_marker",
    "mask",
    "redact_text",
]

JsonValue = Any
"""What `json.loads` or a YAML loader returns; tuples count as lists."""

# JSON in a string in JSON in a string …: deeper than this it is searched as plain text.
_DEEPEST_JSON = 6
# A replacement can bring text together that was apart before; more often than this it never does.
_MOST_ROUNDS = 12


class Searchable(Protocol):
    """A compiled pattern: `re`'s, or a team's with a time limit."""

    def finditer(self, text: str, /) -> Iterable[Any]:
        """The matches, each with `span(group)`."""


@dataclass(frozen=True, slots=True)
class TeamRule:
    """A rule of a team's own, from `redact.rules` in `dryfire.yaml`: a pattern, or names of keys, or both.

    `group` is the part of a match that is the secret; 0 is all of it. `keys` are compared as all names are.
    """

    id: str
    pattern: Searchable | None = None
    group: int | str = 0
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rules:
    """What is looked for: the rules of the table, a team's own, and whether published samples count."""

    table: tuple[Rule, ...] = RULES
    team: tuple[TeamRule, ...] = ()
    samples: bool = True
    _ids: frozenset[str] = field(init=False, repr=False, compare=False)
    _team_keys: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_ids", frozenset(rule.id for rule in self.table))
        keys = {plain_name(name): rule.id for rule in self.team for name in rule.keys}
        object.__setattr__(self, "_team_keys", keys)

    def outside_recordings(self) -> Rules:
        """The rules for a file that is no recording: without e-mail addresses, card numbers and account
        names."""
        return replace(self, table=tuple(rule for rule in self.table if not rule.recordings_only))

    def __contains__(self, rule_id: object) -> bool:
        return rule_id in self._ids

    def team_rule_of(self, name: str) -> str | None:
        """The id of the team's rule that names a key; None where none does."""
        return self._team_keys.get(plain_name(name)) if self._team_keys else None


DEFAULT_RULES = Rules()
REVIEW_RULES = Rules(samples=False)


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
    return _spans(text, key, key_kind(key) if key else None, rules, 0)


def find(value: JsonValue, *, rules: Rules = DEFAULT_RULES, key: str | None = None) -> Iterator[Finding]:
    """The secrets in a tree of mappings and lists, in its order. `key` is the name that the tree stands
    under.

    Names reach their values in mappings, in lists of `[name, value]`, in lists of `{"name": …, "value": …}`
    and in `rawHeaders` lists that take turns. Only texts are searched; numbers are never secrets.
    """
    return _walk(value, key, rules, 0)


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


def _spans(text: str, name: str | None, kind: KeyKind | None, rules: Rules, depth: int) -> tuple[Span, ...]:
    if len(text) < 3 and kind is None and not rules.team:
        return ()
    found: list[Found] = []
    if kind is not None:
        found.extend(hit for hit in spans_under(text, kind, name, samples=rules.samples) if hit[2] in rules)
    if name and rules.team and (rule_id := rules.team_rule_of(name)) and not is_redacted(text):
        found.append((0, len(text), rule_id))
    tree = json_leaves.parsed(text) if depth < _DEEPEST_JSON else None
    if tree is not None:
        found.extend(_json_spans(text, tree, name, rules, depth))
    else:
        found.extend(_shape_spans(text, rules))
        if "credential-key" in rules:
            found.extend(hit for hit in assigned_spans(text, samples=rules.samples) if hit[2] in rules)
    found.extend(_team_spans(text, rules))
    return _merged(found, text)


def _shape_spans(text: str, rules: Rules) -> Iterator[Found]:
    for rule in rules.table:
        pattern = rule.pattern
        if pattern is None or (rule.literals and not any(literal in text for literal in rule.literals)):
            continue
        group = group_of(pattern)
        for match in pattern.finditer(text):
            value = match[group]
            if rule.check is not None and not rule.check(match):
                continue
            if rule.near and not _stands_near(text, match.start(), rule.near):
                continue
            if is_redacted(value) or (not rules.samples and rule.sample(value)):
                continue
            yield match.start(group), match.end(group), rule.id


def _stands_near(text: str, at: int, words: tuple[str, ...]) -> bool:
    window = text[max(0, at - 80) : at].lower()
    return any(word in window for word in words)


def _team_spans(text: str, rules: Rules) -> Iterator[Found]:
    for rule in rules.team:
        if rule.pattern is None:
            continue
        for match in rule.pattern.finditer(text):
            start, end = match.span(rule.group)
            if 0 <= start < end and not is_redacted(text[start:end]):
                yield start, end, rule.id


def _json_spans(text: str, tree: JsonValue, name: str | None, rules: Rules, depth: int) -> Iterator[Found]:
    if next(_walk(tree, name, rules, depth + 1), None) is None:
        return
    placed = json_leaves.located(text)
    if placed is None:
        # It parses, so only its depth can be the reason: nothing in it is worth telling apart.
        yield 0, len(text), "credential-key"
        return
    for finding in _walk(placed, name, rules, depth + 1):
        leaf = finding.text
        if isinstance(leaf, json_leaves.LocatedText):
            yield (*leaf.place(finding.start, finding.end), finding.rule)


def _merged(found: list[Found], text: str) -> tuple[Span, ...]:
    """Overlapping spans become one, under the rule that names the longest of them."""
    if not found:
        return ()
    found.sort(key=lambda hit: (hit[0], -hit[1]))
    merged: list[Span] = []
    for start, end, rule in found:
        last = merged[-1] if merged else None
        if last is None or start >= last.end:
            merged.append(Span(start, end, rule))
        elif end > last.end and rule != "email":
            longer = rule if end - start > last.end - last.start else last.rule
            merged[-1] = Span(last.start, end, longer)
        elif (start, end) == (last.start, last.end) and last.rule in ("credential-key", "authorization"):
            merged[-1] = Span(start, end, rule)
    return tuple(
        span for span in merged if span.end > span.start and not is_marker(text[span.start : span.end])
    )


# What the walk has still to visit: a value, the way to it, the name it stands under, what that name says.
_Way = tuple[Any, ...]
_Visit = tuple[JsonValue, _Way, str | None, KeyKind | None]

_NAME_FIELDS = ("name", "key", "header", "field")
_VALUE_FIELDS = ("value", "values")
_QUERY_LISTS = frozenset(
    {"querystring", "query", "queryparams", "params", "formdata", "urlencoded", "postdata"}
)


def _walk(value: JsonValue, key: str | None, rules: Rules, depth: int) -> Iterator[Finding]:
    todo: list[_Visit] = [(value, (), key, key_kind(key) if key else None)]
    while todo:
        node, way, name, kind = todo.pop()
        if isinstance(node, str):
            for span in _spans(node, name, kind, rules, depth):
                yield Finding(_path(way), span.rule, span.start, span.end, node)
        elif isinstance(node, (Mapping, json_leaves.Fields)):
            pairs = list(node.items()) if isinstance(node, Mapping) else list(node)
            for field_name, _ in pairs:
                if isinstance(field_name, str):
                    for span in _spans(field_name, None, None, rules, depth):
                        yield Finding(_path(way), span.rule, span.start, span.end, field_name, in_key=True)
            todo.extend(reversed(list(_fields(pairs, way, name, kind))))
        elif isinstance(node, (list, tuple)):
            todo.extend(reversed(list(_items(node, way, name, kind))))


def _path(way: _Way) -> tuple[str | int, ...]:
    steps: list[str | int] = []
    while way:
        way, step = way
        steps.append(step if isinstance(step, (str, int)) else str(step))
    return tuple(reversed(steps))


def _fields(
    pairs: list[tuple[Any, JsonValue]], way: _Way, name: str | None, kind: KeyKind | None
) -> Iterator[_Visit]:
    told = _told_name(pairs)
    is_logprob = any(field_name == "logprob" for field_name, _ in pairs)
    for field_name, value in pairs:
        own = field_name if isinstance(field_name, str) else None
        own_kind = key_kind(own) if own else None
        if own in _VALUE_FIELDS and (told is not None or kind is not None):
            if kind in ("cookies", "query") and told is not None:
                own, own_kind = told, (key_kind(told) or ("cookies" if kind == "cookies" else None))
                own_kind = "weak" if own_kind == "query" else own_kind
            elif told is not None:
                own, own_kind = told, key_kind(told)
            else:
                own, own_kind = name, kind
        elif kind == "cookies" and told is None and not isinstance(value, (Mapping, list, tuple)):
            own_kind = own_kind or "cookies"
        elif own_kind == "weak" and is_logprob:
            own_kind = None
        if own is not None and isinstance(value, (list, tuple)) and plain_name(own) in _QUERY_LISTS:
            own_kind = "query"
        yield value, (way, field_name), own, own_kind


def _told_name(pairs: list[tuple[Any, JsonValue]]) -> str | None:
    """The name that a `{"name": …, "value": …}` mapping tells; None for any other mapping."""
    if not any(field_name in _VALUE_FIELDS for field_name, _ in pairs):
        return None
    return next((v for n, v in pairs if n in _NAME_FIELDS and isinstance(v, str)), None)


def _items(
    node: list[JsonValue] | tuple[JsonValue, ...], way: _Way, name: str | None, kind: KeyKind | None
) -> Iterator[_Visit]:
    if node and all(
        isinstance(item, (list, tuple)) and len(item) == 2 and isinstance(item[0], str) for item in node
    ):
        for index, (told, value) in enumerate(node):
            item_way = (way, index)
            yield told, (item_way, 0), None, None
            yield value, (item_way, 1), told, key_kind(told)
    elif name is not None and plain_name(name) == "rawheaders" and len(node) % 2 == 0:
        for index, value in enumerate(node):
            told = node[index - 1] if index % 2 else None
            told = told if isinstance(told, str) else None
            yield value, (way, index), told, key_kind(told) if told else None
    else:
        for index, value in enumerate(node):
            yield value, (way, index), name, kind
