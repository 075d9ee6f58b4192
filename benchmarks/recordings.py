"""Recordings of an agent at work: conversations as six recorders write them. A share of them holds one secret."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from benchmarks.conversations import Exchange, conversation, with_secret


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
            exchanges = with_secret(exchanges, source)
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
