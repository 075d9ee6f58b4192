"""What a recording that was just made has to do with the one before it, and what of that a run should say: once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True, slots=True)
class RecordingFacts:
    """What was recorded live for one case, and what its recording said before ("": nothing, or there was none).

    ``sdk`` is the client library, ``model`` the one that was asked for, ``served`` those that answered.
    ``one_sample``: a single run stands for a model that samples.
    """

    sdk: str = ""
    version: str = ""
    version_before: str = ""
    model: str = ""
    served: tuple[str, ...] = ()
    served_before: str = ""
    one_sample: bool = False


def notices(facts: Iterable[RecordingFacts | None]) -> tuple[str, ...]:
    """One sentence for each thing that changed or should be known, with the number of cases it is true of."""
    return tuple(_notices(tuple(one for one in facts if one is not None)))


def _notices(facts: tuple[RecordingFacts, ...]) -> Iterator[str]:
    versions = Counter(
        (one.sdk, one.version_before, one.version)
        for one in facts
        if one.version_before and one.version and one.version_before != one.version
    )
    for (sdk, before, now), number in sorted(versions.items()):
        yield f"{_cases(number)} recorded with {sdk} {now}, and before with {before}"
    served = Counter(
        (one.model, one.served_before, name)
        for one in facts
        for name in one.served
        if one.served_before and name != one.served_before
    )
    for (model, before, now), number in sorted(served.items()):
        yield f"the model {model} is served by {now} now, and was by {before} ({number:,} case{'s' * (number != 1)})"
    samples = sum(one.one_sample for one in facts)
    if samples:
        yield (
            f"{_cases(samples)} recorded from a single sample, and the temperature is not 0: with repeat: N the "
            "report says how many of N runs pass"
        )


def _cases(number: int) -> str:
    return f"{number:,} {'case was' if number == 1 else 'cases were'}"
