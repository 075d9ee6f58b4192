"""``dryfire.yaml``: which suites there are, their defaults, where recordings live, what may be filled in.

The nearest one above a suite counts, and none outside the tree, so several packages of a repository can each have one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from dryfire_action.errors import Place, Problem, SpecError
from dryfire_action.fingerprint import IgnoreRule
from dryfire_action.node import (
    Problems,
    boolean,
    choice,
    did_you_mean,
    integer,
    mapping,
    number,
    root_of,
    sequence,
    text,
    texts,
)
from dryfire_action.patterns import PatternError, compile_pattern
from dryfire_action.suite import MODES, Config, Mode, ProviderEntry
from dryfire_action.suite_settings import KEYS, Settings, read_settings
from dryfire_action.tree import CONFIG_NAME, TreeError, folder_of, inside
from dryfire_action.yaml_io import read_document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dryfire_action.messages import JsonObject
    from dryfire_action.node import Node
    from dryfire_action.tree import Tree

# Providers that need no entry under `providers:`.
BUILT_IN_PROVIDERS = (
    "anthropic",
    "deepseek",
    "fake",
    "gemini",
    "moonshot",
    "openai",
    "openrouter",
    "xai",
    "zhipu",
)
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
_PRICES = ("input", "output", "cache_read", "cache_write")
_RULE_KEYS = ("id", "pattern", "finds", "literals", "near")
_ALLOW_KEYS = ("rule", "file", "path", "pattern", "value", "reason")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_URL = re.compile(r"https?://[^\s/?#@]+(/[^\s?#]*)?\Z")
MAX_DEFAULT = 64_000


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


def nearest_config(tree: Tree, suite_path: str) -> Config:
    """The config of the suite at ``suite_path``: the nearest one at or above its folder, else the built-in settings."""
    path = Configs(tree, Problems()).path_above(folder_of(suite_path))
    return Config() if path is None else load_config(tree, path)


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
    providers, warnings = _providers(found.get("providers"), problems)
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
        env=_env(found.get("env"), problems),
        ignore=_ignore(found.get("fingerprint"), problems),
        redact=_redact(found.get("redact"), problems),
        prices=_prices(tree, path, found, problems),
        **_cassettes(found.get("cassettes"), folder_of(path), problems),
    )
    if len(problems):
        problems.stop()
    return ConfigFile(config, defaults, tuple(warnings))


def compiled(node: Node, problems: Problems, what: str) -> str:
    """The text of a regular expression, which has been compiled once to see that it can be."""
    pattern = text(node, problems, what)
    try:
        compile_pattern(pattern)
    except PatternError as error:
        where = "" if error.position is None else f" (character {error.position + 1} of the pattern)"
        problems.add(node, f"{what}: {error}{where}")
    return pattern


def _cassettes(node: Node | None, folder: str, problems: Problems) -> dict[str, Any]:
    if node is None:
        return {}
    keys = mapping(node, problems, ("dir", "mode", "scripted", "expect"), what="cassettes")
    found: dict[str, Any] = {}
    if (place := _set(keys, "dir")) is not None:
        found["cassette_dir"] = text(place, problems, "dir")
        try:
            inside(found["cassette_dir"], folder)
        except TreeError as error:
            hint = "Recordings are committed with the code: name a folder of the repository."
            problems.add(place, f"dir {found['cassette_dir']!r} {error.reason}", hint)
    if (mode := _set(keys, "mode")) is not None:
        found["mode"] = cast("Mode", choice(mode, problems, MODES, "mode"))
    if (scripted := _set(keys, "scripted")) is not None:
        found["scripted"] = boolean(scripted, problems, "scripted")
    if (expect := _set(keys, "expect")) is not None:
        for key, child in mapping(expect, problems, ("provider", "version"), what="expect").items():
            if child.value is not None:
                found[f"expect_{key}"] = text(child, problems, key)
    return found


def _providers(node: Node | None, problems: Problems) -> tuple[dict[str, ProviderEntry], list[str]]:
    found: dict[str, ProviderEntry] = {}
    warnings: list[str] = []
    for name, child in _entries(node, problems, "providers"):
        fields = ("base_url", "api_key_env")
        keys = mapping(child, problems, fields, required=fields, what=f"provider {name!r}")
        if len(keys) < len(fields):
            continue
        url, variable = text(keys["base_url"], problems, "base_url"), keys["api_key_env"]
        if url and not _URL.match(url):
            hint = "It begins with https:// and has neither user name nor query."
            problems.add(keys["base_url"], f"base_url {url!r} is no address of an API", hint)
        name_of_key = text(variable, problems, "api_key_env")
        if name_of_key and not _VARIABLE.match(name_of_key):
            hint = "Write the name of the environment variable that holds the key, never the key."
            # The value is not repeated: it may be the key itself.
            problems.add(variable, "api_key_env is no name of an environment variable", hint)
        if name in BUILT_IN_PROVIDERS:
            warnings.append(f"{child.home}: {name} is built in, so this entry has no effect")
        else:
            found[name] = ProviderEntry(url, name_of_key)
    return found, warnings


def _env(node: Node | None, problems: Problems) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, child in _entries(node, problems, "env"):
        if not _VARIABLE.match(name):
            problems.add(
                child, f"{name!r} is no name for ${{...}}", "Use letters, digits and _.", at=child.home
            )
        elif child.value is None:
            hint = "It is what replay and record use; the environment counts only in mode off."
            problems.add(child, f"{name} has no default", hint, at=child.home)
        else:
            found[name] = text(child, problems, f"the default of {name}")
            if len(found[name]) > MAX_DEFAULT:
                problems.add(child, f"the default of {name} is longer than {MAX_DEFAULT:,} characters")
    return found


def _ignore(node: Node | None, problems: Problems) -> tuple[IgnoreRule, ...]:
    if node is None:
        return ()
    rules = []
    keys = mapping(node, problems, ("ignore",), what="fingerprint")
    for item in sequence(keys["ignore"], problems, "ignore") if _set(keys, "ignore") else ():
        rule = mapping(
            item, problems, ("path", "pattern"), required=("path", "pattern"), what="an ignore rule"
        )
        if len(rule) == 2:
            path = text(rule["path"], problems, "path")
            pattern = compiled(rule["pattern"], problems, "pattern")
            if path and pattern:
                rules.append(IgnoreRule(path, pattern))
            elif isinstance(rule["pattern"].value, str) and not pattern:
                problems.add(rule["pattern"], "pattern must not be empty")
    return tuple(rules)


def _redact(node: Node | None, problems: Problems) -> tuple[JsonObject, ...]:
    """One map for each rule, ``{"rule": {...}}``, and each exception, ``{"allow": {...}}``, as they are written."""
    if node is None:
        return ()
    found: list[JsonObject] = []
    keys = mapping(node, problems, ("rules", "allow"), what="redact")
    for item in sequence(keys["rules"], problems, "rules") if _set(keys, "rules") else ():
        rule = mapping(item, problems, _RULE_KEYS, required=("id", "pattern"), what="a redaction rule")
        found.append({"rule": _texts_of(rule, problems, lists=("literals", "near"))})
    for item in sequence(keys["allow"], problems, "allow") if _set(keys, "allow") else ():
        entry = mapping(item, problems, _ALLOW_KEYS, what="an exception")
        if not set(entry) - {"reason"}:
            problems.add(item, "an exception must say what it allows", did_you_mean("", _ALLOW_KEYS))
        found.append({"allow": _texts_of(entry, problems)})
    return tuple(found)


def _texts_of(keys: Mapping[str, Node], problems: Problems, lists: tuple[str, ...] = ()) -> JsonObject:
    found: JsonObject = {}
    for key, child in keys.items():
        if child.value is None:
            continue
        if key in lists:
            found[key] = texts(child, problems, key)
        else:
            found[key] = compiled(child, problems, key) if key == "pattern" else text(child, problems, key)
    return found


def _prices(tree: Tree, path: str, found: Mapping[str, Node], problems: Problems) -> Mapping[str, JsonObject]:
    prices: dict[str, JsonObject] = {}
    if (named := found.get("pricing_file")) is not None:
        name = text(named, problems, "pricing_file")
        try:
            file = inside(name, folder_of(path))
            data = tree.read(file)
            if data is None:
                raise TreeError(file, "there is no such file")
            prices |= _price_table(root_of(read_document(data, file)), problems)
        except TreeError as error:
            if name:
                problems.add(named, f"pricing_file {name!r}: {error.reason}", error.remedy)
        except SpecError as error:
            problems.note(*error.problems)
    if (table := found.get("prices")) is not None:
        prices |= _price_table(table, problems)
    return prices


def _price_table(node: Node, problems: Problems) -> dict[str, JsonObject]:
    prices: dict[str, JsonObject] = {}
    for model, child in _entries(node, problems, "prices"):
        if ":" not in model:
            hint = f'For instance "anthropic:{model}".' if model else ""
            problems.add(child, f"{model!r} must be written provider:model", hint, at=child.home)
        rates = mapping(
            child, problems, _PRICES, required=("input", "output"), what=f"the price of {model!r}"
        )
        prices[model] = {}
        for key, rate in rates.items():
            if rate.value is not None:
                prices[model][key] = number(rate, problems, key)
                if prices[model][key] < 0:
                    problems.add(rate, f"{key} must not be negative", "Prices are USD per million tokens.")
    return prices


def _entries(node: Node | None, problems: Problems, what: str) -> list[tuple[str, Node]]:
    """The entries of a map with free keys."""
    if node is None:
        return []
    keys = tuple(node.value) if isinstance(node.value, dict) else ()
    return list(mapping(node, problems, keys, what=what).items())


def _set(keys: Mapping[str, Node], key: str) -> Node | None:
    """The value of a key that is there and not null."""
    node = keys.get(key)
    return None if node is None or node.value is None else node
