"""Whether a text shows any sign of a secret: told in a few steps, because most texts show none.

The search asks every rule about a text. What a rule finds stands behind a sign: a mark, a literal in a long run of
characters that tokens are made of, an operator behind a name's end. A text without a sign need not be searched; a text
with one may still hold nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.json_leaves import may_be_json
from dryfire_action.late_pattern import late
from dryfire_action.secret_assignments import OPTION_START, announces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dryfire_action.secret_rule_set import Plan

TOKEN_RUN, DIGIT_RUN = b"a" * 16, b"a" * 13
_TOKEN_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/=.%~"
TOKEN_CLASS = bytes(97 if byte in _TOKEN_BYTES else 32 for byte in range(256))
DIGIT_CLASS = bytes(97 if byte in b"0123456789 -" else 32 for byte in range(256))
JSON_LINE = late(r"(?m)^(?:[a-z]{1,16}:)?[ \t]{0,8}(?P<v>[{\[].*[}\]])[ \t\r]*$")
_JSON_LINE_END = late(r"[}\]][ \t\r]*+(?:\n|\Z)")

# So long are, at least, tokens that are told by a word near by, or have a literal that says little.
_LONG_RUN = b"a" * 32
LEAD = 64
"""So much before its run may belong to a token: `123456:` of Telegram's, `?sig=` of a signed URL."""
NEAR = 80
"""So far before a token a vendor's name stands, where that tells the token."""
# The beginnings of words, where tokens begin.
_HEADS = late(r"([A-Za-z0-9_-]{2})[A-Za-z0-9_-]*+")
# In a shorter text, runs are not worth looking for one by one.
_SHORT = 1000


def shows_nothing(text: str, plan: Plan) -> bool:
    """Whether a text shows no sign of any rule of a plan, and none of JSON or percent-encoding in it."""
    if "@" in text or "%" in text or "\\" in text or "form-data" in text:
        # An address, also one with a password in it; percent-encoding; an escape; a field of a form.
        return False
    lowered = text.lower()
    for word in plan.words:
        if word in lowered:
            return False
    if announces(text):
        return False
    if ("}" in text or "]" in text) and (may_be_json(text) or has_json_lines(text)):
        return False
    if "--" in text and OPTION_START.search(text) is not None:
        return False
    plain = text.encode("latin-1", "replace")
    if plan.digits and DIGIT_RUN in (classes := plain.translate(DIGIT_CLASS)):
        for start, end in runs(classes, len(DIGIT_RUN), 0):
            if any(rule.compiled().search(text, start, end) for rule in plan.digits):
                return False
    classes = plain.translate(TOKEN_CLASS)
    if TOKEN_RUN not in classes:
        return True
    around = _runs_of(text, classes, len(TOKEN_RUN), LEAD)
    for head in plan.starts.keys() & _HEADS.findall(around):
        for literal, _ in plan.starts[head]:
            if literal in around:
                return False
    for literal in plan.telling:
        if literal in around:
            return False
    if _LONG_RUN not in classes:
        return True
    before = _runs_of(text, classes, len(_LONG_RUN), NEAR).lower()
    for word in plan.near_words:
        if word in before:
            return False
    vague = [rule for literal, rule in plan.vague if literal in around]
    for start, end in runs(classes, len(_LONG_RUN), 0) if vague else ():
        if any(rule.compiled().search(text, start, end) for rule in vague):
            return False
    return True


def has_json_lines(text: str) -> bool:
    """Whether a line of a text may be JSON with a text in it, alone or behind a word and a colon."""
    if '"' not in text or ("{" not in text and "[" not in text) or _JSON_LINE_END.search(text) is None:
        return False
    return JSON_LINE.search(text) is not None


def has_run(text: str, length: int) -> bool:
    """Whether so many characters that tokens are made of stand in a row in a text; those of base64 are among them."""
    return b"a" * length in text.encode("latin-1", "replace").translate(TOKEN_CLASS)


def _runs_of(text: str, classes: bytes, least: int, lead: int) -> str:
    """The runs of so many characters in a text, each with some of what is before; all of a short text."""
    if len(text) < _SHORT:
        return text
    spans: list[tuple[int, int]] = []
    for start, end in runs(classes, least, lead):
        if spans and start <= spans[-1][1]:
            start = spans.pop()[0]
        spans.append((start, end))
    return "\n".join([text[start:end] for start, end in spans])


def runs(classes: bytes, least: int, lead: int) -> Iterator[tuple[int, int]]:
    """Where at least so many characters of a class stand in a row, each with some of what is before."""
    end = 0
    while (at := classes.find(b"a" * least, end)) >= 0:
        start = max(0, at - lead)
        end = classes.find(b" ", at)
        if end < 0:
            end = len(classes)
        yield start, end
