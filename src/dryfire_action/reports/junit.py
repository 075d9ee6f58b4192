"""The report as JUnit XML, made from the result file's document: a test suite each suite, a test case each case.

A failed assertion is a *failure*; what keeps a case from being judged (a stale, missing or damaged recording, a
provider that failed) is an *error* of that type; excluded and skipped cases are *skipped*. Times are zero: a replay
takes none that would mean anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import tostring

from junitparser import (
    Attr,
    Error,
    Failure,
    JUnitXml,
    Skipped,
    SystemErr,
    SystemOut,
    TestCase,
    TestSuite,
)

from dryfire_action.reports.wording import without_place
from dryfire_action.results import NOT_CHECKED
from dryfire_action.visible import cut, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

_MOST_CHARACTERS = 4_000
_NOT_RUN = "dryfire"


class _Suite(TestSuite):
    """A test suite with the attributes that the schema of Ant's reports wants besides."""

    package = Attr()
    id = Attr()


def text(document: Mapping[str, Any], *, now: datetime) -> str:
    """The XML, ``now`` being the time in UTC. Where nothing was run, test cases of their own say why."""
    # The library has no types for what is called here.
    report: Any = JUnitXml()
    found = [
        (suite["name"], [_case(suite["name"], case) for case in suite["cases"]])
        for suite in document["suites"]
    ]
    stopped = list(_problems(document))
    if stopped:
        found.append((_NOT_RUN, stopped))
    for number, (name, cases) in enumerate(found):
        report.append(_suite(number, name, cases, document, now))
    body: str = tostring(report._elem, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _suite(
    number: int, name: str, cases: Sequence[TestCase], document: Mapping[str, Any], now: datetime
) -> Any:
    suite: Any = _Suite(_name(name))
    suite.id, suite.package, suite.hostname = str(number), "dryfire", "localhost"
    suite.timestamp = now.strftime("%Y-%m-%dT%H:%M:%S")
    for key in ("format", "commit", "base", "mode"):
        if document[key]:
            suite.add_property(f"dryfire.{key}", _text(document[key]))
    for case in cases:
        suite.append(case)
    suite.append(SystemOut(""))
    suite.append(SystemErr(""))
    suite.tests = len(cases)
    for attribute, kind in (("failures", Failure), ("errors", Error), ("skipped", Skipped)):
        setattr(suite, attribute, sum(isinstance(one, kind) for case in cases for one in case.result))
    suite.time = 0
    return suite


def _case(suite: str, case: Mapping[str, Any]) -> TestCase:
    found = TestCase(_name(case["name"]), _name(suite), 0)
    outcome = case["outcome"]
    if outcome == "passed":
        return found
    lines = list(_said(case))
    message = lines[0] if lines else outcome
    if outcome in NOT_CHECKED:
        # The schema lets only a message stand here, no type.
        found.result = [Skipped(_text(f"{outcome}: {message}"))]
        return found
    failed = outcome == "failed" and not any(run["termination"] == "provider_error" for run in case["runs"])
    kind = "assertion" if failed else "provider_error" if outcome == "failed" else outcome
    result = (Failure if failed else Error)(_text(message), kind)
    if case["file"]:
        lines.append(f"{case['file']}:{case['line']}")
    result.text = "\n".join(map(_text, lines))
    found.result = [result]
    return found


def _said(case: Mapping[str, Any]) -> Iterator[str]:
    """Why a case did not pass, a line each."""
    if case["error"]:
        yield from case["error"].splitlines()
    for run in case["runs"]:
        for turn in run["turns"]:
            where = (
                f"turn {turn['index']}"
                if len(case["runs"]) == 1
                else f"run {run['index']}, turn {turn['index']}"
            )
            if turn["changes"]:
                fields = ", ".join(f"{change['path']} {change['change']}" for change in turn["changes"])
                yield f"{where}: {turn['outcome']}: {fields}"
            elif turn["outcome"] == "missing":
                yield f"{where}: missing" + (f": {without_place(turn['note'])}" if turn["note"] else "")
    for check in case["assertions"]:
        if not check["passed"]:
            yield check["description"] + (f": {check['message']}" if check["message"] else "")
    if case["remedy"]:
        yield case["remedy"]


def _problems(document: Mapping[str, Any]) -> Iterator[TestCase]:
    """What is wrong apart from any case, so that a run that checked nothing does not pass for one that passed."""
    if not document["suites"] and not document["problems"] and document["exit_code"]:
        case = TestCase("nothing was checked", _NOT_RUN, 0)
        case.result = [
            Error(_text(" ".join(document["warnings"]) or "nothing was checked"), "nothing_checked")
        ]
        yield case
    for number, problem in enumerate(document["problems"], 1):
        place = f"{problem['file']}:{problem['line']}" if problem["file"] else ""
        case = TestCase(_name(place or f"problem {number}"), _NOT_RUN, 0)
        error = Error(_text(problem["message"]), "problem")
        error.text = "\n".join(_text(line) for line in (place, problem["message"], problem["hint"]) if line)
        case.result = [error]
        yield case


def _name(text: str) -> str:
    """A name as an attribute: blanks at its ends and in a row would be lost, and it may not be empty."""
    return " ".join(_text(text).split()) or "(no name)"


def _text(text: str) -> str:
    """Text on one line, without what XML cannot hold."""
    return cut(visible(text), _MOST_CHARACTERS)
