"""Recordings of an agent at work, made when the benchmarks run: the same every time, from a seed.

An agent sends its whole conversation with every request, so what was said once stands in every later request too. The
answers come as JSON, as streams, and compressed; there are code, tables, links, ids, pictures and embeddings in them.
The files are those of six recorders. A share of them holds one secret.
"""

from __future__ import annotations

import base64
import gzip
import json
import random
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import brotli
import yaml
import zstandard

LETTERS = "abcdefghijklmnopqrstuvwxyz"
B62 = LETTERS + LETTERS.upper() + "0123456789"
HEX = "0123456789abcdef"

_STEMS = """
time year people way day man thing woman life child world school state family student group country problem hand part
place case week company system program question work government number night point home water room mother area money
story fact month lot right study book eye job word business issue side kind head house service friend father power hour
game line end member law car city community name president team minute idea body information back parent face other
level office door health person art war history party result change morning reason research girl guy moment air teacher
force education order refund parcel invoice delivery customer ticket policy token key secret session account author
the be to of and a in that have it for not on with he as you do at this but his by from they we say her she or an will
""".split()  # noqa: SIM905
_TOOLS = (
    "find_order",
    "refund_order",
    "search_docs",
    "send_mail",
    "open_ticket",
    "list_invoices",
    "read_page",
)


class Exchange(NamedTuple):
    """A request and its response. A body of bytes is written as the recorder writes bytes."""

    url: str
    request_headers: list[tuple[str, str]]
    request: str
    response_headers: list[tuple[str, str]]
    response: str | bytes


def drawn(source: random.Random, alphabet: str, length: int) -> str:
    """So many random characters."""
    return "".join(source.choices(alphabet, k=length))


def prose(source: random.Random, words: int) -> str:
    """Sentences, in paragraphs."""
    found: list[str] = []
    while words > 0:
        size = min(words, source.randint(5, 18))
        words -= size
        sentence = " ".join(source.choices(_STEMS, k=size)).capitalize()
        found.append(sentence + source.choice((". ", ". ", ", so: ", "! ", ".\n\n", "? ")))
    return "".join(found)


def _code(source: random.Random) -> str:
    names = source.choices(_STEMS, k=6)
    return (
        f"```python\ndef {names[0]}_{names[1]}({names[2]}: str, limit: int = 20) -> dict[str, int]:\n"
        f'    url = f"https://api.acme.io/v1/{names[3]}?page={{limit}}&sort=created"\n'
        f"    if limit >= {source.randint(2, 99)}:\n        raise ValueError('{names[4]} is too large')\n"
        f"    return {{'{names[5]}': len({names[2]})}}\n```\n"
    )


def _table(source: random.Random) -> str:
    rows = [
        f"| {source.choice(_STEMS)} | {source.randint(1, 9999)}.90 | 2026-0{source.randint(1, 9)}-12 |"
        for _ in range(6)
    ]
    return "| item | price | date |\n| --- | --- | --- |\n" + "\n".join(rows) + "\n"


def _records(source: random.Random) -> list[dict[str, Any]]:
    return [
        {
            "id": "ord_" + drawn(source, B62, 16),
            "customer": {"id": _uuid(source), "name": " ".join(source.choices(_STEMS, k=2)).title()},
            "status": source.choice(("open", "sent", "refunded")),
            "total": source.randint(100, 99999) / 100,
            "created_at": f"2026-03-{source.randint(10, 28)}T09:{source.randint(10, 59)}:00Z",
            "digest": drawn(source, HEX, 64),
            "note": prose(source, 12),
            "link": f"https://shop.acme.io/orders/{source.randint(1000, 9999)}?ref={drawn(source, B62, 8)}",
        }
        for _ in range(5)
    ]


def _uuid(source: random.Random) -> str:
    plain = drawn(source, HEX, 32)
    return "-".join((plain[:8], plain[8:12], plain[12:16], plain[16:20], plain[20:]))


def _tools() -> list[dict[str, Any]]:
    source = random.Random("tools")
    return [
        {
            "name": name,
            "description": prose(source, 50),
            "input_schema": {
                "type": "object",
                "properties": {
                    "query": {"type": "string", "description": prose(source, 12)},
                    "page_token": {"type": "string", "description": prose(source, 8)},
                    "limit": {"type": "integer", "minimum": 1, "maximum": 100},
                },
                "required": ["query"],
            },
        }
        for name in _TOOLS
    ]


def _said(source: random.Random) -> str:
    parts = [prose(source, 90)]
    if source.random() < 0.3:
        parts.append(_code(source))
    if source.random() < 0.3:
        parts.append(_table(source))
    return "\n".join((*parts, prose(source, 40)))


def _stream(said: str, source: random.Random) -> str:
    """The server-sent events of an answer, a few words each."""
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "msg_" + drawn(source, B62, 24), "role": "assistant"}}
    ]
    at = 0
    while at < len(said):
        size = source.randint(8, 40)
        delta = {"type": "text_delta", "text": said[at : at + size]}
        events.append({"type": "content_block_delta", "index": 0, "delta": delta})
        at += size
    events.append({"type": "message_stop"})
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


