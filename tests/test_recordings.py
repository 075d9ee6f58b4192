"""Places, limits and edits: what the corpus does not ask for."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from typing import Any

import brotli
import pytest
import yaml
import zstandard

from dryfire_action.recordings.files import fix, look
from dryfire_action.recordings.limits import RULES
from dryfire_action.redact import REVIEW_RULES, Rules, TeamRule
from tests.secret_values import B62, B64U, body

KEY = "sk-" + "ant-api03-" + body(B64U, 93) + "AA"
MARK = "[redacted:anthropic-key:1]"


def found(text: str | bytes, file: str = "cassettes/a.yaml", rules: Rules = REVIEW_RULES) -> list[str]:
    """What is found in a file, as "line: path: rule"."""
    data = text.encode() if isinstance(text, str) else text
    return [f"{f.line}: {f.path}: {f.rule}" for f in look(data, file, rules).findings]


def missed(data: bytes, file: str = "cassettes/a.json") -> list[str]:
    """What is not checked in a file, by rule."""
    report = look(data, file, REVIEW_RULES)
    assert all(miss.rule in RULES for miss in report.not_checked)
    return [f"{miss.line}: {miss.path}: {miss.rule}" for miss in report.not_checked]


def fixed(text: str, file: str = "cassettes/a.yaml") -> str:
    """A file without its secrets."""
    done = fix(text.encode(), file, REVIEW_RULES)
    assert done.left.is_clean
    return done.data.decode()


@pytest.mark.parametrize(
    ("text", "file", "where"),
    [
        (f'{{\n "a": [\n  "{KEY}"\n ]\n}}', "a.json", "3: a[0]: anthropic-key"),
        (f'{{"a": 1}}\n{{"b": "{KEY}"}}\n', "a.jsonl", "2: lines[1].b: anthropic-key"),
        (f"a:\n- b\n- {KEY}\n", "a.yaml", "3: a[1]: anthropic-key"),
        (f"a: |\n  one\n  two {KEY}\n  three\n", "a.yaml", "3: a: anthropic-key"),
        (f"a: >-\n  one\n\n  two {KEY}\n", "a.yaml", "4: a: anthropic-key"),
        (f'a: "one\n\n  {KEY}"\n', "a.yaml", "3: a: anthropic-key"),
        (f"# {KEY}\na: b\n", "a.yaml", "1: (text): anthropic-key"),
        (f"a: 1\n---\nb: {KEY}\n", "a.yaml", "3: [1].b: anthropic-key"),
        (f"x\n\n{KEY}\n", "notes.txt", "3: (text): anthropic-key"),
        (f"{KEY}: 1\n", "a.yaml", "1: (text): anthropic-key"),
    ],
)
def test_a_finding_names_its_line_and_path(text: str, file: str, where: str) -> None:
    assert found(text, file) == [where]


def test_a_key_that_stands_twice_is_read_twice() -> None:
    assert len(found(f'{{"api_key": "{KEY}", "api_key": "REDACTED"}}', "a.json")) == 1
    assert len(found(f"api_key: {KEY}\napi_key: REDACTED\n")) == 1


def test_a_secret_in_a_key_is_not_shown_in_paths() -> None:
    report = look(json.dumps({KEY: {"password": "hunter" + "22"}}).encode(), "a.json", REVIEW_RULES)
    assert len(report.findings) == 2
    assert KEY not in "".join(finding.path for finding in report.findings)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"k: {KEY} # why\n", f"k: '{MARK}' # why\n"),
        (f"k: use {KEY} now\n", f"k: 'use {MARK} now'\n"),
        (f"k: '{KEY}' # it's\n", f"k: '{MARK}' # it's\n"),
        (f'k: "\\u00e9 {KEY}\\n"\n', f'k: "\\u00e9 {MARK}\\n"\n'),
        (f"k: [{KEY}, b]\n", f"k: ['{MARK}', b]\n"),
        (f"k: {{a: {KEY}}}\n", f"k: {{a: '{MARK}'}}\n"),
        (f"k: |\n   a\n   {KEY}\n\nb: 1\n", f"k: |\n   a\n   {MARK}\n\nb: 1\n"),
        (f"k: >-\n  a\n  {KEY}\n  b\n", f"k: >-\n  a\n  {MARK}\n  b\n"),
        (f"? {KEY}\n: v\n", f"? '{MARK}'\n: v\n"),
        (f"k: &x {KEY}\nj: *x\n", f"k: &x '{MARK}'\nj: *x\n"),
        (f"k: !!str {KEY}\n", f"k: !!str '{MARK}'\n"),
        (f"- a\r\n- {KEY}\r\n", f"- a\r\n- '{MARK}'\r\n"),
        (f"\ufeffk: {KEY}\n", f"\ufeffk: '{MARK}'\n"),
        (f"k: {KEY}", f"k: '{MARK}'"),
    ],
)
def test_fix_changes_nothing_else_in_yaml(before: str, after: str) -> None:
    assert fixed(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f'{{ "a" :\t"\\u00e9\\/{KEY}" }}', f'{{ "a" :\t"\\u00e9\\/{MARK}" }}'),
        (f'{{"a": "{{\\"b\\": \\"{KEY}\\"}}"}}\r\n', f'{{"a": "{{\\"b\\": \\"{MARK}\\"}}"}}\r\n'),
        (f'{{"a": "x", "a": "{KEY}"}}', f'{{"a": "x", "a": "{MARK}"}}'),
        (f'[1.50, 1e5, "{KEY}"]', f'[1.50, 1e5, "{MARK}"]'),
    ],
)
def test_fix_changes_nothing_else_in_json(before: str, after: str) -> None:
    assert fixed(before, "a.json") == after


def test_the_same_value_gets_the_same_marker_and_none_is_used_twice() -> None:
    other = KEY[:-6] + "abcdAA"
    before = json.dumps([KEY, other, KEY, "[redacted:anthropic-key:1]"])
    assert json.loads(fixed(before, "a.json")) == [
        "[redacted:anthropic-key:2]",
        "[redacted:anthropic-key:3]",
        "[redacted:anthropic-key:2]",
        "[redacted:anthropic-key:1]",
    ]


def test_a_marker_in_a_url_can_be_parsed() -> None:
    from urllib.parse import urlsplit

    after = json.loads(
        fixed(
            json.dumps(["https://app:" + "hunter22abc" + "@db.acme.io/x?api_key=" + body(B62, 30)]), "a.json"
        )
    )
    assert "hunter22abc" not in after[0] and body(B62, 30) not in after[0]
    assert urlsplit(after[0]).hostname == "db.acme.io"


def exchange(content: bytes, encoding: str) -> dict[str, Any]:
    """A response with a compressed body."""
    return {
        "response": {
            "headers": {"Content-Encoding": [encoding], "content-length": [str(len(content))]},
            "body": {"base64_string": base64.b64encode(content).decode()},
        }
    }


def test_the_length_of_a_changed_body_is_corrected() -> None:
    data = json.dumps(exchange(gzip.compress(json.dumps({"k": KEY}).encode()), "gzip"))
    after = json.loads(fixed(data, "cassettes/a.json"))["response"]
    assert int(after["headers"]["content-length"][0]) == len(base64.b64decode(after["body"]["base64_string"]))


@pytest.mark.parametrize(
    ("content", "encoding", "said"),
    [
        (gzip.compress(b'{"a": 1}' * 50, mtime=0)[:-10], "gzip", "compressed"),
        (b"\x9c\x01\xff\xfe" * 30, "br", "compressed"),
        (b"\x9c\x01\xff\xfe" * 30, "zstd", "compressed"),
        (gzip.compress(bytes(3_000_000), mtime=0), "gzip", "too-large"),
        (zstandard.ZstdCompressor().compress(bytes(3_000_000)), "zstd", "too-large"),
        (brotli.compress(bytes(3_000_000)), "br", "too-large"),
    ],
)
def test_what_cannot_be_opened_is_said(
    content: bytes, encoding: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dryfire_action.recordings.scan.MAX_OPENED", 1_000_000)
    data = json.dumps(exchange(content, encoding)).encode()
    assert [miss.rpartition(" ")[2] for miss in missed(data)] == [said]


def test_a_broken_body_that_needs_no_opening_is_fine() -> None:
    assert not missed(json.dumps(exchange(b'{"a": 1}', "gzip")).encode())


def test_a_text_nested_too_deeply_is_said() -> None:
    text = json.dumps({"k": "v"})
    for _ in range(13):
        text = json.dumps({"j": text})
    assert any("too-deep" in miss for miss in missed(text.encode()))


def test_a_tree_nested_too_deeply_is_said() -> None:
    assert any("too-deep" in miss for miss in missed(b"[" * 5000 + b"]" * 5000))
    assert any("too-deep" in miss for miss in missed(b"- " * 500 + b"\n", "cassettes/a.yaml"))


def test_aliases_that_multiply_end() -> None:
    text = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))
    assert found(text + f"k: {KEY}\n") == ["41: k: anthropic-key"]


@pytest.mark.parametrize(
    ("text", "file", "said"),
    [
        ('{"a": ', "a.json", ["1: (text): unreadable"]),
        ("a: [\n", "a.yaml", ["1: (text): unreadable"]),
        ("a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> x\n", "a.yaml", ["2: (text): conflict"]),
        ("", "a.json", []),
        ("", "a.yaml", []),
        ("Title\n=======\n", "a.md", []),
    ],
)
def test_a_file_that_cannot_be_read_is_said(text: str, file: str, said: list[str]) -> None:
    assert missed(text.encode(), file) == said


def test_a_file_that_cannot_be_read_is_still_searched_and_fixed() -> None:
    text = f"<<<<<<< HEAD\nk: {KEY}\n=======\nk: x\n>>>>>>> b\n"
    assert found(text) == ["2: (text): anthropic-key"]
    assert fix(text.encode(), "a.yaml", REVIEW_RULES).data.decode() == text.replace(KEY, MARK)


def test_pictures_are_not_read() -> None:
    assert not missed(b"\x89PNG\r\n" + zlib.compress(b"x" * 500), "a.png")


def test_addresses_count_in_recordings_only() -> None:
    text = json.dumps({"to": "jane" + "@acme.io"})
    assert found(text, "tests/cassettes/a.json") == ["1: to: email"]
    assert found(text, "docs/a.json") == []
    assert found(text, "cassettes/a.eval.yaml") == []
    assert found(json.dumps({"interactions": [{"to": "jane" + "@acme.io"}]}), "x.json")


def test_a_teams_rules_count() -> None:
    import re

    rules = Rules(
        samples=False, team=(TeamRule("customer", re.compile(r"C-\d{5}")), TeamRule("name", keys=("who",)))
    )
    assert found('{"a": "C-12345", "who": "Jo"}', "a.json", rules) == ["1: a: customer", "1: who: name"]


def test_what_is_allowed_stays() -> None:
    data = json.dumps({"k": KEY}).encode()
    assert look(data, "a.json", REVIEW_RULES, passes=lambda rule, value: value == KEY).is_clean
    assert fix(data, "a.json", REVIEW_RULES, passes=lambda rule, value: value == KEY).data == data
    assert look(b'{"a', "a.json", REVIEW_RULES, passes=lambda rule, value: rule == "unreadable").is_clean


def test_yaml_that_python_wrote_in_any_width() -> None:
    text = json.dumps({"messages": [{"content": f"ü {KEY} " + "word " * 40}]}, ensure_ascii=False)
    for width in (20, 80, 1000):
        for unicode in (True, False):
            for style in (None, "'", '"', "|", ">"):
                written = yaml.safe_dump(
                    {"body": text}, width=width, allow_unicode=unicode, default_style=style
                )
                after = yaml.safe_load(fixed(written))
                assert after == {"body": text.replace(KEY, MARK)}
