"""What became of one test with a cassette, as plain JSON and in words.

It travels with the test's report from a worker to the controller, where ``pytest_results`` gathers them.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from dryfire_action.change_notes import DATE, inner_changes, note_for
from dryfire_action.errors import CassetteDamaged, CassetteMissError
from dryfire_action.messages import Usage
from dryfire_action.pytest_files import relative
from dryfire_action.pytest_results import causes_from
from dryfire_action.request_fields import changed_values
from dryfire_action.text_diff import diff
from dryfire_action.tree import find_root

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pytest

    from dryfire_action.divergence import ReplayDivergence
    from dryfire_action.field_changes import FieldChange
    from dryfire_action.playback import Miss
    from dryfire_action.pytest_cassettes import RecordedTest
    from dryfire_action.pytest_results import Part


def told(item: pytest.Item, recording: RecordedTest | None, phases: Mapping[str, Any]) -> Part:
    """The result of one test as JSON; ``phases`` are its reports so far."""
    root = find_root(item.config.rootpath)
    file = relative(item.path, root)
    part: Part = {
        "file": file,
        "name": item.nodeid.partition("::")[2],
        "line": (item.reportinfo()[1] or 0) + 1,
        "outcome": _outcome(recording, phases),
        "error": _reason(recording, phases),
        "remedy": "",
        "cassette": "",
        "unplayed": 0,
        "turns": [],
        "causes": [],
        "wrote": False,
        "partial": False,
    }
    if recording is None:
        return part
    error = recording.error
    if error is not None:
        part["remedy"] = error.remedy
    part["cassette"] = relative(recording.path, root)
    part["wrote"], part["partial"] = recording.wrote, recording.kept_partial
    if recording.mode == "replay" and not recording.cassette.tape.misses:
        part["unplayed"] = len(recording.cassette.unplayed)
    part["turns"] = _turns(recording)
    part["causes"] = [_cause_part(change, divergence) for change, divergence in _changes(recording)]
    return part


def explain(report: Any, recording: RecordedTest) -> None:
    """Let a report say why the recording failed its test, in the words of the comment on a pull request."""
    if report.when != "call" or recording.error is None or not report.failed:
        return
    text = failure_text(recording)
    report.longrepr = _Explained(text, _headline(recording), str(report.location[0]), report.location[1] or 0)


def failure_text(recording: RecordedTest) -> str:
    """Why a test's recording failed it: the edits, their differences, and how to record again."""
    error = recording.error
    assert error is not None
    place = [f"at {recording.at}"] if recording.at else []
    causes = causes_from(
        [("", _cause_part(change, divergence)) for change, divergence in _changes(recording)]
    )
    if causes and isinstance(error, CassetteMissError):
        from dryfire_action.reports.causes import cause_lines
        from dryfire_action.reports.lines import as_text
        from dryfire_action.reports.wording import meant

        told = as_text(cause_lines(causes, history="")).rstrip("\n")
        remedy = [meant(len(causes)), f"  {recording.command}"]
        volatile = next((cause.path for cause in causes if DATE in cause.note), "")
        if volatile:
            remedy.append("A date that changes by itself does not have to count:")
            rule = f'{{"path": "{volatile}", "pattern": r"..."}}'
            remedy.append(f"  @pytest.mark.cassette(ignore=[{rule}])")
        return "\n".join([f"{recording.nodeid}: {_headline(recording)}", *place, "", told, "", *remedy])
    return "\n".join([f"{recording.nodeid}: {error.message}", *place, *filter(None, [f"  {error.remedy}"])])


class _Explained:
    """What pytest shows of a failure, without a traceback through other people's libraries."""

    def __init__(self, text: str, message: str, file: str, line: int) -> None:
        self.text = text
        self.reprcrash = SimpleNamespace(message=message, path=file, lineno=line + 1)

    def __str__(self) -> str:
        return self.text

    def toterminal(self, writer: Any) -> None:
        """Write it to a terminal."""
        for line in self.text.split("\n"):
            marks = {"red": True} if line.lstrip().startswith("- ") else {}
            marks = {"green": True} if line.lstrip().startswith("+ ") else marks
            writer.line(line, **marks)


def _outcome(recording: RecordedTest | None, phases: Mapping[str, Any]) -> str:
    if recording is not None:
        if recording.problem is not None and recording.error is recording.problem:
            return "damaged" if isinstance(recording.problem, CassetteDamaged) else "missing"
        misses = [miss for miss, _ in recording.cassette.tape.misses] if recording.mode == "replay" else []
        if misses:
            return "stale" if any(miss.changes for miss in misses) else "missing"
    if any(report.failed for report in phases.values()):
        return "failed"
    return "skipped" if any(report.skipped for report in phases.values()) else "passed"


