"""The report as GitHub-flavoured markdown, made from the result file's document and from nothing else.

So whatever may not be shown is not in it, and who holds only the document (the publisher of a comment) makes the same
report. It is built from closed blocks: leaving any of them out leaves the others whole.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from dryfire_action.behaviour import KINDS
from dryfire_action.reports import wording
from dryfire_action.reports.markdown_behaviour import gone_section, sections
from dryfire_action.reports.markdown_causes import cases_block, cause_block
from dryfire_action.reports.markdown_text import code, fence, is_safe_path, pasteable, prose
from dryfire_action.reports.markdown_turns import turn_rows
from dryfire_action.reports.markdown_view import View, folded, shortened
from dryfire_action.reports.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Kind = Literal[
    "headline",
    "problems",
    "cause",
    "cases",
    "list",
    "command",
    "behaviour title",
    "behaviour",
    "turns",
    "fix",
    "foot",
]

_MARKS = {"clear": "✅", "stale": "🔴", "failed": "🔴"}
_WARNING = "⚠️"
_FETCH_DEPTH = re.compile(r"\bfetch-depth: (\d{1,4})\b")
_MOST_FOLDERS = 20


@dataclass(frozen=True, slots=True)
class Block:
    """A part of the report that stands on its own. ``kind`` says what it is, ``number`` which cause it belongs to."""

    kind: Kind
    text: str
    number: int = 0


def text(document: Mapping[str, Any]) -> str:
    """The whole report."""
    return joined(blocks(document)) + "\n"


def joined(found: Iterable[Block]) -> str:
    """``found`` below each other."""
    return "\n\n".join(block.text for block in found)


def blocks(document: Mapping[str, Any], view: View = View()) -> tuple[Block, ...]:  # noqa: B008
    """The report's blocks, in the order in which they are read."""
    return tuple(_blocks(document, view))


def headline(document: Mapping[str, Any]) -> str:
    """The result in one line, without a mark: what the report begins with."""
    return wording.headline(tally(document))


def tally(document: Mapping[str, Any]) -> wording.Tally:
    """What ``document`` comes to in numbers."""
    cases = [
        (f"{suite['name']}::{case['name']}", case) for suite in document["suites"] for case in suite["cases"]
    ]
    gone = document["no_longer_replayed"]
    return wording.tally_from(
        document["state"],
        {case_id: case["outcome"] for case_id, case in cases},
        no_longer_replayed=None if gone is None else [one["case"] for one in gone],
        causes=len(document["causes"]),
        not_run=document["not_run"],
        problems=len(document["problems"]),
    )


def _blocks(document: Mapping[str, Any], view: View) -> Iterator[Block]:
    mark = _MARKS.get(document["state"], _WARNING)
    yield Block("headline", f"### {mark} {headline(document)}")
    yield from _problems(document, view)
    yield from _causes(document, view)
    yield from _other_cases(document, view)
    for section in gone_section(document, view):
        yield Block("list", section)
    yield from command_block(document)
    yield from _behaviour(document, view)
    excluded = _with_outcome(document, "excluded")
    if excluded:
        title = f"Excluded: these run real code, which is never recorded nor replayed: {count(len(excluded), 'case')}"
        yield Block("list", folded(title, "\n".join(shortened(excluded, view.size.rows, "case"))))
    rows = turn_rows(document, most=view.size.turns)
    if rows:
        yield Block("turns", folded("Turns, with their recorded and current keys", "\n".join(rows)))
    yield from fix_block(document)
    yield Block("foot", foot(document, view))


def _causes(document: Mapping[str, Any], view: View) -> Iterator[Block]:
    causes = document["causes"]
    most = len(causes) if view.size.causes is None else view.size.causes
    for number, cause in enumerate(causes[:most], 1):
        yield Block("cause", cause_block(number, cause, document["show"], view), number)
        yield Block("cases", cases_block(cause, view.size), number)
    if len(causes) > most:
        cases = {case for cause in causes[most:] for case in cause["cases"]}
        words = f"{count(len(causes) - most, 'more change')}, which made {count(len(cases), 'case')} stale"
        yield Block("list", f"… and {words}")
    if document["history"]:
        yield Block("list", f"<sub>{prose(wording.without_old_text(document['history']))}</sub>")
    not_reached = sum(
        turn["outcome"] == "not_reached"
        for suite in document["suites"]
        for case in suite["cases"]
        for run in case["runs"]
        for turn in run["turns"]
    )
    if not_reached:
        were = "was" if not_reached == 1 else "were"
        yield Block(
            "list", f"<sub>{count(not_reached, 'turn')} {were} not reached: {wording.NOT_REACHED}</sub>"
        )


def _problems(document: Mapping[str, Any], view: View) -> Iterator[Block]:
    rows = []
    for problem in document["problems"]:
        place = f"{view.place(problem)}: " if problem["file"] else ""
        hint = f" ({prose(problem['hint'])})" if problem["hint"] else ""
        rows.append(f"- {place}{prose(problem['message'])}{hint}")
    if rows:
        yield Block("problems", "\n".join(shortened(rows, view.size.rows, "problem")))
    if document["warnings"] and (not document["suites"] or document["state"] == "stopped"):
        warnings = (f"- {prose(warning)}" for warning in document["warnings"])
        yield Block("problems", "\n".join(shortened(warnings, view.size.rows, "warning")))


