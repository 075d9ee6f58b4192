"""What comments in tests are made of, and the comment itself, which is right in all that holds for every one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dryfire_action.behaviour import BehaviourChange, Difference
from dryfire_action.comment_marker import PREFIX, Marker, parse_marker
from dryfire_action.messages import Usage
from dryfire_action.reports.comment import comment
from dryfire_action.reports.links import Links
from dryfire_action.results import Results
from dryfire_action.text_diff import DiffLine
from tests.reports.made import case, results, run, stale
from tests.reports.shown_html import complaints
from tests.reports.test_result_json import COMMIT, SYSTEM_CAUSE, made

SERVER = "https://github.com"
HEAD = "9b1d77c4" * 5
OLD_HEAD = "3f9c2e1b" * 5
LINKS = Links(SERVER, "acme/shop", HEAD, f"{SERVER}/acme/shop/actions/runs/18240551")


def marker(**values: Any) -> Marker:
    """The marker of a comment about ``HEAD``."""
    base = {"key": "evals", "head": HEAD, "run": 18240551, "attempt": 1, "state": "stale", "stale": 3}
    return Marker(**{**base, **values})


WAS_STALE = marker(head=OLD_HEAD, run=18233107, stale=40)
COMMAND = "dryfire run evals/s.eval.yaml --cassette-mode auto"
CLEAR = results(
    *(case(f"c{n}", "passed", run()) for n in range(40)), base=COMMIT, no_longer_replayed=(), behaviour=()
)


def edited(number: int = 1, **more: Any) -> Results:
    """Results of that many cases that one edit made stale."""
    cases = [case(f"c{n}", "stale", run(stale(0), passed=False)) for n in range(number)]
    cause = replace(SYSTEM_CAUSE, cases=tuple(one.id for one in cases), note="")
    return results(*cases, causes=(cause,), command=COMMAND, **more)


def change(kind: Any, name: str = "", *differences: Difference, **more: Any) -> BehaviourChange:
    values = {"calls_before": ("lookup",), "calls_after": ("lookup", "refund"), **more}
    return BehaviourChange(f"s::{name or kind}", kind, differences, **values)


CHANGES = (
    change("new", tokens_after=Usage(50, 5)),
    change("wording", "w", Difference(0, 1, "text", "Hello.", "Hi @everyone.")),
    change("arguments", "a", Difference(0, 0, "arguments of refund", {"amount": 64}, {"amount": 68.5})),
    change("tools", "t", tokens_before=Usage(100, 10), tokens_after=Usage(120, 12)),
)


def body(found: Results | dict[str, Any], show: Any = "prompts", **more: Any) -> str:
    document = found if isinstance(found, dict) else made(found, show)
    written = comment(document, marker(), **{"previous": None, "links": LINKS, "speak": "always", **more})
    assert written is not None
    first, _, rest = written.partition("\n")
    assert parse_marker(written) == marker()
    assert PREFIX not in rest
    assert complaints(written, SERVER) == []
    assert first == marker().text()
    return rest.rstrip("\n")


def many(causes: int, *, cases: int = 1, lines: int = 1, length: int = 40) -> Results:
    """So many causes, each of so many cases, with a diff of so many lines of a length."""
    diff = tuple(DiffLine("+", f"{n:04} {'y' * length}") for n in range(lines))
    context = tuple(DiffLine(" ", f"{n:04} {'z' * length}") for n in range(lines))
    found, made_cases = [], []
    for number in range(causes):
        names = [f"case_{number:03}_{n:04}" for n in range(cases)]
        made_cases += [case(name, "stale", run(stale(0), passed=False)) for name in names]
        found.append(
            replace(
                SYSTEM_CAUSE,
                path=f"tools[t{number:03}].description",
                cases=tuple(f"s::{name}" for name in names),
                diff=(*context, *diff),
                note="",
            )
        )
    return results(*made_cases, causes=tuple(found), command=COMMAND)
