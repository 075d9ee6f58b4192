"""Recorded calls as JSON Lines: a header, then one call a line, checked on reading.

The form of a suite's cassette (``cassette_file``) is read and written too where all calls are a model's.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dryfire_action import cassette_file, http_answers
from dryfire_action.call_cassette import KINDS, CallHeader, RecordedCall
from dryfire_action.cassette import Cassette, Exchange, Header
from dryfire_action.cassette_document import check_exchange
from dryfire_action.cassette_store import replace_file
from dryfire_action.cassette_text import parse, shown
from dryfire_action.errors import CassetteDamaged, FingerprintError, RecordingError, UsageError
from dryfire_action.fingerprint import KeyChain
from dryfire_action.ignore_rules import IgnoreRule
from dryfire_action.messages import Usage
from dryfire_action.redact import RULESET_VERSION, find

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dryfire_action.messages import JsonObject

FORMAT = "dryfire-calls/1"
RECORD_AGAIN = "restore the file from git, or record it again: run the agent with Cassette() and save it"
_ANY_ANSWER: JsonObject = {"text": None, "stop_reason": "end_turn"}
_OUTSIDE = ("head", "messages", "digest")


def save(path: Path, header: CallHeader, calls: Sequence[RecordedCall]) -> None:
    """Write ``calls`` in one step: as JSON Lines where ``path`` ends in ``.jsonl``, else in the form of suites.

    Folders are made. Raises ``UsageError`` for tool calls in the form of suites, ``RecordingError`` for a secret in a
    name or in the metadata, which are written as they are, and where the disk refuses.
    """
    _refuse_secrets(path, header, calls)
    header = replace(header, redaction=str(RULESET_VERSION))
    text = encode(header, calls) if path.suffix == ".jsonl" else _encode_suite(path, header, calls)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text.encode())
    except OSError as error:
        raise RecordingError(f"{path}: cannot be written: {error.strerror or error}") from None


def append(path: Path, header: CallHeader, call: RecordedCall) -> None:
    """Put ``call`` at the end of the JSON Lines at ``path`` and onto the disk; the file is begun where there is none.

    For recordings on their way: a process that is killed leaves what was answered so far.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = encode(header, [call])
        with path.open("a", encoding="utf-8") as file:
            file.write(text.partition("\n")[2] if file.tell() else text)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise RecordingError(f"{path}: cannot be written: {error.strerror or error}") from None


