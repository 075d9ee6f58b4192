"""Every kind of secret, made when the tests run: each a function of a source of chance.

Written from the public descriptions of the formats. Nothing of the product is imported: it is judged by this.
"""

from __future__ import annotations

import base64
import json
import random
import string
import zlib
from collections.abc import Callable
from typing import NamedTuple

B62 = string.ascii_letters + string.digits
B64U = B62 + "-_"
HEX = "0123456789abcdef"
LOWER = string.ascii_lowercase + string.digits
B32 = string.ascii_uppercase + "234567"


class Secret(NamedTuple):
    """A secret, and the text that it stands in: `{}` is its place. `name` is the field or header it belongs under."""

    kind: str
    value: str
    text: str = "{}"
    name: str = ""

    @property
    def written(self) -> str:
        """The secret in its text."""
        return self.text.replace("{}", self.value)


Make = Callable[[random.Random], Secret]


def drawn(source: random.Random, alphabet: str, length: int) -> str:
    """Random characters, with a digit, a small and a capital letter early on where the alphabet has them."""
    found = [source.choice(alphabet) for _ in range(length)]
    for place, kind in enumerate((string.digits, string.ascii_lowercase, string.ascii_uppercase), start=1):
        choices = [character for character in kind if character in alphabet]
        if choices and length > 8:
            found[place] = source.choice(choices)
    for place in (0, -1):
        while not found[place].isalnum():
            found[place] = source.choice(alphabet)
    return "".join(found)


def _crc62(body: str) -> str:
    digits = string.digits + string.ascii_uppercase + string.ascii_lowercase
    number, text = zlib.crc32(body.encode()), ""
    while number:
        number, rest = divmod(number, 62)
        text = digits[rest] + text
    return text.rjust(6, "0")


def _part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _jwt(source: random.Random) -> Secret:
    claims = {"sub": drawn(source, LOWER, 10), "iat": 1_700_000_000}
    return Secret(
        "jwt", ".".join((_part({"alg": "HS256", "typ": "JWT"}), _part(claims), drawn(source, B64U, 43)))
    )


def _card(source: random.Random) -> Secret:
    digits = "45" + "".join(source.choice(string.digits) for _ in range(13))
    total = sum(sum(divmod(int(d) * (2 - place % 2), 10)) for place, d in enumerate(reversed(digits)))
    return Secret("card", digits + str(-total % 10), "card {} ok")


def _pem(source: random.Random) -> Secret:
    lines = "\n".join(drawn(source, B62 + "+/", 64) for _ in range(3))
    return Secret("pem", lines, "-----BEGIN PRIVATE " + "KEY-----\n{}\n-----END PRIVATE " + "KEY-----\n")


def _token(kind: str, prefix: str, *pieces: tuple[str, int] | str) -> Make:
    def make(source: random.Random) -> Secret:
        rest = "".join(piece if isinstance(piece, str) else drawn(source, *piece) for piece in pieces)
        return Secret(kind, prefix + rest)

    return make


def _checked(kind: str, prefix: str) -> Make:
    def make(source: random.Random) -> Secret:
        body = drawn(source, B62, 30)
        return Secret(kind, prefix + body + _crc62(body))

    return make


def _around(kind: str, text: str, alphabet: str, length: int, name: str = "") -> Make:
    return lambda source: Secret(kind, drawn(source, alphabet, length), text, name)


