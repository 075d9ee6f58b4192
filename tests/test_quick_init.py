"""A class with a quick ``__init__`` is in every way the frozen dataclass that it was."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any

import pytest

from dryfire_action import agent, cassette, errors, fingerprint, messages, playback, results, suite
from dryfire_action.quick_init import quick_init


@dataclass(frozen=True, slots=True)
class Slow:
    """As ``dataclasses`` makes it."""

    name: str
    size: int = 3
    parts: dict[str, int] = field(default_factory=dict)
    tags: tuple[str, ...] = ()


@quick_init
@dataclass(frozen=True, slots=True)
class Quick:
    """The same, with the other ``__init__``."""

    name: str
    size: int = 3
    parts: dict[str, int] = field(default_factory=dict)
    tags: tuple[str, ...] = ()


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("a",), {}),
        (("a", 1), {}),
        (("a", 1, {"b": 2}, ("c",)), {}),
        ((), {"name": "a", "parts": {"b": 2}}),
        (("a",), {"tags": ("c",), "size": 0}),
    ],
)
def test_it_takes_what_the_original_takes(words: Any, names: Any) -> None:
    slow, quick = Slow(*words, **names), Quick(*words, **names)
    assert [getattr(quick, each.name) for each in fields(Quick)] == [
        getattr(slow, each.name) for each in fields(Slow)
    ]
    assert repr(quick) == repr(slow).replace("Slow", "Quick")
    assert replace(quick, size=9) == Quick(quick.name, 9, quick.parts, quick.tags)
    assert pickle.loads(pickle.dumps(quick)) == copy.deepcopy(quick) == quick


@pytest.mark.parametrize("wrong", [((), {}), (("a",), {"name": "b"}), (("a",), {"other": 1}), ((1,) * 5, {})])
def test_it_refuses_what_the_original_refuses(wrong: Any) -> None:
    words, names = wrong
    told = []
    for cls in (Slow, Quick):
        with pytest.raises(TypeError) as caught:
            cls(*words, **names)
        told.append(str(caught.value).replace("Slow", "Quick"))
    assert told[0] == told[1]


def test_it_is_frozen_and_shares_no_default() -> None:
    quick = Quick("a")
    with pytest.raises(FrozenInstanceError):
        quick.name = "b"  # type: ignore[misc]
    assert quick.parts is not Quick("a").parts


def test_it_looks_like_the_original() -> None:
    assert str(inspect.signature(Quick)) == str(inspect.signature(Slow))
    assert Quick.__init__.__qualname__ == "Quick.__init__"


@pytest.mark.parametrize("more", ["init", "kw_only", "post"])
def test_a_class_that_does_more_is_refused(more: str) -> None:
    def made(**how: Any) -> type:
        namespace = {"__annotations__": {"name": "str"}, "name": field(**how)}
        if more == "post":
            namespace["__post_init__"] = lambda self: None
        return dataclass(frozen=True, slots=True)(type("More", (), namespace))

    with pytest.raises(TypeError, match="More does more"):
        quick_init(made(**{"init": {"init": False}, "kw_only": {"kw_only": True}, "post": {}}[more]))


def test_a_field_that_is_called_like_what_is_used_is_refused() -> None:
    with pytest.raises(TypeError, match="Odd has a field whose name"):

        @quick_init
        @dataclass(frozen=True, slots=True)
        class Odd:
            x: int
            set_x: int


@pytest.mark.parametrize(
    "cls",
    [
        *(messages.Request, messages.Message, messages.ToolCall, messages.ToolResult, messages.Response),
        *(messages.ScriptStep, agent.Turn, playback.Played, cassette.Exchange, fingerprint.Fingerprint),
        *(results.TurnResult, results.RunResult, results.CaseResult, errors.Place, suite.Case),
    ],
)
def test_the_classes_of_a_replay_are_made_the_quick_way(cls: Any) -> None:
    assert "__setattr__" not in cls.__init__.__code__.co_names
    assert cls.__dataclass_params__.frozen
