"""One rule of redaction, and the ways to write one down in a line.

No pattern can go back over what it has read: runs are possessive, the rest is bounded. So the work grows with the
text and no faster, whatever the text is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Literal, NamedTuple

from dryfire_action.secret_placeholders import is_made_up

Check = Callable[[re.Match[str]], bool]
"""A question about a match of a rule's pattern."""

Sight = Literal["run", "near", "digits", "literal", "text"]
"""What shows that a rule may apply, so that most of a text need not be matched against anything.

- `run`: sixteen characters in a row that tokens are made of, with one of the rule's literals.
- `near`: a run of thirty-two, and a vendor's name in the text.
- `digits`: thirteen digits, spaces and hyphens in a row.
- `literal`: a literal with which the match begins. `text`: a literal anywhere.
"""

B62 = "A-Za-z0-9"
B64U = "A-Za-z0-9_-"
HEX = "0-9a-f"

# A token does not begin in the middle of a word. An escape in front of it (`\n`, `%3D`) is no word.
EDGE = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_TAIL = f"[{B64U}]*+"
_DOTTED_TAIL = rf"{_TAIL}(?:\.[{B64U}]++)*+"


def value_of(match: re.Match[str]) -> str:
    """The secret in a match: the group `v` of the rule's pattern, or all of it."""
    return match["v"] if "v" in match.re.groupindex else match[0]


def on_value(test: Callable[[str], bool]) -> Check:
    """A check that looks at the secret alone."""

    def check(match: re.Match[str]) -> bool:
        return test(value_of(match))

    return check


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


MADE_UP: Check = on_value(is_made_up)


class Rule(NamedTuple):
    """One kind of secret.

    `source` says where its format is described. A `pattern` may hold a group `v`, the secret within the match.
    `literals`: one of them stands in every text that the pattern matches, at the beginning of a token where the
    pattern begins with `EDGE`. `check` says of a match whether it is the real thing, `sample` whether it is
    published or plainly invented: a review of files lets those pass. `near`: one of these words, in lower case,
    stands shortly before, and a word such as "key" too; for tokens without a shape of their own. `checksum` says
    whether the check digits in a value hold.

    A rule without a pattern is found from names, by the engine.
    """

    id: str
    finds: str
    source: str
    recordings_only: bool = False
    pattern: str = ""
    literals: tuple[str, ...] = ()
    sight: Sight = "run"
    check: Check | None = None
    sample: Check = MADE_UP
    near: tuple[str, ...] = ()
    checksum: Callable[[str], bool] | None = None

    @property
    def group(self) -> str | int:
        """The group of the pattern that holds the secret."""
        return "v" if "(?P<v>" in self.pattern else 0

    def compiled(self) -> re.Pattern[str]:
        """The pattern, compiled when it is first needed: a whole table costs more than the start of Python."""
        return _compiled(self.pattern)


def token(
    id: str,
    finds: str,
    source: str,
    prefixes: str,
    alphabet: str,
    least: int,
    *,
    check: Check | None = None,
    dotted: bool = False,
    glued: bool = False,
    checksum: Callable[[str], bool] | None = None,
) -> Rule:
    """A rule for a token: one of some prefixes, then at least `least` characters of an alphabet.

    Whatever follows without a gap belongs to the token (with `dotted`, after dots too): a vendor that makes its
    tokens longer must not leave the rest of one behind. With `glued` the prefix is unmistakable and counts in
    the middle of a word too. A value whose `checksum` holds is never taken for an invented one.
    """
    literals = tuple(prefixes.split())
    pattern = (
        ("" if glued else EDGE)
        + f"(?:{'|'.join(map(re.escape, literals))})[{alphabet}]{{{least},}}+"
        + (_DOTTED_TAIL if dotted else _TAIL)
    )
    sample = MADE_UP
    if checksum is not None:
        holds = checksum
        sample = on_value(lambda value: is_made_up(value) and not holds(value))
    return Rule(
        id,
        finds,
        source,
        pattern=pattern,
        literals=literals,
        check=check,
        sample=sample,
        checksum=checksum,
    )


def shape(
    id: str,
    finds: str,
    source: str,
    literals: str,
    pattern: str,
    *,
    check: Check | None = None,
    sample: Check = MADE_UP,
    near: str = "",
    sight: Sight = "run",
    recordings_only: bool = False,
) -> Rule:
    """A rule whose pattern is written out. `literals` and `near` are words with spaces between them."""
    return Rule(
        id,
        finds,
        source,
        recordings_only=recordings_only,
        pattern=pattern,
        literals=tuple(literals.split()),
        sight="near" if near else sight,
        check=check,
        sample=sample,
        near=tuple(near.split()),
    )
