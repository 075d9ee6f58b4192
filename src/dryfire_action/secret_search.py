"""The search for secrets in one text: shapes, names, a team's patterns, and the layers a text may hide them
in.

Layers opened here are those that are text in text: JSON (in strings of JSON too), one JSON document a line,
and percent-encoding. Compression, base64 and streams are opened by whoever reads the file. Every layer maps
what it finds back to the text it was given.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any

from dryfire_action import json_leaves
from dryfire_action.late_pattern import late
from dryfire_action.named_texts import NamedText, named_texts
from dryfire_action.secret_assignments import assigned_spans, places, told_spans
from dryfire_action.secret_keys import KeyKind, is_id_key
from dryfire_action.secret_names import Found, spans_under
from dryfire_action.secret_placeholders import MARKER_PATTERN, is_redacted
from dryfire_action.secret_rule import Rule
from dryfire_action.secret_rule_set import Plan, Rules
from dryfire_action.secret_signs import (
    DIGIT_CLASS,
    DIGIT_RUN,
    JSON_LINE,
    LEAD,
    NEAR,
    TOKEN_CLASS,
    TOKEN_RUN,
    has_json_lines,
    runs,
)

# JSON in a string in JSON in a string …: deeper than this it is searched as plain text.
_DEEPEST_JSON = 6
_DEEPEST_PERCENT = 2
_PERCENT_RUN = r"[A-Za-z0-9%._~!$'()*+,;=:@/?&#-]{6,}+"
_PERCENT = late(r"%([0-9A-Fa-f]{2})")
_BLOB = r"[A-Za-z0-9+/]{64}"
_RUN = 16
_NEAR_RUN = 32
_WORD = late(r"[A-Za-z0-9_-]++")
_ESCAPES = {"\\": 1, "%": 2}
_CARD_DIGITS = 13
_CREDENTIAL_WORDS = ("key", "token", "secret", "auth", "credential", "akia", "asia")


def search(text: str, rules: Rules, name: str | None = None, kind: KeyKind | None = None) -> list[Found]:
    """The secrets in a text that stands under a name of a kind: sorted, without overlaps."""
    return _search(text, rules, name, kind, 0, exact=True)


def _search(
    text: str, rules: Rules, name: str | None, kind: KeyKind | None, depth: int, *, exact: bool
) -> list[Found]:
    """With `exact` false it matters only whether there is anything."""
    plan = rules.plan
    found: list[Found] = []
    if kind is not None:
        found.extend(spans_under(text, kind, name, samples=rules.samples))
    if name and rules.team and (rule_id := rules.team_rule_of(name)) and not is_redacted(text):
        found.append((0, len(text), rule_id))
    tree = json_leaves.parsed(text) if depth < _DEEPEST_JSON else None
    if tree is not None:
        found.extend(_json_spans(text, tree, rules, name, depth, exact=exact))
    else:
        found.extend(_plain_spans(text, plan, rules.samples, _DEEPEST_PERCENT))
        if depth < _DEEPEST_JSON:
            found.extend(_json_line_spans(text, rules, depth, exact=exact))
    found.extend(_team_spans(text, rules))
    if found and name and is_id_key(name):
        found = [hit for hit in found if hit[2] != "card-number"]
    if not found:
        return found
    return _merged([hit for hit in found if hit[2] in plan.ids or hit[2] in rules.team_ids], text)


def _plain_spans(text: str, plan: Plan, samples: bool, percent: int) -> Iterator[Found]:
    yield from _shape_spans(text, plan, samples)
    yield from assigned_spans(text, samples=samples)
    yield from told_spans(text, samples=samples)
    if percent and "%" in text and _PERCENT.search(text):
        for run in re.finditer(_PERCENT_RUN, text):
            yield from _percent_spans(run, plan, samples, percent)


def _shape_spans(text: str, plan: Plan, samples: bool) -> Iterator[Found]:
    for literal in [literal for literal in plan.texts if literal in text]:
        for rule in plan.texts[literal]:
            yield from _matches(text, rule, samples, 0, len(text))
    for literal in [literal for literal in plan.literals if literal in text]:
        for rule in plan.literals[literal]:
            for at in places(text, literal):
                yield from _match_at(text, rule, samples, at, len(text))
    if len(text) < _CARD_DIGITS:
        return
    plain = text.encode("latin-1", "replace")
    if plan.digits and DIGIT_RUN in (classes := plain.translate(DIGIT_CLASS)):
        for start, end in runs(classes, _CARD_DIGITS, 0):
            for rule in plan.digits:
                yield from _matches(text, rule, samples, start, end)
    classes = plain.translate(TOKEN_CLASS)
    if TOKEN_RUN in classes:
        yield from _run_spans(text, list(runs(classes, _RUN, LEAD)), plan, samples)


def _run_spans(text: str, runs: list[tuple[int, int]], plan: Plan, samples: bool) -> Iterator[Found]:
    """What begins in a run of sixteen characters that tokens are made of, or shortly before."""
    loose = [(literal, rule) for literal, rule in plan.loose if literal in text]
    starts = plan.starts
    for start, end in runs:
        for rule in {
            rule.id: rule for literal, rule in loose if text.find(literal, start, end) >= 0
        }.values():
            yield from _matches(text, rule, samples, start, end)
        for word in _WORD.finditer(text, start, end):
            at = word.start()
            if text[at : at + 2] in starts or text[at - 1 : at] in _ESCAPES:
                yield from _tokens_at(text, at, plan, samples, end)
    if plan.near and max([end - start for start, end in runs]) >= _NEAR_RUN:
        lowered = text.lower()
        for rule in plan.near:
            if [word for word in rule.near if word in lowered]:
                yield from _matches(text, rule, samples, 0, len(text))


def _tokens_at(text: str, start: int, plan: Plan, samples: bool, end: int) -> Iterator[Found]:
    """The tokens that begin with a word. An escape that is stuck to the word, as in `\\nsk-…` and `%3Dsk-…`, is none
    of it."""
    escaped = _ESCAPES.get(text[start - 1 : start], 0)
    for at in (start, start + escaped) if escaped else (start,):
        for literal, rule in plan.starts.get(text[at : at + 2], ()):
            if text.startswith(literal, at):
                yield from _match_at(text, rule, samples, at, end)


def _matches(text: str, rule: Rule, samples: bool, start: int, end: int) -> Iterator[Found]:
    for match in rule.compiled().finditer(text, start, end):
        if found := _judged(match, rule, samples):
            yield found


def _match_at(text: str, rule: Rule, samples: bool, at: int, end: int) -> Iterator[Found]:
    match = rule.compiled().match(text, at, end)
    if match is not None and (found := _judged(match, rule, samples)):
        yield found


def _judged(match: re.Match[str], rule: Rule, samples: bool) -> Found | None:
    text, at, group = match.string, match.start(), rule.group
    if (rule.near and not _stands_near(text, at, rule.near)) or _is_in_blob(text, at):
        return None
    if (rule.check is not None and not rule.check(match)) or is_redacted(match[group]):
        return None
    if not samples and rule.sample(match):
        return None
    return match.start(group), match.end(group), rule.id


def _stands_near(text: str, at: int, words: tuple[str, ...]) -> bool:
    window = text[max(0, at - NEAR) : at].lower()
    return any(word in window for word in words) and any(word in window for word in _CREDENTIAL_WORDS)


def _is_in_blob(text: str, at: int) -> bool:
    """Whether a place is in the middle of base64, where `/` and `+` are no word's edge."""
    return at >= 64 and text[at - 1] in "+/" and re.fullmatch(_BLOB, text[at - 64 : at]) is not None


