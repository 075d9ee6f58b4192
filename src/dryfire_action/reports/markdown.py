"""The report as GitHub-flavoured markdown, made from the result file's document and from nothing else.

So whatever may not be shown is not in it, and who holds only the document (the publisher of a comment) makes the same
report. It is built from closed blocks: leaving any of them out leaves the others whole.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from dryfire_action.reports import wording
from dryfire_action.reports.markdown_text import code, fence, html_code, is_safe_path, pasteable, prose
from dryfire_action.reports.markdown_turns import turn_rows
from dryfire_action.reports.shown import may_hide
from dryfire_action.reports.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Kind = Literal["headline", "problems", "cause", "cases", "command", "list", "behaviour", "turns", "foot"]

_MARKS = {"clear": "✅", "stale": "🔴", "failed": "🔴"}
_WARNING = "⚠️"
_MOST_DIFF_LINES = 12
_MOST_PLACES = 5
_KEY_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Block:
    """A part of the report that stands on its own. ``kind`` says what it is, ``number`` which cause it belongs to."""

    kind: Kind
    text: str
    number: int = 0


def text(document: Mapping[str, Any]) -> str:
    """The whole report."""
    return "\n\n".join(block.text for block in blocks(document)) + "\n"


def blocks(document: Mapping[str, Any]) -> tuple[Block, ...]:
    """The report's blocks, in the order in which they are read."""
    return tuple(_blocks(document))


def headline(document: Mapping[str, Any]) -> str:
    """The result in one line, without a mark: what the report begins with."""
    return wording.headline(_tally(document))


def _tally(document: Mapping[str, Any]) -> wording.Tally:
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


def _blocks(document: Mapping[str, Any]) -> Iterator[Block]:
    mark = _MARKS.get(document["state"], _WARNING)
    yield Block("headline", f"### {mark} {headline(document)}")
    yield from _problems(document)
    for number, cause in enumerate(document["causes"], 1):
        yield Block("cause", _cause(number, cause, document["show"]), number)
        yield Block("cases", _cases(cause), number)
    if document["history"]:
        yield Block("list", f"<sub>{prose(wording.without_old_text(document['history']))}</sub>")
    yield from _other_cases(document)
    yield from _gone(document)
    yield from _command(document)
    yield from _behaviour(document)
    rows = turn_rows(document)
    if rows:
        yield Block("turns", _folded("Turns, with their recorded and current keys", "\n".join(rows)))
    yield Block("foot", _foot(document))


def _problems(document: Mapping[str, Any]) -> Iterator[Block]:
    rows = []
    for problem in document["problems"]:
        place = f"{code(_place(problem))}: " if problem["file"] else ""
        hint = f" ({prose(problem['hint'])})" if problem["hint"] else ""
        rows.append(f"- {place}{prose(problem['message'])}{hint}")
    if rows:
        yield Block("problems", "\n".join(rows))
    if not document["suites"] and document["warnings"]:
        yield Block("problems", "\n".join(f"- {prose(warning)}" for warning in document["warnings"]))


def _cause(number: int, cause: Mapping[str, Any], show: str) -> str:
    suites = {case.partition("::")[0] for case in cause["cases"]}
    parts = [
        f"**{number}.** {code(cause['path'])} **{cause['change']}**",
        *(code(_place(place)) for place in cause["where"][:_MOST_PLACES]),
        *_more(len(cause["where"]) - _MOST_PLACES, "more place"),
        wording.spread(len(cause["cases"]), cause["turns"], len(suites)),
    ]
    found = [" · ".join(parts)]
    if cause["diff"]:
        found.append(fence(cause["diff"], "diff", most_lines=_MOST_DIFF_LINES))
    elif cause["old"] or cause["new"]:
        hidden = " (the text is not shown here)" if may_hide(cause["path"], show) else ""
        found.append(_keys(cause["old"], cause["new"]) + hidden)
    notes = []
    if cause["inside"]:
        notes.append(f"inside: {prose(cause['inside'])}")
    if cause["note"]:
        notes.append(f"note: {prose(cause['note'])}")
    if notes:
        found.append("  \n".join(notes))
    return "\n\n".join(found)


def _cases(cause: Mapping[str, Any]) -> str:
    """The names of the cases that a cause made stale, by suite, folded."""
    by_suite: dict[str, list[str]] = {}
    for case_id in cause["cases"]:
        suite, _, case = case_id.partition("::")
        by_suite.setdefault(suite, []).append(case)
    numbers = " · ".join(f"{html_code(suite)} {len(names):,}" for suite, names in by_suite.items())
    rows = [f"{code(suite)}: {' '.join(map(code, names))}" for suite, names in by_suite.items()]
    return _folded(f"{count(len(cause['cases']), 'case')}: {numbers}", "\n\n".join(rows))


