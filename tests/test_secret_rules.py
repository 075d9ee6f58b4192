"""Each rule finds what it is for and leaves alone what only looks like it."""

from __future__ import annotations

import re

import pytest

from dryfire_action.redact import DEFAULT_RULES, REVIEW_RULES, RULES, Rules, find_in_text
from dryfire_action.secret_rule import Rule
from tests.secret_hits import HITS, Hit
from tests.secret_misses import MISSES

ALL_HITS = [
    pytest.param(rule, hit, id=f"{rule}-{n}") for rule, hits in HITS.items() for n, hit in enumerate(hits)
]
ALL_MISSES = [
    pytest.param(text, key, id=f"{rule}-{n}")
    for rule, misses in MISSES.items()
    for n, (text, key) in enumerate(misses)
]


def without_table(
    rules: tuple[Rule, ...], hits: dict[str, list[Hit]], misses: dict[str, object]
) -> list[str]:
    """The rules that lack a hit or a miss, and the entries of the tables that belong to no rule."""
    ids = [rule.id for rule in rules]
    lacking = [id for id in ids if not hits.get(id) or not misses.get(id)]
    return lacking + sorted({*hits, *misses} - set(ids))


def test_every_rule_has_hits_and_misses() -> None:
    assert not without_table(RULES, HITS, dict(MISSES))


def test_a_rule_without_a_hit_or_a_miss_is_refused() -> None:
    bare = Rule("bare", "", "")
    assert without_table((bare,), {}, {}) == ["bare"]
    assert without_table((bare,), {"bare": [Hit("a", "a")]}, {}) == ["bare"]
    assert without_table((bare,), {"bare": [Hit("a", "a")]}, {"bare": ["b"], "gone": ["c"]}) == ["gone"]


def test_rule_ids_are_words_for_a_marker_and_an_anchor() -> None:
    ids = [rule.id for rule in RULES]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", id) for id in ids)
    assert all(rule.finds and rule.source for rule in RULES)


def test_only_personal_rules_are_for_recordings_alone() -> None:
    assert {rule.id for rule in RULES if rule.recordings_only} == {"email", "card-number", "account-header"}


@pytest.mark.parametrize("rules", [DEFAULT_RULES, REVIEW_RULES], ids=["recording", "review"])
@pytest.mark.parametrize(("rule", "hit"), ALL_HITS)
def test_a_hit_is_found_whole_and_by_its_rule(rule: str, hit: Hit, rules: object) -> None:
    found = find_in_text(hit.text, rules=rules, key=hit.key)
    assert (hit.secret, rule) in [(hit.text[span.start : span.end], span.rule) for span in found]


@pytest.mark.parametrize(("text", "key"), ALL_MISSES)
def test_a_look_alike_is_no_finding_in_a_review(text: str, key: str | None) -> None:
    assert [
        (text[span.start : span.end], span.rule) for span in find_in_text(text, rules=REVIEW_RULES, key=key)
    ] == []


GROWING = [
    rule.id
    for rule in RULES
    if rule.pattern and not rule.near and not re.search(r"\{\d+\}\(\?!", rule.pattern)
]
FIXED_BY_NATURE = {"email", "card-number"}


@pytest.mark.parametrize("rule", sorted(set(GROWING) - FIXED_BY_NATURE))
def test_a_longer_token_leaves_nothing_behind(rule: str) -> None:
    """A vendor that makes its tokens longer must not leave the rest of one in a recording."""
    for hit in HITS[rule]:
        if hit.key is not None or not hit.text.endswith(hit.secret):
            continue
        longer = hit.text.rstrip("=") + "Zz9" * 40
        (span,) = find_in_text(longer)
        assert span.end == len(longer)


@pytest.mark.parametrize("rule", sorted(HITS))
def test_without_its_rule_a_secret_has_another_name_or_none(rule: str) -> None:
    """The rule is what finds it, not another part of the engine: taking it away is noticed."""
    fewer = Rules(tuple(kept for kept in RULES if kept.id != rule))
    for hit in HITS[rule]:
        assert rule not in {span.rule for span in find_in_text(hit.text, rules=fewer, key=hit.key)}