def _percent_spans(run: re.Match[str], plan: Plan, samples: bool, percent: int) -> Iterator[Found]:
    encoded = run[0]
    places: list[int] = []
    pieces: list[str] = []
    at = 0
    for escape in _PERCENT.finditer(encoded):
        places.extend(range(at, escape.start() + 1))
        pieces.extend((encoded[at : escape.start()], chr(int(escape[1], 16))))
        at = escape.end()
    if not at:
        return
    places.extend(range(at, len(encoded) + 1))
    pieces.append(encoded[at:])
    for start, end, rule in _plain_spans("".join(pieces), plan, samples, percent - 1):
        yield run.start() + places[start], run.start() + places[end], rule


def _team_spans(text: str, rules: Rules) -> Iterator[Found]:
    for rule in rules.team:
        if rule.pattern is None:
            continue
        for match in rule.pattern.finditer(text):
            start, end = match.span(rule.group)
            if 0 <= start < end and not is_redacted(text[start:end]):
                yield start, end, rule.id


def _json_spans(
    text: str, tree: Any, rules: Rules, name: str | None, depth: int, *, exact: bool
) -> Iterator[Found]:
    hit = next(_tree_hits(tree, rules, name, depth, exact=False), None)
    if hit is None:
        return
    placed = json_leaves.located(text) if exact else None
    if placed is None:
        # Nobody asks where; or it parses and is too deep to be located, and then all of it goes.
        yield 0, len(text), hit[1][2]
        return
    for named, (start, end, rule) in _tree_hits(placed, rules, name, depth, exact=True):
        if isinstance(named.text, json_leaves.LocatedText):
            yield (*named.text.place(start, end), rule)


