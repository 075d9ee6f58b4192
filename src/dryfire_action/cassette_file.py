"""Cassettes as files: one JSON file a case, laid out for a reviewer, checked on reading, replaced in one step.

An exchange lists only the head fields that changed since the exchange before it and the digests of new messages, so a
file grows with its turns. Reading recomputes every key and a digest of every stored answer; what does not agree is
``CassetteDamaged``. The format is described in ``docs/reference/cassette-format.md``.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from dryfire_action.beginning import Beginning
from dryfire_action.canonical_json import digest_of_parsed
from dryfire_action.cassette import Cassette, Exchange, Header
from dryfire_action.cassette_document import check_exchange, check_header
from dryfire_action.cassette_text import RECORD_AGAIN, line_of_exchange, parse, shown
from dryfire_action.errors import CassetteDamaged, FingerprintError
from dryfire_action.fingerprint import KeyChain, digest
from dryfire_action.ignore_rules import IgnoreRule
from dryfire_action.messages import Usage
from dryfire_action.redact import redact_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dryfire_action.cassette_document import ExchangeDocument
    from dryfire_action.fingerprint import Digests, Fingerprint, Head
    from dryfire_action.messages import JsonObject

FORMAT = "dryfire-cassette/1"
SIZE_LIMIT = 50_000_000  # bytes
_PLAIN_HEADER = ("scripted", "sdk", "sdk_version", "served", "redaction", "origin")
# Of an exchange: what its key covers, and the digest itself.
_PLAIN_FIELDS = ("recorded", "answer", "error", "from_request", "latency_ms", "served", "reasoning_altered")
_NOT_COVERED = frozenset({"head", "keep", "messages", "digest"})


def encode(cassette: Cassette) -> str:
    """The text of a cassette's file: the same cassette always gives the same bytes."""
    before: Exchange | None = None
    exchanges = []
    for exchange in cassette.exchanges:
        exchanges.append(encode_exchange(exchange, before))
        before = exchange
    document = {**header_document(cassette.header, cassette.recorded), "exchanges": exchanges}
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def header_document(header: Header, recorded: str = "") -> JsonObject:
    """The JSON of a header; ``recorded`` is the date of the newest answer. What has no value is left out."""
    document = {
        "format": FORMAT,
        "suite": header.suite,
        "case": header.case,
        "provider": header.provider,
        "model": header.model,
        "served": _served(header.served),
        "sdk": header.sdk,
        "sdk_version": header.sdk_version,
        "recorded": recorded,
        "scripted": header.scripted,
        "redaction": header.redaction,
        "origin": header.origin,
        "ignore": [asdict(rule) for rule in header.ignore],
    }
    named = ("suite", "case", "provider", "model")
    return {name: value for name, value in document.items() if value or name in named}


def decode(text: str, file: str) -> Cassette:
    """The cassette in ``text``; ``file`` is its name for people. Raises ``CassetteDamaged``."""
    document = parse(text, file)
    header = header_from(document, file)
    listed = document.get("exchanges")
    if not isinstance(listed, list):
        raise CassetteDamaged(file, "the list of exchanges is missing", line=1, remedy=RECORD_AGAIN)
    line_of = partial(line_of_exchange, text)
    exchanges = tuple(decode_exchanges(listed, file, line_of))
    places = [(each.run, each.turn, each.attempt) for each in exchanges]
    for number in range(1, len(places)):
        if places[number] <= places[number - 1]:
            raise CassetteDamaged(
                file,
                f"exchange {number} stands before its turn (two recordings merged?)",
                line=line_of(number),
                remedy=RECORD_AGAIN,
            )
    return Cassette(header, exchanges)


def header_from(document: JsonObject, file: str) -> Header:
    """The header of a parsed cassette. Raises ``CassetteDamaged``, also for formats that are not known."""
    found = document.get("format")
    if found != FORMAT:
        raise CassetteDamaged(
            file,
            f"the format is {shown(found)}, this version of dryfire reads {FORMAT!r}",
            line=1,
            remedy="use the version of dryfire that wrote it, or record the case again with --cassette-mode record",
        )
    try:
        header = check_header({name: value for name, value in document.items() if name != "exchanges"})
    except ValueError as error:
        what = f"the header cannot be read: {error}"
        raise CassetteDamaged(file, what, line=1, remedy=RECORD_AGAIN) from None
    given: Mapping[str, Any] = header
    plain = {name: given[name] for name in _PLAIN_HEADER if name in given}
    if "ignore" in header:
        plain["ignore"] = tuple(IgnoreRule(rule["path"], rule["pattern"]) for rule in header["ignore"])
    return Header(header["suite"], header["case"], header["provider"], header["model"], **plain)


