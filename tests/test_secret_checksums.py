"""Checks that values carry in themselves."""

from __future__ import annotations

import pytest

from dryfire_action.secret_checksums import (
    basic_parts,
    crc32_base62,
    crc32_hex_tail_holds,
    crc32_tail_holds,
    decoded_base64,
    has_random_segment,
    is_card_number,
    is_mixed,
    is_signed_token,
    luhn_holds,
)
from tests.secret_values import B62, b64, b64u, base62, body, jwt, luhn, with_crc


def test_the_tail_of_a_token_is_the_crc_of_its_body_in_base_62() -> None:
    # "123456789" has the CRC-32 cbf43926, as every description of the checksum says.
    assert crc32_base62("123456789") == base62(0xCBF43926) == "3jZRME"
    assert crc32_tail_holds(with_crc("gh" + "p_"))
    token = with_crc("npm" + "_")
    assert crc32_tail_holds(token)
    assert not crc32_tail_holds(token[:-1] + ("a" if token[-1] != "a" else "b"))
    assert not crc32_tail_holds("gh" + "p_abc")


def test_a_small_crc_is_padded_with_zeros() -> None:
    found = next(text for text in map(str, range(200_000)) if crc32_base62(text).startswith("00"))
    assert len(crc32_base62(found)) == 6


@pytest.mark.parametrize("tail", ["cbf43926", "CBF43926", "2639f4cb"])
def test_hexadecimal_tails_hold_in_either_order(tail: str) -> None:
    assert crc32_hex_tail_holds("cfut_123456789" + tail)
    assert not crc32_hex_tail_holds("cfut_123456780" + tail)


@pytest.mark.parametrize(
    ("first", "length", "is_card"),
    [
        ("4", 16, True), ("4", 13, True), ("4", 19, True), ("4", 15, False), ("51", 16, True), ("55", 16, True),
        ("50", 16, False), ("2221", 16, True), ("2720", 16, True), ("2220", 16, False), ("2721", 16, False),
        ("34", 15, True), ("37", 15, True), ("35", 15, False), ("6011", 16, True), ("65", 16, True), ("3528", 16, True),
        ("36", 14, True), ("300", 14, True), ("62", 16, True), ("17", 16, False), ("9", 16, False),
    ],
)  # fmt: skip
def test_a_card_has_an_issuer_that_knows_its_length(first: str, length: int, is_card: bool) -> None:
    number = luhn((first + "0123456789012345678")[: length - 1])
    assert is_card_number(number) is is_card
    assert is_card_number(" ".join(number)) is is_card
    assert not is_card_number(number[:-1] + str((int(number[-1]) + 5) % 10))


def test_luhn_sees_a_changed_and_a_swapped_digit() -> None:
    number = luhn("453201511283036")
    assert luhn_holds(number)
    assert not luhn_holds(number[:3] + str((int(number[3]) + 1) % 10) + number[4:])
    assert not luhn_holds(number[:3] + number[4] + number[3] + number[5:])
    assert not luhn_holds("")


def test_a_token_with_a_signature_has_a_header_that_names_its_algorithm() -> None:
    assert is_signed_token(jwt())
    assert is_signed_token(jwt(role="service_role"))
    assert not is_signed_token(jwt(role="anon"))
    assert not is_signed_token(f"{b64u({'a': 1})}.{b64u({})}.x")
    assert not is_signed_token("eyJ.a.b")
    assert is_signed_token(b64u({"alg": "dir", "enc": "A256GCM"}) + "..iv.body.tag")


@pytest.mark.parametrize(
    ("text", "data"), [("YQ", b"a"), ("YQ==", b"a"), ("-_8", b"\xfb\xff"), ("a", None), ("é", None)]
)
def test_base64_is_read_with_and_without_padding(text: str, data: bytes | None) -> None:
    assert decoded_base64(text) == data


def test_basic_credentials_are_read_as_user_and_password() -> None:
    assert basic_parts(b64("u:p:q")) == ("u", "p:q")
    assert basic_parts(b64("no colon")) is None
    assert basic_parts(b64("u:\x00")) is None
    assert basic_parts("%%%") is None


def test_random_text_is_told_from_words_and_digests() -> None:
    assert has_random_segment("x-" + body(B62, 16))
    assert not has_random_segment("a-name-of-many-words-and-2-numbers-2024")
    assert is_mixed("aB3")
    assert not is_mixed("ab3")
