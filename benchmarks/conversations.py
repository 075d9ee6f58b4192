"""What an agent and a model say to each other, made when the benchmarks run: the same every time, from a seed.

An agent sends its whole conversation with every request, so what was said once stands in every later request too. The
answers come as JSON, as streams, and compressed; there are code, tables, links, ids, pictures and embeddings in them.
"""

from __future__ import annotations

import base64
import gzip
import json
import random
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import brotli
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


def with_secret(exchanges: Sequence[Exchange], source: random.Random) -> list[Exchange]:
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
