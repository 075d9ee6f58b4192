"""What suite files and ``dryfire.yaml`` declare, after defaults, references and places have been settled."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from posixpath import join, normpath
from typing import TYPE_CHECKING, Literal

from dryfire_action.messages import Request
from dryfire_action.quick_init import quick_init

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dryfire_action.errors import Place
    from dryfire_action.ignore_rules import IgnoreRule
    from dryfire_action.messages import JsonObject, JsonValue, Message, ToolSpec

Mode = Literal["replay", "record", "auto", "off"]
MODES: tuple[Mode, ...] = ("replay", "record", "auto", "off")
OnUnmocked = Literal["error", "null", "passthrough"]
SCRIPTED_PROVIDER = "fake"
# Of a field path: a key, or an index, name or quoted name in brackets.
_LAST_STEP = re.compile(r"(\.[^.\[\]]+|\[(?:[^\]\"]*|\"(?:[^\"\\]|\\.)*\")\])\Z")


@dataclass(frozen=True, slots=True)
class Return:
    """A mock's ordinary result: any JSON value."""

    value: JsonValue


@dataclass(frozen=True, slots=True)
class Fail:
    """A mock's error result."""

    message: str


@dataclass(frozen=True, slots=True)
class Steps:
    """A mock that answers its k-th call with the k-th step; the last step repeats. Never empty."""

    steps: tuple[Return | Fail, ...]


@dataclass(frozen=True, slots=True)
class Impl:
    """A mock that runs real code: ``module:function``, at most ``timeout_s`` seconds. Makes its case a passthrough."""

    target: str
    timeout_s: float = 30.0


@dataclass(frozen=True, slots=True)
class MockRule:
    """One rule for a tool's calls: ``when`` is a deep subset of the arguments (None: every call).

    ``source`` is where the answer stands that a ``$ref`` took from another file.
    """

    answer: Return | Fail | Steps | Impl
    when: JsonObject | None
    place: Place
    source: Place | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One assertion: its kind, and its arguments as the row of ``checks.CHECKS`` for that kind wants them."""

    kind: str
    arguments: JsonValue
    place: Place


@dataclass(frozen=True, slots=True)
class ProviderEntry:
    """An OpenAI-compatible endpoint of the team's own, from ``providers:`` in ``dryfire.yaml``."""

    base_url: str
    api_key_env: str


@dataclass(frozen=True, slots=True)
class Config:
    """One ``dryfire.yaml``, or the built-in settings where there is none.

    ``folder`` is where it stands, relative to the tree's root ("" is the root itself); globs, the cassette folder and
    the pricing file are relative to it. ``file`` is None for the built-in settings.
    """

    folder: str = ""
    file: str | None = None
    suites: tuple[str, ...] = ()
    cassette_dir: str = ".dryfire/cassettes"
    mode: Mode | None = None
    scripted: bool = False
    expect_provider: str | None = None
    expect_version: str | None = None
    providers: Mapping[str, ProviderEntry] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    ignore: tuple[IgnoreRule, ...] = ()
    redact: tuple[JsonObject, ...] = ()
    prices: Mapping[str, JsonObject] = field(default_factory=dict)

    @property
    def cassettes(self) -> str:
        """The cassette folder as seen from the tree's root."""
        return _plain_path(self.folder, self.cassette_dir)


@lru_cache(maxsize=64)
def _plain_path(folder: str, path: str) -> str:
    return normpath(join(folder, path.replace("\\", "/")))


@quick_init
@dataclass(frozen=True, slots=True)
class Case:
    """One scenario, with every setting resolved (case over suite over config defaults over built-in).

    ``places`` maps field paths of the request (``system``, ``model``, ``params.temperature``,
    ``tools[lookup].description``, ``messages[0].content``, ...) to where their text stands: a prompt file's line, a
    tool's line, the line of a default in ``dryfire.yaml``.
    """

    suite: str
    name: str
    file: str
    place: Place
    provider: str
    model: str
    messages: tuple[Message, ...]
    checks: tuple[Check, ...]
    system: str | None = None
    tools: tuple[ToolSpec, ...] = ()
    params: JsonObject = field(default_factory=dict)
    output_schema: JsonObject | None = None
    mocks: Mapping[str, tuple[MockRule, ...]] = field(default_factory=dict)
    on_unmocked: OnUnmocked = "error"
    script: tuple[JsonObject, ...] = ()
    max_turns: int = 10
    repeat: int = 1
    require_pass_rate: float = 1.0
    allow_unfinished: bool = False
    places: Mapping[str, Place] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """``suite::case``, as reports and the command line name it."""
        return f"{self.suite}::{self.name}"

    def place_of(self, path: str) -> Place | None:
        """Where the text of a field stands, or of the nearest part around it whose place is known; None for neither."""
        while path not in self.places:
            path, steps = _LAST_STEP.subn("", path)
            if not steps or not path:
                return None
        return self.places[path]

    @property
    def first_request(self) -> Request:
        """The request that every run of this case begins with."""
        return Request(
            provider=self.provider,
            model=self.model,
            messages=self.messages,
            system=self.system,
            tools=self.tools,
            params=self.params,
            output_schema=self.output_schema,
        )

    @property
    def scripted(self) -> bool:
        """Whether the answers come from the suite's own ``script``."""
        return self.provider == SCRIPTED_PROVIDER

    @property
    def passthrough_rule(self) -> MockRule | None:
        """The first ``impl:`` mock, which makes this case a passthrough, or None."""
        for rules in self.mocks.values():
            for rule in rules:
                if isinstance(rule.answer, Impl):
                    return rule
        return None


@dataclass(frozen=True, slots=True)
class Suite:
    """One ``*.eval.yaml`` file. ``file`` is relative to the tree's root, with forward slashes."""

    name: str
    file: str
    config: Config
    cases: tuple[Case, ...]
    tags: tuple[str, ...] = ()
    description: str | None = None
    warnings: tuple[str, ...] = ()
