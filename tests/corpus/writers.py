"""The files of recording tools, written the way each of them writes."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Sequence
from typing import Any

import yaml

from tests.corpus.places import Exchange

Writer = Callable[[Sequence[Exchange]], bytes]


def _many(headers: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name, []).append(value)
    return found


def _pairs(headers: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers]


def _text(body: str | bytes) -> str:
    return body if isinstance(body, str) else base64.b64encode(body).decode()


def _vcr(exchanges: Sequence[Exchange], body: Callable[[str | bytes], Any]) -> dict[str, Any]:
    return {
        "interactions": [
            {
                "request": {
                    "body": body(one.request),
                    "headers": _many(one.request_headers),
                    "method": "POST",
                    "uri": one.url,
                },
                "response": {
                    "body": {"string": body(one.response)},
                    "headers": _many(one.response_headers),
                    "status": {"code": 200, "message": "OK"},
                },
            }
            for one in exchanges
        ],
        "version": 1,
    }


def vcr_yaml(exchanges: Sequence[Exchange]) -> bytes:
    """VCR.py and pytest-recording."""
    text: str = yaml.safe_dump(_vcr(exchanges, lambda body: body), allow_unicode=True)
    return text.encode()


def vcr_block_yaml(exchanges: Sequence[Exchange]) -> bytes:
    """VCR.py with a serializer that writes long texts as blocks."""

    class Dumper(yaml.SafeDumper):
        pass

    def text(dumper: Any, value: str) -> Any:
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)

    Dumper.add_representer(str, text)
    found: str = yaml.dump(_vcr(exchanges, lambda body: body), Dumper=Dumper, allow_unicode=True, width=10**6)
    return ("# recorded by hand: see the wiki\n" + found).encode()


def vcr_json(exchanges: Sequence[Exchange]) -> bytes:
    """VCR.py with its JSON serializer."""
    return json.dumps(_vcr(exchanges, _text), indent=4).encode()


def parsed_body(exchanges: Sequence[Exchange]) -> bytes:
    """A serializer that stores JSON bodies as trees."""

    def body(value: str | bytes) -> Any:
        try:
            return {"parsed_body": json.loads(value)} if isinstance(value, str) else {"base64": _text(value)}
        except ValueError:
            return {"string": value}

    text: str = yaml.safe_dump(_vcr(exchanges, body), sort_keys=False, allow_unicode=True, width=120)
    return text.encode()


def dryfire_0(exchanges: Sequence[Exchange]) -> bytes:
    """dryfire 0.4: the provider's payload stands under `raw`."""
    calls = [
        {
            "request": {"url": one.url, "headers": dict(one.request_headers), "body": _text(one.request)},
            "headers": dict(one.response_headers),
            "payload": _text(one.response),
        }
        for one in exchanges
    ]
    document = {
        "schema_version": 1, "fingerprint": "0123456789abcdef", "suite": "s", "case": "c", "turn": 0,
        "provider": "anthropic", "model": "m", "recorded_at": "2026-01-01T00:00:00Z", "request_digest": {},
        "response": {"text": "ok", "tool_calls": [], "stop_reason": "end_turn", "raw": calls},
    }  # fmt: skip
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False).encode()


def _har(exchanges: Sequence[Exchange]) -> dict[str, Any]:
    def content(body: str | bytes) -> dict[str, Any]:
        found = {"mimeType": "application/json", "size": len(body), "text": _text(body)}
        return found if isinstance(body, str) else {**found, "encoding": "base64"}

    return {
        "log": {
            "version": "1.2",
            "entries": [
                {
                    "request": {
                        "method": "POST",
                        "url": one.url,
                        "headers": _pairs(one.request_headers),
                        "postData": {"mimeType": "application/json", "text": _text(one.request)},
                    },
                    "response": {
                        "status": 200,
                        "headers": _pairs(one.response_headers),
                        "content": content(one.response),
                    },
                }
                for one in exchanges
            ],
        }
    }


def har(exchanges: Sequence[Exchange]) -> bytes:
    """HAR, as browsers export it."""
    return json.dumps(_har(exchanges)).encode()


def polly(exchanges: Sequence[Exchange]) -> bytes:
    """Polly.js: bytes are a list of chunks, written as JSON in a string."""
    found = _har(exchanges)
    found["log"]["_recordingName"] = "a/b"
    for entry, one in zip(found["log"]["entries"], exchanges, strict=True):
        if isinstance(one.response, bytes):
            half = len(one.response) // 2
            chunks = [one.response[:half].hex(), one.response[half:].hex()]
            entry["response"]["content"] = {"mimeType": "x", "size": 1, "text": json.dumps(chunks)}
    return json.dumps(found, indent=2).encode()


