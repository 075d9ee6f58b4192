"""Which suites and cases there are anywhere in the repository, whoever runs them and whether or not they are right.

Housekeeping asks this before it calls a recording orphaned. So suites count that no glob of a config names (they are
run by path), suites with problems count by their names, and one whose names cannot be read protects all recordings of
its config.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dryfire_action.config_file import Configs
from dryfire_action.errors import DryfireError
from dryfire_action.globs import matching
from dryfire_action.node import Problems
from dryfire_action.suite import Config
from dryfire_action.suite_file import load_suites
from dryfire_action.tree import CONFIG_NAME, folder_of
from dryfire_action.yaml_io import read_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dryfire_action.messages import JsonValue
    from dryfire_action.suite import Suite
    from dryfire_action.tree import Tree

    Names = frozenset[tuple[str, str]]

_CALLED_SUITES = (".eval.yaml", ".eval.yml")
_YAML = (".yaml", ".yml")
# How people write what a suite must have: it tells a suite whose text is no YAML just now.
_WRITTEN_KEY = re.compile(rb"^[\"']?cases[\"']?\s*:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class KnownSuites:
    """All suites of a tree by cassette folder.

    ``suites`` are those without problems; ``names`` the ``(suite, case)`` of all, and ``unreadable`` the files whose
    names are not known, both by the cassette folder of their config. ``folders`` are all cassette folders.
    """

    suites: tuple[Suite, ...]
    names: Mapping[str, Names]
    unreadable: Mapping[str, tuple[str, ...]]
    folders: tuple[str, ...]


def find_suites(tree: Tree) -> KnownSuites:
    """The suites of ``tree``, hidden folders included. Raises ``SpecError`` where a config is wrong."""
    problems = Problems()
    configs = Configs(tree, problems)
    files = [path for path in tree.files(hidden=True) if "node_modules" not in path.split("/")]
    of_configs = [path for path in files if path.rpartition("/")[2] == CONFIG_NAME]
    folders = {Config().cassettes} | {
        file.config.cassettes for path in of_configs if (file := configs.at(path))
    }
    named = set(_named(tree, configs, of_configs))
    candidates = sorted(path for path in files if path in named or _may_be_suite(tree, path))
    suites = _loaded(tree, candidates)
    names: dict[str, set[tuple[str, str]]] = {folder: set() for folder in folders}
    unreadable: dict[str, list[str]] = {}
    for path in candidates:
        config_file = configs.nearest(folder_of(path))
        folder = (config_file.config if config_file else Config()).cassettes
        suite = suites.get(path)
        found = {(suite.name, case.name) for case in suite.cases} if suite else _names_in(tree, path)
        if found is None:
            unreadable.setdefault(folder, []).append(path)
        else:
            names.setdefault(folder, set()).update(found)
    if len(problems):
        problems.stop()
    return KnownSuites(
        suites=tuple(suites.values()),
        names={folder: frozenset(found) for folder, found in names.items()},
        unreadable={folder: tuple(found) for folder, found in unreadable.items()},
        folders=tuple(sorted(names.keys() | unreadable.keys())),
    )


def _named(tree: Tree, configs: Configs, of_configs: list[str]) -> Iterator[str]:
    for path in of_configs:
        file = configs.at(path)
        for pattern in file.config.suites if file else ():
            try:
                yield from matching(tree, pattern, folder_of(path))
            except DryfireError:
                continue


def _may_be_suite(tree: Tree, path: str) -> bool:
    if path.endswith(_CALLED_SUITES):
        return True
    if not path.endswith(_YAML) or path.rpartition("/")[2] == CONFIG_NAME:
        return False
    data = _read(tree, path)
    if b"cases" not in data or b"name" not in data:
        return False
    try:
        return isinstance(_cases_in(tree, path), list)
    except DryfireError:
        # Many a file called .yaml is a template for one, and no suite either.
        return bool(_WRITTEN_KEY.search(data))


def _loaded(tree: Tree, candidates: list[str]) -> dict[str, Suite]:
    """The suites without problems, by file."""
    try:
        return {suite.file: suite for suite in load_suites(tree, candidates)} if candidates else {}
    except DryfireError:
        found: dict[str, Suite] = {}
    for path in candidates:
        # One by one: two suites of one name are a problem only together, as where one is run by its path.
        with suppress(DryfireError):
            found.update({suite.file: suite for suite in load_suites(tree, [path])})
    return found


def _names_in(tree: Tree, path: str) -> set[tuple[str, str]] | None:
    """The names in a suite that has problems; None where they cannot be known."""
    try:
        root = read_document(_read(tree, path), path).value
    except DryfireError:
        return None
    cases = root.get("cases") if isinstance(root, dict) else None
    if not isinstance(root, dict) or not isinstance(cases, list):
        return None
    names = [root.get("name"), *(case.get("name") if isinstance(case, dict) else None for case in cases)]
    # What is filled in from elsewhere is not known here.
    texts = [name for name in names if isinstance(name, str) and "${" not in name]
    return {(texts[0], name) for name in texts[1:]} if len(texts) == len(names) else None


def _cases_in(tree: Tree, path: str) -> JsonValue:
    """What stands under ``cases``, None where nothing does. Raises ``SpecError``."""
    root = read_document(_read(tree, path), path).value
    return root.get("cases") if isinstance(root, dict) else None


def _read(tree: Tree, path: str) -> bytes:
    try:
        return tree.read(path) or b""
    except DryfireError:
        return b""
