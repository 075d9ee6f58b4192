"""Whether the shards among several results are a whole run: each there, each once, all of the same cases."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Document = Mapping[str, Any]

_SHARD = re.compile(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})")
_MOST_TOLD = 20


def shard_of(document: Document) -> tuple[int, int] | None:
    """``(8, 2)`` for shard 2/8, so that shards of one run sort together; None for what is no shard."""
    match = _SHARD.fullmatch(document["shard"] or "")
    return (int(match[2]), int(match[1])) if match else None


def shard_problems(parts: Sequence[Document]) -> list[dict[str, Any]]:
    """What keeps the shards among ``parts`` from being a whole run, as problems of the result file."""
    found = []
    by_total: dict[int, list[tuple[int, Document]]] = {}
    for part in parts:
        shard = shard_of(part)
        if shard is not None and shard[1] <= shard[0]:
            by_total.setdefault(shard[0], []).append((shard[1], part))
        elif part["shard"] is not None:
            found.append(problem("a result is of a shard that cannot be", "It must be as 2/8."))
    for total, there in sorted(by_total.items(), key=lambda one: one[0]):
        found += _of_one_run(total, there)
    return found


def problem(message: str, hint: str) -> dict[str, Any]:
    """A problem that stands in no file."""
    return {"file": None, "line": None, "column": None, "message": message, "hint": hint}


def _of_one_run(total: int, there: Sequence[tuple[int, Document]]) -> Iterator[dict[str, Any]]:
    numbers = [number for number, _ in there]
    missing = [number for number in range(1, total + 1) if number not in numbers]
    for number in missing[:_MOST_TOLD]:
        yield problem(
            f"shard {number}/{total} did not report", "Its cases were not checked. Look at its job."
        )
    if len(missing) > _MOST_TOLD:
        yield problem(
            f"{len(missing) - _MOST_TOLD:,} more shards of {total} did not report", "Look at their jobs."
        )
    for number in sorted({number for number in numbers if numbers.count(number) > 1}):
        yield problem(f"shard {number}/{total} reported twice", "Merge the results of one run of each shard.")
    if len(numbers) == total and not missing and not _is_whole([part for _, part in there]):
        hint = "Call each shard with the same arguments, on the same commit."
        yield problem(f"the {total} shards are not parts of one run", hint)


def _is_whole(parts: Sequence[Document]) -> bool:
    """Whether the parts together hold as many cases as each says there are."""
    held = [sum(len(suite["cases"]) for suite in part["suites"]) + part["not_run"] for part in parts]
    return all(
        part["problems"] or own + part["elsewhere"] == sum(held)
        for own, part in zip(held, parts, strict=True)
    )