def betamax(exchanges: Sequence[Exchange]) -> bytes:
    """Betamax."""

    def body(value: str | bytes) -> dict[str, str]:
        if isinstance(value, str):
            return {"encoding": "utf-8", "string": value}
        return {"encoding": "utf-8", "base64_string": _text(value)}

    return json.dumps(
        {
            "http_interactions": [
                {
                    "request": {
                        "body": body(one.request),
                        "headers": _many(one.request_headers),
                        "method": "POST",
                        "uri": one.url,
                    },
                    "response": {
                        "body": body(one.response),
                        "headers": _many(one.response_headers),
                        "status": {"code": 200, "message": "OK"},
                        "url": one.url,
                    },
                    "recorded_at": "2026-01-01T00:00:00",
                }
                for one in exchanges
            ],
            "recorded_with": "betamax/0.9.0",
        },
        separators=(",", ":"),
    ).encode()


def go_vcr(exchanges: Sequence[Exchange]) -> bytes:
    """go-vcr, version 2 of its files."""
    found = {
        "version": 2,
        "interactions": [
            {
                "id": number,
                "request": {
                    "body": one.request,
                    "form": {},
                    "headers": _many(one.request_headers),
                    "url": one.url,
                    "method": "POST",
                },
                "response": {"body": one.response, "headers": _many(one.response_headers), "code": 200},
            }
            for number, one in enumerate(exchanges)
        ],
    }
    text: str = yaml.safe_dump(found, sort_keys=False, allow_unicode=True, indent=4, width=10**6)
    return ("---\n" + text).encode()


def ruby_vcr(exchanges: Sequence[Exchange]) -> bytes:
    """VCR for Ruby: bytes are tagged `!binary`."""
    found = _vcr(exchanges, lambda body: body)
    for one in found["interactions"]:
        one["request"]["body"] = {"encoding": "UTF-8", "string": one["request"]["body"]}
        one["response"]["body"] = {"encoding": "ASCII-8BIT", "string": one["response"]["body"]["string"]}
    document = {"http_interactions": found["interactions"], "recorded_with": "VCR 6.3.1"}
    text: str = yaml.safe_dump(
        document, explicit_start=True, sort_keys=False, allow_unicode=True, width=10**6
    )
    return text.replace("!!binary", "!binary").encode()


def plain_json(exchanges: Sequence[Exchange]) -> bytes:
    """A team's own JSON, with CRLF line ends."""
    items = [
        {"url": one.url, "sent": [_text(one.request), one.request_headers],
         "got": [_text(one.response), one.response_headers]}
        for one in exchanges
    ]  # fmt: skip
    return json.dumps({"calls": items}, indent=2, ensure_ascii=False).replace("\n", "\r\n").encode()


def jsonl(exchanges: Sequence[Exchange]) -> bytes:
    """One exchange a line."""
    lines = [
        {"url": one.url, "headers": _pairs(one.request_headers), "request": _text(one.request),
         "answer_headers": one.response_headers, "response": _text(one.response)}
        for one in exchanges
    ]  # fmt: skip
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


WRITERS: dict[str, tuple[str, Writer]] = {
    "VCR.py": ("tests/cassettes/a.yaml", vcr_yaml),
    "VCR.py, blocks": ("tests/cassettes/b.yaml", vcr_block_yaml),
    "VCR.py, JSON": ("tests/cassettes/a.json", vcr_json),
    "parsed bodies": ("tests/cassettes/p.yaml", parsed_body),
    "dryfire 0": (".dryfire/cassettes/s/c/00-0123456789abcdef.json", dryfire_0),
    "HAR": ("e2e/a.har", har),
    "Polly.js": ("__recordings__/a/recording.har", polly),
    "Betamax": ("tests/cassettes/bm.json", betamax),
    "go-vcr": ("fixtures/go.yaml", go_vcr),
    "Ruby VCR": ("spec/vcr/r.yml", ruby_vcr),
    "JSON": ("recordings/own.json", plain_json),
    "JSONL": ("recordings/own.jsonl", jsonl),
    "compressed JSON": ("recordings/own.json.gz", lambda found: gzip.compress(plain_json(found), mtime=0)),
}
"""A name, a path as that tool chooses it, and how the file is written."""


def parsed(file: str, data: bytes) -> Any:
    """The tree of a file, by a parser that is not ours."""
    if file.endswith(".gz"):
        return parsed(file.removesuffix(".gz"), gzip.decompress(data))
    if file.endswith((".yaml", ".yml")):
        return yaml.load(
            data.replace(b"!binary", b"!!binary").replace(b"!!!binary", b"!!binary"), yaml.CSafeLoader
        )
    if file.endswith(".jsonl"):
        return [json.loads(line) for line in data.decode().splitlines()]
    return json.loads(data)
