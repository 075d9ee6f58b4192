"""Secrets of every format, made when the tests run, so that none stands in a file."""

from __future__ import annotations

import base64
import json
import random
import string
import zlib

B62 = string.ascii_letters + string.digits
B64U = B62 + "-_"
HEX = "0123456789abcdef"
LOWER = string.ascii_lowercase + string.digits


def body(alphabet: str, length: int, seed: int = 0) -> str:
    """Random characters with a digit and, where the alphabet has them, a small and a capital letter among them."""
    source = random.Random(f"{alphabet}{length}{seed}")
    drawn = [source.choice(alphabet) for _ in range(length)]
    for place, kind in enumerate((string.digits, string.ascii_lowercase, string.ascii_uppercase), start=2):
        choices = [character for character in kind if character in alphabet]
        if choices:
            drawn[place] = source.choice(choices)
    drawn[0] = next(c for c in (source.choice(alphabet) for _ in range(1000)) if c.isalnum())
    drawn[-1] = next(c for c in (source.choice(alphabet) for _ in range(1000)) if c.isalnum())
    return "".join(drawn)


def base62(number: int) -> str:
    """A number in the digits, capital letters, small letters order, six places."""
    digits = string.digits + string.ascii_uppercase + string.ascii_lowercase
    text = ""
    while number:
        number, rest = divmod(number, 62)
        text = digits[rest] + text
    return text.rjust(6, "0")


def with_crc(prefix: str, length: int = 30) -> str:
    """A token whose last six characters are the CRC-32 of the characters before them."""
    middle = body(B62, length)
    return prefix + middle + base62(zlib.crc32(middle.encode()))


def b64u(value: object) -> str:
    """The base64url of a value's JSON, without padding."""
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def b64(text: str) -> str:
    """The base64 of a text."""
    return base64.b64encode(text.encode()).decode()


def jwt(**claims: object) -> str:
    """A JSON Web Token with some claims and a random signature."""
    return ".".join((b64u({"alg": "HS256", "typ": "JWT"}), b64u({"sub": "u1", **claims}), body(B64U, 43)))


def pem(kind: str = "PRIVATE KEY", lines: int = 3) -> tuple[str, str]:
    """A private key in PEM, and its body."""
    inside = "\n".join(body(B62 + "+/", 64, seed) for seed in range(lines))
    return f"-----BEGIN {kind}-----\n{inside}\n-----END {kind}-----\n", inside


def luhn(digits: str) -> str:
    """Some digits with their check digit after them."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        double = int(digit) * 2 if place % 2 == 0 else int(digit)
        total += double - 9 if double > 9 else double
    return digits + str(-total % 10)


PASSWORD = "Tr" + "0ub4dor" + "&3"
VISA = luhn("453201511283036")
UUID = "0f8fad5b-d9cb-469f-a165-70867728950e"
