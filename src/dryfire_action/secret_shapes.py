"""The rules for secrets of no vendor: bearer tokens, JSON Web Tokens, private keys, addresses with a password in
them, e-mail addresses, card numbers."""

from __future__ import annotations

import re

from dryfire_action.secret_checksums import basic_parts, is_card_number, is_signed_token
from dryfire_action.secret_placeholders import (
    is_local_default,
    is_made_up,
    is_nobodys_address,
    is_redacted,
    is_sample_card,
    looks_opaque,
)
from dryfire_action.secret_rule import B62, B64U, EDGE, Rule, on_value, shape

_CARD_ID_WORD = r"(?:\bids?|_id|Id|ID|uuid|timestamp|trace|span|nonce|#)\W{0,4}\Z"


def _basic_has_secret(match: re.Match[str]) -> bool:
    parts = basic_parts(match["v"])
    if parts is None:
        return False
    user, password = parts
    return (bool(password) and not is_redacted(password)) or looks_opaque(user, 16)


def _basic_is_sample(match: re.Match[str]) -> bool:
    user, password = basic_parts(match["v"]) or ("", "")
    return (is_made_up(password) or user == password) and not looks_opaque(user, 16)


def _has_key_body(match: re.Match[str]) -> bool:
    body: str = match["v"]
    return sum(character.isalnum() for character in body) >= 48


def _url_is_local(match: re.Match[str]) -> bool:
    return is_local_default(match["user"], match["v"], match["host"])


def _is_bearer(value: str) -> bool:
    return looks_opaque(value, 6)


def _is_signature(value: str) -> bool:
    return looks_opaque(value, 16)


def _is_card(match: re.Match[str]) -> bool:
    before = match.string[max(0, match.start() - 16) : match.start()]
    return is_card_number(match[0]) and not re.search(_CARD_ID_WORD, before)


_GAP = r"(?:\s|\\{1,8}[nrt])"

GENERIC_SHAPES: tuple[Rule, ...] = (
    shape(
        "private-key", "Private keys in PEM or PGP armour", "RFC 7468, RFC 9580", "-----BEGIN",
        rf"-----BEGIN [A-Z0-9 ]{{0,32}}PRIVATE KEY(?: BLOCK)?-----{_GAP}*+"
        rf"(?:[A-Z][A-Za-z-]{{1,24}}: [^\r\n\\]{{0,120}}{_GAP}++){{0,8}}+"
        rf"(?P<v>[{B62}+/=]++(?:{_GAP}++[{B62}+/=]++)*+)",
        check=_has_key_body,
        sight="literal",
    ),
    shape(
        "jwt", "JSON Web Tokens, signed or encrypted", "RFC 7519", "eyJ",
        rf"{EDGE}eyJ[{B64U}]{{8,}}+\.[{B64U}]*+(?:\.[{B64U}]*+){{1,3}}+", check=on_value(is_signed_token),
    ),
    shape(
        "bearer", "`Bearer` followed by a token", "RFC 6750", "Bearer bearer BEARER",
        rf"(?<![{B62}])[Bb](?:earer|EARER)(?:[ \t]|%20|\+){{1,4}}+(?P<v>[{B62}._~+/-]{{6,}}+=*+)",
        check=on_value(_is_bearer),
        sight="literal",
    ),
    shape(
        "basic-auth", "`Basic` followed by a user and a password", "RFC 7617", "Basic basic BASIC",
        rf"(?<![{B62}])[Bb](?:asic|ASIC)(?:[ \t]|%20){{1,4}}+(?P<v>[{B62}+/_-]{{6,}}+={{0,2}})",
        check=_basic_has_secret, sample=_basic_is_sample,
        sight="literal",
    ),
    shape(
        "url-password", "Passwords in URLs and connection strings", "RFC 3986", "://  :\\/\\/",
        r":\\?/\\?/(?P<user>[^\s:/?#@\"'<>\\]{0,256}):"
        r"(?P<v>[^\s/?#\"'<>\\]{1,512})@(?P<host>[^\s/?#\"'<>\\:@,]{1,255})",
        sample=_url_is_local,
        sight="literal",
    ),
    shape(
        "signed-url", "Signatures of presigned and shared-access URLs",
        "https://learn.microsoft.com/rest/api/storageservices/create-service-sas", "ig= ignature=",
        r"(?:[?&;]|\\u0026)(?:sig|[Ss]ignature|X-(?:Amz|Goog|Ms)-Signature)=(?P<v>[A-Za-z0-9%+/=_~.-]{16,}+)",
        check=on_value(_is_signature),
    ),
)  # fmt: skip

PERSONAL_SHAPES: tuple[Rule, ...] = (
    shape(
        "email", "E-mail addresses", "RFC 5322 (the dotted form that people use)", "@",
        r"(?<![A-Za-z0-9._%+/-])[A-Za-z0-9][A-Za-z0-9._%+'-]{0,63}"
        r"@(?:[A-Za-z0-9-]{1,63}\.){1,8}(?!(?:png|jpe?g|gif|svg|webp|js|css|json|html)\b)[A-Za-z]{2,24}(?![A-Za-z0-9-])",
        sample=on_value(is_nobodys_address), recordings_only=True,
        sight="text",
    ),
    shape(
        "card-number", "Payment card numbers: an issuer's range, the length that goes with it, Luhn's check",
        "ISO/IEC 7812-1", "",
        rf"(?<![{B62}_.#-])[2-6](?:[ -]?[0-9]){{12,18}}(?![{B62}_-])(?!\.[0-9])",
        check=_is_card, sample=on_value(is_sample_card), recordings_only=True,
        sight="digits",
    ),
)  # fmt: skip
