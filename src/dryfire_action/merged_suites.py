"""The suites of several results as those of one: joined where they are the same, kept apart where they are not.

The same case with the same result is told once. A case that came out otherwise in another result, and a suite of the
same name from another file, get a suite of their own that is named after the result, so that none hides the other.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from dryfire_action.results import TO_ASK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Document = Mapping[str, Any]

_LAST = 2**53


@dataclass(slots=True)
class Joined:
    """The suites, and how each part's cases are called in them: for each part, new ids by old.

    ``doubles`` are, for each part, the entries of cases that an earlier part has with the same result.
    """

    parts: Sequence[Document]
    suites: list[dict[str, Any]] = field(default_factory=list)
    renamed: list[dict[str, str]] = field(default_factory=list)
    doubles: list[dict[str, Mapping[str, Any]]] = field(default_factory=list)

    @property
    def cases(self) -> Iterator[Mapping[str, Any]]:
        """All entries of cases."""
        return (case for suite in self.suites for case in suite["cases"])

    @property
    def ids(self) -> list[str]:
        """The ids of all cases, in order."""
        return [f"{suite['name']}::{case['name']}" for suite in self.suites for case in suite["cases"]]

    def counts(self, outcomes: Sequence[str]) -> dict[str, int]:
        """How many cases had each of ``outcomes``, and how many turns there were."""
        numbers = Counter(case["outcome"] for case in self.cases)
        return {
            "cases": sum(numbers.values()),
            **{outcome: numbers[outcome] for outcome in outcomes},
            "turns": sum(len(run["turns"]) for case in self.cases for run in case["runs"]),
        }

    def each(self, key: str, *, in_order: bool = True) -> list[dict[str, Any]]:
        """The entries under ``key`` of all parts, each once, under the cases' new ids and ``in_order`` of the cases."""
        found: dict[str, dict[str, Any]] = {}
        for part, names in zip(self.parts, self.renamed, strict=True):
            for one in part[key] or ():
                entry = {**one, "case": names.get(one["case"], one["case"])}
                found.setdefault(json.dumps(entry, sort_keys=True), entry)
        order = {case_id: number for number, case_id in enumerate(self.ids)} if in_order else {}
        return sorted(found.values(), key=lambda entry: order.get(entry["case"], _LAST))

    def cost(self) -> dict[str, Any]:
        """What it takes to record what is stale or missing, as the result file says it."""
        turns = [
            turn
            for case in self.cases
            for run in case["runs"]
            for turn in run["turns"]
            if turn["outcome"] in TO_ASK
        ]
        tokens = {kind: sum(turn["tokens"][kind] for turn in turns) for kind in ("input", "output")}
        return {"calls": len(turns), "tokens": tokens}


def joined_suites(parts: Sequence[Document], names: Sequence[str], shards: Sequence[bool]) -> Joined:
    """The suites of ``parts`` by file, the cases of each by line. ``names`` are those of the parts.

    ``shards`` says which parts are shards: those are parts of one run, and never of different ones.
    """
    joined = Joined(parts)
    shelf = _Shelf()
    for number, part in enumerate(parts):
        renamed: dict[str, str] = {}
        doubles: dict[str, Mapping[str, Any]] = {}
        for suite in part["suites"]:
            for case in suite["cases"]:
                old = f"{suite['name']}::{case['name']}"
                name, twice = shelf.put(suite, case, names[number], -1 if shards[number] else number)
                renamed.setdefault(old, f"{name}::{case['name']}")
                if twice:
                    doubles[old] = case
        joined.renamed.append(renamed)
        joined.doubles.append(doubles)
    joined.suites = shelf.suites()
    return joined


class _Shelf:
    """The suites while they are joined: by name and file, with who brought a name for a file."""

    def __init__(self) -> None:
        self._cases: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
        self._owners: dict[str, dict[str, int]] = {}

    def put(
        self, suite: Mapping[str, Any], case: Mapping[str, Any], label: str, owner: int
    ) -> tuple[str, bool]:
        """Put a case of ``suite`` where it fits; the name of the suite it is in now, and whether it was there."""
        file = suite["file"]
        for name in _names(suite["name"], label):
            owners = self._owners.setdefault(name, {})
            if any(other != file and of != owner for other, of in owners.items()):
                continue
            there = self._cases.get((name, file), {}).get(case["name"])
            if there is None:
                owners.setdefault(file, owner)
                self._cases.setdefault((name, file), {})[case["name"]] = case
                return name, False
            if there == case:
                return name, True
        raise AssertionError("there is always another name")

    def suites(self) -> list[dict[str, Any]]:
        """The suites by file, those of one file in the order they came."""
        return [
            {"name": name, "file": file, "cases": sorted(cases.values(), key=_line)}
            for (name, file), cases in sorted(self._cases.items(), key=lambda one: one[0][1])
        ]


def _names(name: str, label: str) -> Iterator[str]:
    """What a suite may be called: its name, or with that of its result where another one is in the way."""
    yield name
    yield f"{name} ({label})"
    yield from (f"{name} ({label}, {number})" for number in count(2))


def _line(case: Mapping[str, Any]) -> int:
    return int(case["line"] or _LAST)
