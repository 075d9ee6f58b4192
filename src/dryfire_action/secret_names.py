"""Secrets that are known by the name they stand under, and where in the value they are.

Two ways in: `spans_under` for a value whose name is known (a mapping's key, a header's name), and
`assigned_spans` for a text in which names and values stand side by side: query strings, form bodies, header
lines, settings, JSON that does not parse.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Literal, NamedTuple

from dryfire_action.secret_checksums import basic_parts, has_random_segment
from dryfire_action.secret_keys import KeyKind, is_taste_cookie, key_kind, plain_name
from dryfire_action.secret_placeholders import is_made_up, is_prose, is_public, is_redacted, looks_opaque

Found = tuple[int, int, str]
"""Start, end and rule id."""

_SCHEME = r"(?as)\s*+(?P<scheme>[A-Za-z][A-Za-z0-9-]{1,30}+)[ \t]{1,8}+(?P<v>\S(?:.*\S)?)\s*\Z"
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

# Read backwards from the operator: a name, and a quote that closes it.
_NAME_BACKWARDS = re.compile(
    r"[ \t]{0,4}\]?(?P<close>[\"']?\\{0,7})(?P<n>[A-Za-z0-9_-]{2,80}+)(?![A-Za-z0-9_-])"
)
_VALUE_START = re.compile(r"[:=]?>?[ \t]{0,4}(?P<open>\\{0,7}[\"'])?")
_ELEMENT = r"[^<>\r\n]++(?=<\\?/)"
# A bare word does not end in a sentence's mark.
_WORD_PART = r"[^\s\"'&;,<>(){}\[\]\\|`.!?:]"
_BARE_VALUE = rf"{_WORD_PART}*+(?:[.!?:]++{_WORD_PART}++)*+"
_MARKED_VALUE = r"[^\s\"'&;,\\]*+"
_MARKS = frozenset("[<{$%*")
_QUOTED_VALUE = {
    '"': r"[^\"\\\r\n]*+(?:\\.[^\"\\\r\n]*+)*+",
    "'": r"[^'\\\r\n]*+(?:\\.[^'\\\r\n]*+)*+",
}
_ESCAPED_VALUE = r"[^\"'\\\r\n]*+"
_LINE = r"[^\r\n\"']*+"
_WORD_BEFORE = r"([A-Za-z]{2,20})[ ]\Z"
_NOT_BEFORE_EQUALS = ("=", "!", "<", ">", ":", "~", "+")
# Whether a value is a secret shows in so many of its characters.
_TELLING = 512
_LAST_WORDS = frozenset({"key", "token", "secret", "password"})
# An expression (`settings.key1`) or a path (`/run/secrets/db1`), whose pieces are too short to be random.
_CODE = r"(?:[A-Za-z_]\w{0,15}(?:\.[A-Za-z_]\w{0,15}){1,8}|\.{0,2}~?(?:/[\w.-]{1,24}){2,12})"
# The beginning of a placeholder: `token={get_token(user, …)}`.
_TEMPLATE = r"\$?\{\{?[ ]?[A-Za-z_]"
_UUID = r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"


def worth_hiding(value: str, *, samples: bool) -> bool:
    """Whether a value under a credential's name is the credential: not redacted, not a sentence about it
    and, unless `samples`, not an invented one."""
    if is_redacted(value) or is_prose(value) or is_public(value.strip()):
        return False
    return samples or not is_made_up(value)


def spans_under(text: str, kind: KeyKind, name: str | None, *, samples: bool) -> Iterator[Found]:
    """The secrets in a value that stands under a name of a kind.

    `name` is the name itself; a value that only repeats its last word (`password: password`) is a form, no
    secret.
    """
    if kind == "authorization":
        yield from _authorization(text, 0, samples)
    elif kind in ("cookie", "set-cookie"):
        yield from _cookies(text, 0, samples, whole=True)
    elif kind == "cookie-value":
        if not is_taste_cookie(name or "") and _is_cookie_value(text, samples=samples):
            yield _stripped(text, "cookie")
    elif kind == "account":
        if not is_redacted(text):
            yield _stripped(text, "account-header")
    elif _fits(kind, text.strip(), samples=samples) and (samples or not _repeats(name, text)):
        yield from _after_scheme(text)


def assigned_spans(text: str, *, samples: bool) -> Iterator[Found]:
    """The secrets in a text that stand after a credential's name and `=` or `:`, or in an element of that name."""
    done = 0
    lines_read: dict[str, int] = {}
    for place in sorted(at for operator in "=:>" for at in places(text, operator)):
        if place < done:
            continue
        pair = _assignment(text, place)
        kind = _kind_in_text(text, pair) if pair else None
        if pair is None or kind is None:
            continue
        if kind in ("authorization", "cookie", "set-cookie"):
            # The rest of a line is read once: in `cookie: cookie: cookie: …` nothing is left for the second.
            if place >= lines_read.get(kind, 0):
                end = _end(_LINE, text, pair.at)
                lines_read[kind] = end
                for found in _header_spans(text[pair.at : end], kind, pair.at, samples):
                    if samples or looks_opaque(text[found[0] : found[1]], 6):
                        yield found
                        done = max(done, found[1])
        elif _is_secret(text, pair, kind, samples):
            done = _end(_value_pattern(text, pair), text, pair.at)
            yield pair.at, done, "cookie" if kind == "cookie-value" else "credential-key"


def _header_spans(value: str, kind: str, offset: int, samples: bool) -> Iterator[Found]:
    if kind == "authorization":
        yield from _authorization(value, offset, samples)
    else:
        yield from _cookies(value, offset, samples, whole=False)


