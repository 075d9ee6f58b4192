"""The rule table of redaction: what is found, how, and where each format is described.

A rule with a `pattern` finds a shape anywhere in a text. It is tried only where one of its `literals`
stands in the text, so the table costs a few substring searches per text. No pattern has a quantifier inside
a quantifier, and a run of an alphabet is taken whole (`++`), so the work grows with the text and no faster.
Lengths are minima: a vendor that lengthens its keys must not leave the rest of one behind. Rules without a
pattern are found by the engine, from names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from dryfire_action.secret_checksums import is_card_number, is_signed_token
from dryfire_action.secret_placeholders import is_made_up, is_nobodys_address, is_sample_card, looks_opaque

Check = Callable[[re.Match[str]], bool]
"""Whether a match is the real thing."""

# A token does not begin in the middle of a word. An escape (`\n`, `%3D`) in front of it is no word.
_EDGE = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret.

    `source` says where the format is described. `pattern` may hold a group `v`: the secret within the
    match. `sample` says of a value whether it is published or plainly invented, which a review of files
    lets pass. `near` are words, in lower case, one of which must stand in the 80 characters before a match.
    """

    id: str
    finds: str
    source: str
    recordings_only: bool = False
    pattern: re.Pattern[str] | None = None
    literals: tuple[str, ...] = ()
    check: Check | None = None
    sample: Callable[[str], bool] = is_made_up
    near: tuple[str, ...] = ()


def on_value(test: Callable[[str], bool]) -> Check:
    """A check of a match that looks at its value alone."""

    def check(match: re.Match[str]) -> bool:
        return test(value_of(match))

    return check


def value_of(match: re.Match[str]) -> str:
    """The secret in a rule's match: its group `v`, or all of it."""
    return match[group_of(match.re)]


def group_of(pattern: re.Pattern[str]) -> str | int:
    """The group of a rule's pattern that holds the secret."""
    return "v" if "v" in pattern.groupindex else 0


def shape(
    id: str,
    finds: str,
    source: str,
    prefix: str,
    rest: str,
    *,
    literals: tuple[str, ...],
    check: Check | None = None,
    glued: bool = False,
    near: tuple[str, ...] = (),
) -> Rule:
    """A rule for a token: a prefix and a run of an alphabet.

    With `glued` the prefix is unmistakable and counts in the middle of a word too.
    """
    pattern = re.compile(("" if glued else _EDGE) + prefix + rest, re.ASCII)
    return Rule(id, finds, source, pattern=pattern, literals=literals, check=check, near=near)


def _run(least: int, alphabet: str = "A-Za-z0-9_-") -> str:
    return f"[{alphabet}]{{{least},}}+"


_GITLEAKS = "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml"
_TRUFFLEHOG = "https://github.com/trufflesecurity/trufflehog/tree/main/pkg/detectors"

SHAPES: tuple[Rule, ...] = (
    shape(
        "anthropic-key",
        "Anthropic API, admin, OAuth and session keys",
        "https://github.com/gitleaks/gitleaks/pull/1910",
        r"sk-ant-",
        r"[a-z]{2,12}[0-9]{2}-[A-Za-z0-9_-]{16,}+(?:\.[A-Za-z0-9_-]++)*+",
        literals=("sk-ant-",),
        glued=True,
    ),
    shape(
        "openai-key",
        "OpenAI project, service account, admin and older keys; keys of `sk-` kin",
        "https://github.com/secretlint/secretlint/pull/994",
        r"sk-",
        r"(?!ant-|or-v1-|lf-)(?:[A-Za-z0-9]{1,10}-)?+" + _run(20),
        literals=("sk-",),
        check=on_value(looks_opaque),
    ),
    shape(
        "google-api-key", "Google API keys (Gemini, Maps)", _GITLEAKS, r"AIza", _run(30), literals=("AIza",)
    ),
    shape(
        "github-token",
        "GitHub personal, OAuth, app and refresh tokens",
        "https://github.blog/2021-04-05-behind-githubs-new-authentication-token-formats/",
        r"gh[opsur]_",
        r"[A-Za-z0-9_-]{30,}+(?:\.[A-Za-z0-9_-]++)*+",
        literals=("ghp_", "gho_", "ghs_", "ghu_", "ghr_"),
    ),
    shape(
        "github-fine-grained-token",
        "GitHub fine-grained personal tokens",
        "https://gist.github.com/magnetikonline/073afe7909ffdd6f10ef06a00bc3bc88",
        r"github_pat_",
        _run(30),
        literals=("github_pat_",),
        glued=True,
    ),
    shape(
        "aws-access-key-id",
        "AWS access key ids",
        "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html",
        r"(?:AKIA|ASIA|ABIA|ACCA)",
        r"[A-Z2-7]{16,}+(?![A-Za-z0-9_])",
        literals=("AKIA", "ASIA", "ABIA", "ACCA"),
    ),
    Rule(
        "bearer",
        "`Bearer` followed by a token",
        "RFC 6750",
        pattern=re.compile(
            r"(?<![A-Za-z0-9])[Bb](?:earer|EARER)(?:[ \t]|%20|\+){1,4}(?P<v>[A-Za-z0-9._~+/-]{8,}+=*+)",
            re.ASCII,
        ),
        literals=("earer", "EARER"),
        check=on_value(looks_opaque),
    ),
    Rule(
        "jwt",
        "JSON Web Tokens",
        "RFC 7519",
        pattern=re.compile(
            _EDGE + r"eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{4,}+(?:\.[A-Za-z0-9_-]*+){1,3}", re.ASCII
        ),
        literals=("eyJ",),
        check=on_value(is_signed_token),
    ),
)

EMAIL = Rule(
    "email",
    "E-mail addresses",
    "RFC 5322 (the dotted form that people use)",
    recordings_only=True,
    pattern=re.compile(
        r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9][A-Za-z0-9._%+'-]{0,63}"
        r"@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])",
        re.ASCII,
    ),
    literals=("@",),
    sample=is_nobodys_address,
)
CARD = Rule(
    "card-number",
    "Payment card numbers (issuer range and Luhn)",
    "ISO/IEC 7812-1",
    recordings_only=True,
    pattern=re.compile(
        r"(?<![A-Za-z0-9_.#-])[2-6](?:[ -]?[0-9]){12,18}(?![A-Za-z0-9_-])(?!\.[0-9])", re.ASCII
    ),
    check=on_value(is_card_number),
    sample=is_sample_card,
)

NAMED: tuple[Rule, ...] = (
    Rule("credential-key", "A value under a name that means a credential", "names that providers document"),
    Rule("authorization", "The credentials of an `Authorization` header", "RFC 9110"),
    Rule("cookie", "Values of cookies", "RFC 6265"),
    Rule(
        "account-header",
        "Headers that name whose account was used",
        "https://platform.openai.com/docs/api-reference",
        recordings_only=True,
    ),
)

RULES: tuple[Rule, ...] = (*SHAPES, *NAMED, EMAIL, CARD)
RULESET_VERSION = "1"
