"""For each rule, texts with a secret that it must find."""

from __future__ import annotations

import json
import string
from typing import NamedTuple

from tests.secret_values import (
    B62,
    B64U,
    HEX,
    LOWER,
    PASSWORD,
    UUID,
    VISA,
    b64,
    body,
    jwt,
    luhn,
    pem,
    with_crc,
)


class Hit(NamedTuple):
    """A text with a secret in it, and the name it stands under, if that matters."""

    text: str
    secret: str
    key: str | None = None


def _alone(*secrets: str) -> list[Hit]:
    """Each secret as a whole text, and in a sentence."""
    return [hit for s in secrets for hit in (Hit(s, s), Hit(f"use {s}, please", s), Hit(f"a\n{s}\nb", s))]


_PEM, _PEM_BODY = pem()
_RSA, _RSA_BODY = pem("RSA PRIVATE KEY", 12)
_AMEX = luhn("37144963539843"[:14])


HITS: dict[str, list[Hit]] = {
    "anthropic-key": _alone(
        "sk-" + "ant-api03-" + body(B64U, 93) + "AA",
        "sk-" + "ant-admin01-" + body(B64U, 93) + "AA",
        "sk-" + "ant-oat01-" + body(B64U, 60),
        "sk-" + "ant-ort01-" + body(B64U, 40) + "." + body(B64U, 20),
        "sk-" + "ant-sid01-" + body(B64U, 86),
        "sk-" + "ant-new77-" + body(B64U, 200),
    ),
    "openai-key": _alone(
        *(
            "sk-" + kind + body(B64U, half) + "T3Blbk" + "FJ" + body(B64U, half)
            for kind in ("proj-", "svcacct-", "admin-", "None-")
            for half in (20, 58, 74)
        ),
        "sk-" + body(B62, 20) + "T3Blbk" + "FJ" + body(B62, 20),
        "sk-" + "q7" * 20,
        "sk-" + body(B62, 16),
        "sk-" + "kimi-" + body(B62, 48),
    ),
    "deepseek-key": _alone("sk-" + body(HEX, 32)),
    "openrouter-key": _alone("sk-" + "or-v1-" + body(HEX, 64)),
    "langfuse-key": _alone("sk-" + "lf-" + UUID),
    "google-api-key": _alone("AI" + "za" + body(B64U, 35)),
    "google-auth-key": _alone("A" + "Q.Ab8RN6" + body(B62, 20) + body(B64U, 24)),
    "xai-key": _alone("xai" + "-" + body(B62, 80)),
    "groq-key": _alone("gsk" + "_" + body(B62, 52)),
    "huggingface-token": _alone(
        "hf" + "_" + body(string.ascii_letters, 34),
        "hf" + "_" + body(B62, 34),
        "api" + "_org_" + body(B62, 34),
    ),
    "replicate-token": _alone("r8" + "_" + body(B62, 37)),
    "perplexity-key": _alone("pplx" + "-" + body(B62, 48)),
    "cohere-key": _alone("co" + "_" + body(B62, 40)),
    "together-key": _alone("tgp" + "_v1_" + body(B64U, 43)),
    "fireworks-key": _alone("fw" + "_" + body(B62, 24), "fw" + "_" + body(B62, 40)),
    "cerebras-key": _alone("csk" + "-" + body(LOWER, 48)),
    "nvidia-key": _alone("nv" + "api-" + body(B64U, 64)),
    "elevenlabs-key": _alone("sk" + "_" + body(HEX, 48)),
    "voyage-key": _alone("pa" + "-" + body(B62, 20) + body(B64U, 23)),
    "jina-key": _alone("jina" + "_" + body(B62, 60)),
    "wandb-key": _alone("wandb" + "_v1_" + body(B62, 76)),
    "pinecone-key": _alone("pcsk" + "_" + body(B62, 5) + "_" + body(B62, 63)),
    "tavily-key": _alone("tvly" + "-" + body(B62, 32), "tvly" + "-dev-" + body(B62, 32)),
    "langsmith-key": _alone(
        *("lsv2" + kind + body(HEX, 32) + "_" + body(HEX, 10) for kind in ("_pt_", "_sk_"))
    ),
    "databricks-token": _alone("da" + "pi" + body(HEX, 32), "da" + "pi" + body(HEX, 32) + "-1"),
    "azure-ai-key": _alone(
        body(B62, 52) + "JQQ" + "J9" + body(B62, 27), body(B62, 52) + "JQQ" + "J9" + body(B62, 29) + "=="
    ),
    "bedrock-key": _alone(
        "AB" + "SK" + b64("BedrockAPIKey-abcd-at-123456789012:" + body(B62, 60)).rstrip("=")
    ),
    "bedrock-short-key": _alone(
        "bedrock-api" + "-key-" + b64("bedrock.amazonaws.com/?Action=" + body(B62, 90)).rstrip("=")
    ),
    "mistral-key": [Hit(f"the mistral key is {s}", s) for s in [body(B62, 32)]],
    "cohere-old-key": [Hit(f"cohere key {s}", s) for s in [body(B62, 40)]],
    "azure-openai-old-key": [Hit(f"https://x.openai.azure.com with key {s}", s) for s in [body(HEX, 32)]],
    "wandb-old-key": [Hit(f"wandb login key {s}", s) for s in [body(HEX, 40)]],
    "together-old-key": [Hit(f"the api.together.ai key {s}", s) for s in [body(HEX, 64)]],
    "github-token": _alone(
        *(with_crc(prefix + "_") for prefix in ("gh" + kind for kind in "pousr")),
        "gh" + "p_" + body(B62, 36),
        "gh" + "s_" + "123456_" + jwt(iss="123456"),
        "gh" + "p_" + body(B62, 80),
    ),
    "github-fine-grained-token": _alone("github" + "_pat_" + body(B62, 22) + "_" + body(B62, 59)),
    "npm-token": _alone(with_crc("npm" + "_"), "npm" + "_" + body(B62, 36)),
    "gitlab-token": _alone(
        "gl" + "pat-" + body(B64U, 20),
        "gl" + "rt-" + body(B64U, 20),
        "gl" + "ptt-" + body(HEX, 40),
        "gl" + "pat-" + body(B64U, 60) + ".01." + body(LOWER, 9),
    ),
    "cloudflare-token": _alone(
        *(kind + "_" + body(B62, 40) + body(HEX, 8) for kind in ("cf" + "k", "cf" + "ut", "cf" + "at"))
    ),
    "grafana-token": _alone("gl" + "sa_" + body(B62, 32) + "_" + body(HEX, 8)),
    "slack-token": _alone(
        "xox" + "b-" + "123456789012-1234567890123-" + body(B62, 24),
        "xox" + "e.xox" + "p-1-" + body(B62, 60),
        "xa" + "pp-1-A0" + body(string.ascii_uppercase + string.digits, 9) + "-123456789012-" + body(HEX, 64),
    ),
    "slack-webhook": [
        Hit(f"https://hooks.slack.com/services/{s}", s)
        for s in ["T0" + body(B62, 8) + "/B0" + body(B62, 8) + "/" + body(B62, 24)]
    ],
    "stripe-key": _alone(
        *(kind + body(B62, 24) for kind in ("sk" + "_live_", "rk" + "_live_", "sk" + "_test_"))
    ),
    "stripe-webhook-secret": _alone("wh" + "sec_" + body(B62, 32)),
    "twilio-key": _alone("S" + "K" + body(HEX, 32)),
    "twilio-token": [Hit(f"twilio auth token {s}", s) for s in [body(HEX, 32)]],
    "sendgrid-key": _alone("S" + "G." + body(B64U, 22) + "." + body(B64U, 43)),
    "pypi-token": _alone("py" + "pi-AgEIcHlwaS5vcmc" + body(B64U, 150)),
    "docker-token": _alone("dckr" + "_pat_" + body(B64U, 27), "dckr" + "_oat_" + body(B64U, 32)),
    "notion-token": _alone("ntn" + "_" + "12345678901" + body(B62, 35), "sec" + "ret_" + body(B62, 43)),
    "linear-key": _alone("lin" + "_api_" + body(B62, 40)),
    "supabase-key": _alone(
        "sb" + "_secret_" + body(B62, 22) + "_" + body(B62, 8), "sb" + "p_" + body(HEX, 40)
    ),
    "vault-token": _alone("hv" + "s." + body(B64U, 90)),
    "digitalocean-token": _alone("dop" + "_v1_" + body(HEX, 64)),
    "telegram-token": [
        *_alone("123456789" + ":AA" + body(B64U, 33)),
        Hit(
            "https://api.telegram.org/bot123456789" + ":AA" + body(B64U, 33) + "/getMe",
            "123456789" + ":AA" + body(B64U, 33),
        ),
    ],
    "discord-token": _alone(
        b64("123456789012345678").rstrip("=") + "." + body(B64U, 6) + "." + body(B64U, 38)
    ),
    "discord-webhook": [
        Hit(f"https://discord.com/api/webhooks/123456789012345678/{s}", s) for s in [body(B64U, 68)]
    ],
    "aws-access-key-id": _alone(
        *(kind + body("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16) for kind in ("AK" + "IA", "AS" + "IA"))
    ),
    "aws-secret-key": [Hit(f"aws secret: {s}", s) for s in [body(B62, 40)]],
    "aws-session-token": _alone("IQoJb3JpZ2lu" + body(B62 + "+/", 400)),
    "google-oauth-token": _alone("ya" + "29." + body(B64U, 150)),
    "google-oauth-secret": _alone("GOC" + "SPX-" + body(B64U, 28)),
    "google-refresh-token": _alone("1/" + "/0" + body(B64U, 60)),
    "azure-storage-key": [
        Hit(f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={s};EndpointSuffix=x", s)
        for s in [body(B62 + "+/", 86) + "=="]
    ],
    "azure-client-secret": _alone("aB3" + "8Q" + "~" + body(B62 + "_~.-", 34)),
    "private-key": [
        Hit(_PEM, _PEM_BODY),
        Hit(_RSA, _RSA_BODY),
        Hit(_PEM[:150], _PEM[28:150].rstrip()),
        Hit(json.dumps({"k": _PEM}), _PEM_BODY.replace("\n", "\\n")),
        Hit(_PEM.replace("\n", "\\n"), _PEM_BODY.replace("\n", "\\n")),
        Hit(
            pem("PGP PRIVATE KEY BLOCK")[0].replace("-----\n", "-----\nVersion: X 1\n\n", 1),
            pem("PGP PRIVATE KEY BLOCK")[1],
        ),
    ],
    "jwt": _alone(jwt(), jwt(exp=1), jwt(role="service_role")),
    "bearer": [Hit(f"{word} {s}", s) for s in [body(B62, 24)] for word in ("Bearer", "bearer", "BEARER")],
    "basic-auth": [
        Hit(f"curl -H 'X: Basic {s}'", s) for s in [b64("svc:" + PASSWORD), b64(body(B62, 24) + ":")]
    ],
    "url-password": [Hit(f"https://user:{s}@host/v1", s) for s in ["hunter" + "22"]]
    + [Hit(f"postgresql://app:{s}@db.acme.io:5432/x?y=1", s) for s in [body(B62, 16), "p@ss" + "w0rd!9"]]
    + [Hit(f"redis://:{s}@cache.acme.io", s) for s in [body(B62, 16)]],
    "signed-url": [
        Hit(f"https://a.blob.core.windows.net/c/b?sv=2024&se=2030&sig={s}&sp=r", s)
        for s in [body(B62, 40) + "%3D"]
    ]
    + [Hit(f"https://b.s3.amazonaws.com/k?X-Amz-Signature={s}", s) for s in [body(HEX, 64)]],
    "credential-key": [
        Hit(PASSWORD, PASSWORD, "client_secret"),
        Hit("abc", "abc", "api_key"),
        Hit(body(HEX, 32), body(HEX, 32), "X-Api-Key"),
        Hit(f"grant_type=password&username=u&password={PASSWORD[:8]}", PASSWORD[:8]),
        Hit(f"https://h/p?a=1&access_token={body(B62, 20)}&b=2", body(B62, 20)),
        Hit(f"https://h/p?key={body(B62, 32)}", body(B62, 32)),
        Hit(f'{{"error": {{"api_key": "{PASSWORD}"}}}}', PASSWORD),
        Hit(f'say {{\\"api_key\\": \\"{PASSWORD}\\"}}', PASSWORD),
        Hit(f"export MY_SERVICE_TOKEN={body(HEX, 32)}", body(HEX, 32)),
        Hit(f"the api key: {body(HEX, 24)}.", body(HEX, 24)),
        Hit(f"Server=db;User Id=sa;Password={PASSWORD[:8]};", PASSWORD[:8]),
    ],
    "authorization": [
        Hit(PASSWORD, PASSWORD, "Authorization"),
        Hit("Token " + body(HEX, 20), body(HEX, 20), "authorization"),
        Hit(f"ApiKey {PASSWORD}", PASSWORD, "proxy-authorization"),
        Hit(
            f"AWS4-HMAC-SHA256 Credential=AKI, SignedHeaders=host, Signature={body(HEX, 64)}",
            body(HEX, 64),
            "Authorization",
        ),
        Hit(f'Digest username="u", realm="r", response="{body(HEX, 32)}"', body(HEX, 32), "Authorization"),
    ],
    "cookie": [
        Hit(f"theme=dark; sid={body(B62, 20)}; lang=en", body(B62, 20), "Cookie"),
        Hit(
            f"__cf_bm={body(B62, 40)}-1700000000; Path=/; Expires=Wed, 09 Jun 2027 10:18:14 GMT; HttpOnly",
            body(B62, 40) + "-1700000000",
            "Set-Cookie",
        ),
        Hit(f"a=b1c2; Path=/, sid={body(B62, 20)}; Secure", body(B62, 20), "set-cookie"),
        Hit(f"GET / HTTP/1.1\r\nCookie: sid={body(B62, 20)}\r\n", body(B62, 20)),
    ],
    "account-header": [Hit("acme-labs-prod", "acme-labs-prod", "openai-organization")],
    "email": [Hit(f"write to {s}.", s) for s in ("jane" + "@acme.io", "j.doe+x" + "@mail.acme.co.uk")],
    "card-number": [
        Hit(f"card {s} ok", s)
        for s in (
            VISA,
            " ".join((VISA[:4], VISA[4:8], VISA[8:12], VISA[12:])),
            luhn("37" + "828224631001"[:12]),
            luhn("222300" + "312300322"),
        )
    ],
}
