"""Where the recording of a test lies, and what its marker says."""

from __future__ import annotations

import shlex
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.cassette_names import PARTIAL_FOLDER, safe_name

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = "cassettes"
SUFFIX = ".jsonl"
LIBRARY_OPTIONS = ("exceptions", "serialisers", "metadata", "ignore", "requests")
_OPTIONS = frozenset({"path", "mode", "record_clients", "allow_hosts", *LIBRARY_OPTIONS})
_MARKED_MODES = ("replay", "lenient")


def options_of(item: pytest.Item) -> dict[str, Any]:
    """What the markers of a test say, those nearer to it counting more. Raises ``pytest.UsageError``."""
    found: dict[str, Any] = {}
    for marker in reversed(list(item.iter_markers("cassette"))):
        found.update(marker.kwargs)
        if marker.args:
            found["path"] = marker.args[0]
        wrong = marker.kwargs.keys() - _OPTIONS
        if wrong or len(marker.args) > 1:
            raise pytest.UsageError(
                f"{item.nodeid}: @pytest.mark.cassette knows no {', '.join(sorted(wrong)) or 'second argument'}; "
                f"there are {', '.join(sorted(_OPTIONS))}"
            )
    if found.get("mode") not in (None, *_MARKED_MODES):
        raise pytest.UsageError(
            f"{item.nodeid}: @pytest.mark.cassette(mode={found['mode']!r}): a marker says replay or lenient; "
            "what calls a model is said on the command line, with --cassette-mode"
        )
    return found


def path_of(item: pytest.Item, options: dict[str, Any] | None = None) -> Path:
    """Where the recording of a test lies: beside it, or where its marker says (relative to the test's folder)."""
    named = (options_of(item) if options is None else options).get("path")
    if named is not None:
        path = Path(item.path.parent, named)
        return path if path.suffix in (SUFFIX, ".json") else path.with_name(path.name + SUFFIX)
    classes = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
    name = safe_name(".".join([*classes, item.name]))
    return item.path.parent / FOLDER / safe_name(item.path.stem) / f"{name}{SUFFIX}"


def partial_path(path: Path) -> Path:
    """Where the answers of a recording that goes on are kept."""
    return path.parent / PARTIAL_FOLDER / path.name


def command_for(nodeids: Iterable[str]) -> str:
    """The command that records what is not recorded of these tests, and nothing else."""
    return f"pytest {' '.join(map(shlex.quote, nodeids))} --cassette-mode auto"


def refuse_shared_files(items: Iterable[pytest.Item]) -> None:
    """Raise ``pytest.UsageError`` where two tests would record into one file."""
    owners: dict[Path, str] = {}
    for item in items:
        path = path_of(item)
        if path in owners and options_of(item).get("mode") is None:
            raise pytest.UsageError(
                f"{owners[path]} and {item.nodeid} would record into one file, {path.name}: give each its own path, or "
                'mark all but one of them with mode="replay"'
            )
        owners.setdefault(path, item.nodeid)


def unused_files(items: Iterable[pytest.Item]) -> list[str]:
    """The recordings that lie beside these tests and belong to none of them, relative to the root."""
    items = list(items)
    used = {path_of(item) for item in items}
    root = items[0].config.rootpath
    folders = {item.path.parent / FOLDER / safe_name(item.path.stem) for item in items}
    found = [path for folder in folders for path in folder.glob(f"*{SUFFIX}") if path not in used]
    for above in {folder.parent for folder in folders}:
        # Of a module that is gone; one whose name was cleaned cannot be told from here.
        gone = (each for each in above.glob("*") if each.is_dir() and each not in folders and _is_gone(each))
        found += [path for folder in gone for path in folder.glob(f"*{SUFFIX}")]
    return sorted(relative(path, root) for path in found)


def _is_gone(folder: Path) -> bool:
    return safe_name(folder.name) == folder.name and not (folder.parent.parent / f"{folder.name}.py").exists()


def shown(path: Path, item: pytest.Item) -> str:
    """``path`` as messages have it."""
    return relative(path, item.config.rootpath)


def relative(path: Path, root: Path) -> str:
    """``path`` from ``root``, with forward slashes; as it is where it lies elsewhere."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def typed(item: pytest.Item) -> str:
    """The id of a test as it is typed in the folder where pytest was started."""
    file = relpath(item.path, item.config.invocation_params.dir)
    return f"{Path(file).as_posix()}::{item.nodeid.partition('::')[2]}"
