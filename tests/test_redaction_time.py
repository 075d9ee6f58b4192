"""The work of a search grows with the text and no faster, whatever the text is.

Counted is what the interpreter does, not time: function calls and the characters that patterns are given, so that
the numbers are the same on every machine. What a pattern does with its characters is bounded by how it is written,
which is checked on the pattern itself; and once, generously, by time.
"""

from __future__ import annotations

import json
import re
import re._parser as regex_parser  # type: ignore[import-not-found]
import time
from collections.abc import Callable
from typing import Any

import pytest

from dryfire_action import (
    json_leaves,
    named_texts,
    secret_assignments,
    secret_names,
    secret_placeholders,
    secret_search,
    secret_shapes,
    secret_signs,
)
from dryfire_action.late_pattern import late
from dryfire_action.redact import RULES, find, find_in_text, redact_text
from tests.secret_hits import HITS
from tests.work import steps

HOSTILE: dict[str, Callable[[int], str]] = {
    "spaces": lambda n: " " * n,
    "one letter": lambda n: "a" * n,
    "base64": lambda n: "aB3/" * (n // 4),
    "digits": lambda n: "4" * n,
    "digits apart": lambda n: "4 " * (n // 2),
    "at signs": lambda n: "a@" * (n // 2),
    "domains": lambda n: "a@" + "a." * (n // 2),
    "addresses": lambda n: "a@b.co " * (n // 7),
    "backslashes": lambda n: "\\" * n,
    "quotes": lambda n: '"' * n,
    "open quotes after names": lambda n: 'password="' * (n // 10),
    "names": lambda n: "password=" * (n // 9),
    "names and colons": lambda n: "api_key: " * (n // 9),
    "name of any length": lambda n: "password" * (n // 8) + "=x",
    "operators": lambda n: "=:>" * (n // 3),
    "cookies": lambda n: "cookie: " + "a=b,c;" * (n // 6),
    "commas in cookies": lambda n: "set-cookie: a=" + ",b" * (n // 2),
    "authorizations": lambda n: "authorization: " * (n // 15),
    "cookie names": lambda n: "cookie: " * (n // 8),
    "authorization": lambda n: "authorization: digest " + "response=" * (n // 9),
    "keys cut short": lambda n: ("-----BEGIN PRIVATE KEY-----" + "A") * (n // 28),
    "key headers": lambda n: "-----BEGIN PRIVATE KEY-----\n" + "Ab: c\n" * (n // 6),
    "key header in a key header": lambda n: "-----BEGIN PRIVATE KEY-----Ab: " * (n // 31),
    "escaped lines of a key": lambda n: "-----BEGIN PRIVATE KEY-----" + "\\n" * (n // 2),
    "urls": lambda n: "://a:" * (n // 5),
    "urls with at signs": lambda n: "://a:" + "@" * n,
    "many urls in one": lambda n: "://a:b@" * (n // 7),
    "jwt": lambda n: "eyJ" * (n // 3) + ".",
    "jwt dots": lambda n: "eyJhbGciOiJub25lIn0" + "." * n,
    "sk": lambda n: "sk-" * (n // 3),
    "sk apart": lambda n: "sk- " * (n // 4),
    "prefixes": lambda n: "sk-ant-api03-" * (n // 13),
    "bearer": lambda n: "Bearer " * (n // 7),
    "percent": lambda n: "%41" * (n // 3),
    "percent of percent": lambda n: "%25" * (n // 3),
    "percent of a credential": lambda n: "a%3Dpassword%3D" * (n // 15),
    "open brackets": lambda n: "[" * n,
    "brackets": lambda n: "[" * (n // 2) + "]" * (n // 2),
    "open braces": lambda n: '{"a":' * (n // 5),
    "json lines": lambda n: '{"a":1}\n' * (n // 8),
    "braces in a line": lambda n: '{"' + "}" * n + " x",
    "json of strings": lambda n: json.dumps(["password=x"] * (n // 14)),
    "escapes in json": lambda n: json.dumps({"password": "é\n" * (n // 8)}),
    "secrets in one leaf of json": lambda n: json.dumps(
        ["password=" + "&password=".join(["hunter22"] * (n // 18)) + "é"]
    ),
    "marks": lambda n: "[redacted:email:1]" * (n // 18),
    "marks cut short": lambda n: "[redacted:" * (n // 10),
    "discord": lambda n: "M" * 20 + "." * n,
    "dots": lambda n: "a." * (n // 2),
    "vendor words": lambda n: "mistral key " + "aB3" * 10 + "aB " * (n // 3),
    "elements": lambda n: "<password>" * (n // 10),
}


def layered(depth: int, size: int) -> str:
    """JSON in a string, so many times, around some text."""
    text = "x" * size
    for _ in range(depth):
        text = json.dumps({"a": text})
    return text


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_twice_the_text_is_at_most_twice_the_steps(name: str) -> None:
    make = HOSTILE[name]
    small, large = make(4_000), make(8_000)
    find_in_text(small), find_in_text(large)
    few, many = steps(lambda: find_in_text(small)), steps(lambda: find_in_text(large))
    assert many <= 2.2 * few + 200


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_twice_the_text_takes_about_twice_as_long(name: str) -> None:
    """Work inside a pattern shows only in time: an eightfold text may not take sixty-four times as long."""
    small, large = HOSTILE[name](6_000), HOSTILE[name](48_000)
    assert fastest(large) < 24 * fastest(small) + 0.05


def fastest(text: str) -> float:
    """The seconds of processor time that a search takes at best."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        find_in_text(text)
        best = min(best, time.process_time() - start)
    return best


def test_json_in_json_is_not_searched_once_more_for_each_layer_above_it() -> None:
    one, six = steps(lambda: find_in_text(layered(1, 100))), steps(lambda: find_in_text(layered(6, 100)))
    assert six <= 12 * one
    planted = [
        steps(lambda d=d: find_in_text(layered(d, 0)[:-1] + ', "password": ' + json.dumps("hunter22") + "}"))
        for d in (1, 6)
    ]
    assert planted[1] <= 12 * planted[0]


@pytest.mark.parametrize("rule", sorted(HITS))
def test_eight_times_the_findings_are_eight_times_the_steps(rule: str) -> None:
    hit = HITS[rule][0]
    texts = [f"{hit.text}\n" * count for count in (8, 64)]
    found = [find_in_text(text, key=hit.key) for text in texts]
    assert 1 <= len(found[1]) <= 8 * len(found[0]) + 8
    few, many = (steps(lambda text=text: redact_text(text, lambda value, rule: "")) for text in texts)
    assert many <= 10 * few


def test_a_deep_tree_is_walked_without_recursion() -> None:
    tree: Any = "sk-" + "ant-api03-" + "q7" * 48
    for _ in range(50_000):
        tree = [tree]
    (finding,) = find(tree)
    assert len(finding.path) == 50_000
    # Taking it apart again, or its destruction recurses.
    while isinstance(tree, list):
        tree = tree.pop()


MODULES = (
    json_leaves,
    named_texts,
    secret_assignments,
    secret_names,
    secret_placeholders,
    secret_search,
    secret_shapes,
    secret_signs,
)
PATTERNS = {rule.id: rule.pattern for rule in RULES if rule.pattern} | {
    f"{module.__name__}.{name}": getattr(value, "pattern", value)
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, (re.Pattern, late))
    or (isinstance(value, str) and re.fullmatch("_[A-Z][A-Z_]+", name))
}


def unbounded_repeats_that_go_back(pattern: str) -> list[str]:
    """The quantifiers without an upper bound that are not possessive, and stand where more follows.

    The last piece of a pattern may be greedy: nothing after it can fail.
    """
    found: list[str] = []

    def visit(pieces: Any, is_last: bool) -> None:
        for place, (operation, argument) in enumerate(pieces):
            last = is_last and place == len(pieces) - 1
            name = str(operation)
            if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
                least, most, inner = argument
                if name != "POSSESSIVE_REPEAT" and not last and most > 1024:
                    found.append(f"{name} {least}..{most}")
                visit(inner, False if most > 1 else last)
            elif name == "SUBPATTERN":
                visit(argument[3], last)
            elif name == "BRANCH":
                for branch in argument[1]:
                    visit(branch, last)
            elif name in ("ASSERT", "ASSERT_NOT"):
                visit(argument[1], False)
            elif name == "ATOMIC_GROUP":
                visit(argument, True)

    visit(regex_parser.parse(pattern, re.VERBOSE if "\n      " in pattern else 0), True)
    return found


def test_the_check_of_patterns_sees_what_goes_back() -> None:
    assert unbounded_repeats_that_go_back(r"a+b")
    assert unbounded_repeats_that_go_back(r"(?:a*)*b")
    assert unbounded_repeats_that_go_back(r"(?=a*b)c")
    assert not unbounded_repeats_that_go_back(r"a++b{2,9}c*+d+")


# Each of these is matched against one line or one short value, and reads it once forwards and once back.
READ_BACK_ONCE = {
    "dryfire_action.secret_search.JSON_LINE",
    "dryfire_action.secret_signs.JSON_LINE",
    "dryfire_action.secret_names._SCHEME",
    "dryfire_action.secret_placeholders._SAME",
}


@pytest.mark.parametrize("name", sorted(set(PATTERNS) - READ_BACK_ONCE))
def test_no_pattern_goes_back_over_a_run_without_bounds(name: str) -> None:
    assert unbounded_repeats_that_go_back(PATTERNS[name]) == []
