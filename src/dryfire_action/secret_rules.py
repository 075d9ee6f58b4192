"""The rule table of redaction: what is found, and where each format is described."""

from __future__ import annotations

from dryfire_action.secret_platform_tokens import PLATFORM_TOKENS
from dryfire_action.secret_provider_tokens import PROVIDER_TOKENS
from dryfire_action.secret_rule import Rule
from dryfire_action.secret_shapes import GENERIC_SHAPES, PERSONAL_SHAPES

# Found by the engine, from the names that values stand under.
NAMED: tuple[Rule, ...] = (
    Rule(
        "credential-key",
        "Values under names such as `api_key`, `client_secret` or `password`",
        "the names that providers and frameworks document",
    ),
    Rule("authorization", "The credentials in an `Authorization` header", "RFC 9110"),
    Rule("cookie", "The values of cookies", "RFC 6265"),
    Rule(
        "account-header",
        "Headers that say whose account was used, such as `openai-organization`",
        "https://platform.openai.com/docs/api-reference",
        recordings_only=True,
    ),
)

RULES: tuple[Rule, ...] = (*PROVIDER_TOKENS, *PLATFORM_TOKENS, *GENERIC_SHAPES, *NAMED, *PERSONAL_SHAPES)
"""Every rule, the more specific ones first."""

RULESET_VERSION = "1"
"""Changes whenever a recording made under these rules could be redacted otherwise than before."""
