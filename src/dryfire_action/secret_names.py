"""Secrets that are known by the name they stand under, and where in the value they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from dryfire_action.secret_checksums import basic_parts, has_random_segment
from dryfire_action.secret_keys import KeyKind, is_taste_cookie, plain_name
from dryfire_action.secret_placeholders import is_made_up, is_prose, is_public, is_redacted, looks_opaque

Found = tuple[int, int, str]
"""Start, end and rule id."""

_SCHEME = r"(?as)\s*+(?P<scheme>[A-Za-z][A-Za-z0-9-]{1,30}+)[ \t]{1,8}+(?P<v>\S(?:.*\S)?)\s*\Z"
_SCHEMES = frozenset(
    [
        "bearer",
        "basic",
        "token",
        "apikey",
        "api-key",
        "key",
        "negotiate",
        "ntlm",
        "bot",
        "splunk",
        "geniekey",
        "sso-key",
        "zoho-oauthtoken",
        "hawk",
        "mac",
        "dpop",
        "jwt",
    ]
)
_SCHEMES_WITH_PARTS = frozenset({"digest", "oauth", "sharedaccesssignature", "hmac"})
_AUTH_PARTS = r"(?:Credential=|Signature=|response=|oauth_signature=|oauth_token=|sig=)\"?(?P<v>[^,\s\"&]++)"
_COOKIE_NAME = r"[A-Za-z0-9_.$~!#%&'*+^`|-]{1,128}+"
# A comma ends a cookie only where the next one begins: dates hold commas too.
_COOKIE = (
    rf"(?:^|[;\r\n]|,(?=[ ]?{_COOKIE_NAME}=))[ \t]{{0,4}}+(?P<n>{_COOKIE_NAME})="
    rf"(?P<v>(?:[^;,\r\n]|,(?![ ]?{_COOKIE_NAME}=))*+)"
)
_COOKIE_ATTRIBUTES = frozenset(
    {
        "path",
        "domain",
        "expires",
        "maxage",
        "samesite",
        "httponly",
        "secure",
        "priority",
        "version",
        "comment",
        "partitioned",
    }
)

KINDS_OF_FIELDS = frozenset({"query", "cookies", "fields"})
"""Kinds of names that say something about the fields of what they stand for, and nothing about a text."""

_UUID = r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"


def worth_hiding(value: str, *, samples: bool) -> bool:
    """Whether a value under a credential's name is the credential: not redacted, not a sentence about it
    and, unless `samples`, not an invented one."""
    if is_redacted(value) or is_prose(value) or is_public(value.strip()):
        return False
    return samples or not is_made_up(value)


TextKind = KeyKind | Literal["in-code"]
"""What a name says in a text; `in-code`: its value must look like a secret."""


def fits(kind: TextKind, value: str, *, samples: bool) -> bool:
    """Whether a value can be the secret that a name of a kind announces."""
    if kind in KINDS_OF_FIELDS or not worth_hiding(value, samples=samples):
        return False
    if kind == "in-query":
        return len(value) >= 16 and has_random_segment(value) and not re.fullmatch(_UUID, value)
    if kind == "in-code":
        # A bare word in prose, settings or code may also be a type or a variable.
        return len(value) >= 6 and any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    if kind == "weak" and not samples:
        return looks_opaque(value)
    return kind != "weak" or not any(character.isspace() for character in value)


def spans_under(text: str, kind: KeyKind, name: str | None, *, samples: bool) -> Iterator[Found]:
    """The secrets in a value that stands under a name of a kind.

    `name` is the name itself; a value that only repeats its last word (`password: password`) is a form, no
    secret.
    """
    if kind in ("authorization", "cookie", "set-cookie"):
        yield from header_spans(text, kind, 0, samples=samples, whole=True)
    elif kind == "cookie-value":
        if not is_taste_cookie(name or "") and _is_cookie_value(text, samples=samples):
            yield _stripped(text, "cookie")
    elif kind == "account":
        if not is_redacted(text):
            yield _stripped(text, "account-header")
    elif fits(kind, text.strip(), samples=samples) and (samples or not repeats(name, text)):
        yield from _after_scheme(text)


def repeats(name: str | None, value: str) -> bool:
    """Whether a value is but the end of its name, as in `password: password`."""
    plain = plain_name(value)
    return bool(name and plain) and plain_name(name or "").endswith(plain)


def _stripped(text: str, rule: str) -> Found:
    start = len(text) - len(text.lstrip())
    return start, len(text.rstrip()), rule


def _after_scheme(text: str) -> Iterator[Found]:
    match = re.match(_SCHEME, text)
    if match and match["scheme"].lower() in _SCHEMES:
        yield match.start("v"), match.end("v"), "credential-key"
    else:
        yield _stripped(text, "credential-key")


def _is_cookie_value(value: str, *, samples: bool) -> bool:
    return value.strip('" ').lower() not in ("", "deleted") and worth_hiding(value, samples=samples)


def header_spans(
    value: str, kind: str, offset: int, *, samples: bool, whole: bool = False
) -> Iterator[Found]:
    """The secrets in the value of an `Authorization`, `Cookie` or `Set-Cookie` header that begins at an offset.

    `whole`: a cookie header without any `name=value` is one secret itself.
    """
    if kind == "authorization":
        yield from _authorization(value, offset, samples)
    else:
        yield from _cookies(value, offset, samples, whole=whole)


def _authorization(text: str, offset: int, samples: bool) -> Iterator[Found]:
    match = re.match(_SCHEME, text)
    scheme = match["scheme"].lower() if match else ""
    if match and (scheme.startswith("aws4") or scheme in _SCHEMES_WITH_PARTS):
        for part in re.finditer(_AUTH_PARTS, text):
            if not is_redacted(part["v"]):
                yield offset + part.start("v"), offset + part.end("v"), "authorization"
        return
    # After a word that is no scheme, the word is part of the secret.
    start, end = match.span("v") if match and scheme in _SCHEMES else _stripped(text, "")[:2]
    value = text[start:end]
    if scheme == "basic" and (parts := basic_parts(value)) is not None:
        user, password = parts
        is_known = not samples and (is_made_up(password) or user == password)
        if (not password or is_redacted(password) or is_known) and not looks_opaque(user, 16):
            return
    if worth_hiding(value, samples=samples):
        yield offset + start, offset + end, "authorization"


def _cookies(text: str, offset: int, samples: bool, *, whole: bool) -> Iterator[Found]:
    pairs = 0
    for match in re.finditer(_COOKIE, text):
        pairs += 1
        name, value = match["n"], match["v"].rstrip()
        if plain_name(name) in _COOKIE_ATTRIBUTES or is_taste_cookie(name):
            continue
        if not _is_cookie_value(value, samples=samples):
            continue
        start = offset + match.start("v")
        yield start, start + len(value), "cookie"
    if whole and not pairs and worth_hiding(text, samples=samples) and " " not in text.strip():
        start, end, rule = _stripped(text, "cookie")
        yield offset + start, offset + end, rule
