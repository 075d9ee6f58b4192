"""Secrets that are known by the name they stand under, and where in the value they are.

Two ways in: `spans_under` for a value whose name is known (a mapping's key, a header's name), and
`assigned_spans` for a text in which names and values stand side by side: query strings, form bodies, header
lines, settings, JSON that does not parse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dryfire_action.secret_checksums import decoded_base64
from dryfire_action.secret_keys import KeyKind, is_taste_cookie, key_kind, plain_name
from dryfire_action.secret_placeholders import is_made_up, is_prose, is_redacted, looks_opaque

Found = tuple[int, int, str]
"""Start, end and rule id."""

_SCHEME = re.compile(
    r"\s*+(?P<scheme>[A-Za-z][A-Za-z0-9-]{1,30}+)[ \t]{1,8}+(?P<v>\S(?:.*\S)?)\s*\Z", re.DOTALL | re.ASCII
)
_AUTH_PARTS = re.compile(
    r"(?:Credential=|Signature=|response=|oauth_signature=|oauth_token=|sig=)\"?(?P<v>[^,\s\"&]++)"
)
_COOKIE_NAME = r"[A-Za-z0-9_.$~!#%&'*+^`|-]{1,128}+"
# A comma ends a cookie only where the next one begins: dates hold commas too.
_COOKIE = re.compile(
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

_NAME = re.compile(
    r"(?<![A-Za-z0-9_-])(?P<n>[A-Za-z0-9_-]{2,80}+)"
    r"(?P<close>\\{0,7}[\"']?)\]?[ \t]{0,4}(?P<op>:=|=>|:|=(?!=)|%3D)[ \t]{0,4}(?P<open>\\{0,7}[\"'])?"
)
_BARE_VALUE = re.compile(r"[^\s\"'&;,<>(){}\[\]\\|`]++")
_MARKED_VALUE = re.compile(r"[\[<{$%*][^\s\"'&;,\\]*+")
_QUOTED_VALUE = {'"': re.compile(r"(?:[^\"\\\r\n]|\\.)*+"), "'": re.compile(r"(?:[^'\\\r\n]|\\.)*+")}
_ESCAPED_VALUE = re.compile(r"[^\"'\\\r\n]*+")
_LINE = re.compile(r"[^\r\n\"]*+")
_WORD_BEFORE = re.compile(r"([A-Za-z]{2,20})[ ]\Z")
_CALL = re.compile(r"[A-Za-z_][\w.]*+[(\[]")


def worth_hiding(value: str, *, samples: bool) -> bool:
    """Whether a value under a credential's name is the credential: not redacted, not a sentence about it
    and, unless `samples`, not an invented one."""
    return not is_redacted(value) and not is_prose(value) and (samples or not is_made_up(value))


def spans_under(text: str, kind: KeyKind, name: str | None, *, samples: bool) -> Iterator[Found]:
    """The secrets in a value that stands under a name of a kind.

    `name` is the name itself; a value that only repeats its last word (`password: password`) is a form, no
    secret.
    """
    if kind == "authorization":
        yield from _authorization(text, 0, samples)
    elif kind in ("cookie", "set-cookie", "cookies"):
        yield from _cookies(text, 0, samples, whole=True)
    elif kind == "account":
        if not is_redacted(text):
            yield _stripped(text, "account-header")
    elif kind == "credential":
        if worth_hiding(text, samples=samples) and (samples or not _repeats(name, text)):
            yield from _after_scheme(text)
    elif kind == "weak":
        one_word = not any(character.isspace() for character in text.strip())
        fits = one_word if samples else looks_opaque(text.strip())
        if fits and worth_hiding(text, samples=samples) and (samples or not _repeats(name, text)):
            yield _stripped(text, "credential-key")


def assigned_spans(text: str, *, samples: bool) -> Iterator[Found]:
    """The secrets in a text that stand after a credential's name and `=` or `:`."""
    done = 0
    for match in _NAME.finditer(text):
        if match.start() < done:
            continue
        name = match["n"]
        kind = key_kind(name)
        in_query = match["op"] in ("=", "%3D") and (match.start() == 0 or text[match.start() - 1] in "?&;")
        if kind in ("query", None) and match["op"] != "%3D" and not match["close"]:
            before = _WORD_BEFORE.search(text, max(0, match.start() - 22), match.start())
            joined = (
                key_kind(f"{before[1]}_{name}")
                if before and name.lower() in ("key", "token", "secret")
                else None
            )
            kind = joined or kind
        if kind is None or kind == "account" or (kind == "query" and not in_query):
            continue
        if kind in ("authorization", "cookie", "set-cookie", "cookies"):
            if match["op"] not in (":", "=>", "="):
                continue
            line = _LINE.match(text, match.end())
            value = line[0] if line else ""
            if kind == "authorization":
                finder = _authorization(value, match.end(), samples)
            else:
                finder = _cookies(value, match.end(), samples, whole=False)
            for found in finder:
                yield found
                done = max(done, found[1])
            continue
        value, quoted = _value_at(text, match)
        if not value or (not quoted and _CALL.match(text, match.end())):
            continue
        if quoted or in_query:
            least = {"credential": 1, "weak": 1 if samples else 8}.get(kind, 16)
            fits = len(value) >= least and (kind == "credential" or looks_opaque(value, least))
        else:
            fits = looks_opaque(value, 6 if kind == "credential" else 12)
        if fits and worth_hiding(value, samples=samples) and (samples or not _repeats(name, value)):
            done = match.end() + len(value)
            yield match.end(), done, "credential-key"