def _compressed(data: bytes, kind: str) -> bytes:
    if kind == "gzip":
        return gzip.compress(data, mtime=0)
    if kind == "deflate":
        return zlib.compress(data)
    return brotli.compress(data, quality=4) if kind == "br" else zstandard.ZstdCompressor().compress(data)


def conversation(source: random.Random, turns: int) -> list[Exchange]:
    """An agent's exchanges with a model: each request holds all that was said before."""
    tools, system = _tools(), prose(random.Random("system"), 250)
    messages: list[dict[str, Any]] = [{"role": "user", "content": prose(source, 60)}]
    found = []
    for turn in range(turns):
        request = json.dumps(
            {
                "model": "claude-sonnet-4-5",
                "max_tokens": 1024,
                "system": system,
                "tools": tools,
                "messages": messages,
            }
        )
        said = _said(source)
        call = {
            "type": "tool_use",
            "id": "toolu_" + drawn(source, B62, 24),
            "name": source.choice(_TOOLS),
            "input": {"query": prose(source, 5), "limit": 20, "page_token": drawn(source, B62, 12)},
        }
        content = [{"type": "text", "text": said}, call]
        answer: dict[str, Any] = {
            "id": "msg_" + drawn(source, B62, 24),
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": content,
            "usage": {"input_tokens": 812, "output_tokens": 120, "cache_read_input_tokens": 0},
        }
        if source.random() < 0.2:
            answer["content"] = [
                {"type": "thinking", "thinking": prose(source, 30), "signature": drawn(source, B62, 400)},
                *content,
            ]
        if source.random() < 0.1:
            answer["data"] = [{"embedding": [round(source.uniform(-1, 1), 9) for _ in range(128)]}]
        kind = source.choice(("", "", "stream", "stream", "gzip", "br", "zstd", "deflate"))
        body: str | bytes = _stream(said, source) if kind == "stream" else json.dumps(answer)
        headers = _response_headers(source, kind)
        if kind and kind != "stream":
            body = _compressed(str(body).encode(), kind)
            headers.append(("Content-Encoding", kind))
        found.append(
            Exchange(
                "https://api.anthropic.com/v1/messages?beta=true",
                _request_headers(source),
                request,
                headers,
                body,
            )
        )
        result = [{"type": "text", "text": json.dumps(_records(source))}]
        if source.random() < 0.1:
            picture = base64.b64encode(b"\x89PNG" + source.randbytes(1500)).decode()
            result.append(
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": picture}}
            )  # type: ignore[dict-item]
        messages += [
            {"role": "assistant", "content": content},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": call["id"], "content": result}],
            },
        ]
        del turn
    return found


def _request_headers(source: random.Random) -> list[tuple[str, str]]:
    return [
        ("accept", "application/json"),
        ("anthropic-version", "2023-06-01"),
        ("content-type", "application/json"),
        ("user-agent", "Anthropic/Python 0.69.0"),
        ("x-api-key", "**REDACTED**"),
        ("x-stainless-arch", "x64"),
        ("idempotency-key", "stainless-python-retry-" + _uuid(source)),
    ]


def _response_headers(source: random.Random, kind: str) -> list[tuple[str, str]]:
    return [
        ("Date", f"Mon, 0{source.randint(1, 9)} Mar 2026 09:0{source.randint(0, 9)}:00 GMT"),
        ("Content-Type", "text/event-stream; charset=utf-8" if kind == "stream" else "application/json"),
        ("request-id", "req_011C" + drawn(source, B62, 20)),
        ("cf-ray", drawn(source, HEX, 16) + "-FRA"),
        ("anthropic-ratelimit-tokens-remaining", "149984"),
        ("strict-transport-security", "max-age=31536000; includeSubDomains; preload"),
    ]


def _with_secret(exchanges: Sequence[Exchange], source: random.Random) -> list[Exchange]:
    """The exchanges with a key in one of them: in a header, or said by the user."""
    at = source.randrange(len(exchanges))
    one = exchanges[at]
    if source.random() < 0.5:
        headers = [
            (n, "sk-" + "ant-api03-" + drawn(source, B62, 95) if n == "x-api-key" else v)
            for n, v in one.request_headers
        ]
        one = one._replace(request_headers=headers)
    else:
        body = json.loads(one.request)
        body["metadata"] = {"note": "use gh" + "p_" + drawn(source, B62, 36) + " for this"}
        one = one._replace(request=json.dumps(body))
    return [*exchanges[:at], one, *exchanges[at + 1 :]]


# The recorders' files.


def _many(headers: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name, []).append(value)
    return found


def _pairs(headers: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers]


def _text(body: str | bytes) -> str:
    return body if isinstance(body, str) else base64.b64encode(body).decode()


def _yaml(tree: Any, **how: Any) -> bytes:
    dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    text: str = yaml.dump(tree, Dumper=dumper, allow_unicode=True, **how)
    return text.encode()