def load(path: Path) -> tuple[CallHeader, tuple[RecordedCall, ...]]:
    """What the file at ``path`` holds, in whichever form. Raises ``CassetteDamaged``; ``UsageError`` for no file."""
    try:
        text = path.read_bytes().decode()
    except FileNotFoundError:
        raise UsageError(
            f"{path}: there is no recording",
            remedy="record it: run the agent with Cassette() and save it there",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise CassetteDamaged(str(path), f"cannot be read: {error}", remedy=RECORD_AGAIN) from None
    first = next((line for line in text.splitlines() if line.strip()), "")
    if path.suffix == ".jsonl" or _is_header(first):
        return decode(text, str(path))
    cassette = cassette_file.decode(text, str(path))
    head = cassette.header
    header = CallHeader(head.provider, head.sdk_version or "", "digests", redaction=head.redaction)
    return header, calls_of(cassette.exchanges, head.model)


def readable(path: Path) -> tuple[RecordedCall, ...]:
    """The calls at ``path`` up to the first that cannot be read, for what a killed process left behind."""
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    for end in range(len(lines), 0, -1):
        try:
            return decode("\n".join(lines[:end]), str(path))[1]
        except CassetteDamaged:
            continue
    return ()


def calls_of(exchanges: Sequence[Exchange], model: str = "") -> tuple[RecordedCall, ...]:
    """Exchanges as calls of a model, in order."""
    return tuple(RecordedCall("llm", index, model, exchange) for index, exchange in enumerate(exchanges))


def encode(header: CallHeader, calls: Sequence[RecordedCall]) -> str:
    """The JSON Lines of ``calls``: the same calls always give the same bytes."""
    head: JsonObject = {"type": "header", "format": FORMAT}
    optional = {
        "provider": header.provider,
        "version": header.version,
        "requests": header.requests,
        "async": header.is_async,
        "redaction": header.redaction,
        "metadata": dict(header.metadata),
        "ignore": [{"path": rule.path, "pattern": rule.pattern} for rule in header.ignore],
    }
    head.update({name: value for name, value in optional.items() if value})
    lines = [head, *map(_encode_call, calls)]
    return "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)


def decode(text: str, file: str) -> tuple[CallHeader, tuple[RecordedCall, ...]]:
    """The calls in JSON Lines; ``file`` is its name for people. Raises ``CassetteDamaged`` naming the line."""
    # Not splitlines: a text may hold separators that JSON does not escape.
    rows = [(number, row) for number, row in enumerate(text.split("\n"), 1) if row.strip()]
    documents = [(number, _parsed(row, file, number)) for number, row in rows] or [(1, {})]
    head = documents[0][1]
    if head.get("format") != FORMAT:
        raise CassetteDamaged(
            file,
            f"the format is {shown(head.get('format'))}, this version of dryfire reads {FORMAT!r}",
            line=documents[0][0],
            remedy="use the version of dryfire that wrote it, or record it again",
        )
    kinds: dict[str, type | tuple[type, ...]] = {
        "provider": str, "version": str, "requests": str, "async": bool, "redaction": str, "metadata": dict,
        "ignore": list,
    }  # fmt: skip
    for name, kind in kinds.items():
        if name in head and not isinstance(head[name], kind):
            raise CassetteDamaged(file, f"the header's {name} cannot be read", line=1, remedy=RECORD_AGAIN)
    header = CallHeader(
        provider=head.get("provider", ""),
        version=head.get("version", ""),
        requests="digests" if head.get("requests") == "digests" else "text",
        is_async=head.get("async", False),
        redaction=head.get("redaction", ""),
        metadata=head.get("metadata", {}),
        ignore=_ignore(head.get("ignore", []), file),
    )
    calls: list[RecordedCall] = []
    seen: set[tuple[str, int]] = set()
    for number, document in documents[1:]:
        try:
            call = _decode_call(document)
        except (ValueError, KeyError, TypeError, FingerprintError) as error:
            what = f"the call cannot be read: {error}"
            raise CassetteDamaged(file, what, line=number, remedy=RECORD_AGAIN) from None
        if (call.kind, call.index) in seen:
            what = f"{call.kind} call #{call.index} stands twice (two recordings merged?)"
            raise CassetteDamaged(file, what, line=number, remedy=RECORD_AGAIN)
        seen.add((call.kind, call.index))
        calls.append(call)
    return header, tuple(calls)


def _ignore(rules: list[Any], file: str) -> tuple[IgnoreRule, ...]:
    try:
        return tuple(IgnoreRule(str(rule["path"]), str(rule["pattern"])) for rule in rules)
    except (KeyError, TypeError):
        what = "the header's ignore cannot be read"
        raise CassetteDamaged(file, what, line=1, remedy=RECORD_AGAIN) from None


def _is_header(line: str) -> bool:
    """Whether ``line``, the first of a file, is a whole object that calls itself a header."""
    try:
        found = json.loads(line.removeprefix("\N{BYTE ORDER MARK}"))
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("type") == "header"


def _encode_call(call: RecordedCall) -> JsonObject:
    item: JsonObject = {"type": "call", "kind": call.kind, "index": call.index, "name": call.name}
    if call.request is not None:
        item["request"] = call.request
    item.update(cassette_file.encode_exchange(call.exchange, None))
    item["digest"] = _digest(item)
    return item


def _digest(item: JsonObject) -> str:
    """The digest over all that a call says; its request's digests are covered by the key."""
    return cassette_file.outcome_digest({name: item[name] for name in item if name not in _OUTSIDE})


def _decode_call(item: JsonObject) -> RecordedCall:
    kind, index, name, request = (item.get(name) for name in ("kind", "index", "name", "request"))
    if item.get("type") != "call" or kind not in KINDS:
        raise ValueError("its type or kind is unknown")
    if not isinstance(index, int) or isinstance(index, bool) or index < 0 or not isinstance(name, str):
        raise ValueError("its index or name is no such thing")
    if request is not None and not isinstance(request, dict):
        raise ValueError("its request is no object")
    rest = {
        key: value for key, value in item.items() if key not in ("type", "kind", "index", "name", "request")
    }
    answer = rest.get("answer")
    if kind == "tool" and "answer" in rest:
        if not isinstance(answer, dict) or answer.keys() != {"value"}:
            raise ValueError("the answer of a tool holds its value alone")
        # What a tool returned may be anything; the rest is checked like every other exchange.
        rest["answer"] = _ANY_ANSWER
    elif isinstance(answer, dict) and "http" in answer:
        http_answers.check(answer)
        rest["answer"] = _ANY_ANSWER
    document = check_exchange(rest)
    chain = KeyChain()
    for digests in document["messages"]:
        chain.append(digests)
    head = {
        path: tuple(value) if isinstance(value, list) else value
        for path, value in document["head"].items()
        if value is not None
    }
    fingerprint = chain.fingerprint(head)
    if fingerprint.key != document["key"]:
        raise ValueError("its key does not follow from its digests (edited by hand?)")
    if _digest(item) != document["digest"]:
        raise ValueError("its answer is not the one that was recorded (edited by hand?)")
    exchange = Exchange(
        run=document.get("run", 0),
        turn=document.get("turn", 0),
        attempt=document.get("attempt", 0),
        fingerprint=fingerprint,
        recorded=document.get("recorded", ""),
        answer=answer,
        error=item.get("error"),
        from_request=document.get("from_request", {}),
        usage=Usage(**document.get("usage", {})),
        latency_ms=document.get("latency_ms", 0),
        served=document.get("served"),
        cuts=tuple(document.get("cuts", ())),
        reasoning_altered=document.get("reasoning_altered", False),
    )
    return RecordedCall(kind, index, name, exchange, request)


def _encode_suite(path: Path, header: CallHeader, calls: Sequence[RecordedCall]) -> str:
    tool = next((call for call in calls if call.kind == "tool"), None)
    if tool is not None:
        raise UsageError(
            f"{path}: the form of suites holds no calls of tools, and {tool.name!r} was recorded",
            remedy="save it under a name that ends in .jsonl",
        )
    if any("http" in (call.exchange.answer or ()) for call in calls):
        raise UsageError(
            f"{path}: the form of suites holds no HTTP answers, and some were recorded",
            remedy="save it under a name that ends in .jsonl",
        )
    model = calls[0].name if calls else ""
    head = Header(
        "", path.stem, header.provider, model, sdk_version=header.version or None, redaction=header.redaction
    )
    return cassette_file.encode(Cassette(head, tuple(call.exchange for call in calls)))


def _parsed(row: str, file: str, number: int) -> Any:
    try:
        return parse(row, file)
    except CassetteDamaged as error:
        raise CassetteDamaged(file, error.what, line=number, remedy=RECORD_AGAIN) from None


def _refuse_secrets(path: Path, header: CallHeader, calls: Sequence[RecordedCall]) -> None:
    """Names and metadata are written as they are: a secret in them must be taken out by whoever put it there."""
    plain = {"provider": header.provider, "version": header.version, "metadata": dict(header.metadata)}
    found = next(find({**plain, "calls": [{"name": call.name} for call in calls]}), None)
    if found is not None:
        where = ".".join(map(str, found.path))
        raise RecordingError(
            f"{path}: not written: {where} holds what looks like a secret ({found.rule})",
            remedy="take it out of the name or the metadata",
        )
