"""The settings that ``defaults``, suites and cases share, each with the place where it is written.

What is written nearest to the case wins: case, suite, ``defaults`` of ``dryfire.yaml``, built-in. Null counts as not
set, but for two: ``on_unmocked: null`` is the word, and a null under ``params:`` takes an inherited parameter away.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dryfire_action.fingerprint import dotted
from dryfire_action.node import boolean, choice, integer, mapping, number, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dryfire_action.errors import Place
    from dryfire_action.messages import JsonObject
    from dryfire_action.node import Node, Problems

BUILT_IN: JsonObject = {
    "provider": "anthropic",
    "model": "claude-sonnet-4-6",
    "max_turns": 10,
    "on_unmocked": "error",
    "repeat": 1,
    "require_pass_rate": 1.0,
    "allow_unfinished": False,
}
# The keys of a case; suites and `defaults` have `provider` too.
KEYS = (
    "model",
    "max_turns",
    "temperature",
    "params",
    "on_unmocked",
    "repeat",
    "require_pass_rate",
    "allow_unfinished",
)
ON_UNMOCKED = ("error", "null", "passthrough")

# What has a key of its own in a suite: as a parameter it would replace the request behind everybody's back.
_NOT_PARAMS = {
    "model": "Write model: beside params:, not in it.",
    "messages": "Write input: in the case.",
    "system": "Write system: in the suite.",
    "tools": "Write tools: in the suite.",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """A value and where it is written."""

    value: Any
    place: Place


@dataclass(frozen=True, slots=True)
class Settings:
    """What one level sets. A parameter whose value is None is taken away."""

    values: Mapping[str, Setting] = field(default_factory=dict)
    params: Mapping[str, Setting] = field(default_factory=dict)

    def under(self, inner: Settings) -> Settings:
        """These settings with those of a level nearer to the case on top."""
        if not inner.values and not inner.params:
            return self
        return Settings({**self.values, **inner.values}, {**self.params, **inner.params})

    def __getitem__(self, key: str) -> Any:
        """The value in force."""
        found = self.values.get(key)
        return BUILT_IN[key] if found is None else found.value

    @property
    def request_params(self) -> JsonObject:
        """The parameters of a request."""
        return {name: found.value for name, found in self.params.items() if found.value is not None}

    @property
    def places(self) -> dict[str, Place]:
        """Where the settings that are fields of a request stand, by field path."""
        found = {name: self.values[name].place for name in ("provider", "model") if name in self.values}
        for name, setting in self.params.items():
            if setting.value is not None:
                found[f"params{dotted(name)}"] = setting.place
        return found


def read_settings(nodes: Mapping[str, Node], problems: Problems) -> Settings:
    """The settings among the keys of a level."""
    values: dict[str, Setting] = {}
    for key in ("provider", *KEYS):
        node = nodes.get(key)
        if node is None or key in ("params", "temperature") or (node.value is None and key != "on_unmocked"):
            continue
        values[key] = Setting(_value(key, node, problems), node.home)
    return Settings(values, _params(nodes, problems))


def _value(key: str, node: Node, problems: Problems) -> Any:
    if key == "max_turns":
        return integer(node, problems, key)
    if key == "repeat":
        return integer(node, problems, key, least=1)
    if key == "allow_unfinished":
        return boolean(node, problems, key)
    if key == "on_unmocked":
        return "null" if node.value is None else choice(node, problems, ON_UNMOCKED, key)
    if key == "require_pass_rate":
        rate = number(node, problems, key)
        if not 0 <= rate <= 1:
            problems.add(
                node, f"require_pass_rate must be between 0 and 1, not {rate:g}", "Half of the runs is 0.5."
            )
        return rate
    name = text(node, problems, key)
    if node.value == "":
        problems.add(node, f"{key} must not be empty")
    return name


def _params(nodes: Mapping[str, Node], problems: Problems) -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    node = nodes.get("params")
    if node is not None and node.value is not None:
        # Open: providers add parameters faster than a list of them could be kept.
        for name, child in mapping(node, problems, _any_key(node), what="params").items():
            if name in _NOT_PARAMS:
                problems.add(child, f"{name!r} is no parameter", _NOT_PARAMS[name], at=child.home)
            value = child.value
            if name == "temperature" and value is not None:
                value = number(child, problems, "temperature")
            found[name] = Setting(value, child.home)
    short = nodes.get("temperature")
    if short is not None and short.value is not None:
        if "temperature" in found:
            problems.add(
                short,
                "temperature is written twice: here and under params",
                "Remove one of them.",
                at=short.home,
            )
        found["temperature"] = Setting(number(short, problems, "temperature"), short.home)
    return found


def _any_key(node: Node) -> tuple[str, ...]:
    return tuple(node.value) if isinstance(node.value, dict) else ()
