"""Finding secrets in texts and trees, and replacing them."""

from __future__ import annotations

import copy
import json
import re
from itertools import pairwise
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dryfire_action.redact import (
    DEFAULT_RULES,
    REVIEW_RULES,
    Allowance,
    Finding,
    Rules,
    TeamRule,
    find,
    find_in_text,
    is_marker,
    keyed_digest,
    mask,
    redact_text,
)
from tests.clean_trees import CLEAN_TREES
from tests.secret_hits import HITS
from tests.secret_values import B62, HEX, PASSWORD, VISA, b64, body, jwt

KEY = "sk-" + "ant-api03-" + "q7" * 48
MAIL = "jane" + "@acme.io"


def numbered() -> Any:
    """A `marker_for` that numbers the values it sees."""
    seen: dict[str, str] = {}

    def marker_for(value: str, rule: str) -> str:
        return seen.setdefault(value, f"[redacted:{rule}:{len(seen) + 1}]")

    return marker_for


def found(value: object, **options: Any) -> list[tuple[tuple[str | int, ...], str, str]]:
    return [(finding.path, finding.rule, finding.value) for finding in find(value, **options)]


def test_a_credential_is_found_by_its_name_in_every_kind_of_list() -> None:
    tree = {
        "headers": {"X-Api-Key": ["v1"], "Accept": ["text/plain"]},
        "pairs": [["client-secret", "v2"], ["host", "h"]],
        "har": [{"name": "x-goog-api-key", "value": "v3"}, {"value": "v4", "name": "API_KEY"}],
        "rawHeaders": ["Host", "h", "Proxy-Authorization", "Bearer v5"],
        "deep": [{"a": {"AWS_SECRET_ACCESS_KEY": "v6", "secretAccessKey": "v7", "secret-access-key": "v8"}}],
        "tuple": (("password", ("v9",)),),
        "told": {"key": "Authorization", "value": "v10"},
    }
    assert found(tree) == [
        (("headers", "X-Api-Key", 0), "credential-key", "v1"),
        (("pairs", 0, 1), "credential-key", "v2"),
        (("har", 0, "value"), "credential-key", "v3"),
        (("har", 1, "value"), "credential-key", "v4"),
        (("rawHeaders", 3), "authorization", "v5"),
        (("deep", 0, "a", "AWS_SECRET_ACCESS_KEY"), "credential-key", "v6"),
        (("deep", 0, "a", "secretAccessKey"), "credential-key", "v7"),
        (("deep", 0, "a", "secret-access-key"), "credential-key", "v8"),
        (("tuple", 0, 1, 0), "credential-key", "v9"),
        (("told", "value"), "authorization", "v10"),
    ]


def test_cookies_are_found_in_headers_mappings_and_har_lists() -> None:
    tree = {
        "Cookie": "sid=v1; theme=dark",
        "set-cookie": ["a=v2; Path=/; HttpOnly", "b=v3"],
        "cookies": {"sid": "v4", "theme": "dark"},
        "response": {"cookies": [{"name": "sid", "value": "v5==", "path": "/", "domain": "h"}]},
    }
    assert [(rule, value) for _, rule, value in found(tree)] == [
        ("cookie", v) for v in ("v1", "v2", "v3", "v4", "v5==")
    ]


def test_query_fields_are_found_in_lists_of_them() -> None:
    value = body(B62, 40)
    tree = {
        "queryString": [{"name": "key", "value": value}, {"name": "q", "value": value}],
        "params": [["sig", value]],
    }
    assert [path for path, _, _ in found(tree)] == [("queryString", 0, "value"), ("params", 0, 1)]
    assert not found([{"name": "key", "value": value}])


def test_private_members_of_a_json_web_key_are_found_and_public_ones_not() -> None:
    assert [path for path, _, _ in found({"kty": "EC", "x": body(B62, 43), "d": body(B62, 43)})] == [("d",)]
    assert not found({"d": body(B62, 43)})


def test_a_secret_in_a_name_is_told_with_the_way_to_the_mapping() -> None:
    (finding,) = find({"a": [{KEY: 1}]})
    assert (finding.path, finding.in_key, finding.text, finding.value) == (("a", 0), True, KEY, KEY)


