"""Putting the base beside a run: which commit that is, its suites by the same arguments, and what came of it.

No result is made green or red by this; it says what a green result leaves out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dryfire_action.base import compared, default_base
from dryfire_action.cassette_file import SIZE_LIMIT
from dryfire_action.errors import DryfireError, SpecError, UsageError
from dryfire_action.git_log import NO_COMMITS, NO_REPOSITORY, merge_base, repository
from dryfire_action.git_objects import GitObjects
from dryfire_action.git_tree import CommitTree
from dryfire_action.globs import NothingMatched, matching
from dryfire_action.runner import selected
from dryfire_action.suite_file import load_suites
from dryfire_action.tree import FolderTree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from dryfire_action.base import Comparison
    from dryfire_action.behaviour import NoLongerReplayed
    from dryfire_action.results import Results
    from dryfire_action.runner import RunOptions
    from dryfire_action.suite import Suite
    from dryfire_action.tree import Tree

CUT_OFF = "it is not in this checkout (use fetch-depth: 2)"
NO_BRANCH = "this clone has no default branch (name a commit with --base)"


def with_comparison(
    results: Results,
    suites: Sequence[Suite],
    options: RunOptions,
    *,
    root: Path,
    patterns: Sequence[str] = (),
    revision: str | None = None,
) -> Results:
    """``results`` with ``base``, ``no_longer_replayed`` and ``behaviour``, or with ``not_compared``: why not.

    ``suites`` are those that were loaded for the run, ``patterns`` the ones they were named by. ``revision`` is what
    the base branches off from (None: the default branch). Nothing is raised for what git or the base is like.
    """
    try:
        place = repository(root)
        if place is None:
            return replace(results, not_compared=NO_REPOSITORY)
        base = _base(root, revision)
        if base is None:
            return replace(results, not_compared=why_none(root, shallow=place.shallow))
        found = compare(base, suites, options, root=root, prefix=place.prefix, patterns=patterns)
    except SpecError as error:
        where = error.problems[0].place
        return replace(results, not_compared=f"its suites cannot be read: {where.file}:{where.line}")
    except DryfireError as error:
        return replace(results, not_compared=error.message)
    ids = {case.id for suite in suites for case in suite.cases}
    gone = tuple(_left_out(one) if one.case in ids else one for one in found.gone)
    changes = found.changes
    if options.shard:
        # What no shard has any more is told by the first.
        own = {case.id for case in results.cases}
        asked = {case.id for _, case in selected(suites, options)}
        first = options.shard.number == 1
        gone = tuple(one for one in gone if one.case in own or (first and one.case not in asked))
        changes = tuple(one for one in changes if one.case in own)
    return replace(results, base=base, no_longer_replayed=gone, behaviour=changes)


def compare(
    base: str,
    suites: Sequence[Suite],
    options: RunOptions,
    *,
    root: Path,
    prefix: str = "",
    patterns: Sequence[str] = (),
) -> Comparison:
    """The recordings of ``suites`` beside those that the same arguments select at the commit ``base``.

    ``prefix`` is the place of ``root`` in its repository. Raises ``GitError``, and ``SpecError`` for the suites of the
    base, whose problems then are in its files.
    """
    with GitObjects(root) as objects:
        tree = CommitTree(objects, base, prefix=prefix, limit=SIZE_LIMIT)
        before = selected(_in_mode(_suites_of(tree, patterns, options), options), options)
        now = selected(_in_mode(suites, options), options)
        return compared(before, tree, now, FolderTree(root, limit=SIZE_LIMIT), options.model)


def why_none(root: Path, *, shallow: bool) -> str:
    """Why there is no default base in reach."""
    with GitObjects(root) as objects:
        if objects.commit("HEAD") is None:
            return NO_COMMITS
    return CUT_OFF if shallow else NO_BRANCH


def _base(root: Path, revision: str | None) -> str | None:
    """The commit to compare with, None where none is in reach."""
    if revision is None:
        return default_base(root)
    found = merge_base(root, revision)
    if found is not None:
        return found
    # Where history is cut off, the revision itself is the closest there is.
    with GitObjects(root) as objects:
        commit = objects.commit(revision)
    return commit.oid if commit else None


def _suites_of(tree: Tree, patterns: Sequence[str], options: RunOptions) -> tuple[Suite, ...]:
    """The suites that the same arguments name in ``tree``; what is not there yet is no mistake."""
    there = [pattern for pattern in patterns if _is_there(tree, pattern, options.cwd)]
    if patterns and not there:
        return ()
    try:
        return load_suites(tree, there, cwd=options.cwd, model=options.model)
    except UsageError:
        return ()


def _is_there(tree: Tree, pattern: str, cwd: str) -> bool:
    try:
        return bool(matching(tree, pattern, cwd))
    except NothingMatched:
        return False


def _in_mode(suites: Sequence[Suite], options: RunOptions) -> Iterator[Suite]:
    """``suites`` with the mode that they are run in."""
    for suite in suites:
        mode = options.mode or suite.config.mode
        yield replace(suite, config=replace(suite.config, mode=mode))


def _left_out(one: NoLongerReplayed) -> NoLongerReplayed:
    return replace(one, reason="left_out") if one.reason == "deleted" else one