def _value_at(text: str, match: re.Match[str]) -> tuple[str, bool]:
    opening = match["open"]
    if opening is None:
        marked = _MARKED_VALUE.match(text, match.end())
        value = marked or _BARE_VALUE.match(text, match.end())
        return (value[0].rstrip(".!?:") if value else ""), False
    pattern = _QUOTED_VALUE[opening] if len(opening) == 1 else _ESCAPED_VALUE
    value = pattern.match(text, match.end())
    return (value[0] if value else ""), True


def _repeats(name: str | None, value: str) -> bool:
    plain = plain_name(value)
    return bool(name and plain) and plain_name(name or "").endswith(plain)


def _stripped(text: str, rule: str) -> Found:
    start = len(text) - len(text.lstrip())
    return start, len(text.rstrip()), rule


def _after_scheme(text: str) -> Iterator[Found]:
    match = _SCHEME.match(text)
    if match and match["scheme"].lower() in ("bearer", "basic", "token", "apikey"):
        yield match.start("v"), match.end("v"), "credential-key"
    else:
        yield _stripped(text, "credential-key")


def _authorization(text: str, offset: int, samples: bool) -> Iterator[Found]:
    match = _SCHEME.match(text)
    scheme = match["scheme"].lower() if match else ""
    if match and (
        scheme.startswith("aws4") or scheme in ("digest", "oauth", "sharedaccesssignature", "hmac")
    ):
        for part in _AUTH_PARTS.finditer(text):
            if not is_redacted(part["v"]):
                yield offset + part.start("v"), offset + part.end("v"), "authorization"
        return
    start, end = match.span("v") if match else _stripped(text, "")[:2]
    value = text[start:end]
    if scheme == "basic" and not basic_is_secret(value, samples=samples):
        return
    if worth_hiding(value, samples=samples):
        yield offset + start, offset + end, "authorization"


def basic_is_secret(value: str, *, samples: bool) -> bool:
    """Whether the base64 of `user:password` holds a password, or a key in the user's place."""
    data = decoded_base64(value)
    if data is None:
        return not is_redacted(value)
    user, colon, password = data.decode("utf-8", "replace").partition(":")
    if not colon:
        return worth_hiding(user, samples=samples)
    if password and not is_redacted(password):
        return samples or not (is_made_up(password) or password == user)
    return looks_opaque(user, 16)


def _cookies(text: str, offset: int, samples: bool, *, whole: bool) -> Iterator[Found]:
    pairs = 0
    for match in _COOKIE.finditer(text):
        pairs += 1
        name, value = match["n"], match["v"].rstrip()
        if plain_name(name) in _COOKIE_ATTRIBUTES or is_taste_cookie(name):
            continue
        if value.strip('"').lower() in ("", "deleted") or not worth_hiding(value, samples=samples):
            continue
        start = offset + match.start("v")
        yield start, start + len(value), "cookie"
    if whole and not pairs and worth_hiding(text, samples=samples) and " " not in text.strip():
        start, end, rule = _stripped(text, "cookie")
        yield offset + start, offset + end, rule
