"""Texts that can hold no secret, told at a glance: most of a recording is short words.

The search has many rules, and each text costs it the same. What it looks for stands behind a sign: a run of sixteen
characters that tokens are made of, a mark such as `=` or `@`, thirteen digits, or a word. A text without any of them
need not be searched. Where a name announces a secret, or a team has rules of its own, every text is searched.
"""

from __future__ import annotations

from dryfire_action.late_pattern import late

_SHORT_RUNS = late(
    r"(?:[A-Za-z0-9_+/.~-]{0,15}+[^A-Za-z0-9_+/.~=:@%>\\&{\[\x00-\x08\x80-\xff-])*+[A-Za-z0-9_+/.~-]{0,15}+"
)
_DIGITS = late(r"[0-9](?:[ -]?[0-9]){12}")

_known: set[str] = set()
_SHORT = 24
_MOST_KNOWN = 5000


def is_plain(text: str) -> bool:
    """Whether a text holds no sign of any rule, and is no layer."""
    if len(text) < 6 or (len(text) <= _SHORT and text in _known):
        return True
    if _SHORT_RUNS.fullmatch(text) is None:
        return False
    if "earer" in text or "EARER" in text or "asic" in text or "ASIC" in text or "-----BEGIN" in text:
        return False
    if len(text) >= 13 and _DIGITS.search(text) is not None:
        return False
    if len(text) <= _SHORT:
        # Words such as `content_block` come again and again.
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known.add(str(text))
    return True
