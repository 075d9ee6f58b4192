"""What recordings of models are full of and no secret: ids, digests, sealed reasoning, pictures, placeholders."""

from __future__ import annotations

import base64
import random
from typing import Any

from tests.corpus.kinds import B62, B64U, HEX, LOWER, drawn


def headers(source: random.Random) -> list[tuple[str, str]]:
    """Headers that answers carry."""
    return [
        ("content-type", "application/json"),
        ("request-id", "req_011C" + drawn(source, B62, 20)),
        ("x-request-id", drawn(source, HEX, 32)),
        ("cf-ray", drawn(source, HEX, 16) + "-FRA"),
        ("traceparent", f"00-{drawn(source, HEX, 32)}-{drawn(source, HEX, 16)}-01"),
        ("etag", f'W/"{drawn(source, HEX, 32)}"'),
        ("x-ratelimit-remaining-tokens", "149984"),
        ("set-cookie", "theme=dark; Path=/"),
        ("authorization", "Bearer **REDACTED**"),
    ]


def body(source: random.Random) -> dict[str, Any]:
    """An answer, with everything in it that looks like a secret and is none."""
    sealed = drawn(source, B62 + "+/", 300)
    return {
        "id": "msg_" + drawn(source, B62, 24),
        "object": "chat.completion",
        "usage": {"max_tokens": 512, "input_tokens": 10, "total_tokens": "12"},
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": sealed},
            {"type": "redacted_thinking", "data": sealed},
            {"type": "tool_use", "id": "toolu_" + drawn(source, B62, 24), "name": "find", "input": {"author": "Jo"}},
        ],
        "call": "call_" + drawn(source, B62, 24),
        "uuid": _uuid(source),
        "sha256": drawn(source, HEX, 64),
        "next_page_token": drawn(source, B62, 60),
        "embedding": _base64(source.randbytes(200)),
        "image": {"type": "base64", "media_type": "image/png", "data": _base64(b"\x89PNG" + source.randbytes(200))},
        "token_type": "bearer",
        "publishable": "pk" + "_live_" + drawn(source, B62, 24),
        "arn": "arn:aws:iam::123456789012:role/deploy",
        "jwks": {"kty": "RSA", "n": drawn(source, B64U, 120), "e": "AQAB", "kid": drawn(source, LOWER, 12)},
        "note": "set api_key=<your-key> and OPENAI_API_KEY=${OPENAI_API_KEY}; write to user" + "@example.com",
        "created": 1_700_000_000,
        "when": "1700000000000",
        "local": "postgresql://postgres:postgres@localhost:5432/db",
        "sample": "AK" + "IAIOSFODNN7EXAMPLE",
    }  # fmt: skip


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _uuid(source: random.Random) -> str:
    plain = "".join(source.choice(HEX) for _ in range(32))
    return "-".join((plain[:8], plain[8:12], plain[12:16], plain[16:20], plain[20:]))
