"""``dryfire.yaml``: which suites there are, their defaults, where recordings live, what may be filled in.

The nearest one above a suite counts, and none outside the tree, so several packages of a repository can each have one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dryfire_action.config_sections import (
    read_cassettes,
    read_env,
    read_ignore,
    read_prices,
    read_providers,
    read_redact,
)
from dryfire_action.errors import Place, Problem, SpecError
from dryfire_action.node import Problems, integer, mapping, root_of, texts
from dryfire_action.suite import Config
from dryfire_action.suite_settings import KEYS, Settings, read_settings
from dryfire_action.tree import CONFIG_NAME, TreeError, folder_of
from dryfire_action.yaml_io import read_document

if TYPE_CHECKING:
    from dryfire_action.tree import Tree

_KEYS = (
    "version",
    "defaults",
    "suites",
    "cassettes",
    "providers",
    "env",
    "fingerprint",
    "redact",
    "prices",
    "pricing_file",
)


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A config with what only the loader needs: ``defaults`` with their places, and ``warnings``."""

    config: Config
    defaults: Settings = field(default_factory=Settings)
    warnings: tuple[str, ...] = ()


class Configs:
    """The configs of one load, each read once. What is wrong in them goes to ``problems``."""

    def __init__(self, tree: Tree, problems: Problems) -> None:
        self.tree = tree
        self.problems = problems
        self._known: dict[str, ConfigFile | None] = {}
        self._nearest: dict[str, str | None] = {}

    def nearest(self, folder: str) -> ConfigFile | None:
        """The config at or above ``folder``, the built-in one where there is none; None where it is wrong."""
        path = self.path_above(folder)
        return ConfigFile(Config()) if path is None else self.at(path)

    def path_above(self, folder: str) -> str | None:
        """The path of the config at or above ``folder``."""
        passed = []
        found: str | None = None
        while True:
            if folder in self._nearest:
                found = self._nearest[folder]
                break
            passed.append(folder)
            path = f"{folder}/{CONFIG_NAME}" if folder else CONFIG_NAME
            if self._exists(path):
                found = path
                break
            if not folder:
                break
            folder = folder_of(folder)
        self._nearest.update(dict.fromkeys(passed, found))
        return found

    def at(self, path: str) -> ConfigFile | None:
        """The config at ``path``; None where it is wrong, which is noted."""
        if path not in self._known:
            try:
                self._known[path] = read_config(self.tree, path)
            except SpecError as error:
                self.problems.note(*error.problems)
                self._known[path] = None
        return self._known[path]

    def _exists(self, path: str) -> bool:
        try:
            return self.tree.read(path) is not None
        except TreeError:
            return True  # reading it says what is wrong with it


def load_config(tree: Tree, path: str) -> Config:
    """Read the ``dryfire.yaml`` at ``path``. Raises ``SpecError`` with everything that is wrong in it."""
    return read_config(tree, path).config


def read_config(tree: Tree, path: str) -> ConfigFile:
    """Read the ``dryfire.yaml`` at ``path`` with the places of its defaults. Raises ``SpecError``."""
    problems = Problems()
    try:
        data = tree.read(path)
    except TreeError as error:
        raise SpecError([Problem(Place(path), error.reason, hint=error.remedy)]) from None
    if data is None:
        raise SpecError([Problem(Place(path), "there is no such file")])
    root = root_of(read_document(data, path))
    keys = mapping(root, problems, _KEYS, required=("version",), what="dryfire.yaml")
    found = {key: node for key, node in keys.items() if node.value is not None}
    if "version" in keys:
        integer(keys["version"], problems, "version")
    providers, warnings = read_providers(found.get("providers"), problems)
    defaults = Settings()
    if "defaults" in found:
        allowed = ("provider", *KEYS)
        hints = dict.fromkeys(("system", "tools", "mocks", "tags"), "It stands in the suite.")
        level = mapping(found["defaults"], problems, allowed, what="defaults", hints=hints)
        defaults = read_settings(level, problems)
    config = Config(
        folder=folder_of(path),
        file=path,
        suites=tuple(texts(found["suites"], problems, "suites")) if "suites" in found else (),
        providers=providers,
        env=read_env(found.get("env"), problems),
        ignore=read_ignore(found.get("fingerprint"), problems),
        redact=read_redact(found.get("redact"), problems),
        prices=read_prices(tree, path, found, problems),
        **read_cassettes(found.get("cassettes"), folder_of(path), problems),
    )
    if len(problems):
        problems.stop()
    return ConfigFile(config, defaults, tuple(warnings))
