"""What is shown beside the lines of files: the edits that made recordings stale, then what else is wrong and where.

An edit is one annotation, however many cases it made stale: the runner keeps ten of a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dryfire_action.reports import wording
from dryfire_action.reports.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TITLES = {
    "missing": "not recorded",
    "damaged": "this recording cannot be trusted",
    "failed": "this case fails",
}


@dataclass(frozen=True, slots=True)
class Annotation:
    """A ``message`` under a ``title``, at a line of a file (``file`` None: at none)."""

    title: str
    message: str
    file: str | None = None
    line: int | None = None


def annotated(document: Mapping[str, Any], *, most: int) -> list[Annotation]:
    """The annotations of a result, the most far-reaching first. Of more than ``most`` the last one counts the rest."""
    found = [*_problems(document), *_causes(document), *_cases(document)]
    if len(found) <= most:
        return found
    rest = len(found) - (most - 1)
    return [*found[: most - 1], Annotation("more of the same", f"{rest:,} more: see the summary of this run")]


def _problems(document: Mapping[str, Any]) -> Iterator[Annotation]:
    for problem in document["problems"]:
        hint = f"\n{problem['hint']}" if problem["hint"] else ""
        yield Annotation("not checked", problem["message"] + hint, problem["file"], problem["line"])


def _causes(document: Mapping[str, Any]) -> Iterator[Annotation]:
    for cause in document["causes"]:
        suites = {case.partition("::")[0] for case in cause["cases"]}
        reach = wording.spread(len(cause["cases"]), cause["turns"], len(suites))
        where = cause["where"][0] if cause["where"] else {"file": None, "line": None}
        message = f"made {reach} stale"
        if cause["note"]:
            message += f"\n{cause['note']}"
        yield Annotation(f"{cause['path']} {cause['change']}", message, where["file"], where["line"])


def _cases(document: Mapping[str, Any]) -> Iterator[Annotation]:
    """The cases that no edit explains, each at its own line."""
    for suite in document["suites"]:
        for case in suite["cases"]:
            title = _TITLES.get(case["outcome"])
            if title is None:
                continue
            wrong = sum(not check["passed"] for check in case["assertions"])
            why = case["error"] or (f"{count(wrong, 'assertion')} failed" if wrong else title)
            yield Annotation(title, f"{suite['name']}::{case['name']}: {why}", case["file"], case["line"])
