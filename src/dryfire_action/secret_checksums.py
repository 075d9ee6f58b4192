"""Checks that a value carries in itself: Luhn and issuer ranges, CRC-32 tails, the shape of a JSON Web
Token.

Pure functions over text. A checksum that fails never clears a token of a known format: vendors change their
formats. It clears only what has no other mark, such as a bare row of digits.
"""

from __future__ import annotations

import binascii
import json
import re
from typing import Any

_SEGMENT = r"[A-Za-z0-9]{16,}+"
_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

# (first, last, digits compared, lengths). From the issuers' published identification number ranges.
_ISSUERS: tuple[tuple[int, int, int, frozenset[int]], ...] = (
    (4, 4, 1, frozenset({13, 16, 19})),  # Visa
    (51, 55, 2, frozenset({16})),  # Mastercard
    (2221, 2720, 4, frozenset({16})),  # Mastercard, since 2017
    (34, 34, 2, frozenset({15})),  # American Express
    (37, 37, 2, frozenset({15})),
    (6011, 6011, 4, frozenset({16, 17, 18, 19})),  # Discover
    (644, 659, 3, frozenset({16, 17, 18, 19})),
    (3528, 3589, 4, frozenset({16, 17, 18, 19})),  # JCB
    (300, 305, 3, frozenset({14, 15, 16, 17, 18, 19})),  # Diners Club
    (3095, 3095, 4, frozenset({14, 15, 16, 17, 18, 19})),
    (36, 36, 2, frozenset({14, 15, 16, 17, 18, 19})),
    (38, 39, 2, frozenset({16, 17, 18, 19})),
    (62, 62, 2, frozenset({16, 17, 18, 19})),  # UnionPay
    (5018, 5018, 4, frozenset(range(13, 20))),  # Maestro
    (5020, 5020, 4, frozenset(range(13, 20))),
    (5038, 5038, 4, frozenset(range(13, 20))),
    (5893, 5893, 4, frozenset(range(13, 20))),
    (6304, 6304, 4, frozenset(range(13, 20))),
    (6759, 6759, 4, frozenset(range(13, 20))),
    (6761, 6763, 4, frozenset(range(13, 20))),
    (2200, 2204, 4, frozenset({16, 17, 18, 19})),  # Mir
)


def digits_of(text: str) -> str:
    """The ASCII digits of a text, in order."""
    return "".join(character for character in text if "0" <= character <= "9")


def luhn_holds(digits: str) -> bool:
    """Whether a row of digits passes the Luhn check of ISO/IEC 7812-1."""
    total = 0
    for place, character in enumerate(reversed(digits)):
        digit = ord(character) - 48
        if place % 2:
            digit = digit * 2 - 9 if digit > 4 else digit * 2
        total += digit
    return bool(digits) and total % 10 == 0


def card_issuer_knows(digits: str) -> bool:
    """Whether a card network issues numbers that begin like this one and are as long."""
    return any(
        len(digits) in lengths and first <= int(digits[:compared]) <= last
        for first, last, compared, lengths in _ISSUERS
    )


def is_card_number(text: str) -> bool:
    """Whether the digits of a text are a payment card number: 13 to 19 of them, an issuer's range, Luhn.

    A row of one digit, as in a form's placeholder, is none.
    """
    digits = digits_of(text)
    return (
        13 <= len(digits) <= 19 and len(set(digits)) > 1 and card_issuer_knows(digits) and luhn_holds(digits)
    )


def crc32_base62(body: str, length: int = 6) -> str:
    """The CRC-32 of an ASCII body in base 62, zero-padded: the tail of GitHub's and npm's tokens.

    From GitHub's description of its token formats (2021) and npm's (2021).
    """
    number = binascii.crc32(body.encode("utf-8", "surrogatepass"))
    tail = ""
    while number:
        number, rest = divmod(number, 62)
        tail = _BASE62[rest] + tail
    return tail.rjust(length, "0")


def crc32_tail_holds(token: str) -> bool:
    """Whether the last six characters of `prefix_body` are the checksum of the characters before them."""
    body = token.rpartition("_")[2]
    return len(body) > 6 and crc32_base62(body[:-6]) == body[-6:]


def crc32_hex_tail_holds(token: str) -> bool:
    """Whether the last eight hexadecimal digits are the CRC-32 of what stands before them.

    Cloudflare sums the body, Grafana the prefix too, with the bytes turned round; the descriptions are short, so
    each reading is tried. A sum that holds by one of them does not hold by chance.
    """
    tail = token[-8:].lower()
    whole = token[:-8].rstrip("_")
    for body in (whole, whole.partition("_")[2]):
        number = binascii.crc32(body.encode("utf-8", "surrogatepass"))
        if tail in (f"{number:08x}", number.to_bytes(4, "little").hex()):
            return len(token) > 16
    return False


def is_mixed(value: str) -> bool:
    """Whether a value has digits, small and capital letters: random text, no digest and no word."""
    return (
        any(c.isdigit() for c in value)
        and any(c.islower() for c in value)
        and any(c.isupper() for c in value)
    )


def is_numbered(value: str) -> bool:
    """Whether a digit stands in a value."""
    return any(character.isdigit() for character in value)


def has_random_segment(value: str) -> bool:
    """Whether sixteen letters and digits stand together somewhere: random text, no words with hyphens."""
    return any(
        any(c.isdigit() for c in part) and any(c.isalpha() for c in part)
        for part in re.findall(_SEGMENT, value)
    )


def decoded_base64(text: str) -> bytes | None:
    """The bytes of a base64 or base64url text, padded or not; None where it is neither."""
    plain = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return binascii.a2b_base64(plain + "=" * (-len(plain) % 4), strict_mode=True)
    except (binascii.Error, ValueError):
        return None


def basic_parts(value: str) -> tuple[str, str] | None:
    """User and password from the base64 of RFC 7617; None where a value is no such base64."""
    data = decoded_base64(value)
    if data is None or b":" not in data:
        return None
    try:
        user, _, password = data.decode("utf-8").partition(":")
    except UnicodeDecodeError:
        return None
    return (user, password) if (user + password).isprintable() else None


def decoded_json(text: str) -> dict[str, Any] | None:
    """The JSON object that a base64url text holds; None where it holds none."""
    data = decoded_base64(text)
    if data is None or not data.lstrip().startswith(b"{"):
        return None
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def is_signed_token(text: str) -> bool:
    """Whether a text is a JSON Web Token (RFC 7519) that lets somebody in.

    The first part must decode to a header with `alg`. Supabase's `anon` role is public by design and is
    left out; an encrypted body is taken as a secret, since nobody here can tell.
    """
    header, _, rest = text.partition(".")
    fields = decoded_json(header)
    if fields is None or "alg" not in fields:
        return False
    claims = decoded_json(rest.partition(".")[0])
    return claims is None or claims.get("role") != "anon"
