"""Where in an exchange of HTTP a secret hides: each place makes an exchange around it."""

from __future__ import annotations

import base64
import gzip
import json
import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import brotli
import zstandard

from tests.corpus import lookalikes
from tests.corpus.kinds import HEADERS, NAMED, SHAPES, Make, Secret


@dataclass
class Exchange:
    """A request and its response. A body of bytes is written as the format writes bytes."""

    url: str = "https://api.acme.io/v1/messages"
    request_headers: list[tuple[str, str]] = field(default_factory=list)
    request: str | bytes = "{}"
    response_headers: list[tuple[str, str]] = field(default_factory=list)
    response: str | bytes = "{}"


# How many of the bodies are full of look-alikes: all would make the tests slow.
_MIXED = 0.2

Place = Callable[[Secret, random.Random], Exchange]


def _plain(source: random.Random) -> Exchange:
    return Exchange(
        request_headers=lookalikes.headers(source)[:2],
        request=json.dumps({"messages": [{"role": "user", "content": "hi é"}], "max_tokens": 5}),
        response_headers=lookalikes.headers(source),
        response=json.dumps(lookalikes.body(source)) if source.random() < _MIXED else "{}",
    )


def _said(secret: Secret, source: random.Random) -> dict[str, Any]:
    """An answer with the secret in it: under its name, or in a sentence."""
    found = lookalikes.body(source) if source.random() < _MIXED else {"id": "msg_1", "content": []}
    if secret.name:
        found["details"] = {"deep": [{secret.name: secret.written}]}
    else:
        found["content"].append({"type": "text", "text": f"Here:\n{secret.written}\n(“so”)."})
    return found


def _answer(secret: Secret, source: random.Random) -> Exchange:
    found = _plain(source)
    found.response = json.dumps(_said(secret, source))
    return found


def _answer_unescaped(secret: Secret, source: random.Random) -> Exchange:
    found = _plain(source)
    found.response = json.dumps(_said(secret, source), ensure_ascii=False, indent=1)
    return found


def _nested(secret: Secret, source: random.Random) -> Exchange:
    found = _plain(source)
    inner = json.dumps({"arguments": json.dumps(_said(secret, source))})
    found.response = json.dumps(
        {"choices": [{"message": {"tool_calls": [{"function": {"arguments": inner}}]}}]}
    )
    return found


def _request(secret: Secret, source: random.Random) -> Exchange:
    found = _plain(source)
    found.request = json.dumps(_said(secret, source))
    return found


def _compressed(name: str, close: Callable[[bytes], bytes]) -> Place:
    def place(secret: Secret, source: random.Random) -> Exchange:
        found = _plain(source)
        found.response = close(json.dumps(_said(secret, source)).encode())
        found.response_headers.append(("Content-Encoding", name))
        found.response_headers.append(("Content-Length", str(len(found.response))))
        return found

    return place


def _base64(secret: Secret, source: random.Random) -> Exchange:
    found = _plain(source)
    found.response = json.dumps(
        {"payload": base64.b64encode(json.dumps(_said(secret, source)).encode()).decode()}
    )
    return found


def _deltas(secret: Secret, source: random.Random) -> list[str]:
    text = json.dumps({secret.name: secret.written}) if secret.name else f"Here: {secret.written} and more."
    pieces = []
    while text:
        size = source.randint(1, 9)
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def _anthropic_stream(secret: Secret, source: random.Random) -> Exchange:
    found = _plain(source)
    kind, name = ("input_json_delta", "partial_json") if secret.name else ("text_delta", "text")
    events = [{"type": "message_start", "message": {"id": "msg_1", "content": []}}]
    for piece in _deltas(secret, source):
        events.append({"type": "content_block_delta", "index": 1, "delta": {"type": kind, name: piece}})
        events.append(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x "}}
        )
    found.response = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return found


def _openai_stream(secret: Secret, source: random.Random) -> Exchange:
    found = _plain(source)
    lines = []
    for piece in _deltas(secret, source):
        delta: dict[str, Any] = {"content": piece}
        if secret.name:
            delta = {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}
        lines.append(
            {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}
        )
        lines.append({"id": "chatcmpl-1", "choices": [{"index": 1, "delta": {"content": "… "}}]})
    found.response = "".join(f"data: {json.dumps(line)}\r\n\r\n" for line in lines) + "data: [DONE]\n\n"
    return found


def _compressed_stream(secret: Secret, source: random.Random) -> Exchange:
    found = _openai_stream(secret, source)
    assert isinstance(found.response, str)
    found.response = gzip.compress(found.response.encode(), mtime=0)
    return found


def _form(secret: Secret, source: random.Random) -> Exchange:
    found = _plain(source)
    found.request = (
        f"grant_type=client_credentials&scope=a+b&{secret.name}={quote(secret.written, safe='')}&x=1"
    )
    return found


def _query(secret: Secret, source: random.Random) -> Exchange:
    found = _plain(source)
    found.url += f"?page=2&{secret.name}={quote(secret.written, safe='')}&x=1"
    return found


def _multipart(secret: Secret, source: random.Random) -> Exchange:
    found = _plain(source)
    name = secret.name or "note"
    found.request = (
        '--b0undary\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nassistants\r\n'
        f'--b0undary\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{secret.written}\r\n--b0undary--\r\n'
    )
    return found


def _header(secret: Secret, source: random.Random) -> Exchange:
    found = _plain(source)
    headers = found.response_headers if secret.name == "Set-Cookie" else found.request_headers
    headers.append((secret.name, secret.written))
    return found


PLACES: dict[str, tuple[Place, tuple[Make, ...]]] = {
    "answer": (_answer, SHAPES + NAMED),
    "answer, unescaped": (_answer_unescaped, SHAPES + NAMED),
    "json in strings": (_nested, SHAPES + NAMED),
    "request": (_request, SHAPES + NAMED),
    "gzip": (_compressed("gzip", lambda data: gzip.compress(data, mtime=0)), SHAPES + NAMED),
    "deflate": (_compressed("deflate", zlib.compress), SHAPES + NAMED),
    "brotli": (_compressed("br", brotli.compress), SHAPES + NAMED),
    "zstd": (_compressed("zstd", lambda data: zstandard.ZstdCompressor().compress(data)), SHAPES + NAMED),
    "base64": (_base64, SHAPES + NAMED),
    "stream of Anthropic's": (_anthropic_stream, SHAPES + NAMED),
    "stream of OpenAI's": (_openai_stream, SHAPES + NAMED),
    "compressed stream": (_compressed_stream, SHAPES + NAMED),
    "form": (_form, NAMED),
    "query": (_query, NAMED),
    "multipart": (_multipart, NAMED + SHAPES),
    "header": (_header, HEADERS),
}
"""A name, how the exchange is made, and the kinds of secret that are told there."""


def exchanges(place: str, seed: int = 0) -> list[tuple[Secret, Exchange]]:
    """An exchange for each kind of secret, each among look-alikes."""
    make, kinds = PLACES[place]
    source = random.Random(f"{place}{seed}")
    return [(secret, make(secret, source)) for secret in (kind(source) for kind in kinds)]


def clean(seed: int = 0, count: int = 3) -> list[Exchange]:
    """Exchanges without any secret."""
    source = random.Random(seed)
    return [_plain(source) for _ in range(count)]