def test_only_texts_with_something_in_them_are_findings() -> None:
    assert not found(
        {"password": None, "token": 5, "secret": True, "api_key": "", "cookie": "  ", "pwd": 1.5}
    )


@pytest.mark.parametrize("name", sorted(CLEAN_TREES))
def test_a_clean_tree_has_no_finding_in_a_review(name: str) -> None:
    tree = CLEAN_TREES[name]
    assert found(tree, rules=REVIEW_RULES) == []
    assert found({"body": json.dumps(tree)}, rules=REVIEW_RULES) == []
    assert found({"body": json.dumps({"body": json.dumps(tree)})}, rules=REVIEW_RULES) == []


@pytest.mark.parametrize("name", sorted(set(CLEAN_TREES) - {"sample keys", "placeholders"}))
def test_a_recorder_leaves_a_clean_tree_alone_too(name: str) -> None:
    assert found(CLEAN_TREES[name]) == []


@pytest.mark.parametrize("value", ["your-api-key", "test", "changeme"])
def test_invented_values_count_where_a_recorder_looks(value: str) -> None:
    assert found({"api_key": value}) == [(("api_key",), "credential-key", value)]


def test_addresses_cards_and_accounts_count_in_recordings_only() -> None:
    tree = {"mail": MAIL, "card": VISA, "openai-organization": "acme-labs", "key": KEY}
    assert {rule for _, rule, _ in found(tree)} == {"email", "card-number", "account-header", "anthropic-key"}
    assert {rule for _, rule, _ in found(tree, rules=REVIEW_RULES.outside_recordings())} == {"anthropic-key"}


ESCAPED = 'a"b\\c/é\n\t😀' + PASSWORD


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_json_in_a_text_is_searched_by_its_leaves_and_changed_in_place(depth: int, ascii_only: bool) -> None:
    text: Any = {"n": 1, "é": ["x", {"password": ESCAPED}], "z": "\U0001f600 kept"}
    for _ in range(depth):
        text = json.dumps(
            {"body": text} if isinstance(text, str) else text, ensure_ascii=ascii_only, indent=1
        )
    (finding,) = find({"raw": text})
    cleaned = redact_text(text, numbered())
    assert cleaned == text[: finding.start] + "[redacted:credential-key:1]" + text[finding.end :]
    value = cleaned
    for _ in range(depth - 1):
        value = json.loads(value)["body"]
    assert json.loads(value) == {
        "n": 1,
        "é": ["x", {"password": "[redacted:credential-key:1]"}],
        "z": "\U0001f600 kept",
    }


def test_a_name_that_stands_twice_in_json_is_read_twice() -> None:
    text = '{"api_key": "[REDACTED]", "api_key": "v1", "a": {"api_key": "v2", "api_key": "v3"}}'
    assert [text[span.start : span.end] for span in find_in_text(text)] == ["v1", "v2", "v3"]


def test_json_too_deep_to_be_located_goes_whole() -> None:
    text = "[" * 250 + json.dumps({"password": PASSWORD}) + "]" * 250
    (span,) = find_in_text(text)
    assert (span.start, span.end) == (0, len(text))
    assert PASSWORD not in redact_text(
        "[" * 5000 + json.dumps({"password": PASSWORD}) + "]" * 5000, numbered()
    )


@pytest.mark.parametrize(
    "text",
    [
        "event: delta\ndata: " + json.dumps({"password": 'a"b' + PASSWORD}) + "\n\ndata: [DONE]\n",
        json.dumps({"a": 1}) + "\n" + json.dumps({"token": {"value": 'a"b' + PASSWORD}}) + "\n",
        "q=1&next=" + quote("https://h/?password=" + PASSWORD, safe=""),
        "q=1&next=" + quote(quote("https://h/?password=" + PASSWORD, safe=""), safe=""),
        "https://h/?password=" + quote(PASSWORD, safe=""),
        "<a><password>" + PASSWORD + "</password></a>",
    ],
)
def test_layers_that_are_text_are_opened(text: str) -> None:
    assert PASSWORD not in redact_text(text, numbered())
    assert quote(PASSWORD, safe="") not in redact_text(text, numbered())


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("db:\n  password: {}\n  user: x\n", None),
        ("password = {}", None),
        ("Server=tcp:db;User ID=sa;Password={};Encrypt=True", None),
        ("client_id=a&client_secret={}&grant_type=x", None),
        ("deploy --api-key {} --verbose", None),
        ('--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n{}\r\n--b--', None),
        ("<soap><Password>{}</Password></soap>", None),
        ("{{'password': '{}', 'n': 1}}", None),
        ("https://svc:{}@db.acme.io/x", None),
        ("{}", "Authorization"),
        ("Unknown-Scheme {}", "Authorization"),
        ("a=1; sid={}; b=", "Cookie"),
    ],
)
def test_a_value_with_marks_in_it_goes_whole(text: str, key: str | None) -> None:
    value = "aB3&x;y,z!7q"
    if "sid" in text:
        value = value.replace(";", "")
    cleaned = redact_text(text.format(value), numbered(), rules=REVIEW_RULES, key=key)
    assert not [piece for piece in ("aB3", "z!7q", "7q") if piece in cleaned]
    assert find_in_text(cleaned, rules=REVIEW_RULES, key=key) == ()


