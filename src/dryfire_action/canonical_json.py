"""Canonical JSON: one text for every JSON value, its digest, and how a path names a place inside a value."""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from dryfire_action.errors import FingerprintError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dryfire_action.messages import JsonValue

DIGEST_LENGTH = 16
# A fixed limit, so that whether a value is refused does not hang on how deep the caller's own stack is.
MAX_DEPTH = 200

_HOLDERS = (dict, list, tuple)
_TEXTS = frozenset({str})
_SCALARS = frozenset({str, int, float, bool, type(None)})
# Longer texts seldom come twice, and would be kept.
_SHORT = 64
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]+\Z")


def compiled(known: json.JSONEncoder) -> Callable[[JsonValue], str]:
    """``known.encode``, for values that do not hold themselves.

    That makes a new encoder for every value, which takes longer than most values do; here one is made once, where this
    Python has the compiled one.
    """
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return known.encode
    text = json.encoder.encode_basestring_ascii if known.ensure_ascii else json.encoder.encode_basestring
    separators = (known.key_separator, known.item_separator)
    pieces = make(
        None, known.default, text, None, *separators, known.sort_keys, known.skipkeys, known.allow_nan
    )
    return lambda value: "".join(pieces(value, 0))


encode = compiled(
    json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
)


def digest(value: JsonValue, path: str = "value") -> str:
    """The short digest of a JSON value. Raises ``FingerprintError`` naming ``path``."""
    if (type(value) is str and len(value) <= _SHORT) or value is False or value is True:
        found = _digest_of_short(value)
        if found:
            return found
    return sha256(canonical(value, path)).hexdigest()[:DIGEST_LENGTH]


def digest_of_parsed(value: JsonValue) -> str:
    """``digest`` of what a parser of JSON made, whose keys are texts: half the time, and nothing is told of a refusal.

    Raises ``ValueError`` or ``RecursionError`` for numbers, lone surrogates and depths that no recorder writes.
    """
    return sha256(encode(value).encode()).hexdigest()[:DIGEST_LENGTH]


@lru_cache(maxsize=4096)
def _digest_of_short(value: str | bool) -> str:
    """The digest of a role, a name or another value that comes again and again; "" where it has none."""
    try:
        return sha256(encode(value).encode()).hexdigest()[:DIGEST_LENGTH]
    except UnicodeEncodeError:
        return ""


def canonical(value: JsonValue, path: str = "value") -> bytes:
    """``value`` as canonical JSON: sorted keys, no spaces, UTF-8, numbers as they are written.

    Mapping order is not meaning; list order, number types and the form of Unicode text are. Raises
    ``FingerprintError`` for what JSON cannot hold exactly: NaN, infinities, lone surrogates, keys that are no text,
    sets and other objects, and for what is nested more than ``MAX_DEPTH`` deep. Its path is ``path`` continued to the
    value that is to blame.
    """
    try:
        found = encode(value).encode()
        # The encoder would turn the keys 1 and True into "1" and "true", and two keys into one.
        is_sound = isinstance(value, str) or _sound(value)
    except (ValueError, TypeError, RecursionError):
        raise _refusal(value, path) from None
    if not is_sound:
        raise _refusal(value, path)
    return found


def quoted(name: str) -> str:
    """A name as it stands inside the brackets of a path: bare if plain, else as JSON text."""
    return name if _PLAIN_NAME.match(name) else _as_json(name)


def dotted(name: str) -> str:
    """A key as a path continues with it: ``.name`` if plain, else ``["odd name"]``."""
    return f".{name}" if _PLAIN_NAME.match(name) else f"[{_as_json(name)}]"


def _as_json(name: str) -> str:
    text = json.dumps(name, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        # A path is shown to people, also where it leads to a text that cannot be shown.
        return json.dumps(name)
    return text


def _sound(value: JsonValue, levels: int = MAX_DEPTH) -> bool:
    """Whether all keys are texts and nothing is nested too deeply; for values that could be encoded."""
    items: Iterable[JsonValue] = value
    if isinstance(value, dict):
        if not _TEXTS.issuperset(map(type, value)) and not all(isinstance(key, str) for key in value):
            return False
        items = value.values()
    elif not isinstance(value, list | tuple):
        return True
    if _SCALARS.issuperset(map(type, items)):
        return levels > 0 or not value
    for item in items:
        if isinstance(item, _HOLDERS) and (levels == 0 or not _sound(item, levels - 1)):
            return False
    return levels > 0


def _refusal(value: JsonValue, path: str) -> FingerprintError:
    """The error for a value that has no canonical form: the first part of it that is to blame, and why."""
    waiting: list[tuple[JsonValue, str, int]] = [(value, path, 0)]
    while waiting:
        item, where, depth = waiting.pop()
        why = _why_not(item)
        if not why and depth > MAX_DEPTH:
            return FingerprintError(path, f"the value is nested more than {MAX_DEPTH} deep, or holds itself")
        if why:
            return FingerprintError(where, why)
        inner: list[tuple[JsonValue, str, int]] = []
        if isinstance(item, dict):
            inner = [(child, where + dotted(key), depth + 1) for key, child in item.items()]
        elif isinstance(item, list | tuple):
            inner = [(child, f"{where}[{index}]", depth + 1) for index, child in enumerate(item)]
        waiting.extend(reversed(inner))
    return FingerprintError(path, "the value cannot be written as JSON")


def _why_not(item: JsonValue) -> str:
    """Why ``item`` itself, apart from what it holds, is no JSON; "" where it is."""
    if isinstance(item, str):
        return "" if _is_unicode(item) else "the text holds a lone surrogate, which no provider can be sent"
    if isinstance(item, dict):
        for key in item:
            if not isinstance(key, str):
                return f"the key {key!r} is no text"
            if not _is_unicode(key):
                return f"the key {key!r} holds a lone surrogate, which no provider can be sent"
        return ""
    if item is None or isinstance(item, bool | list | tuple):
        return ""
    if isinstance(item, float):
        return "" if math.isfinite(item) else f"JSON has no number {item!r}"
    if isinstance(item, int):
        try:
            repr(item)
        except ValueError:
            return "the number has too many digits to be written"
        return ""
    return f"JSON has no {type(item).__name__}"


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