def _other_cases(document: Mapping[str, Any], view: View) -> Iterator[Block]:
    """What needs no cause to be told: by outcome, each case with its reason."""
    titles = {
        "missing": "Not recorded",
        "damaged": "Recordings that cannot be trusted",
        "failed": "Failed",
        "skipped": "Skipped",
    }
    for outcome, title in titles.items():
        found = _with_outcome(document, outcome)
        if found:
            rows = "\n".join(shortened(found, view.size.rows, "case"))
            yield Block("list", f"**{title}: {count(len(found), 'case')}**\n\n{rows}")


def _with_outcome(document: Mapping[str, Any], outcome: str) -> list[str]:
    """The cases of one outcome as lines of a list; those that are no longer replayed have a list of their own."""
    gone = {one["case"] for one in document["no_longer_replayed"] or ()}
    found = []
    for suite in document["suites"]:
        for case in suite["cases"]:
            case_id = f"{suite['name']}::{case['name']}"
            if case["outcome"] == outcome and case_id not in gone:
                found.append(f"- {code(case_id)}{_reason(case)}")
    return found


def _reason(case: Mapping[str, Any]) -> str:
    if case["outcome"] == "excluded":
        return ""
    if case["outcome"] == "missing":
        notes = (
            turn["note"] for run in case["runs"] for turn in run["turns"] if turn["outcome"] == "missing"
        )
        return next((f": {prose(note)}" for note in notes if note), "")
    failed = [check for check in case["assertions"] if not check["passed"]]
    said = [f"{prose(check['description'])}{_because(check['message'])}" for check in failed]
    if case["error"]:
        said.insert(0, prose(case["error"]))
    return f": {'; '.join(said)}" if said else ""


def _because(message: str | None) -> str:
    return f" ({prose(message)})" if message else ""


def command_block(document: Mapping[str, Any], *, numbers: wording.Tally | None = None) -> Iterator[Block]:
    """What to do about it: the command that is safe to paste, and what it takes."""
    again = document["rerecord"]
    if not again["command"]:
        return
    numbers = numbers or tally(document)
    if wording.only_rules_changed(numbers, (cause["note"] for cause in document["causes"])):
        rekey = "\n".join((wording.REKEY_COMMAND, *_add(document)))
        yield Block("command", f"{wording.REKEY}\n\n{fence(rekey, 'sh')}")
        return
    lines = pasteable(again["command"])
    causes = len(document["causes"])
    found = [wording.meant(causes)] if causes else ["Record them, and commit the recordings:"]
    if lines:
        found.append(fence("\n".join((*lines, *_add(document))), "sh"))
    else:
        found.append(
            "`dryfire run` names the command on a terminal; a name in it is not safe to paste from here."
        )
    price = wording.cost(again["calls"], again["tokens"]["input"], again["tokens"]["output"], tally=numbers)
    if price:
        found.append(f"<sub>{price}</sub>")
    yield Block("command", "\n\n".join(found))


def _add(document: Mapping[str, Any]) -> Iterator[str]:
    """The command that adds the recordings to the commit, for each folder that holds some."""
    paths = (case["cassette"] for suite in document["suites"] for case in suite["cases"])
    folders = dict.fromkeys(path.rsplit("/", 2)[0] for path in paths if path and path.count("/") > 1)
    safe = [folder for folder in folders if is_safe_path(folder)]
    for at in range(0, len(safe), _MOST_FOLDERS):
        yield f"git add {' '.join(safe[at : at + _MOST_FOLDERS])}"


def _behaviour(document: Mapping[str, Any], view: View) -> Iterator[Block]:
    found = list(sections(document, view))
    if found:
        number = len(document["behaviour"])
        differ = "is new or differs" if number == 1 else "are new or differ"
        title = f"**{count(number, 'recording')} {differ} from the base**: {kinds(document)}"
        yield Block("behaviour title", title)
        yield from (Block("behaviour", section) for section in found)


def kinds(document: Mapping[str, Any]) -> str:
    """How many recordings changed in which way."""
    numbers = Counter(one["kind"] for one in document["behaviour"])
    return wording.kinds_of_behaviour({kind: numbers[kind] for kind in KINDS if numbers[kind]})


def fix_block(document: Mapping[str, Any]) -> Iterator[Block]:
    """The lines that give a checkout the history it lacks, where that is what is missing."""
    reasons = (document["history"] or "", document["not_compared"] or "")
    depths = [int(found[1]) for reason in reasons if (found := _FETCH_DEPTH.search(reason))]
    if depths:
        depth = 0 if 0 in depths else max(depths)
        words = (
            "The checkout of this workflow lacks history. One line below `actions/checkout` gives it enough:"
        )
        yield Block("fix", f"{words}\n\n{fence(f'with: {{fetch-depth: {depth}}}', 'yaml')}")


def foot(document: Mapping[str, Any], view: View) -> str:
    """Numbers, the commit, and what it was compared with, in small print."""
    numbers = document["counts"]
    parts = [f"{count(numbers['cases'], 'case')}, {count(numbers['turns'], 'turn')}"]
    head = view.links.head if view.links else document["commit"]
    if head:
        parts.append(f"commit {view.commit(head)}")
    if document["base"]:
        own = document["base"] == document["commit"]
        parts.append("compared with that commit" if own else f"compared with {view.commit(document['base'])}")
    if document["not_compared"]:
        parts.append(prose(wording.not_compared(document["not_compared"])))
    if document["shard"]:
        parts.append(f"shard {code(document['shard'])}")
    if document["left_out"]:
        parts.append(f"{count(document['left_out'], 'case')} left out by arguments")
    if document["unplayed"]:
        unplayed = sum(one["exchanges"] for one in document["unplayed"])
        parts.append(f"{count(unplayed, 'recorded exchange')} never asked for")
    if view.links and view.links.run_url:
        parts.append(view.links.report())
    return f"<sub>{' · '.join(parts)}</sub>"
