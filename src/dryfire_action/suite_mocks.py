"""The mocks of a suite or case: which rule answers which call, and with what."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dryfire_action.fingerprint import quoted
from dryfire_action.node import has_only, mapping, number, sequence, text
from dryfire_action.references import reference_of, refuse_reference
from dryfire_action.suite import Fail, Impl, MockRule, Return, Steps
from dryfire_action.yaml_scalars import kind_of

if TYPE_CHECKING:
    from dryfire_action.errors import Place
    from dryfire_action.node import Node, Problems
    from dryfire_action.references import References

_ANSWERS = ("return", "error", "sequence", "impl")
# `module.sub:function`, never imported here: a suite only names code.
_IMPL = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\Z")


def read_mocks(
    node: Node | None, references: References, places: dict[str, Place], warnings: list[str]
) -> dict[str, tuple[MockRule, ...]]:
    """The rules by tool name; where each stands goes to ``places`` as ``mocks[tool][k]``."""
    if node is None or node.value is None:
        return {}
    problems = references.problems
    found: dict[str, tuple[MockRule, ...]] = {}
    names = tuple(node.value) if isinstance(node.value, dict) else ()
    for name, child in mapping(node, problems, names, what="mocks").items():
        rules = []
        for index, item in enumerate(sequence(child, problems, f"the mock of {name!r}")):
            places[f"mocks[{quoted(name)}][{index}]"] = item.place
            rules.append(_rule(item, references, warnings))
        found[name] = tuple(rules)
    return found


def _rule(node: Node, references: References, warnings: list[str]) -> MockRule:
    problems = references.problems
    if refuse_reference(node, problems):
        return MockRule(Return(None), None, node.place)
    keys = mapping(node, problems, ("when", *_ANSWERS, "timeout_s"), what="a mock rule")
    when = keys.get("when")
    pattern = None
    if when is not None and when.value is not None and not refuse_reference(when, problems):
        if isinstance(when.value, dict):
            pattern = when.value
        else:
            problems.add(when, f"when must be a map of arguments, not {kind_of(when.value)}")
    chosen = [key for key in _ANSWERS if key in keys]
    answer: Return | Fail | Steps | Impl = Return(None)
    source = None
    if len(chosen) != 1:
        if has_only(node, keys):
            has = f"this has {' and '.join(chosen)}" if chosen else "this has none"
            problems.add(node, f"a mock rule has exactly one of {', '.join(_ANSWERS)}; {has}")
    elif chosen == ["sequence"]:
        answer = _sequence(keys["sequence"], references, warnings)
    elif chosen == ["impl"]:
        answer = _impl(keys["impl"], keys.get("timeout_s"), problems)
    else:
        said = keys[chosen[0]]
        if chosen == ["return"] and reference_of(said.value) is not None:
            said = references.resolved(said) or said
            source = said.place if said.document is not node.document else None
            answer = Return(references.data(said))
        else:
            answer = _simple(said, references)
    if "timeout_s" in keys and chosen != ["impl"]:
        problems.add(keys["timeout_s"], "timeout_s has no effect without impl", at=keys["timeout_s"].home)
    return MockRule(answer, pattern, node.place, source)


def _simple(node: Node, references: References) -> Return | Fail:
    """The answer under the key ``return`` or ``error``."""
    if node.path[-1] == "error":
        return Fail(text(node, references.problems, "error"))
    return Return(references.data(node))


def _sequence(node: Node, references: References, warnings: list[str]) -> Return | Steps:
    steps = []
    for item in sequence(node, references.problems, "sequence"):
        if refuse_reference(item, references.problems):
            continue
        keys = mapping(item, references.problems, ("return", "error"), what="a step of a sequence")
        if len(keys) == 2:
            warnings.append(f"{item.place}: a step has both return and error; error is used")
        if "error" in keys or "return" in keys:
            steps.append(_simple(keys.get("error") or keys["return"], references))
        elif has_only(item, keys):
            references.problems.add(item, "a step of a sequence has return or error")
    if node.value == []:
        references.problems.add(node, "a sequence needs at least one step", at=node.home)
    return Steps(tuple(steps)) if steps else Return(None)


def _impl(node: Node, limit: Node | None, problems: Problems) -> Impl:
    target = text(node, problems, "impl")
    if isinstance(node.value, str) and not _IMPL.match(target):
        problems.add(
            node, f"impl {target!r} does not name a function", "Write it as package.module:function."
        )
    if limit is None or limit.value is None:
        return Impl(target)
    seconds = number(limit, problems, "timeout_s")
    if seconds <= 0:
        problems.add(limit, "timeout_s must be more than 0")
    return Impl(target, seconds)