def test_a_url_keeps_all_but_its_password() -> None:
    text = f"https://svc:{PASSWORD[:9]}@mail.acme.io/x?y=1"
    assert redact_text(text, numbered()) == "https://svc:[redacted:url-password:1]@mail.acme.io/x?y=1"


def test_marks_are_never_findings_whatever_stands_around_them() -> None:
    for text in (
        "password=[redacted:cookie:1]",
        '"api_key": "[redacted:github-token:a1b2c3d4e5f6]"',
        "Bearer [redacted:bearer:1]",
    ):
        assert find_in_text(text) == ()
    assert is_marker("[redacted:email:1]")
    assert not is_marker("[redacted:email:1] and more")
    assert not is_marker("[redacted:Email:1]")


def test_the_same_replacement_is_asked_for_each_value_and_the_rest_stays() -> None:
    text = f"{KEY} {MAIL} {KEY}"
    assert (
        redact_text(text, numbered())
        == "[redacted:anthropic-key:1] [redacted:email:2] [redacted:anthropic-key:1]"
    )


def test_a_replacement_that_reads_as_a_secret_is_cut_out() -> None:
    assert find_in_text(redact_text(f"a {KEY} b", lambda value, rule: KEY)) == ()


def test_a_teams_own_rules_find_patterns_groups_and_names() -> None:
    rules = Rules(
        team=(TeamRule("customer", re.compile(r"C-(\d{6})"), group=1), TeamRule("site", keys=("Site Code",)))
    )
    tree = {"note": "for C-123456 and C-654321", "siteCode": "north", "other": "north"}
    assert found(tree, rules=rules) == [
        (("note",), "customer", "123456"),
        (("note",), "customer", "654321"),
        (("siteCode",), "site", "north"),
    ]
    assert redact_text("C-123456", numbered(), rules=rules) == "C-[redacted:customer:1]"


def test_the_name_that_a_text_or_a_tree_stands_under_counts() -> None:
    rules = Rules(team=(TeamRule("site", keys=("Site Code",)),))
    assert [span.rule for span in find_in_text("north", rules=rules, key="siteCode")] == ["site"]
    assert found("north", rules=rules, key="siteCode") == [((), "site", "north")]
    assert found(["v1"], key="password") == [((0,), "credential-key", "v1")] != found(["v1"])


def test_a_teams_rules_see_what_json_leaves_and_raw_text_hold() -> None:
    rules = Rules(team=(TeamRule("name", re.compile("Zoë Doe")),))
    assert [finding.rule for finding in find({"a": json.dumps({"b": "Zoë Doe"})}, rules=rules)] == ["name"]


def test_an_allowance_lets_a_finding_pass_for_a_reason_and_until_its_day() -> None:
    digest = keyed_digest(PASSWORD, "k")
    limits = {"path": "tests/*.yaml", "digest": digest, "expires": "2027-01-31"}
    entry = Allowance("a fixture", rule="credential-key", **limits)
    rules = Rules(allow=(entry,))
    given_ = {"path": "tests/data/a.yaml", "today": "2027-01-31", "key": "k"}
    assert rules.allowance("credential-key", PASSWORD, **given_) == entry
    assert rules.allowance("cookie", PASSWORD, **given_) is None
    assert rules.allowance("credential-key", PASSWORD + "x", **given_) is None
    for change in ({"path": "src/a.yaml"}, {"today": "2027-02-01"}, {"key": "other"}):
        assert rules.allowance("credential-key", PASSWORD, **{**given_, **change}) is None


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (KEY, "sk-a…(109 characters)"),
        ("hunter2", "…(7 characters)"),
        ("a\x1b[2Jbcdefghijkl", "a?…(16 characters)"),
    ],
)
def test_at_most_four_characters_of_a_value_are_ever_shown(value: str, shown: str) -> None:
    assert mask(value) == shown


