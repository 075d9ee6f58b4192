"""Comparing with the base: what it replays that the head does not, and what new recordings changed.

Both sides are selected by the same arguments, each under its own ``dryfire.yaml``, so that a narrow run calls nothing
shrunk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dryfire_action.behaviour import BehaviourChange, NoLongerReplayed, behaviour_change
from dryfire_action.cassette_names import cassette_path
from dryfire_action.cassette_store import read_cassette
from dryfire_action.errors import DryfireError
from dryfire_action.git_log import merge_base
from dryfire_action.git_objects import GitObjects
from dryfire_action.git_process import NoRepository

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from dryfire_action.behaviour import Reason
    from dryfire_action.suite import Case, Suite
    from dryfire_action.tree import Tree

    # A case is the same on both sides if its config's folder, its suite's and its own name are.
    Cases = Mapping[tuple[str, str, str], tuple[Suite, Case]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The recordings of the head beside those of the base, case by case, in the head's order.

    ``unchanged``, ``unrecorded`` and ``damaged`` are ids of cases: those that behave as before, and those that say
    nothing because there is no recording or because one of the two cannot be read.
    """

    changes: tuple[BehaviourChange, ...]
    gone: tuple[NoLongerReplayed, ...]
    unchanged: tuple[str, ...] = ()
    unrecorded: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()


def default_base(root: Path, head: str = "HEAD") -> str | None:
    """The id of the commit that ``head`` is compared with where none is named; None where none is in reach.

    That is its merge base with the default branch; where this clone knows no such branch, as a workflow's, the first
    parent of a merge, which for the merge commit of a pull request is the branch it goes to. Raises ``GitError``.
    """
    try:
        found = merge_base(root, head=head)
        if found is not None:
            return found
        with GitObjects(root) as objects:
            commit = objects.commit(head)
            parent = commit.parents[0] if commit is not None and commit.is_merge else None
            # In a shallow clone the parent may be named and not be there.
            return parent if parent is not None and objects.commit(parent) is not None else None
    except NoRepository:
        return None


def replayed_cases(chosen: Iterable[tuple[Suite, Case]]) -> Cases:
    """Those of ``chosen`` that are replayed from recordings.

    That is no passthrough, nothing in mode ``off``, and what is scripted only if that is recorded.
    """
    return {
        (suite.config.folder, case.suite, case.name): (suite, case)
        for suite, case in chosen
        if case.passthrough_rule is None
        and (not case.scripted or suite.config.scripted)
        and suite.config.mode != "off"
    }


def no_longer_replayed(
    base: Iterable[tuple[Suite, Case]], head: Sequence[tuple[Suite, Case]]
) -> tuple[NoLongerReplayed, ...]:
    """The cases that ``base`` replays and ``head`` does not, in the base's order."""
    head_all = {(suite.config.folder, case.suite, case.name): (suite, case) for suite, case in head}
    head_replayed = replayed_cases(head)
    return tuple(
        NoLongerReplayed(case.id, _reason(head_all.get(key)))
        for key, (_, case) in replayed_cases(base).items()
        if key not in head_replayed
    )


def compared(
    base: Iterable[tuple[Suite, Case]],
    base_tree: Tree,
    head: Sequence[tuple[Suite, Case]],
    head_tree: Tree,
    model: str | None = None,
) -> Comparison:
    """The recordings of ``head`` beside those of ``base``, those of ``--model`` where ``model`` is given.

    Files that are the same byte for byte are not opened.
    """
    before = replayed_cases(base)
    changes = []
    found: dict[str, list[str]] = {"unchanged": [], "unrecorded": [], "damaged": []}
    for key, one in replayed_cases(head).items():
        told = _compared(before.get(key), base_tree, one, head_tree, model)
        if isinstance(told, BehaviourChange):
            changes.append(told)
        else:
            found[told].append(one[1].id)
    gone = no_longer_replayed(before.values(), head)
    return Comparison(tuple(changes), gone, **{name: tuple(ids) for name, ids in found.items()})


def _compared(
    before: tuple[Suite, Case] | None,
    base_tree: Tree,
    now: tuple[Suite, Case],
    head_tree: Tree,
    model: str | None,
) -> BehaviourChange | Literal["unchanged", "unrecorded", "damaged"]:
    suite, case = now
    path = cassette_path(suite.config.cassettes, case.suite, case.name, model)
    base_path = cassette_path((before or now)[0].config.cassettes, case.suite, case.name, model)
    try:
        content = head_tree.read(path)
        if content is None:
            return "unrecorded"
        if content == base_tree.read(base_path):
            return "unchanged"
        recorded = read_cassette(head_tree, path)
        assert recorded is not None
        return behaviour_change(case.id, read_cassette(base_tree, base_path), recorded) or "unchanged"
    except DryfireError:
        return "damaged"


def _reason(now: tuple[Suite, Case] | None) -> Reason:
    if now is None:
        return "deleted"
    suite, case = now
    if case.passthrough_rule:
        return "passthrough"
    return "scripted" if case.scripted and not suite.config.scripted else "off"
