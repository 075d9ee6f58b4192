"""Trees as providers and tools return them, without a secret in them."""

from __future__ import annotations

from tests.secret_values import (
    B62,
    B64U,
    HEX,
    UUID,
    b64,
    body,
)

_IMAGE = b64("".join(chr(32 + n % 90) for n in range(600)))
_SEALED = body(B62 + "+/", 400)

CLEAN_TREES: dict[str, object] = {
    "thinking": {"type": "thinking", "thinking": "…", "signature": _SEALED},
    "redacted thinking": {"type": "redacted_thinking", "data": _SEALED},
    "encrypted reasoning": {"type": "reasoning", "encrypted_content": "gAAAAA" + body(B64U, 300)},
    "thought signature": {"functionCall": {"name": "f"}, "thoughtSignature": _SEALED},
    "embedding": {"embedding": _SEALED, "values": "0.4539578120000000, -0.4111111111111111"},
    "image": {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": _IMAGE}},
    "data address": {"image_url": {"url": "data:image/png;base64," + _IMAGE}},
    "message ids": [
        {"id": prefix + body(B62, 24)}
        for prefix in ("msg_", "toolu_", "call_", "chatcmpl-", "resp_", "req_", "fc_", "rs_")
    ],
    "request ids": {
        "request-id": "req_011C" + body(B62, 20),
        "x-request-id": body(HEX, 32),
        "cf-ray": body(HEX, 16) + "-FRA",
        "traceparent": f"00-{body(HEX, 32)}-{body(HEX, 16)}-01",
        "x-amzn-requestid": UUID,
        "etag": f'W/"{body(HEX, 32)}"',
    },
    "uuids": {"id": UUID, "session": UUID, "idempotency-key": UUID, "key": UUID},
    "digests": {"sha256": body(HEX, 64), "commit": body(HEX, 40), "md5": body(HEX, 32), "key": body(HEX, 64)},
    "usage": {
        "usage": {"input_tokens": 10, "output_tokens": 5, "max_tokens": "512", "cached_token_count": "4"}
    },
    "logprobs": {"logprobs": {"content": [{"token": "hello" + "1234", "logprob": -0.1, "bytes": [104]}]}},
    "cursors": {
        "next_page_token": body(B62, 80),
        "continuation_token": body(B62, 40),
        "nextToken": body(B62, 40),
        "cursor": b64(UUID),
    },
    "public keys": {
        "keys": [{"kty": "RSA", "n": body(B64U, 342), "e": "AQAB", "kid": body(B64U, 20), "alg": "RS256"}]
    },
    "publishable keys": {
        "stripe": "pk" + "_live_" + body(B62, 24),
        "supabase": "sb" + "_publishable_" + body(B62, 22),
    },
    "role ids": {
        "arn": "arn:aws:sts::123456789012:assumed-role/deploy/x",
        "id": "AROA" + "B2C3D4E5F6G7H2I3:ci",
    },
    "sample keys": {
        "id": "AK" + "IAIOSFODNN7EXAMPLE",
        "secret_access_key": "wJalr" + "XUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
    },
    "placeholders": {
        "api_key": "<your-key>",
        "a": {"api_key": "YOUR_API_KEY"},
        "token": "${{ secrets.TOKEN }}",
        "password": "changeme",
        "Authorization": ["Bearer <token>"],
        "x-api-key": "DUMMY",
        "cookie": "<COOKIE>",
        "client_secret": "**REDACTED**",
    },
    "schema": {
        "type": "object",
        "required": ["password", "token"],
        "properties": {
            "password": {"type": "string", "description": "The password of the user"},
            "token": {"type": "string"},
        },
    },
    "errors": {
        "error": {
            "message": "Incorrect API key provided: sk-pr"
            + "*" * 12
            + "abcd. You can find your API key here."
        }
    },
    "form errors": {
        "errors": {"password": ["This field may not be blank."], "token": ["This field is required."]}
    },
    "cookies": {"cookies": [{"name": "theme", "value": "dark"}, {"name": "sid", "value": "REDACTED"}]},
    "header pairs": [
        ["content-type", "application/json"],
        ["authorization", "REDACTED"],
        ["x-ratelimit-limit-tokens", "10000"],
    ],
    "times": {
        "created": 1700000000,
        "ts": "1700000000000",
        "ns": "1700000000000000000",
        "order": "2024-01-01T00:00:00Z",
    },
    "tokenizer": {
        "tokenizer": "cl100k",
        "eos_token": "<|endoftext|>",
        "pad_token": "[PAD]",
        "tokens": ["a", "b"],
    },
    "code": {
        "text": "def f(token: str, *, api_key: str | None = None) -> None:\n    password = input('Password: ')\n"
    },
}