def test_a_finding_hides_its_text_from_logs_and_shows_a_mask() -> None:
    (finding,) = find({"a": f"x {KEY}"})
    assert KEY not in repr(finding)
    assert finding.mask() == mask(KEY)
    assert finding == Finding(("a",), "anthropic-key", 2, 2 + len(KEY), f"x {KEY}")


# -- properties -------------------------------------------------------------------------------------------------

PLANTED = [hit for hits in HITS.values() for hit in hits if hit.key is None]
texts = st.text(max_size=80) | st.text(alphabet='{}[]":,\\=&;%@/. -_abkeysectron019\n', max_size=80)
trees = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None, max_examples=300)
@given(
    texts,
    st.sampled_from([DEFAULT_RULES, REVIEW_RULES]),
    st.none() | st.sampled_from(["password", "Cookie", "authorization", "x"]),
)
def test_redacting_is_a_fixed_point_on_any_text(text: str, rules: Rules, key: str | None) -> None:
    once = redact_text(text, numbered(), rules=rules, key=key)
    assert find_in_text(once, rules=rules, key=key) == ()
    assert redact_text(once, numbered(), rules=rules, key=key) == once


@settings(deadline=None, max_examples=300)
@given(texts, st.sampled_from(PLANTED), texts)
def test_a_planted_secret_is_found_and_gone_wherever_it_stands(before: str, hit: Any, after: str) -> None:
    text = f"{before}\n{hit.text}\n{after}"
    cleaned = redact_text(text, numbered())
    assert hit.secret not in cleaned
    assert find_in_text(cleaned) == ()


@settings(deadline=None, max_examples=200)
@given(trees, st.sampled_from(PLANTED), st.randoms(use_true_random=False))
def test_a_planted_secret_is_found_anywhere_in_a_tree(tree: Any, hit: Any, chance: Any) -> None:
    planted: Any = hit.text
    for _ in range(chance.randrange(4)):
        planted = chance.choice(
            [{"note": planted}, [tree, planted], {"a": tree, "b": planted}, json.dumps({"x": planted})]
        )
    values = [finding.value for finding in find({"tree": tree, "planted": planted})]
    assert any(hit.secret in layer for value in values for layer in layers(value))


def layers(value: str) -> list[str]:
    """A value as it is written, and without the escapes of JSON, of JSON in JSON, and so on."""
    found_ = [value]
    for _ in range(4):
        try:
            found_.append(json.loads(f'"{found_[-1]}"'))
        except ValueError:
            break
    return found_


@settings(deadline=None, max_examples=200)
@given(texts)
def test_what_is_outside_the_findings_is_unchanged(text: str) -> None:
    spans = find_in_text(text)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    kept, at = [], 0
    for span in spans:
        kept.append(re.escape(text[at : span.start]))
        at = span.end
    kept.append(re.escape(text[at:]))
    # Later rounds may take more, so the kept pieces are compared after one.
    once = "".join(
        text[a:b] + mark
        for a, b, mark in zip(
            [0, *(span.end for span in spans)],
            [*(span.start for span in spans), len(text)],
            ["\0"] * len(spans) + [""],
            strict=True,
        )
    )
    assert re.fullmatch("\0".join(kept), once)


@settings(deadline=None, max_examples=200)
@given(trees)
def test_searching_a_tree_changes_nothing_and_never_fails(tree: Any) -> None:
    before = copy.deepcopy(tree)
    for finding in find(tree):
        assert 0 <= finding.start < finding.end <= len(finding.text)
        assert at_path(tree, finding.path) == finding.text or finding.in_key
    assert tree == before


def at_path(tree: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        tree = tree[step]
    return tree


def test_searching_twice_finds_the_same() -> None:
    tree = {"a": [KEY, MAIL, jwt()], "password": b64(body(HEX, 20))}
    assert list(find(tree)) == list(find(tree))
