"""A tree that is a dict, and one-line loading of suites from it."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.errors import Problem, SpecError
from dryfire_action.suite_file import load_suites

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dryfire_action.suite import Case, Suite

SUITE = "evals/a.eval.yaml"
CONFIG = "dryfire.yaml"


class MemoryTree:
    """Files by path, as `Tree` gives them."""

    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        self.data = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}

    def read(self, path: str) -> bytes | None:
        return self.data.get(path)

    def files(self, folder: str = "", *, hidden: bool = False, odd: bool = False) -> Iterator[str]:
        prefix = f"{folder}/" if folder else ""
        for path in self.data:
            inside = path.removeprefix(prefix)
            if path.startswith(prefix) and (
                hidden or not any(part[0] == "." for part in inside.split("/")[:-1])
            ):
                yield path


def load(text: str, files: Mapping[str, str | bytes] | None = None, **how: Any) -> Suite:
    """The one suite with this text; `files` stand beside it in the tree."""
    tree = MemoryTree({SUITE: dedent(text), **(files or {})})
    [suite] = load_suites(tree, [SUITE], **how)
    return suite


def load_case(case: str, suite: str = "", files: Mapping[str, str | bytes] | None = None, **how: Any) -> Case:
    """The one case with these keys, in a suite with those."""
    [found] = load(with_case(case, suite), files, **how).cases
    return found


def with_case(case: str, suite: str = "") -> str:
    """A suite's text: the keys of the suite, and one case with the keys that are not given filled in."""
    lines = dedent(case).strip().splitlines()
    given = {line.split(":")[0] for line in lines}
    filled = [f"{key}: {value}" for key, value in _CASE.items() if key not in given] + lines
    body = "\n".join(f"    {line}" for line in filled)
    return f"name: s\n{dedent(suite).strip()}\ncases:\n  -\n{body}\n"


_CASE = {"name": "c", "input": "hi", "expect": "[]"}


def problems_of(text: str, files: Mapping[str, str | bytes] | None = None, **how: Any) -> list[Problem]:
    """What is wrong with the suite of this text."""
    with pytest.raises(SpecError) as caught:
        load(text, files, **how)
    return list(caught.value.problems)


def problem_of(text: str, files: Mapping[str, str | bytes] | None = None, **how: Any) -> Problem:
    """The one thing that is wrong with the suite of this text."""
    [found] = problems_of(text, files, **how)
    return found
