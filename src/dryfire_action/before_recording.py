"""What is done with the recordings that there are before any call is paid for.

Recordings of a renamed suite or case go to their new place, and those made under other rules get the digests of the
rules in force. Where neither can be done, nothing is touched, and the run says what is missing or stale as always.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from dryfire_action.base import replayed_cases
from dryfire_action.cassette_file import SIZE_LIMIT, header_from
from dryfire_action.cassette_names import cassette_path, partial_path
from dryfire_action.cassette_store import check_names, read_bytes, read_cassette, write_cassette
from dryfire_action.cassette_text import parse
from dryfire_action.errors import DryfireError
from dryfire_action.fingerprint import FINGERPRINT_VERSION
from dryfire_action.housekeeping import Plan, carry_out, plan
from dryfire_action.rekey import rekeyed
from dryfire_action.tree import FolderTree

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from dryfire_action.cassette import Cassette
    from dryfire_action.ignore_rules import IgnoreRule
    from dryfire_action.rehoming import Move
    from dryfire_action.suite import Case, Mode, Suite

REKEYED = "its digests follow the ignore rules in force now; no answer changed"


def settle(
    chosen: Sequence[tuple[Suite, Case]], mode: Mode | None, root: Path, model: str | None = None
) -> dict[str, str]:
    """Settle the recordings of those of ``chosen`` that will be recorded; a notice by the path of each that changed.

    ``mode`` None is each suite's own. Nothing is raised for recordings or suites that stand in the way.
    """
    found: dict[str, str] = {}
    replayed = replayed_cases(chosen).values()
    recording = [(suite, case) for suite, case in replayed if _mode(suite, mode) in ("auto", "record")]
    with suppress(DryfireError):  # a config that is wrong elsewhere, or a folder that refuses
        found |= _moved(recording, chosen, root, model)
    for suite, case in recording:
        if _mode(suite, mode) == "auto":
            path = _path(suite, case, model)
            try:
                if _rekeyed(suite, case, path, root):
                    found[path] = "; ".join(filter(None, (found.get(path), REKEYED)))
            except DryfireError:
                continue
    return found


def moves_to_come(
    chosen: Sequence[tuple[Suite, Case]], mode: Mode | None, root: Path, model: str | None = None
) -> dict[str, Cassette]:
    """The recordings that ``settle`` would move, finished and unfinished, by the path they go to. Nothing is moved."""
    replayed = replayed_cases(chosen).values()
    recording = [(suite, case) for suite, case in replayed if _mode(suite, mode) in ("auto", "record")]
    with suppress(DryfireError):
        moves, _ = _moves(recording, chosen, root, model)
        return {move.target: move.cassette for move in moves}
    return {}


def _moved(
    recording: Iterable[tuple[Suite, Case]],
    chosen: Iterable[tuple[Suite, Case]],
    root: Path,
    model: str | None,
) -> dict[str, str]:
    moves, homeless = _moves(recording, chosen, root, model)
    if moves:
        carry_out(Plan(moves), root)
    return {homeless[move.target]: f"the recording of {move.was} was moved here" for move in moves}


def _moves(
    recording: Iterable[tuple[Suite, Case]],
    chosen: Iterable[tuple[Suite, Case]],
    root: Path,
    model: str | None,
) -> tuple[tuple[Move, ...], dict[str, str]]:
    """What is to be moved, and the path of the cassette that each of the homeless files belongs to."""
    tree = FolderTree(root, limit=SIZE_LIMIT)
    homeless: dict[str, str] = {}
    folders = set()
    for suite, case in recording:
        path = _path(suite, case, model)
        if not _has_own(tree, path, case):
            homeless |= {path: path, partial_path(suite.config.cassettes, path): path}
            folders.add(suite.config.cassettes)
    if not homeless or not _strangers(chosen, tree, folders):
        return (), {}
    return tuple(move for move in plan(root, now=0.0).moves if move.target in homeless), homeless


def _strangers(chosen: Iterable[tuple[Suite, Case]], tree: FolderTree, folders: set[str]) -> bool:
    """Whether there is a recording that is of no case of these suites: else it is not worth reading all suites."""
    own = {path: case for suite, _ in chosen for case in suite.cases for path in [_path(suite, case, None)]}
    return any(
        path.endswith((".json", ".jsonl")) and not (path in own and _has_own(tree, path, own[path]))
        for folder in folders
        for path in tree.files(folder, hidden=True)
    )


def _rekeyed(suite: Suite, case: Case, path: str, root: Path) -> bool:
    tree = FolderTree(root, limit=SIZE_LIMIT)
    told = _told(tree, path)
    if told is None or told == (case.suite, case.name, suite.config.ignore, str(FINGERPRINT_VERSION)):
        return False
    cassette = read_cassette(tree, path)
    if cassette is None:
        return False
    check_names(cassette, path, case.suite, case.name)
    new = rekeyed(case, suite.config, cassette).cassette
    return new is not None and write_cassette(root, path, new)


def _mode(suite: Suite, mode: Mode | None) -> Mode:
    return mode or suite.config.mode or "replay"


def _path(suite: Suite, case: Case, model: str | None) -> str:
    return cassette_path(suite.config.cassettes, case.suite, case.name, model)


def _has_own(tree: FolderTree, path: str, case: Case) -> bool:
    """Whether something lies at ``path`` that is not another case's."""
    try:
        told = _told(tree, path)
    except DryfireError:
        return True
    return told is not None and told[:2] == (case.suite, case.name)


def _told(tree: FolderTree, path: str) -> tuple[str, str, tuple[IgnoreRule, ...], str] | None:
    """What a recording says of itself: suite, case, ignore rules, fingerprint version; None where there is none.

    Nothing is checked beyond that: the run that follows does. Raises ``CassetteDamaged`` for what is no recording.
    """
    content = read_bytes(tree, path)
    if content is None:
        return None
    document = parse(content.decode("utf-8", "replace"), path)
    header = header_from(document, path)
    try:
        version = str(document["exchanges"][0]["head"]["fingerprint_version"])
    except (LookupError, TypeError):
        version = ""
    return header.suite, header.case, header.ignore, version
