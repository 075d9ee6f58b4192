"""What lies in a cassette folder: recordings, what recordings leave behind, and what other programs put there.

Links are named and never followed.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from posixpath import dirname, join
from typing import TYPE_CHECKING, Literal

from dryfire_action.cassette_file import FORMAT, SIZE_LIMIT
from dryfire_action.cassette_names import PARTIAL_FOLDER, cassette_path
from dryfire_action.cassette_partial import read_partial
from dryfire_action.cassette_store import below, read_cassette
from dryfire_action.errors import CassetteDamaged, RecordingError
from dryfire_action.tree import FolderTree, TreeError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dryfire_action.cassette import Cassette

Kind = Literal[
    "recording",  # `cassette` is it
    "damaged",
    "old format",  # of a version that is no longer read
    "new format",  # of a version that is not read yet
    "partial",  # `cassette` is what is whole of it
    "empty partial",  # nothing is whole
    "temporary",  # the file that a cassette was being replaced by
    "lock",
    "foreign",  # one turn, as dryfire 0.2 to 0.4 keeps it
    "link",
    "empty folder",
    "other",
]

_FOREIGN = re.compile(r"[0-9]{2,}-[0-9a-f]{16}(?:#[0-9]+)?\.json\Z")
_TEMPORARY = re.compile(r"\..+\.[0-9]+\.tmp\Z")
_FORMAT = re.compile(r"dryfire-cassette/([0-9]{1,9})\Z")


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in a cassette folder, with its path from the root of the tree."""

    path: str
    kind: Kind
    cassette: Cassette | None = None


def entries(root: Path, folder: str) -> tuple[Entry, ...]:
    """Everything below the cassette folder ``folder`` of the tree at ``root``, sorted by path."""
    tree = FolderTree(root, limit=SIZE_LIMIT)
    try:
        start = below(root, folder, links=False)
    except RecordingError:
        return ()
    return tuple(sorted(_entries(tree, start, folder, ()), key=lambda entry: entry.path))


def recordings_of(tree: FolderTree, folder: str, suite: str, case: str) -> tuple[str, ...]:
    """The paths of a case's recordings that are there: its own first, then those made under ``--model`` beside it."""
    home = cassette_path(folder, suite, case)
    beside = f"{home.removesuffix('.json')}@"
    # Not by tree.files alone: what is no plain file there is to be named by whoever reads it.
    own = [home] if os.path.lexists(tree.root / home) else []
    found = sorted(tree.files(dirname(home), hidden=True))
    return (*own, *(path for path in found if path.startswith(beside) and path.endswith(".json")))


def _entries(tree: FolderTree, place: Path, folder: str, above: tuple[str, ...]) -> Iterator[Entry]:
    try:
        found = list(os.scandir(place))
    except OSError:
        return
    if not found and above and above != (PARTIAL_FOLDER,):
        yield Entry(join(folder, *above), "empty folder")
    for item in found:
        parts = (*above, item.name)
        path = join(folder, *parts)
        if item.is_symlink():
            yield Entry(path, "link")
        elif item.is_dir(follow_symlinks=False):
            yield from _entries(tree, place / item.name, folder, parts)
        elif item.is_file(follow_symlinks=False):
            yield _entry(tree, path, parts)
        else:
            yield Entry(path, "other")


def _entry(tree: FolderTree, path: str, parts: tuple[str, ...]) -> Entry:
    name = parts[-1]
    if _TEMPORARY.match(name):
        return Entry(path, "temporary")
    if parts[0] == PARTIAL_FOLDER:
        if len(parts) == 3 and name.endswith(".jsonl.lock"):
            return Entry(path, "lock")
        return _partial(tree, path) if len(parts) == 3 and name.endswith(".jsonl") else Entry(path, "other")
    if len(parts) == 3 and _FOREIGN.match(name):
        return Entry(path, "foreign")
    return _recording(tree, path) if len(parts) == 2 and name.endswith(".json") else Entry(path, "other")


def _recording(tree: FolderTree, path: str) -> Entry:
    try:
        return Entry(path, "recording", read_cassette(tree, path))
    except CassetteDamaged:
        return Entry(path, _kind_of_damage(tree, path))


def _kind_of_damage(tree: FolderTree, path: str) -> Kind:
    try:
        document = json.loads(tree.read(path) or b"")
    except (TreeError, ValueError, RecursionError):
        return "damaged"
    found = document.get("format") if isinstance(document, dict) else None
    if found == FORMAT:
        return "damaged"
    version = _FORMAT.match(found) if isinstance(found, str) else None
    if version is None:
        return "other"
    ours = _FORMAT.match(FORMAT)
    assert ours is not None
    return "old format" if int(version[1]) < int(ours[1]) else "new format"


def _partial(tree: FolderTree, path: str) -> Entry:
    try:
        cassette = read_partial(tree, path)
    except CassetteDamaged:
        return Entry(path, "other")
    return Entry(path, "partial" if cassette else "empty partial", cassette)
