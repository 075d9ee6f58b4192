"""What stands where a secret was, and what a test or a page invents."""

from __future__ import annotations

import pytest

from dryfire_action.secret_placeholders import (
    is_local_default,
    is_made_up,
    is_marker,
    is_nobodys_address,
    is_prose,
    is_public,
    is_redacted,
    is_sample_card,
    looks_opaque,
    mask,
)
from tests.secret_values import B62, HEX, VISA, body

REDACTED = [
    "[redacted:email:1]",
    "[REDACTED]",
    "<REDACTED>",
    "REDACTED",
    "redacted",
    "**REDACTED**",
    "[Filtered]",
    "<FILTERED>",
    "[FILTERED]",
    "***MASKED***",
    "<API_KEY>",
    "[API_KEY]",
    "__API_KEY__",
    "${API_KEY}",
    "$API_KEY",
    "%API_KEY%",
    "{{api_key}}",
    "${{secrets.KEY}}",
    "{api_key}",
    "<your-key>",
    "sk-...abcd",
    "sk-pr****wxyz",
    "sk-xxxxxxxxxxxxxxxx",
    "xxxxxxxx",
    "XXXX",
    "****",
    "----",
    "....",
    "0000",
    "null",
    "None",
    "true",
    "n/a",
    "undefined",
    "[REDACTED_EMAIL_ADDRESS_1]",
    "sk-ant-REDACTED",
    "%5BREDACTED%5D",
    "env:API_KEY",
    "os.environ['KEY']",
    "process.env.KEY",
    "op://vault/item",
    "arn:aws:secretsmanager:eu-west-1:1:secret:x",
    "scrubbed",
    "removed-by-tool",
    "<hidden>",
]


@pytest.mark.parametrize(
    "value", [*REDACTED, "", "  ", '"REDACTED"', "…", "{{ api_key }}", "<your key here>"]
)
def test_what_holds_no_secret_any_more_is_recognised(value: str) -> None:
    assert is_redacted(value)


@pytest.mark.parametrize(
    "value",
    [
        "hunter2",
        "$ecret123",
        "abc",
        body(B62, 24),
        "redacted" + body(B62, 24),
        "key-" + body(HEX, 16) + "-redacted",
        "<a>b",
        "x1",
    ],
)
def test_what_may_be_a_secret_is_not_taken_for_redacted(value: str) -> None:
    assert not is_redacted(value)


@pytest.mark.parametrize(
    "value",
    ["your-api-key", "test", "fake_token", "dummy", "changeme", "not-a-real-key", "sk-test-key", "string"],
)
def test_plainly_invented_values_are_recognised(value: str) -> None:
    assert is_made_up(value)


@pytest.mark.parametrize(
    "value",
    ["abc", "secret", "hunter2", "123456", "testing" + body(B62, 12), "sk-" + "q7" * 20, body(HEX, 32)],
)
def test_a_word_within_a_value_does_not_make_it_invented(value: str) -> None:
    assert not is_made_up(value)


def test_a_mark_is_ours_only_in_its_exact_form() -> None:
    assert is_marker("[redacted:github-token:12]")
    for text in (
        "[redacted]",
        "[redacted:email]",
        "[redacted:email:]",
        "[redacted:-x:1]",
        "a[redacted:email:1]",
        "[redacted:email:1]\n",
    ):
        assert not is_marker(text)


def test_sentences_are_told_from_pass_phrases() -> None:
    assert is_prose("The password is required.")
    assert not is_prose("correct horse battery staple")
    assert not is_prose("the 4 horses of a battery")


def test_random_looking_words_are_told_from_words() -> None:
    assert looks_opaque("hunter22")
    assert not looks_opaque("authentication-scheme")
    assert not looks_opaque("two words1")


def test_cards_addresses_and_keys_of_nobody_are_known() -> None:
    assert is_sample_card("4111 1111 1111 1111")
    assert not is_sample_card(VISA)
    for address in ("a@example.com", "a@b.example.org", "a@x.test", "noreply@acme.io", "a@localhost"):
        assert is_nobodys_address(address)
    assert not is_nobodys_address("a@myexample.com")
    assert is_public("pk" + "_live_x")


@pytest.mark.parametrize(
    ("user", "password", "host", "is_default"),
    [
        ("postgres", "postgres", "localhost", True), ("root", "root", "127.0.0.1", True), ("app", "app", "db", True),
        ("postgres", "postgres", "db.acme.io", False), ("app", "hunter22", "localhost", False),
        ("u", "p4ss", "example.com", True),
    ],
)  # fmt: skip
def test_local_defaults_need_a_local_host_and_a_known_password(
    user: str, password: str, host: str, is_default: bool
) -> None:
    assert is_local_default(user, password, host) is is_default


@pytest.mark.parametrize("length", range(0, 200, 7))
def test_a_mask_never_shows_more_than_four_characters_or_a_sixth(length: int) -> None:
    value = body(B62, max(length, 5))[:length]
    shown = mask(value).partition("…")[0]
    assert value.startswith(shown)
    assert len(shown) <= min(4, length // 6)
