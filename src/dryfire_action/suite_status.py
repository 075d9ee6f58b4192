"""The state of one suite's recordings, as a value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SuiteStatus:
    """One suite's recordings.

    ``fresh``, ``stale``, ``missing``, ``damaged`` and ``excluded`` count its cases by what a replay makes of them
    (fresh ones may fail an assertion; scripted ones that are not recorded are in none of them). ``scripted`` counts
    cases whose answers are their suite's own. ``turns`` counts recorded answers, ``beside`` recordings made under
    ``--model``. ``oldest`` and ``newest`` are dates of answers, "" where there is none; ``asked`` and ``served`` are
    models.
    """

    name: str
    file: str
    cases: int
    turns: int
    fresh: int = 0
    stale: int = 0
    missing: int = 0
    damaged: int = 0
    excluded: int = 0
    scripted: int = 0
    beside: int = 0
    oldest: str = ""
    newest: str = ""
    asked: tuple[str, ...] = ()
    served: tuple[str, ...] = ()
