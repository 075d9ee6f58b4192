"""The second process of the action: says what came out, and holds the token while it does.

It reads the result file, which it does not trust, and never a file of the repository. The order is that of what must
not be lost: the verdict, the outputs, the annotations and the summary, then the comment, which changes nothing any
more.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dryfire_action import console
from dryfire_action import workflow_commands as say
from dryfire_action.action_inputs import Inputs, read_inputs
from dryfire_action.action_result import RESULT_NAME, CheckEnded, unable, write_result
from dryfire_action.action_verdict import JobVerdict, job_verdict, outputs_of
from dryfire_action.errors import EXIT_FAILED, EXIT_PASSED, DryfireError
from dryfire_action.github.pull_request import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

    from dryfire_action.comment_marker import Marker
    from dryfire_action.github.comments import Kept
    from dryfire_action.github.event import Event
    from dryfire_action.reports.links import Links

    Document = Mapping[str, Any]

TOKEN = "DRYFIRE_TOKEN"
# What a workflow calls the artifact that another one, started by workflow_run, publishes.
ARTIFACT = "dryfire-result"
_KILLED = (
    "It was killed before it could say why, for want of memory as a rule. The log of that step is above."
)
_TITLE = "dryfire"


@dataclass(frozen=True, slots=True)
class Step:
    """What the runner tells this step: its variables without the token, a folder of its own, the token."""

    environ: Mapping[str, str]
    folder: Path
    token: str

    def add(self, variable: str, text: str) -> None:
        """Add ``text`` to the file that ``variable`` names; where there is none, nobody reads it."""
        path = self.environ.get(variable, "")
        if path and text:
            with Path(path).open("a", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
                file.write(text)

    def outputs(self, **values: str) -> None:
        """Set outputs of the step; a name has ``_`` for each ``-``."""
        self.add(
            "GITHUB_OUTPUT", say.outputs({name.replace("_", "-"): given for name, given in values.items()})
        )

    def number(self, variable: str, default: int) -> int:
        """The number that a variable holds."""
        text = self.environ.get(variable, "")
        return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else default


def main(environ: MutableMapping[str, str] = os.environ) -> int:
    """Publish the result; the exit code says whether the job fails."""
    console.prepare()
    token = environ.pop(TOKEN, "").strip()
    console.out(say.mask(token))
    step = Step(dict(environ), Path(environ["DRYFIRE_FOLDER"]), token)
    # Not in the workspace: no name without a folder leads into it.
    os.chdir(step.folder)
    try:
        return published(step)
    except Exception as error:
        step.outputs(result="error")
        _tell("error", error)
        return EXIT_FAILED


def published(step: Step) -> int:
    """Verdict, outputs, annotations, summary, comment, in this order; the exit code. Raises ``DryfireError``."""
    inputs = read_inputs(step.environ)
    event = _event(step)
    document = _document(step, inputs, event)
    if isinstance(document, Refused):
        step.outputs(result="nothing-checked", posted="false")
        console.out(say.annotation("notice", _TITLE, document.notice))
        return EXIT_PASSED
    verdict = job_verdict(document, inputs.fail_on, inputs.on_empty)
    step.add("GITHUB_OUTPUT", say.outputs(outputs_of(document, verdict)))
    step.outputs(report_file=str(step.folder / RESULT_NAME))
    _conclude(document, verdict, annotate=inputs.annotations and (event is None or event.run is None))
    links = _links(step, event, document)
    if inputs.summary:
        _summarise(step, document, links)
    if inputs.mode != "check" and inputs.comment != "never" and event is not None:
        _comment(step, inputs, event, document, verdict, links)
    return EXIT_FAILED if verdict.fails else EXIT_PASSED


def _event(step: Step) -> Event | None:
    """What started the workflow; None where that cannot be read, and then nobody can be told but in the log."""
    from dryfire_action.github.event import EventError, load_event

    try:
        return load_event(step.environ)
    except EventError as error:
        _tell("warning", error)
        return None


def _document(step: Step, inputs: Inputs, event: Event | None) -> Document | Refused:
    """The result: from the file that the check left, or from the run that this workflow follows."""
    from dryfire_action.result_file import ResultFileError, parse_result, read_result

    path = step.folder / RESULT_NAME
    if inputs.replays or inputs.results:
        try:
            return read_result(path)
        except ResultFileError as error:
            known = error if path.exists() else CheckEnded("the check ended without a result", remedy=_KILLED)
            return unable(known, inputs, commit=None)
    from dryfire_action.github.artifact import read_artifact
    from dryfire_action.github.client import GitHub
    from dryfire_action.reports.shown import narrowed, strictest

    if event is None:
        return Refused("what started this workflow cannot be read, so there is nothing to publish")
    content = read_artifact(GitHub(step.environ.get("GITHUB_API_URL", ""), step.token), event, ARTIFACT)
    if isinstance(content, Refused):
        return content
    document = parse_result(content, ARTIFACT)
    document = narrowed(document, strictest((document["show"], inputs.show)))
    write_result(path, document)
    return document


def _conclude(document: Document, verdict: JobVerdict, *, annotate: bool) -> None:
    """Say in the log what came out, and beside which lines of which files it lies."""
    from dryfire_action.reports.annotations import annotated
    from dryfire_action.reports.markdown import headline

    level: say.Level = "error" if verdict.fails else "warning"
    # The reason below is one of the ten that the runner keeps of a level.
    for one in annotated(document, most=say.MOST_ANNOTATIONS - 1) if annotate else ():
        console.out(say.annotation(level, one.title, one.message, file=one.file, line=one.line))
    console.out(say.quoted(f"{verdict.result}: {headline(document)}"))
    if verdict.fails:
        console.out(say.annotation("error", f"{_TITLE}: {verdict.result}", "\n".join(verdict.reasons)))


def _links(step: Step, event: Event | None, document: Document) -> Links:
    """Links to the commit that the result is about, as its author knows it, and to this run."""
    from dryfire_action.reports.links import Links

    server, repository = (step.environ.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY"))
    about = (event.run.head if event.run else event.head) if event else ""
    head = about or document["commit"] or step.environ.get("GITHUB_SHA", "")
    run, attempt = step.number("GITHUB_RUN_ID", 0), step.number("GITHUB_RUN_ATTEMPT", 1)
    page = f"{server}/{repository}/actions/runs/{run}" + (f"/attempts/{attempt}" if attempt > 1 else "")
    try:
        return Links(server, repository, head, page if run else "")
    except ValueError:
        raise DryfireError("the runner does not say which commit of which repository this is about") from None


def _summarise(step: Step, document: Document, links: Links) -> None:
    from dryfire_action.reports.comment import MOST_SUMMARY_BYTES, job_summary

    path = step.environ.get("GITHUB_STEP_SUMMARY", "")
    taken = Path(path).stat().st_size if path and Path(path).is_file() else 0
    step.add("GITHUB_STEP_SUMMARY", job_summary(document, links, budget_bytes=MOST_SUMMARY_BYTES - taken))


def _comment(
    step: Step, inputs: Inputs, event: Event, document: Document, verdict: JobVerdict, links: Links
) -> None:
    """Keep the comment true. Whatever stands in its way is told, and changes nothing."""
    try:
        kept = _kept(step, inputs, event, document, verdict, links)
    except Exception as error:
        _tell("warning", error)
        return
    if kept is None:
        return
    if kept.notice:
        console.out(say.annotation("notice", _TITLE, kept.notice))
    stands = kept.what in ("created", "updated", "unchanged")
    step.outputs(
        comment_id="" if kept.id is None else str(kept.id),
        comment_url=kept.url,
        posted="true" if stands else "false",
    )


def _kept(
    step: Step, inputs: Inputs, event: Event, document: Document, verdict: JobVerdict, links: Links
) -> Kept | None:
    from dryfire_action.comment_marker import Marker
    from dryfire_action.github.client import GitHub
    from dryfire_action.github.comments import keep_comment
    from dryfire_action.github.pull_request import find_pull_request
    from dryfire_action.reports.comment import comment

    github = GitHub(step.environ.get("GITHUB_API_URL", ""), step.token)
    found = find_pull_request(github, event, checked=document["commit"] or "")
    if isinstance(found, Refused):
        console.out(say.annotation("notice", _TITLE, found.notice))
    if found is None or isinstance(found, Refused):
        return None
    counts = document["counts"]
    marker = Marker(
        key=inputs.key,
        head=found.head,
        run=step.number("GITHUB_RUN_ID", 0),
        attempt=step.number("GITHUB_RUN_ATTEMPT", 1),
        state=verdict.result,
        stale=counts["stale"] + counts["missing"] + counts["damaged"],
    )

    def compose(previous: Marker | None) -> tuple[Marker, str] | None:
        body = comment(document, marker, previous=previous, links=links, speak=inputs.comment)
        return None if body is None else (marker, body)

    return keep_comment(github, event.repository, found.number, inputs.key, compose)


def _tell(level: say.Level, error: Exception) -> None:
    """Say in the log what went wrong, without a word of what we do not know."""
    if isinstance(error, DryfireError):
        text = str(error)
    else:
        text = f"internal error: {type(error).__name__}. This is a fault of dryfire; please report it."
    console.out(say.annotation(level, _TITLE, text))


if __name__ == "__main__":
    sys.exit(main())