def _reason(recording: RecordedTest | None, phases: Mapping[str, Any]) -> str:
    if recording is not None and recording.error is not None:
        return recording.error.message
    for report in phases.values():
        if report.skipped and isinstance(report.longrepr, tuple):
            return str(report.longrepr[2]).removeprefix("Skipped: ")
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            return str(crash.message if crash else report.longrepr or "").partition("\n")[0]
    return ""


def _turns(recording: RecordedTest) -> list[Part]:
    """The calls of the model: those that were answered, those that were not, and those that were not reached."""
    tape = recording.cassette.tape
    found: dict[int, Part] = {}
    for call in tape.played:
        if call.kind == "llm":
            found[call.index] = _turn(call.index, "replayed", call.exchange.key, call.exchange.usage)
    for call in tape.new:
        if call.kind == "llm":
            outcome = "recorded" if recording.mode != "off" else "live"
            found[call.index] = _turn(call.index, outcome, call.exchange.key, call.exchange.usage)
    misses = tape.misses if recording.mode == "replay" else []
    for miss, divergence in misses:
        if divergence.kind == "llm":
            found[divergence.index] = _missed(miss, divergence)
    if misses and not recording.lenient:
        for call in recording.cassette.unplayed:
            if call.kind == "llm" and call.index not in found:
                found[call.index] = _turn(call.index, "not_reached", call.exchange.key, call.exchange.usage)
    return [found[index] for index in sorted(found)]


def _turn(index: int, outcome: str, key: str | None, usage: Usage) -> Part:
    is_hit = outcome == "replayed"
    return {
        "index": index,
        "attempt": 0,
        "outcome": outcome,
        "recorded": key if outcome in ("replayed", "not_reached") else None,
        "current": key if is_hit or outcome in ("recorded", "live") else None,
        "changes": [],
        "note": "not reached" if outcome == "not_reached" else "",
        "equal": 0,
        "fields": 0,
        "usage": [usage.input_tokens, usage.output_tokens],
    }


def _missed(miss: Miss, divergence: ReplayDivergence) -> Part:
    recorded = miss.recorded
    now = miss.current.fields
    before = recorded.fingerprint.fields if recorded else {}
    usage = recorded.usage if recorded else Usage()
    return {
        "index": divergence.index,
        "attempt": 0,
        "outcome": miss.outcome,
        "recorded": recorded.key if recorded else None,
        "current": miss.current.key,
        "changes": [[each.path, each.change, each.old, each.new] for each in miss.changes],
        "note": miss.sentence,
        "equal": sum(before.get(path) == value for path, value in now.items()) if miss.changes else 0,
        "fields": len(now) if miss.changes else 0,
        "usage": [usage.input_tokens, usage.output_tokens],
    }


def _changes(recording: RecordedTest) -> Iterable[tuple[FieldChange, ReplayDivergence]]:
    """The edits behind the misses of one test, each once."""
    seen: set[FieldChange] = set()
    misses = recording.cassette.tape.misses if recording.mode == "replay" else []
    for miss, divergence in misses:
        for change in miss.changes:
            # The name of a tool is told as its model too.
            if change not in seen and not (divergence.kind == "tool" and change.path == "model"):
                seen.add(change)
                yield change, divergence


def _cause_part(change: FieldChange, divergence: ReplayDivergence) -> Part:
    before, after, is_known = changed_values(change, divergence.recorded, divergence.actual)
    lines = diff(before, after) if is_known else ()
    both = is_known and change.old is not None and change.new is not None
    notes = [f"in the call of the tool {divergence.name}"] if divergence.kind == "tool" else []
    if both:
        notes.append(note_for(before, after))
    inner = [f"{path} {what}" for path, what in inner_changes(before, after) if path] if both else []
    return {
        "edit": [change.path, change.change, change.old, change.new],
        "diff": [[line.sign, line.text, list(map(list, line.changed))] for line in lines],
        "note": "; ".join(filter(None, notes)),
        "inner": ", ".join(inner[:3]) + (f" and {len(inner) - 3} more" if len(inner) > 3 else ""),
    }


def _headline(recording: RecordedTest) -> str:
    error = recording.error
    if isinstance(error, CassetteMissError):
        fields = [f"{change.path} {change.change}" for change, _ in _changes(recording)]
        if fields:
            return f"stale recording: {', '.join(fields[:4])}{' ...' if len(fields) > 4 else ''}"
        return "missing recording"
    return (error.message if error else "").partition("\n")[0]
