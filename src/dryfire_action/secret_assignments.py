"""Secrets in a text in which names and values stand side by side.

Query strings, form bodies, header lines, settings, command lines, elements, parts of multipart bodies, JSON that does
not parse.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

from dryfire_action.late_pattern import late
from dryfire_action.secret_keys import NAME_ENDS, KeyKind, key_kind
from dryfire_action.secret_names import Found, TextKind, fits, header_spans, repeats
from dryfire_action.secret_placeholders import looks_opaque

# Read backwards from the operator: a name, and a quote that closes it.
_NAME_BACKWARDS = late(r"[ \t]{0,4}\]?(?P<close>[\"']?\\{0,7})(?P<n>[A-Za-z0-9_-]{2,80}+)(?![A-Za-z0-9_-])")
# An operator, unless the two letters before it end a word that announces nothing, as most words do.
_OPERATORS = late(
    rf"[=:>](?:(?<=[^A-Za-z0-9].)|(?<=[^A-Za-z0-9]..)|(?<=(?i:{'|'.join(sorted(NAME_ENDS))}).))", re.ASCII
)
_VALUE_START = late(r"[:=]?>?(?:<!\[CDATA\[)?[ \t]{0,4}(?P<open>\\{0,7}[\"'])?")
_ELEMENT = r"[^<>\r\n\]]++(?=(?:\]\]>)?<\\?/)|[^<>\r\n]++(?=<\\?/)"
# A bare word does not end in a sentence's mark, nor at a mark that no other name follows: `a&b` is one password.
_WORD_PART = r"[^\s\"'&;,<>(){}\[\]\\|`.!?:]"
_JOINT = r"(?:[.!?:]|[&;,](?![\w .%-]{1,64}[=:]))"
_BARE_VALUE = rf"{_WORD_PART}*+(?:{_JOINT}++{_WORD_PART}++)*+"
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
_AFTER_LITERAL = r"[ ]?[+.%,)][ ]?[A-Za-z_(]"
_may_end_name: dict[str, bool] = {}
_MOST_ENDS = 5000
# The beginning of a placeholder: `token={get_token(user, …)}`.
_TEMPLATE = r"\$?\{\{?[ ]?[A-Za-z_]"
OPTION_START = late("--[A-Za-z]")
_OPTION = r"(?<![\w-])--(?P<n>[A-Za-z][A-Za-z0-9-]{1,40}+)[ ](?P<open>[\"']?)(?P<v>[^\s\"']++)"
_PART = (
    r"form-data;[^\r\n]{0,80}?\bname=\"?(?P<n>[^\"\r\n;]{1,80})\"?[^\r\n]{0,200}\r?\n"
    r"(?:[^\r\n]{1,200}\r?\n){0,4}\r?\n(?P<v>[^\r\n]++)"
)


def assigned_spans(text: str, *, samples: bool) -> Iterator[Found]:
    """The secrets in a text that stand after a credential's name and `=` or `:`, or in an element of that name."""
    done = 0
    lines_read: dict[str, int] = {}
    for operator in _OPERATORS.finditer(text):
        place = operator.start()
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
                for found in header_spans(text[pair.at : end], kind, pair.at, samples=samples):
                    if samples or looks_opaque(text[found[0] : found[1]], 6):
                        yield found
                        done = max(done, found[1])
        elif _is_secret(text, pair, kind, samples):
            done = _end(_value_pattern(text, pair), text, pair.at)
            yield pair.at, done, "cookie" if kind == "cookie-value" else "credential-key"


def _says_end(letters: str) -> bool:
    """Whether the letters before an operator may end a name that announces something, or its quote."""
    says = letters.lower() in NAME_ENDS or not (letters.isascii() and letters.isalnum())
    if len(_may_end_name) < _MOST_ENDS:
        _may_end_name[letters] = says
    return says


def announces(text: str) -> bool:
    """Whether an operator in a text stands behind a name that may announce a secret. Without one, there is nothing
    that `assigned_spans` finds."""
    for operator in "=:>":
        at = text.find(operator)
        while at >= 0:
            before = text[max(0, at - 2) : at]
            says = _may_end_name.get(before)
            if says is None:
                says = _says_end(before)
            if says:
                pair = _assignment(text, at)
                if pair is not None and operator == "=" and text[pair.start - 1 : pair.start] == "\n":
                    # Among texts looked at together, a line may be one by itself, which begins as a query does.
                    pair = pair._replace(is_field=True)
                if pair is not None and _kind_in_text(text, pair) is not None:
                    return True
            at = text.find(operator, at + 1)
    return False


def told_spans(text: str, *, samples: bool) -> Iterator[Found]:
    """The secrets in a text that stand after a command's option, or in a part of a multipart body."""
    for literal, pattern in (("--", _OPTION), ("form-data", _PART)):
        for match in (
            re.finditer(pattern, text)
            if literal in text and (pattern is _PART or OPTION_START.search(text))
            else ()
        ):
            kind = key_kind(match["n"])
            if kind not in ("credential", "weak"):
                continue
            value = match["v"]
            told: TextKind = "in-code" if pattern is _OPTION else kind
            if fits(told, value, samples=samples) and (samples or not repeats(match["n"], value)):
                yield match.start("v"), match.end("v"), "credential-key"


def _is_secret(text: str, pair: _Assignment, kind: TextKind, samples: bool) -> bool:
    """Whether what stands behind a name is the secret it announces. Its first characters tell."""
    end = _end(_value_pattern(text, pair), text, pair.at, pair.at + _TELLING)
    value = text[pair.at : end]
    if not value or re.match(_TEMPLATE, value) or (kind == "in-code" and _is_code(value, text, end)):
        return False
    if pair.opening and text[end : end + 1] != pair.opening and re.match(_AFTER_LITERAL, value):
        # `"?api_key=" + key`: the quote ends the text in which the name stands, and what follows is code.
        return False
    if not samples and not pair.is_field and not looks_opaque(value, 6):
        # Between quotes in code and prose stand words too. In JSON that parses, none of this is asked.
        return False
    return fits(kind, value, samples=samples) and (samples or not repeats(pair.name, value))


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


def _kind_in_text(text: str, pair: _Assignment) -> TextKind | None:
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
