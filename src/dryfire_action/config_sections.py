"""The sections of ``dryfire.yaml``, each read by a function of its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from dryfire_action.errors import SpecError
from dryfire_action.ignore_rules import IgnoreRule
from dryfire_action.node import (
    boolean,
    choice,
    integer,
    mapping,
    number,
    pattern,
    root_of,
    sequence,
    text,
    texts,
)
from dryfire_action.patterns import PatternError, compile_pattern
from dryfire_action.suite import MODES, Mode, ProviderEntry
from dryfire_action.tree import TreeError, folder_of, inside
from dryfire_action.yaml_io import read_document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dryfire_action.messages import JsonObject
    from dryfire_action.node import Node, Problems
    from dryfire_action.tree import Tree

# Providers that need no entry under `providers:`.
BUILT_IN_PROVIDERS = (
    "anthropic",
    "deepseek",
    "fake",
    "gemini",
    "moonshot",
    "openai",
    "openai-responses",
    "openrouter",
    "xai",
    "zhipu",
)
_PRICES = ("input", "output", "cache_read", "cache_write")
_RULE_KEYS = ("id", "pattern", "group", "keys")
_ALLOW_KEYS = ("rule", "path", "digest", "expires", "reason")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_DAY = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\Z")
_RULE_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?\Z")
_DIGEST = re.compile(r"[0-9a-f]{32}\Z")
_URL = re.compile(r"https?://[^\s/?#@]+(/[^\s?#]*)?\Z")
MAX_DEFAULT = 64_000


def read_cassettes(node: Node | None, folder: str, problems: Problems) -> dict[str, Any]:
    """What ``cassettes:`` sets, under the names of the fields of ``suite.Config``. ``folder`` is the config's."""
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


def read_providers(node: Node | None, problems: Problems) -> tuple[dict[str, ProviderEntry], list[str]]:
    """The entries of ``providers:`` by name, and warnings."""
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


def read_env(node: Node | None, problems: Problems) -> dict[str, str]:
    """The names that suites may use, each with its default."""
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


def read_ignore(node: Node | None, problems: Problems) -> tuple[IgnoreRule, ...]:
    """The rules under ``fingerprint: {ignore: ...}``."""
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
            ignored = pattern(rule["pattern"], problems, "pattern")
            if path and ignored:
                rules.append(IgnoreRule(path, ignored))
            elif isinstance(rule["pattern"].value, str) and not ignored:
                problems.add(rule["pattern"], "pattern must not be empty")
    return tuple(rules)


def read_redact(node: Node | None, problems: Problems) -> tuple[JsonObject, ...]:
    """What ``redact:`` says: one map for each rule, ``{"rule": {...}}``, and each exception, ``{"allow": {...}}``;
    ``{"digest_key_env": "NAME"}`` where it names the variable with the key of digests.
    """
    if node is None:
        return ()
    keys = mapping(node, problems, ("rules", "allow", "digest_key_env"), what="redact")
    rules = sequence(keys["rules"], problems, "rules") if _set(keys, "rules") else ()
    allowed = sequence(keys["allow"], problems, "allow") if _set(keys, "allow") else ()
    variable = text(named, problems, "digest_key_env") if (named := _set(keys, "digest_key_env")) else ""
    if named is not None and variable and not _VARIABLE.match(variable):
        hint = "Write the name of the environment variable that holds the key, never the key."
        # The value is not repeated: it may be the key itself.
        problems.add(named, "digest_key_env is no name of an environment variable", hint)
    return (
        *([{"digest_key_env": variable}] if variable else ()),
        *({"rule": _redaction_rule(item, problems)} for item in rules),
        *({"allow": _allowance(item, problems)} for item in allowed),
    )


def _redaction_rule(node: Node, problems: Problems) -> JsonObject:
    keys = mapping(node, problems, _RULE_KEYS, required=("id",), what="a redaction rule")
    found: JsonObject = {"id": text(keys["id"], problems, "id")} if "id" in keys else {}
    if found.get("id") and not _RULE_ID.match(found["id"]):
        # The id becomes part of the marks that stand in recordings in place of secrets.
        problems.add(keys["id"], f"a rule's id must be short, of a-z, 0-9 and -, not {found['id']!r}")
    if (names := _set(keys, "keys")) is not None:
        found["keys"] = texts(names, problems, "keys")
    if (written := _set(keys, "pattern")) is not None:
        found["pattern"] = pattern(written, problems, "pattern")
    if (group := _set(keys, "group")) is not None:
        by_name = isinstance(group.value, str) and not group.value.isdigit()
        found["group"] = (
            text(group, problems, "group") if by_name else integer(group, problems, "group", least=0)
        )
        if "pattern" in found and not _has_group(found["pattern"], found["group"]):
            problems.add(group, f"the pattern has no group {group.value!r}")
    if not {"keys", "pattern"} & found.keys():
        problems.add(node, "a redaction rule needs a pattern, or keys: names whose values are secret")
    return found


def _has_group(written: str, group: int | str) -> bool:
    try:
        compiled = compile_pattern(written).compiled
    except PatternError:
        return True  # that is said already
    return group in compiled.groupindex if isinstance(group, str) else group <= compiled.groups


def _allowance(node: Node, problems: Problems) -> JsonObject:
    keys = mapping(node, problems, _ALLOW_KEYS, required=("reason",), what="an exception")
    found = {key: text(child, problems, key) for key, child in keys.items() if child.value is not None}
    if not {"rule", "path", "digest"} & found.keys():
        problems.add(node, "an exception must name what it allows: a rule, a path or a digest")
    if found.get("expires") and not _DAY.match(found["expires"]):
        problems.add(keys["expires"], f"expires must be a day, not {found['expires']!r}", "Write 2027-01-31.")
    if found.get("digest") and not _DIGEST.match(found["digest"]):
        problems.add(keys["digest"], "digest must be 32 hexadecimal digits, in lower case")
    return found


def read_prices(
    tree: Tree, path: str, found: Mapping[str, Node], problems: Problems
) -> Mapping[str, JsonObject]:
    """USD per million tokens by ``provider:model``; ``prices:`` over what stands in ``pricing_file``."""
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
