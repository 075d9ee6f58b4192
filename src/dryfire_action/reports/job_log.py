"""The result as plain lines for the log of a job, made from the result file's document and from nothing else.

The log of a public repository is public: so it shows what the document holds, which is what may be shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dryfire_action.reports import wording
from dryfire_action.reports.markdown import headline
from dryfire_action.reports.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MOST_DIFF_LINES = 40
_MOST_CASES = 200


def text(document: Mapping[str, Any]) -> str:
    """The whole log; every text in it is as the document has it, and is not yet safe to print."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    yield headline(document)
    for problem in document["problems"]:
        place = f"{problem['file']}:{problem['line']}: " if problem["file"] else ""
        yield f"  {place}{problem['message']}"
        if problem["hint"]:
            yield f"    {problem['hint']}"
    for number, cause in enumerate(document["causes"], 1):
        yield ""
        yield from _cause(number, cause)
    yield from _cases(document)
    for gone in document["no_longer_replayed"] or ():
        yield f"  no longer replayed  {gone['case']}: {gone['text']}"
    if document["not_compared"]:
        yield f"  {wording.not_compared(document['not_compared'])}"
    if document["behaviour"]:
        yield f"  {count(len(document['behaviour']), 'recording')} changed what the agent does"
    for warning in document["warnings"]:
        yield f"  {warning}"
    if document["rerecord"]["command"]:
        yield ""
        yield wording.meant(len(document["causes"]))
        yield from (f"  {command}" for command in document["rerecord"]["command"].split(" && "))


def _cause(number: int, cause: Mapping[str, Any]) -> Iterator[str]:
    suites = {case.partition("::")[0] for case in cause["cases"]}
    reach = wording.spread(len(cause["cases"]), cause["turns"], len(suites))
    yield f"{number}. {cause['path']} {cause['change']}: {reach}"
    yield from (f"   {where['file']}:{where['line']}" for where in cause["where"][:5])
    rows = (cause["diff"] or "").splitlines()
    yield from (f"   {row}" for row in rows[:_MOST_DIFF_LINES])
    if len(rows) > _MOST_DIFF_LINES:
        yield f"   … {len(rows) - _MOST_DIFF_LINES:,} more lines"
    if cause["note"]:
        yield f"   {cause['note']}"


def _cases(document: Mapping[str, Any]) -> Iterator[str]:
    """Every case that did not pass, with its reason."""
    found = [
        (f"{suite['name']}::{case['name']}", case)
        for suite in document["suites"]
        for case in suite["cases"]
        if case["outcome"] != "passed"
    ]
    if found:
        yield ""
    for name, case in found[:_MOST_CASES]:
        yield f"  {case['outcome']:8}  {name}" + (f": {case['error']}" if case["error"] else "")
        for check in case["assertions"]:
            if not check["passed"]:
                why = f": {check['message']}" if check["message"] else ""
                yield f"    {check['description']}{why}"
    if len(found) > _MOST_CASES:
        yield f"  … and {len(found) - _MOST_CASES:,} more"
