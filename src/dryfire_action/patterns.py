"""Regular expressions that other people wrote: the dialect of ``re``, and a limit on the time of every match.

A pattern in a pull request may be built to run for years on a short text, so each call is bounded.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dryfire_action.errors import DryfireError

if TYPE_CHECKING:
    from collections.abc import Callable

    from regex import Match

TIMEOUT_SECONDS = 1.0
MAX_PATTERN_LENGTH = 5000
# The engine writes `a{1000}` out when it compiles it, and `(a{1000}){1000}` a million times.
MAX_WRITTEN_OUT = 20_000

# One step through a pattern: an escape, a class, a repetition, or one character.
_STEP = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(\d*)(?:,\d*)?\}|.", re.DOTALL)


class PatternTimeout(DryfireError):
    """A regular expression took too long on one text. ``pattern`` is its text."""

    slug = "pattern-timeout"

    def __init__(self, pattern: str, seconds: float) -> None:
        self.pattern = pattern
        shown = pattern if len(pattern) <= 80 else pattern[:77] + "..."
        super().__init__(
            f"the pattern {shown!r} took longer than {seconds:g} s on one text",
            remedy="Write it without a quantifier inside a quantifier, such as (a+)+.",
        )


class PatternError(ValueError):
    """A text is no regular expression. ``position`` counts characters from 0, None where it is not known."""

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled regular expression. Every method raises ``PatternTimeout`` after ``seconds``."""

    text: str
    compiled: Any
    seconds: float = TIMEOUT_SECONDS

    def search(self, text: str) -> Match[str] | None:
        """The first match anywhere in ``text``."""
        found: Match[str] | None = self._bounded(self.compiled.search, text)
        return found

    def fullmatch(self, text: str) -> Match[str] | None:
        """The match of all of ``text``."""
        found: Match[str] | None = self._bounded(self.compiled.fullmatch, text)
        return found

    def finditer(self, text: str) -> tuple[Match[str], ...]:
        """All matches in ``text``, in order, not overlapping."""
        found: tuple[Match[str], ...] = self._bounded(
            lambda text, timeout: tuple(self.compiled.finditer(text, timeout=timeout)), text
        )
        return found

    def sub(self, replacement: str, text: str) -> str:
        """``text`` with every match replaced by ``replacement``, taken as it is."""
        found: str = self._bounded(
            lambda text, timeout: self.compiled.sub(lambda _: replacement, text, timeout=timeout), text
        )
        return found

    def _bounded(self, search: Callable[..., Any], text: str) -> Any:
        try:
            return search(text, timeout=self.seconds)
        except TimeoutError:
            raise PatternTimeout(self.text, self.seconds) from None


@lru_cache(maxsize=512)
def compile_pattern(text: str, *, seconds: float = TIMEOUT_SECONDS) -> Pattern:
    """Compile ``text``, in the dialect of ``re``. Raises ``PatternError``."""
    if len(text) > MAX_PATTERN_LENGTH:
        raise PatternError(f"the pattern is longer than {MAX_PATTERN_LENGTH} characters")
    if _written_out(text) > MAX_WRITTEN_OUT:
        raise PatternError("the pattern repeats too much: its {n} multiply to a pattern of great length")
    import regex  # kept out of the start of every command: most suites hold no pattern

    try:
        with warnings.catch_warnings():
            # What may mean something else in a later Python is not a matter for whoever runs the suite.
            warnings.simplefilter("ignore")
            re.compile(text)  # `regex` knows more than `re`, and a suite must not depend on it
            return Pattern(text, regex.compile(text, regex.VERSION0), seconds)
    except re.error as error:
        raise PatternError(f"not a regular expression: {error.msg}", error.pos) from None
    except regex.error as error:
        raise PatternError(f"not a regular expression: {error}") from None
    except (RecursionError, OverflowError, ValueError, MemoryError) as error:
        raise PatternError(f"not a regular expression: {type(error).__name__}") from None


def _written_out(text: str) -> int:
    """How many steps the pattern has with every least repetition written out: at least, and roughly."""
    sums = [0]
    last = 0  # the steps of what a repetition would repeat
    for step in _STEP.finditer(text):
        token = step.group()
        if token == "(":
            sums.append(0)
            last = 0
            continue
        if token == ")" and len(sums) > 1:
            last = sums.pop() + 1
        elif step[1] is not None and last:
            # The repeated part is in the sum once already.
            more = last * (max(int(step[1] or 0), 1) - 1) if len(step[1]) < 9 else MAX_WRITTEN_OUT
            last = min(last + more, MAX_WRITTEN_OUT + 1)
            sums[-1] += more
            continue
        else:
            last = 1
        sums[-1] += last
        if sums[-1] > MAX_WRITTEN_OUT:
            return sums[-1]
    return sum(sums)