def _other_cases(document: Mapping[str, Any]) -> Iterator[Block]:
    """What needs no cause to be told: by outcome, each case with its reason."""
    titles = {
        "missing": "Not recorded",
        "damaged": "Recordings that cannot be trusted",
        "failed": "Failed",
        "skipped": "Skipped",
        "excluded": "Excluded: these run real code, which is never recorded nor replayed",
    }
    gone = {one["case"] for one in document["no_longer_replayed"] or ()}
    for outcome, title in titles.items():
        found = []
        for suite in document["suites"]:
            for case in suite["cases"]:
                case_id = f"{suite['name']}::{case['name']}"
                if case["outcome"] == outcome and case_id not in gone:
                    found.append(f"- {code(case_id)}{_reason(case)}")
        if not found:
            continue
        if outcome == "excluded":
            yield Block("list", _folded(f"{title}: {count(len(found), 'case')}", "\n".join(found)))
        else:
            yield Block("list", f"**{title}**\n\n" + "\n".join(found))


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


def _command(document: Mapping[str, Any]) -> Iterator[Block]:
    again = document["rerecord"]
    if not again["command"]:
        return
    tally = _tally(document)
    if wording.only_rules_changed(tally, (cause["note"] for cause in document["causes"])):
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
    price = wording.cost(again["calls"], again["tokens"]["input"], again["tokens"]["output"], tally=tally)
    if price:
        found.append(f"<sub>{price}</sub>")
    yield Block("command", "\n\n".join(found))


def _add(document: Mapping[str, Any]) -> Iterator[str]:
    """The command that adds the recordings to the commit, for each folder that holds some."""
    paths = (case["cassette"] for suite in document["suites"] for case in suite["cases"])
    folders = dict.fromkeys(path.rsplit("/", 2)[0] for path in paths if path and path.count("/") > 1)
    safe = [folder for folder in folders if is_safe_path(folder)]
    if safe:
        yield f"git add {' '.join(safe)}"


def _gone(document: Mapping[str, Any]) -> Iterator[Block]:
    if document["no_longer_replayed"]:
        rows = [f"- {code(one['case'])}: {prose(one['text'])}" for one in document["no_longer_replayed"]]
        yield Block("list", "**No longer replayed, and replayed at the base**\n\n" + "\n".join(rows))


def _behaviour(document: Mapping[str, Any]) -> Iterator[Block]:
    if document["behaviour"]:
        rows = [f"- {code(one['case'])}: {prose(_sentence(one))}" for one in document["behaviour"]]
        kinds = Counter(one["kind"] for one in document["behaviour"])
        title = f"What new recordings changed: {wording.kinds_of_behaviour(kinds)}"
        yield Block("behaviour", _folded(title, "\n".join(rows)))


def _sentence(change: Mapping[str, Any]) -> str:
    return wording.behaviour(
        change["kind"],
        change["calls_before"],
        change["calls_after"],
        [difference["what"] for difference in change["differences"]],
        (sum(change["tokens_before"].values()), sum(change["tokens_after"].values())),
    )


def _foot(document: Mapping[str, Any]) -> str:
    numbers = document["counts"]
    parts = [f"{count(numbers['cases'], 'case')}, {count(numbers['turns'], 'turn')}"]
    if document["commit"]:
        parts.append(f"commit {code(document['commit'][:7])}")
    if document["base"]:
        own = document["base"] == document["commit"]
        parts.append("compared with that commit" if own else f"compared with {code(document['base'][:7])}")
    if document["not_compared"]:
        parts.append(prose(wording.not_compared(document["not_compared"])))
    if document["left_out"]:
        parts.append(f"{count(document['left_out'], 'case')} left out by arguments")
    if document["unplayed"]:
        unplayed = sum(one["exchanges"] for one in document["unplayed"])
        parts.append(f"{count(unplayed, 'recorded exchange')} never asked for")
    return f"<sub>{' · '.join(parts)}</sub>"


def _folded(summary: str, body: str) -> str:
    """A block that is opened by a click; ``summary`` is HTML, ``body`` markdown between blank lines."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def _place(place: Mapping[str, Any]) -> str:
    return f"{place['file']}:{place['line']}" if place["line"] else place["file"]


def _keys(old: str | None, new: str | None) -> str:
    return " → ".join(code(key[:_KEY_SHOWN]) for key in (old, new) if key)


def _more(number: int, noun: str) -> Iterable[str]:
    return [f"and {count(number, noun)}"] if number > 0 else []