def _vcr_py(exchanges: Sequence[Exchange]) -> bytes:
    interactions = [
        {
            "request": {
                "body": one.request,
                "headers": _many(one.request_headers),
                "method": "POST",
                "uri": one.url,
            },
            "response": {
                "body": {"string": one.response},
                "headers": _many(one.response_headers),
                "status": {"code": 200, "message": "OK"},
            },
        }
        for one in exchanges
    ]
    return _yaml({"interactions": interactions, "version": 1})


def _ruby_vcr(exchanges: Sequence[Exchange]) -> bytes:
    interactions = [
        {
            "request": {
                "method": "post",
                "uri": one.url,
                "body": {"encoding": "UTF-8", "string": one.request},
                "headers": _many(one.request_headers),
            },
            "response": {
                "status": {"code": 200, "message": "OK"},
                "headers": _many(one.response_headers),
                "body": {"encoding": "ASCII-8BIT", "string": one.response},
            },
            "recorded_at": "Mon, 02 Mar 2026 09:00:00 GMT",
        }
        for one in exchanges
    ]
    document = {"http_interactions": interactions, "recorded_with": "VCR 6.3.1"}
    return _yaml(document, explicit_start=True, sort_keys=False, width=10**6)


def _vcr_json(exchanges: Sequence[Exchange]) -> bytes:
    interactions = [
        {
            "request": {
                "body": one.request,
                "headers": _many(one.request_headers),
                "method": "POST",
                "uri": one.url,
            },
            "response": {
                "body": {
                    "base64_string" if isinstance(one.response, bytes) else "string": _text(one.response)
                },
                "headers": _many(one.response_headers),
                "status": {"code": 200, "message": "OK"},
            },
        }
        for one in exchanges
    ]
    return json.dumps({"interactions": interactions, "version": 1}, indent=4).encode()


def _har_tree(exchanges: Sequence[Exchange]) -> dict[str, Any]:
    entries = []
    for one in exchanges:
        content: dict[str, Any] = {
            "mimeType": "application/json",
            "size": len(one.response),
            "text": _text(one.response),
        }
        if isinstance(one.response, bytes):
            content["encoding"] = "base64"
        entries.append(
            {
                "startedDateTime": "2026-03-02T09:00:00.000Z",
                "request": {
                    "method": "POST",
                    "url": one.url,
                    "headers": _pairs(one.request_headers),
                    "postData": {"mimeType": "application/json", "text": one.request},
                },
                "response": {"status": 200, "headers": _pairs(one.response_headers), "content": content},
            }
        )
    return {"log": {"version": "1.2", "creator": {"name": "browser", "version": "140"}, "entries": entries}}


def _har(exchanges: Sequence[Exchange]) -> bytes:
    return json.dumps(_har_tree(exchanges)).encode()


def _polly(exchanges: Sequence[Exchange]) -> bytes:
    found = _har_tree(exchanges)
    found["log"]["_recordingName"] = "agent/answers"
    for entry, one in zip(found["log"]["entries"], exchanges, strict=True):
        if isinstance(one.response, bytes):
            half = len(one.response) // 2
            chunks = [one.response[:half].hex(), one.response[half:].hex()]
            entry["response"]["content"] = {
                "mimeType": "application/json",
                "size": 1,
                "text": json.dumps(chunks),
            }
    return json.dumps(found, indent=2).encode()


def _jsonl(exchanges: Sequence[Exchange]) -> bytes:
    lines = [
        {
            "url": one.url,
            "headers": _pairs(one.request_headers),
            "request": one.request,
            "answer_headers": one.response_headers,
            "response": _text(one.response),
        }
        for one in exchanges
    ]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


WRITERS: dict[str, tuple[str, Callable[[Sequence[Exchange]], bytes]]] = {
    "VCR.py": ("tests/cassettes/{}.yaml", _vcr_py),
    "VCR for Ruby": ("spec/vcr/{}.yml", _ruby_vcr),
    "VCR.py, JSON": ("tests/cassettes/{}.json", _vcr_json),
    "HAR": ("e2e/{}.har", _har),
    "Polly.js": ("__recordings__/{}/recording.har", _polly),
    "JSONL": ("recordings/{}.jsonl", _jsonl),
}
"""The recorders, with the path that each gives its file."""


def cassettes(count: int, *, seed: int = 0, secrets: float = 0.02) -> Iterator[tuple[str, bytes]]:
    """Files of the recorders in turn: path and content. A share of `secrets` holds one secret each."""
    names = list(WRITERS)
    for number in range(count):
        source = random.Random(f"{seed}-{number}")
        exchanges = conversation(source, source.randint(2, 4))
        if source.random() < secrets:
            exchanges = _with_secret(exchanges, source)
        path, write = WRITERS[names[number % len(names)]]
        yield path.format(f"case-{number:04}"), write(exchanges)


def write(folder: Path, count: int, **how: Any) -> int:
    """Write cassettes into a folder; their size in bytes."""
    size = 0
    for path, data in cassettes(count, **how):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        size += len(data)
    return size