def decode_exchanges(listed: Iterable[Any], file: str, line_of: Callable[[int], int]) -> Iterator[Exchange]:
    """The exchanges in ``listed``, each checked; ``line_of`` gives the line of the n-th, to name damage by."""
    chain = KeyChain()
    head: Head = {}
    number = 0

    def damaged(what: str) -> CassetteDamaged:
        return CassetteDamaged(file, what, line=line_of(number), remedy=RECORD_AGAIN)

    for number, item in enumerate(listed):
        try:
            document = check_exchange(item)
        except ValueError as error:
            raise damaged(f"exchange {number} cannot be read: {error}") from None
        keep = document.get("keep")
        if keep is not None and keep > len(chain.messages):
            raise damaged(f"exchange {number} keeps {keep} of {len(chain.messages)} messages")
        try:
            head = _next_head(head, document["head"])
            if keep is not None:
                chain.keep(keep)
            chain.messages.extend(document["messages"])
            fingerprint, outcome = chain.fingerprint(head), digest_of_parsed(_covered(item))
            if outcome != document["digest"]:
                outcome = outcome_digest(item)  # which refuses more
        except (FingerprintError, ValueError, RecursionError):
            # Numbers too large for a float and lone surrogates pass for JSON; no recorder writes them.
            raise damaged(f"exchange {number} holds a value that no recording has") from None
        if fingerprint.key != document["key"]:
            raise damaged(f"the key of exchange {number} does not follow from its digests (edited by hand?)")
        if outcome != document["digest"]:
            raise damaged(
                f"the answer of exchange {number} is not the one that was recorded (edited by hand?)"
            )
        yield _decode_exchange(document, fingerprint)


def outcome_digest(item: JsonObject) -> str:
    """The digest over all that an exchange says. Its request's digests are covered by the key, which is part of it: so
    an answer cannot come to stand under another request, as where two branches are merged.
    """
    return digest(_covered(item), "the answer")


def _covered(item: Mapping[str, Any]) -> JsonObject:
    return {name: value for name, value in item.items() if name not in _NOT_COVERED}


def encode_exchange(exchange: Exchange, before: Exchange | None) -> JsonObject:
    """The JSON of ``exchange``, told by what changed since ``before``."""
    current = exchange.fingerprint
    head: Head = before.fingerprint.head if before else {}
    messages = before.fingerprint.messages if before else ()
    kept = _kept(messages, current.messages)
    item: JsonObject = {"key": exchange.key}
    for name, number in (("run", exchange.run), ("turn", exchange.turn), ("attempt", exchange.attempt)):
        if number:
            item[name] = number
    item["head"] = {path: value for path, value in current.head.items() if head.get(path) != value}
    item["head"].update({path: None for path in head if path not in current.head})
    if kept != len(messages):
        item["keep"] = kept
    item["messages"] = [dict(digests) for digests in current.messages[kept:]]
    if exchange.answer is not None:
        item["answer"] = exchange.answer
    if exchange.error is not None:
        item["error"] = exchange.error
    usage = {name: count for name, count in asdict(exchange.usage).items() if count}
    optional = {
        "from_request": dict(exchange.from_request),
        "cuts": list(exchange.cuts),
        "reasoning_altered": exchange.reasoning_altered,
        "usage": usage,
        "latency_ms": exchange.latency_ms,
        "served": _served(exchange.served),
        "recorded": exchange.recorded,
    }
    item.update({name: value for name, value in optional.items() if value})
    item["digest"] = outcome_digest(item)
    return item


def _decode_exchange(item: ExchangeDocument, fingerprint: Fingerprint) -> Exchange:
    given: Mapping[str, Any] = item
    plain = {name: given[name] for name in _PLAIN_FIELDS if name in given}
    if "usage" in item:
        plain["usage"] = Usage(**item["usage"])
    if "cuts" in item:
        plain["cuts"] = tuple(item["cuts"])
    return Exchange(item.get("run", 0), item.get("turn", 0), item.get("attempt", 0), fingerprint, **plain)


def _next_head(head: Head, changes: Mapping[str, str | list[str] | None]) -> Head:
    if not changes:
        return head
    found = dict(head)
    for path, value in changes.items():
        if value is None:
            found.pop(path, None)
        else:
            found[path] = tuple(value) if isinstance(value, list) else value
    return found


def _kept(before: Sequence[Digests], now: Sequence[Digests]) -> int:
    if isinstance(before, Beginning) and isinstance(now, Beginning) and before.items is now.items:
        return min(len(before), len(now))
    if now[: len(before)] == before:
        return len(before)
    count = 0
    for first, second in zip(before, now, strict=False):
        if first != second:
            break
        count += 1
    return count


def _served(name: str | None) -> str | None:
    """The model that a provider says it is; whatever it says there, no secret is kept of it."""
    return redact_text(name, lambda _, rule: f"[redacted:{rule}:1]") if name else name
