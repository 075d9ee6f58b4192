"""What stands where a secret was, or might be: redaction marks, placeholders, published samples.

Three questions, each stricter on the value than the one before:

- `is_marker`: is it one of our own marks, `[redacted:email:1]`?
- `is_redacted`: did some tool or person already take the secret out, or put a reference in its place?
- `is_made_up`: is it a value that documentation or a test invents, such as `your-api-key`?

A word that gives a value away must stand alone (between `-`, `_`, spaces or at an end). A list of words
looked up anywhere in a value hides real keys.
"""

from __future__ import annotations

import re

MARKER_PATTERN = re.compile(r"\[redacted:[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?:[0-9a-z]{1,32}\]")
"""One of our marks, `[redacted:<rule>:<number>]`, anywhere in a text."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_REDACTION_WORDS = _words(
    """
    redacted filtered masked scrubbed sanitized sanitised removed hidden censored anonymized anonymised
    obfuscated stripped suppressed withheld
    """
)
_SEGMENTS = r"[A-Za-z0-9]+"
_REFERENCE = r"""(?x)
      \$\{[^{}]{0,128}\} | \$[A-Z_][A-Z0-9_]{1,127} | \$\([^()]{1,128}\)
    | \$?\{\{[^{}]{0,128}\}\} | \{%[^{}]{1,128}%\} | \{[^{}]{0,128}\}
    | %[A-Za-z_]\w{0,127}% | <[^<>]{1,128}> | \[[A-Za-z_][A-Za-z_ -]{0,63}\] | __[A-Za-z_]{1,62}__
    | (?:env:|ENV\[|secrets\.|vault:|ssm:|keyring:|keychain:|op:|secretref:)[^\s]{1,200}
    | (?:os\.environ|os\.getenv|process\.env|System\.getenv)[^\s]{0,200}
    | arn:aws[a-z-]{0,20}:[^\s]{1,300}
    """
_CUT = r"[\w.-]{0,24}?(?:\*{3,}+|\.{3}|…|•{3,}+|x{6,}+|X{6,}+|\#{3,}+)[\w.-]{0,8}"
_SAME = r"(\W|[0xX_])\1*"
_NOTHING = _words(
    """
    true false null none nil undefined yes no on off n/a na nan
    """
)

_MADE_UP = _words(
    """
    your real example examples placeholder dummy fake sample changeme mock test tests testing todo insert
    replace invalid notreal foo bar baz foobar xxx xxxx demo sandbox default string replaceme notasecret
    notarealkey
    """
)
_FILLER = _words(
    """
    a an my the this is not here key keys api token secret password passwd pass value user username
    id sk pk access client auth bearer openai anthropic google gemini for in me with it string and only
    no none some new old valid wrong bad good local dev development ci credential credentials abc 123
    1234 12345 123456 0 1 2 3
    """
)
_KNOWN_PASSWORDS = _words(
    """
    postgres root admin guest password pass secret mysql mariadb mongo mongodb redis rabbitmq user app test dev
    local minio minioadmin elastic neo4j sa changeme example
    """
)
_PROSE = _words(
    """
    the a an is are was your must be can may for to of and or not this that required used with when
    """
)
_ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz" * 3,
    "0123456789" * 4,
    "abcdef0123456789" * 3,
    "1234567890abcdef" * 3,
)

# Published by AWS, Stripe, jwt.io and the card networks for documentation. Cut in two, so that no scanner
# stops here.
_SAMPLES = frozenset(
    {
        "sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc",
        "sk_test_" + "BQokikJOvBiI2HlWgH4olfQ2",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
        + ".eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ"
        + ".SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    }
)
_SAMPLE_HOST = r"(?:^|\.)(?:example\.(?:com|org|net|edu)|example|test|invalid)\Z"
_NOBODY = ("git@", "noreply@", "no-reply@", "donotreply@", "do-not-reply@")
_SAMPLE_CARDS = _words(
    """
    4111111111111111 4012888888881881 4222222222222 4242424242424242 4000056655665556 4000000000000002
    4000000000009995 4000000000000077 4000000000003220 4000002500003155 4000000000000341
    4000000000000069 4000000000000127 4000000000000119 4000000000009987 4000000000009979
    4917610000000000 4988438843884305 5555555555554444 5105105105105100 5454545454545454
    5200828282828210 5424000000000015 2223003122003222 2223000048400011 2222405343248877
    2222990905257051 2223007648726984 2223577120017656 5111010030175156 378282246310005 371449635398431
    378734493671000 370000000000002 341111111111111 6011111111111117 6011000990139424 6011981111111113
    6011000000000012 6011000000000004 30569309025904 38520000023237 36227206271667 36006666333344
    3056930009020004 36700102000000 3530111333300000 3566002020360505 3566111111111113 3569990010095841
    6200000000000005 6205500000000000004 6200000000000047 6243030000000001 6221260000000000
    6304000000000000 6759649826438453 5018000000000009 6771798021000008 6799990100000000019
    5019717010103742 6331101999990016 4462030000000000 4484070000000000 4035501000000008
    """
)
_RESERVED_DOMAIN = r"(?:^|[@.])(?:example\.(?:com|org|net|edu)|example|test|invalid|localhost|local)\Z"


def is_marker(text: str) -> bool:
    """Whether a text is one of our marks and nothing else."""
    return MARKER_PATTERN.fullmatch(text) is not None


def is_redacted(value: str) -> bool:
    """Whether a value holds no secret any more: a mark of ours or of a common tool, a masked rest, an empty
    or constant text, or a reference to where the secret is kept."""
    plain = value.strip().strip("\"'`")
    if "%" in plain and len(plain) <= 128:
        plain = re.sub("%([0-9A-Fa-f]{2})", lambda escape: chr(int(escape[1], 16)), plain)
    if not plain or plain.lower() in _NOTHING or re.fullmatch(_SAME, plain):
        return True
    if len(plain) > 320:
        return False
    if MARKER_PATTERN.search(plain) and len(MARKER_PATTERN.sub("", plain)) <= 16:
        return True
    if re.fullmatch(_REFERENCE, plain) or re.fullmatch(_CUT, plain):
        return True
    words = re.findall(_SEGMENTS, plain)
    return (
        len(plain) <= 96
        and any(word.lower() in _REDACTION_WORDS for word in words)
        and not any(_is_opaque_word(word) for word in words)
    )


def is_made_up(value: str) -> bool:
    """Whether a value is a published sample or was plainly invented for documentation or a test."""
    plain = value.strip().strip("\"'`")
    if plain in _SAMPLES or plain.endswith(("EXAMPLE", "EXAMPLEKEY")):
        return True
    if len(plain) > 200:
        return False
    words = [word.lower() for word in re.findall(_SEGMENTS, plain)]
    if words and all(word in _MADE_UP or word in _FILLER for word in words):
        return any(word in _MADE_UP for word in words)
    tail = words[-1] if words else ""
    if len(tail) >= 6 and len(set(tail[-16:])) == 1:
        return True
    return len(tail) >= 8 and any(tail in alphabet for alphabet in _ALPHABETS)


def is_sample_card(text: str) -> bool:
    """Whether a card number is one that a network or a processor publishes for tests."""
    return "".join(character for character in text if "0" <= character <= "9") in _SAMPLE_CARDS


def is_nobodys_address(address: str) -> bool:
    """Whether an e-mail address is no person's: a program's, or in a domain that RFC 2606 and RFC 6761 keep for
    documentation and tests."""
    plain = address.lower()
    return plain.startswith(_NOBODY) or re.search(_RESERVED_DOMAIN, plain) is not None


def is_local_default(user: str, password: str, host: str) -> bool:
    """Whether the parts of a URL are those of a service on the developer's own machine, as started by its
    image: a host without a dot, or this machine's address, and a password that everybody knows."""
    name = host.lower().strip("[]")
    is_local = (
        "." not in name or name.startswith("127.") or name.endswith((".local", ".localhost", ".internal"))
    )
    is_known = password == user or password.lower() in _KNOWN_PASSWORDS
    is_sample = len(password) < 3 or is_made_up(password) or re.search(_SAMPLE_HOST, name) is not None
    return is_sample or (
        is_known and (is_local or name in ("0.0.0.0", "::1") or user in ("user", "username"))
    )


def is_public(value: str) -> bool:
    """Whether a value is a key that is made to be shown: Stripe's, Supabase's, Langfuse's publishable ones."""
    return value.startswith(("pk_live_", "pk_test_", "sb_publishable_", "pk-lf-"))


def is_prose(value: str) -> bool:
    """Whether a value is a sentence about a credential: three words or more, one a function word."""
    if value.count(" ") < 2 or any(character.isdigit() for character in value):
        return False
    return not _PROSE.isdisjoint(word.strip(".,:;!?'\"").lower() for word in value[:400].split(" "))


def looks_opaque(value: str, least: int = 8) -> bool:
    """Whether a value could be a generated secret: one word, long enough, with digits among letters or
    marks; or, with letters only, long and of both cases."""
    if len(value) < least or any(character.isspace() for character in value):
        return False
    if any(character.isdigit() for character in value):
        return not value.isdigit() or len(value) >= 12
    return len(value) >= 16 and value.lower() != value != value.upper()


def _is_opaque_word(word: str) -> bool:
    return len(word) >= 12 and any(character.isdigit() for character in word)


def mask(text: str) -> str:
    """A value as it may be shown: at most four of its characters, and fewer of a short one.

    `sk-ant…` is known by its first characters, so those are what is kept; a value below twelve characters
    shows none at all.
    """
    kept = min(4, len(text) // 6) if len(text) >= 12 else 0
    return "".join(c if c.isprintable() else "?" for c in text[:kept]) + "…" + f"({len(text)} characters)"