# Cut in two wherever a scanner of source files would stop.
SHAPES: tuple[Make, ...] = (
    _token("anthropic", "sk-" + "ant-api03-", (B64U, 93), "AA"),
    _token("anthropic-oauth", "sk-" + "ant-oat01-", (B64U, 60)),
    _token("openai-project", "sk-" + "proj-", (B64U, 74), "T3Blbk" + "FJ", (B64U, 74)),
    _token("openai-service", "sk-" + "svcacct-", (B64U, 58), "T3Blbk" + "FJ", (B64U, 58)),
    _token("openai-old", "sk-", (B62, 20), "T3Blbk" + "FJ", (B62, 20)),
    _token("google", "AI" + "za", (B64U, 35)),
    _token("google-bound", "A" + "Q.Ab8RN6", (B62, 20), (B64U, 24)),
    _token("xai", "xai" + "-", (B62, 80)),
    _token("groq", "gsk" + "_", (B62, 52)),
    _token("huggingface", "hf" + "_", (string.ascii_letters, 34)),
    _token("replicate", "r8" + "_", (B62, 37)),
    _token("perplexity", "pplx" + "-", (B62, 48)),
    _token("openrouter", "sk-" + "or-v1-", (HEX, 64)),
    _token("deepseek", "sk-", (HEX, 32)),
    _token("azure-ai", "", (B62, 52), "JQQ" + "J9", (B62, 27)),
    _token("together", "tgp" + "_v1_", (B64U, 43)),
    _token("cerebras", "csk" + "-", (LOWER, 48)),
    _token("nvidia", "nv" + "api-", (B64U, 64)),
    _token("elevenlabs", "sk" + "_", (HEX, 48)),
    _token("pinecone", "pcsk" + "_", (B62, 5), "_", (B62, 63)),
    _token("tavily", "tvly" + "-", (B62, 32)),
    _token("langsmith", "lsv2" + "_pt_", (HEX, 32), "_", (HEX, 10)),
    _token("langfuse", "sk-" + "lf-", (HEX, 8), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 12)),
    _token("databricks", "da" + "pi", (HEX, 32)),
    _checked("github", "gh" + "p_"),
    _checked("github-app", "gh" + "s_"),
    _token("github-fine", "github" + "_pat_", (B62, 22), "_", (B62, 59)),
    _checked("npm", "npm" + "_"),
    _token("gitlab", "gl" + "pat-", (B64U, 20)),
    _token("cloudflare", "cf" + "ut_", (B62, 40), (HEX, 8)),
    _token("grafana", "gl" + "sa_", (B62, 32), "_", (HEX, 8)),
    _token("slack", "xox" + "b-", "123456789012-1234567890123-", (B62, 24)),
    _token("stripe", "sk" + "_live_", (B62, 24)),
    _token("sendgrid", "S" + "G.", (B64U, 22), ".", (B64U, 43)),
    _token("pypi", "py" + "pi-AgEIcHlwaS5vcmc", (B64U, 150)),
    _token("docker", "dckr" + "_pat_", (B64U, 27)),
    _token("notion", "ntn" + "_", "12345678901", (B62, 35)),
    _token("linear", "lin" + "_api_", (B62, 40)),
    _token("supabase", "sb" + "_secret_", (B62, 22), "_", (B62, 8)),
    _token("vault", "hv" + "s.", (B64U, 90)),
    _token("digitalocean", "dop" + "_v1_", (HEX, 64)),
    _token("telegram", "123456789" + ":AA", (B64U, 33)),
    _token("aws-id", "AK" + "IA", (B32, 16)),
    _token("aws-session", "IQoJb3JpZ2lu", (B62, 400)),
    _token("google-oauth", "ya" + "29.", (B64U, 150)),
    _token("google-secret", "GOC" + "SPX-", (B64U, 28)),
    _jwt,
    _pem,
    _card,
    _around("bearer", "Bearer {}", B62, 40),
    _around("url", "postgresql://app:{}@db.acme.io:5432/orders", B62, 16),
    _around("signed-url", "https://a.blob.core.windows.net/c/b?sv=2024&se=2030&sig={}&sp=r", B62, 43),
    _around("azure-storage", "AccountName=a;Account" + "Key={}==;EndpointSuffix=x", B62 + "+/", 86),
    _around("aws-secret", "aws secret: {} .", B62, 40),
    lambda source: Secret("email", drawn(source, string.ascii_lowercase, 7) + "@" + "acme.io", "write to {} now"),
)  # fmt: skip
"""Secrets that are known by their look, wherever they stand."""

NAMED: tuple[Make, ...] = (
    _around("field", "{}", B62, 20, "client_secret"),
    _around("field", "{}", HEX, 32, "api_key"),
    _around("field", "{}", B62, 12, "password"),
    _around("field", "{}", B62, 48, "refresh_token"),
)
"""Secrets that are known by the name of the field they stand under."""

HEADERS: tuple[Make, ...] = (
    _around("header", "Token {}", HEX, 40, "Authorization"),
    _around("header", "{}", HEX, 32, "api-key"),
    _around("header", "{}", B62, 32, "X-API-KEY"),
    _around("header", "{}", HEX, 32, "xi-api-key"),
    _around("cookie", "theme=dark; sid={}", B62, 32, "cookie"),
    _around("cookie", "__cf_bm={}; Path=/; HttpOnly", B62, 40, "Set-Cookie"),
    _around("header", "{}", B62, 40, "x-amz-security-token"),
    _around("header", "Basic {}", B62, 32, "proxy-authorization"),
)
"""Secrets that are known by their header."""


def all_of(makes: tuple[Make, ...], seed: int = 0) -> list[Secret]:
    """One secret of each kind."""
    source = random.Random(seed)
    return [make(source) for make in makes]
