"""Comparing with the base: what it replays that the head does not, and what new recordings changed.

Both sides are selected by the same arguments, each under its own ``dryfire.yaml``, so that a narrow run calls nothing
shrunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.behaviour import BehaviourChange, NoLongerReplayed, behaviour_change
from dryfire_action.cassette_names import cassette_path
from dryfire_action.cassette_store import read_cassette
from dryfire_action.errors import DryfireError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dryfire_action.behaviour import Reason
    from dryfire_action.suite import Case, Suite
    from dryfire_action.tree import Tree

    # A case is the same on both sides if its config's folder, its suite's and its own name are.
    Cases = Mapping[tuple[str, str, str], tuple[Suite, Case]]


def replayed_cases(chosen: Iterable[tuple[Suite, Case]]) -> Cases:
    """Those of ``chosen`` that are replayed from recordings: no passthrough, and scripted only if that is recorded."""
    return {
        (suite.config.folder, case.suite, case.name): (suite, case)
        for suite, case in chosen
        if case.passthrough_rule is None and (not case.scripted or suite.config.scripted)
    }


def no_longer_replayed(
    base: Iterable[tuple[Suite, Case]], head: Sequence[tuple[Suite, Case]]
) -> tuple[NoLongerReplayed, ...]:
    """The cases that ``base`` replays and ``head`` does not, in the base's order."""
    head_all = {(suite.config.folder, case.suite, case.name): case for suite, case in head}
    head_replayed = replayed_cases(head)
    return tuple(
        NoLongerReplayed(case.id, _reason(head_all.get(key)))
        for key, (_, case) in replayed_cases(base).items()
        if key not in head_replayed
    )


def behaviour_changes(
    base: Iterable[tuple[Suite, Case]],
    base_tree: Tree,
    head: Iterable[tuple[Suite, Case]],
    head_tree: Tree,
    model: str | None = None,
) -> tuple[BehaviourChange, ...]:
    """How the recordings of ``head`` differ from those of ``base``, in the head's order.

    Files that are the same byte for byte are not opened twice; damaged ones are named elsewhere.
    """
    return tuple(_changes(replayed_cases(base), base_tree, replayed_cases(head), head_tree, model))


def _changes(
    base: Cases, base_tree: Tree, head: Cases, head_tree: Tree, model: str | None
) -> Iterator[BehaviourChange]:
    for key, (suite, case) in head.items():
        path = cassette_path(suite.config.cassettes, case.suite, case.name, model)
        before = base.get(key)
        base_path = (
            cassette_path(before[0].config.cassettes, case.suite, case.name, model) if before else path
        )
        try:
            if head_tree.read(path) == base_tree.read(base_path):
                continue
            recorded = read_cassette(head_tree, path)
            if recorded is None:
                continue
            change = behaviour_change(case.id, read_cassette(base_tree, base_path), recorded)
        except DryfireError:
            continue
        if change is not None:
            yield change


def _reason(case: Case | None) -> Reason:
    if case is None:
        return "deleted"
    return "passthrough" if case.passthrough_rule else "scripted"