def _is_secret(text: str, pair: _Assignment, kind: _TextKind, samples: bool) -> bool:
    """Whether what stands behind a name is the secret it announces. Its first characters tell."""
    end = _end(_value_pattern(text, pair), text, pair.at, pair.at + _TELLING)
    value = text[pair.at : end]
    if not value or re.match(_TEMPLATE, value) or (kind == "in-code" and _is_code(value, text, end)):
        return False
    if not samples and not pair.is_field and not looks_opaque(value, 6):
        # Between quotes in code and prose stand words too. In JSON that parses, none of this is asked.
        return False
    return _fits(kind, value, samples=samples) and (samples or not _repeats(pair.name, value))


class _Assignment(NamedTuple):
    """A name in a text, with an operator and a value behind it: `start` and `at` are where name and value begin.

    `is_field`: it is written as in a query or a form, `&name=value`.
    """

    name: str
    start: int
    is_quoted: bool
    operator: str
    opening: str
    at: int
    is_field: bool


def places(text: str, literal: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """Where a literal stands in a part of a text."""
    at = text.find(literal, start, end)
    while at >= 0:
        yield at
        at = text.find(literal, at + 1, end)


def _assignment(text: str, place: int) -> _Assignment | None:
    """What stands around an operator; None where it is none (`==`, `=>` read from its end, `a > b`)."""
    operator, after = text[place], text[place + 1 : place + 2]
    if operator == ":" and text.startswith("//", place + 1):
        return None
    if (operator == "=" and (after == "=" or text[place - 1 : place] in _NOT_BEFORE_EQUALS)) or not place:
        return None
    before = _NAME_BACKWARDS.match(text[max(0, place - 96) : place][::-1])
    if before is None:
        return None
    start = place - before.end()
    if operator == ">" and text[start - 1 : start] != "<":
        return None
    value = _VALUE_START.match(text, place if operator != ">" else place + 1)
    if value is None:
        return None
    is_tight = before["n"] == before[0] and value.end() == place + 1
    is_field = operator == "=" and is_tight and (not start or text[start - 1] in "?&;")
    name, opening = before["n"][::-1], value["open"] or ""
    return _Assignment(name, start, bool(before["close"]), operator, opening, value.end(), is_field)


_TextKind = KeyKind | Literal["in-code"]


def _kind_in_text(text: str, pair: _Assignment) -> _TextKind | None:
    """What a name in a text says about what follows it; `in-code` where the value must look like a secret."""
    kind: KeyKind | None = key_kind(pair.name)
    if pair.name.lower() in _LAST_WORDS and not pair.is_quoted:
        before = re.search(_WORD_BEFORE, text[max(0, pair.start - 22) : pair.start])
        kind = (key_kind(f"{before[1]}_{pair.name}") if before else None) or kind
    if kind in (None, "account", "cookies", "fields"):
        return None
    if pair.is_field:
        return "in-query" if kind == "query" else kind
    if kind == "query":
        return None
    if kind in ("authorization", "cookie", "set-cookie", "cookie-value") or pair.operator == ">":
        return kind
    return kind if pair.opening else "in-code"


def _fits(kind: _TextKind, value: str, *, samples: bool) -> bool:
    """Whether a value can be the secret that a name of a kind announces."""
    if kind in ("query", "cookies", "fields") or not worth_hiding(value, samples=samples):
        return False
    if kind == "in-query":
        return len(value) >= 16 and has_random_segment(value) and not re.fullmatch(_UUID, value)
    if kind == "in-code":
        # A bare word in prose, settings or code may also be a type or a variable.
        return len(value) >= 6 and any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    if kind == "weak" and not samples:
        return looks_opaque(value)
    return kind != "weak" or not any(character.isspace() for character in value)


def _is_code(value: str, text: str, end: int) -> bool:
    return text[end : end + 1] in ("(", "[") or re.fullmatch(_CODE, value) is not None


def _value_pattern(text: str, pair: _Assignment) -> str:
    """How far the value after a name goes: an element's text, up to the quote that opens it, or a bare word."""
    if pair.operator == ">":
        return _ELEMENT
    if pair.opening:
        return _QUOTED_VALUE[pair.opening] if len(pair.opening) == 1 else _ESCAPED_VALUE
    return _MARKED_VALUE if text[pair.at : pair.at + 1] in _MARKS else _BARE_VALUE


def _end(pattern: str, text: str, at: int, most: int = sys.maxsize) -> int:
    match = re.compile(pattern).match(text, at, most)
    return match.end() if match else at


def _repeats(name: str | None, value: str) -> bool:
    plain = plain_name(value)
    return bool(name and plain) and plain_name(name or "").endswith(plain)


def _stripped(text: str, rule: str) -> Found:
    start = len(text) - len(text.lstrip())
    return start, len(text.rstrip()), rule


def _after_scheme(text: str) -> Iterator[Found]:
    match = re.match(_SCHEME, text)
    if match and match["scheme"].lower() in ("bearer", "basic", "token", "apikey"):
        yield match.start("v"), match.end("v"), "credential-key"
    else:
        yield _stripped(text, "credential-key")


def _is_cookie_value(value: str, *, samples: bool) -> bool:
    return value.strip('" ').lower() not in ("", "deleted") and worth_hiding(value, samples=samples)


def _authorization(text: str, offset: int, samples: bool) -> Iterator[Found]:
    match = re.match(_SCHEME, text)
    scheme = match["scheme"].lower() if match else ""
    if match and (
        scheme.startswith("aws4") or scheme in ("digest", "oauth", "sharedaccesssignature", "hmac")
    ):
        for part in re.finditer(_AUTH_PARTS, text):
            if not is_redacted(part["v"]):
                yield offset + part.start("v"), offset + part.end("v"), "authorization"
        return
    start, end = match.span("v") if match else _stripped(text, "")[:2]
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
