"""The rules for tokens of code hosts, clouds and other platforms."""

from __future__ import annotations

import re

from dryfire_action.secret_checksums import (
    crc32_hex_tail_holds,
    crc32_tail_holds,
    decoded_base64,
    is_mixed,
    is_numbered,
)
from dryfire_action.secret_rule import B62, B64U, EDGE, HEX, Rule, on_value, shape, token

_GITLEAKS = "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml"
_TRUFFLEHOG = "https://github.com/trufflesecurity/trufflehog/tree/main/pkg/detectors"
_SECRETLINT = "https://github.com/secretlint/secretlint/tree/master/packages/@secretlint"
_GITHUB = "https://github.blog/2021-04-05-behind-githubs-new-authentication-token-formats/"
_GITLAB = "https://docs.gitlab.com/security/tokens/"
_GOOGLE = "https://developers.google.com/identity/protocols/oauth2"
_AWS = "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html"


def _is_discord_token(match: re.Match[str]) -> bool:
    data = decoded_base64(match["id"])
    return data is not None and data.isdigit()


PLATFORM_TOKENS: tuple[Rule, ...] = (
    token("github-token", "GitHub personal, OAuth, app and refresh tokens", _GITHUB,
          "ghp_ gho_ ghu_ ghs_ ghr_", B64U, 30, dotted=True, checksum=crc32_tail_holds),
    token("github-fine-grained-token", "GitHub fine-grained personal tokens",
          "https://gist.github.com/magnetikonline/073afe7909ffdd6f10ef06a00bc3bc88",
          "github_pat_", "A-Za-z0-9_", 30, glued=True),
    token("npm-token", "npm access tokens", "https://github.com/secretlint/secretlint/issues/200",
          "npm_", B62, 30, checksum=crc32_tail_holds),
    token("gitlab-token", "GitLab personal, runner, deploy, job and other tokens", _GITLAB,
          "glpat- glrt- glrtr- gldt- glcbt- glptt- glft- glimt- glagent- glsoat- gloas- glffct- glwt-",
          B64U, 16, dotted=True),
    token("cloudflare-token", "Cloudflare keys and tokens of the newer form",
          "https://developers.cloudflare.com/fundamentals/api/get-started/token-formats",
          "cfk_ cfut_ cfat_", B62, 32, checksum=crc32_hex_tail_holds),
    token("grafana-token", "Grafana service account tokens", _SECRETLINT, "glsa_", "A-Za-z0-9_", 32,
          checksum=crc32_hex_tail_holds),
    shape("slack-token", "Slack bot, user, app and session tokens", _GITLEAKS, "xox xapp-",
          rf"{EDGE}(?:xox[a-z](?:\.xox[a-z])?|xapp)-[A-Za-z0-9%+/=_-]{{12,}}+", check=on_value(is_numbered)),
    shape("slack-webhook", "Slack webhook addresses", _GITLEAKS, "hooks.slack.com",
          rf"hooks\.slack\.com\\?/(?:services|workflows|triggers)\\?/(?P<v>[{B62}_/\\]{{20,}}+)",
          sight="literal"),
    token("stripe-key", "Stripe secret and restricted keys", _SECRETLINT,
          "sk_live_ rk_live_ sk_test_ rk_test_", B62, 10),
    token("stripe-webhook-secret", "Secrets that sign Stripe's webhooks", "https://docs.stripe.com/webhooks",
          "whsec_", B62, 20),
    shape("twilio-key", "Twilio API keys", _TRUFFLEHOG, "SK", rf"{EDGE}SK[{HEX}]{{32}}(?![{B64U}])"),
    shape("twilio-token", "Twilio auth tokens: 32 hexadecimal digits near the name", _TRUFFLEHOG,
          "", rf"{EDGE}[{HEX}]{{32}}(?![{B64U}])", near="twilio"),
    shape("sendgrid-key", "SendGrid keys", _TRUFFLEHOG, "SG.",
          rf"{EDGE}SG\.[{B64U}]{{16,}}+\.[{B64U}]{{16,}}+"),
    token("pypi-token", "PyPI upload tokens (macaroons)", _TRUFFLEHOG, "pypi-AgE", B64U, 40),
    token("docker-token", "Docker Hub personal and organisation tokens", _TRUFFLEHOG,
          "dckr_pat_ dckr_oat_", B64U, 20),
    token("notion-token", "Notion integration tokens", _SECRETLINT, "ntn_ secret_", B62, 40,
          check=on_value(is_mixed)),
    token("linear-key", "Linear API keys and OAuth tokens", _TRUFFLEHOG, "lin_api_ lin_oauth_", B62, 32),
    token("supabase-key", "Supabase secret keys and personal tokens",
          "https://supabase.com/docs/guides/api/api-keys", "sb_secret_ sbp_", B62, 16),
    token("vault-token", "HashiCorp Vault tokens", _GITLEAKS, "hvs. hvb. hvr.", B64U, 20),
    token("digitalocean-token", "DigitalOcean tokens", _GITLEAKS, "dop_v1_ doo_v1_ dor_v1_", HEX, 40),
    shape("telegram-token", "Telegram bot tokens", "https://core.telegram.org/bots/api", ":AA",
          rf"(?:{EDGE}|(?<=/bot))[0-9]{{6,12}}+:AA[{B64U}]{{30,}}+"),
    shape("discord-token", "Discord bot tokens", "https://github.com/secretlint/secretlint/pull/1548", ".",
          rf"(?:{EDGE})(?P<id>[MNO][{B62}]{{17,30}}+)\.[{B64U}]{{5,8}}+\.[{B64U}]{{24,}}+",
          check=_is_discord_token),
    shape("discord-webhook", "Discord webhook addresses", _GITLEAKS, "/webhooks/",
          rf"discord(?:app)?\.com/api/(?:v[0-9]{{1,3}}/)?webhooks/[0-9]{{10,24}}+/(?P<v>[{B64U}]{{32,}}+)"),
    shape("aws-access-key-id", "AWS access key ids", _AWS, "AKIA ASIA ABIA ACCA",
          rf"{EDGE}A(?:KI|SI|BI|CC)A[A-Z0-9]{{16,}}+[{B64U}]*+"),
    shape("aws-secret-key", "AWS secret access keys: 40 characters of base64 near the name", _AWS, "",
          rf"(?<![{B62}+/=])[{B62}+/]{{40}}+(?![{B62}+/=])",
          check=on_value(is_mixed), near="aws akia asia secretaccesskey secret_access_key"),
    shape("aws-session-token", "AWS session tokens", _AWS, "IQoJb3JpZ2lu FwoGZXIvYXdz",
          rf"(?:IQoJb3JpZ2lu|FwoGZXIvYXdz)[{B62}+/=_%-]{{60,}}+"),
    shape("google-oauth-token", "Google OAuth access tokens", _GOOGLE, "ya29.",
          rf"{EDGE}ya29\.[{B64U}]{{20,}}+(?:\.[{B64U}]++)*+"),
    token("google-oauth-secret", "Google OAuth client secrets", _TRUFFLEHOG, "GOCSPX-", B64U, 20),
    shape("google-refresh-token", "Google OAuth refresh tokens", _GOOGLE, "1//",
          rf"(?:(?<![{B62}/._-])|(?<=\\[nrt]))1//[{B64U}]{{30,}}+"),
    shape("azure-storage-key", "Keys of Azure storage accounts, queues and buses in connection strings",
          "https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string",
          "AccountKey= SharedAccessKey=", rf"(?:AccountKey|SharedAccessKey)=(?P<v>[{B62}+/]{{20,}}+={{0,2}})"),
    shape("azure-client-secret", "Client secrets of Microsoft Entra applications",
          "https://github.com/trufflesecurity/trufflehog/tree/main/pkg/detectors/azure_entra", "Q~",
          rf"(?:(?<![{B62}_~.-])|(?<=\\[nrt]))[{B62}_~.]{{3}}[0-9]Q~[{B62}_~.-]{{28,}}+"),
)  # fmt: skip
