"""The rules for keys of model providers and of the services around them."""

from __future__ import annotations

from dryfire_action.secret_checksums import decoded_base64, has_random_segment, is_mixed
from dryfire_action.secret_rule import B62, B64U, EDGE, HEX, Rule, on_value, shape, token

_GITLEAKS = "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml"
_TRUFFLEHOG = "https://github.com/trufflesecurity/trufflehog/tree/main/pkg/detectors"
_BETTERLEAKS = "https://github.com/betterleaks/betterleaks/blob/main/config/betterleaks.toml"
_SECRETLINT = "https://github.com/secretlint/secretlint/tree/master/packages/@secretlint"
_KEYHOG = "https://github.com/santhsecurity/keyhog"

_OPENAI_PREFIXES = tuple(f"sk-{kind}-" for kind in ("proj", "svcacct", "admin", "service", "None"))


def _is_sk_key(value: str) -> bool:
    return value.startswith(_OPENAI_PREFIXES) or has_random_segment(value[3:])


def _is_bedrock_key(value: str) -> bool:
    data = decoded_base64(value[4:])
    return len(value) >= 100 or (data is not None and b"Bedrock" in data)


PROVIDER_TOKENS: tuple[Rule, ...] = (
    shape(
        "anthropic-key", "Anthropic API, admin, OAuth and session keys",
        "https://github.com/gitleaks/gitleaks/pull/1910",
        "sk-ant-", rf"sk-ant-[a-z]{{2,12}}[0-9]{{2}}-[{B64U}]{{16,}}+(?:\.[{B64U}]++)*+",
    ),
    shape(
        "openrouter-key", "OpenRouter keys", _TRUFFLEHOG,
        "sk-or-", rf"{EDGE}sk-or-(?:v[0-9]-)?[{B62}]{{32,}}+[{B64U}]*+",
    ),
    shape(
        "langfuse-key", "Langfuse secret keys", _TRUFFLEHOG,
        "sk-lf-", rf"{EDGE}sk-lf-[{HEX}]{{8}}-[{B64U}]{{20,}}+",
    ),
    shape(
        "deepseek-key", "DeepSeek keys: `sk-` and 32 hexadecimal digits", _TRUFFLEHOG,
        "sk-", rf"{EDGE}sk-[{HEX}]{{32}}(?![{B64U}])",
    ),
    shape(
        "openai-key", "OpenAI project, service, admin and older keys; other keys that begin with `sk-`",
        "https://github.com/secretlint/secretlint/pull/994",
        "sk-", rf"{EDGE}sk-(?!ant-|or-|lf-)(?![{HEX}]{{32}}(?![{B64U}]))(?:[{B64U}]{{20,}}+|[{B62}]{{16,}}+)",
        check=on_value(_is_sk_key),
    ),
    token("google-api-key", "Google API keys (Gemini, Maps)", _GITLEAKS, "AIza", B64U, 30),
    token("google-auth-key", "Google keys bound to a service account", _BETTERLEAKS, "AQ.", B64U, 30,
          check=on_value(has_random_segment)),
    token("xai-key", "xAI keys", _TRUFFLEHOG, "xai-", "A-Za-z0-9_", 40),
    token("groq-key", "Groq keys", _SECRETLINT, "gsk_", B62, 32),
    token("huggingface-token", "Hugging Face user and organisation tokens", _SECRETLINT, "hf_ api_org_", B62, 30),
    token("replicate-token", "Replicate tokens", _TRUFFLEHOG, "r8_", B62, 28),
    token("perplexity-key", "Perplexity keys", _GITLEAKS, "pplx-", B62, 32),
    token("cohere-key", "Cohere keys of the newer form", _KEYHOG, "co_", B62, 32, check=on_value(is_mixed)),
    token("together-key", "Together keys", _BETTERLEAKS, "tgp_v1_", B64U, 30),
    token("fireworks-key", "Fireworks keys", _KEYHOG, "fw_", B62, 20, check=on_value(is_mixed)),
    token("cerebras-key", "Cerebras keys", _BETTERLEAKS, "csk-", "a-z0-9", 32),
    token("nvidia-key", "NVIDIA API keys", _TRUFFLEHOG, "nvapi-", B64U, 40),
    token("elevenlabs-key", "ElevenLabs keys", _TRUFFLEHOG, "sk_", HEX, 32),
    token("voyage-key", "Voyage keys", "https://github.com/mongodb/kingfisher", "pa-", B64U, 40,
          check=on_value(has_random_segment)),
    token("jina-key", "Jina keys", "seen in use; not documented", "jina_", B64U, 40),
    token("wandb-key", "Weights & Biases keys of the newer form", _BETTERLEAKS, "wandb_v1_", B64U, 40),
    token("pinecone-key", "Pinecone keys", _TRUFFLEHOG, "pcsk_", "A-Za-z0-9_", 40),
    token("tavily-key", "Tavily keys", "https://nango.dev/docs/api-integrations/tavily/connect",
          "tvly-", B64U, 24),
    token("langsmith-key", "LangSmith keys", _TRUFFLEHOG, "lsv2_pt_ lsv2_sk_", HEX, 32),
    token("databricks-token", "Databricks tokens", _SECRETLINT, "dapi", HEX, 32),
    shape(
        "azure-ai-key", "Azure OpenAI and AI Foundry keys of the newer form",
        "https://learn.microsoft.com/azure/ai-services (the fixed `JQQJ9` in the middle)",
        "JQQJ9", rf"(?<![{B62}])[{B62}]{{40,64}}?JQQJ9[{B62}]{{16,}}+={{0,2}}",
    ),
    shape(
        "bedrock-key", "Amazon Bedrock API keys",
        "https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-how.html",
        "ABSK", rf"{EDGE}ABSK[{B62}+/]{{60,}}+={{0,2}}", check=on_value(_is_bedrock_key),
    ),
    shape(
        "bedrock-short-key", "Amazon Bedrock API keys that expire",
        "https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-how.html",
        "bedrock-api-key-", rf"bedrock-api-key-[{B62}+/_-]{{40,}}+={{0,2}}",
    ),
    shape(
        "mistral-key", "Mistral keys: 32 letters and digits near the name", _BETTERLEAKS,
        "", rf"{EDGE}[{B62}]{{32}}(?![{B64U}])", check=on_value(is_mixed), near="mistral",
    ),
    shape(
        "cohere-old-key", "Cohere keys of the older form: 40 letters and digits near the name", _BETTERLEAKS,
        "", rf"{EDGE}[{B62}]{{40}}(?![{B64U}])", check=on_value(is_mixed), near="cohere co_api",
    ),
    shape(
        "azure-openai-old-key", "Azure keys of the older form: 32 hexadecimal digits near the name", _TRUFFLEHOG,
        "", rf"{EDGE}[{HEX}]{{32}}(?![{B64U}])", near="azure ocp-apim",
    ),
    shape(
        "wandb-old-key", "Weights & Biases keys of the older form: 40 hexadecimal digits near the name",
        _TRUFFLEHOG, "", rf"{EDGE}[{HEX}]{{40}}(?![{B64U}])", near="wandb",
    ),
    shape(
        "together-old-key", "Together keys of the older form: 64 hexadecimal digits near the name", _BETTERLEAKS,
        "", rf"{EDGE}[{HEX}]{{64}}(?![{B64U}])", near="together_ together-ai together.ai togetherai",
    ),
)  # fmt: skip