def _tree_hits(
    tree: Any, rules: Rules, name: str | None, depth: int, *, exact: bool
) -> Iterator[tuple[NamedText, Found]]:
    for named in named_texts(tree, name):
        for found in _search(named.text, rules, named.name, named.kind, depth + 1, exact=exact):
            yield named, found


def _json_line_spans(text: str, rules: Rules, depth: int, *, exact: bool) -> Iterator[Found]:
    if not has_json_lines(text):
        return
    for line in JSON_LINE.finditer(text):
        tree = json_leaves.parsed(line["v"])
        if tree is not None:
            offset = line.start("v")
            for start, end, rule in _json_spans(line["v"], tree, rules, None, depth, exact=exact):
                yield offset + start, offset + end, rule


def _merged(found: list[Found], text: str) -> list[Found]:
    """What overlaps becomes one, under the rule that covers most of it; what is inside a mark of ours goes."""
    marks = [mark.span() for mark in MARKER_PATTERN.finditer(text)] if found and "[redacted:" in text else []
    firm = _joined(hit for hit in found if hit[2] != "email" and not _inside(hit, marks))
    # An address that overlaps something else is part of it: in `https://user:password@host.com` too.
    taken = [hit[:2] for hit in firm]
    loose = (hit for hit in found if hit[2] == "email" and not _inside(hit, marks) and not _meets(hit, taken))
    return sorted({*firm, *loose})


def _joined(hits: Iterable[Found]) -> list[Found]:
    joined: list[Found] = []
    for start, end, rule in sorted(hits, key=lambda hit: (hit[0], -hit[1])):
        last = joined[-1] if joined else None
        if last is None or start >= last[1]:
            joined.append((start, end, rule))
        elif end > last[1]:
            joined[-1] = (last[0], end, rule if end - start > last[1] - last[0] else last[2])
        elif (start, end) == last[:2] and last[2] in ("credential-key", "authorization"):
            joined[-1] = (start, end, rule)
    return joined


def _inside(hit: Found, places: list[tuple[int, int]]) -> bool:
    """Whether one of some places, sorted and apart, holds all of a hit."""
    at = bisect_right(places, hit[0], key=lambda place: place[0]) - 1
    return at >= 0 and hit[1] <= places[at][1]


def _meets(hit: Found, places: list[tuple[int, int]]) -> bool:
    """Whether one of some places, sorted and apart, has a character in common with a hit."""
    at = bisect_right(places, hit[0], key=lambda place: place[0])
    return (at > 0 and places[at - 1][1] > hit[0]) or (at < len(places) and places[at][0] < hit[1])
