"""The causes of several results as those of one: the same edit is one cause, whichever shard or job it showed in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dryfire_action.causes import rank
from dryfire_action.field_paths import without_indices

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dryfire_action.merged_suites import Joined

    Document = Mapping[str, Any]


def joined_causes(parts: Sequence[Document], joined: Joined) -> list[dict[str, Any]]:
    """The causes of ``parts``, the most far-reaching first. Cases that two parts have alike count once."""
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for part, renamed, doubles in zip(parts, joined.renamed, joined.doubles, strict=True):
        for cause in part["causes"]:
            edit = (without_indices(cause["path"]), cause["change"], cause["old"], cause["new"])
            twice = sum(_turns_in(doubles[case], edit) for case in cause["cases"] if case in doubles)
            cases = [renamed.get(case, case) for case in cause["cases"]]
            found.setdefault(edit, []).append(
                {**cause, "cases": cases, "turns": max(cause["turns"] - twice, 0)}
            )
    order = {case_id: number for number, case_id in enumerate(joined.ids)}
    files = {suite["file"]: number for number, suite in enumerate(joined.suites)}
    causes = [_joined(edit[0], same, order, files) for edit, same in found.items()]
    return sorted(
        causes,
        key=lambda one: rank(one["path"], len(one["cases"]), one["turns"], one["old"], one["new"]),
    )


def _joined(
    generic: str, same: Sequence[Mapping[str, Any]], order: Mapping[str, int], files: Mapping[str, int]
) -> dict[str, Any]:
    if len(same) == 1:
        return dict(same[0])
    paths = dict.fromkeys(cause["path"] for cause in same)
    notes = dict.fromkeys(part for cause in same if cause["note"] for part in cause["note"].split("; "))
    where = {(place["file"], place["line"]): place for cause in same for place in cause["where"]}
    cases = dict.fromkeys(case for cause in same for case in cause["cases"])
    return {
        "path": next(iter(paths)) if len(paths) == 1 else generic,
        "change": same[0]["change"],
        "old": same[0]["old"],
        "new": same[0]["new"],
        "cases": sorted(cases, key=lambda case: order.get(case, len(order))),
        "turns": sum(cause["turns"] for cause in same),
        "where": [where[at] for at in sorted(where, key=lambda at: (files.get(at[0], -1), at))],
        "diff": next((cause["diff"] for cause in same if cause["diff"]), None),
        "inside": next((cause["inside"] for cause in same if cause["inside"]), None),
        "note": "; ".join(notes) or None,
    }


def _turns_in(case: Mapping[str, Any], edit: tuple[Any, ...]) -> int:
    """In how many turns of a case this edit shows."""
    return sum(
        any(
            (without_indices(change["path"]), change["change"], change["old"], change["new"]) == edit
            for change in turn["changes"]
        )
        for run in case["runs"]
        for turn in run["turns"]
    )
