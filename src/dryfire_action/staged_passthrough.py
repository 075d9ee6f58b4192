"""Recordings that must not be committed, because their case runs real code.

A case with an `impl:` mock is a passthrough: what it answers today it may not answer tomorrow, so a recording of it
would be a lie. All recordings of the staged state are looked at, whichever of them the commit changes.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from dryfire_action.errors import DryfireError
from dryfire_action.known_suites import find_suites
from dryfire_action.suite import Impl

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dryfire_action.staged import Change, Staged
    from dryfire_action.suite import Case, Suite

_IMPL = re.compile(rb"^[ \t]*-?[ \t]*[\"']?impl[\"']?[ \t]*:", re.MULTILINE)
_HEADER = 2000


class Blocked(NamedTuple):
    """A reason not to commit: where it stands, what it is, and the way out."""

    place: str
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}\n  {self.remedy}"


class _Told(NamedTuple):
    suite: str
    case: str
    is_passthrough: bool


def blocked(staged: Staged) -> list[Blocked]:
    """Every recording of a passthrough case in the staged state, and what could not be looked at."""
    changes = staged.changes()
    changed = {change.path for change in changes if change.status != "D"}
    known = find_suites(staged.tree)
    cases = {
        (suite.config.cassettes, suite.name, case.name): (suite, case)
        for suite in known.suites
        for case in suite.cases
        if case.passthrough_rule is not None
    }
    found: list[Blocked] = []
    for path in _recordings(staged, known.folders, changed, all_of_them=bool(cases)):
        told = _told(staged, path)
        if told is None:
            continue
        folder = _folder_of(path, known.folders)
        case = cases.get((folder or "", told.suite, told.case)) or _anywhere(cases, told, folder)
        if case is not None:
            found.append(_of_case(path, *case, changes))
        elif told.is_passthrough:
            found.append(
                Blocked(
                    path,
                    f"recorded through passthrough, says its header ({told.suite}::{told.case})",
                    f"Record the case with a fixed answer for the mock, or take it out: git rm --cached '{path}'",
                )
            )
    loaded = {suite.file for suite in known.suites}
    return found + list(_unreadable(staged, loaded))


def _recordings(
    staged: Staged, folders: tuple[str, ...], changed: set[str], *, all_of_them: bool
) -> Iterator[str]:
    """The files that may be recordings: those of the cassette folders, and what the commit adds elsewhere."""
    for path in sorted(staged.tree.files(hidden=True)):
        if not path.endswith(".json"):
            continue
        if path in changed or (all_of_them and _folder_of(path, folders) is not None):
            yield path


def _folder_of(path: str, folders: tuple[str, ...]) -> str | None:
    inside = [folder for folder in folders if path.startswith(f"{folder}/")]
    return max(inside, key=len) if inside else None


def _anywhere(
    cases: dict[tuple[str, str, str], tuple[Suite, Case]], told: _Told, folder: str | None
) -> tuple[Suite, Case] | None:
    """The case of a recording that lies outside of every cassette folder, by its names alone."""
    if folder is not None:
        return None
    same = (case for (_, suite, name), case in cases.items() if (suite, name) == (told.suite, told.case))
    return next(same, None)


def _told(staged: Staged, path: str) -> _Told | None:
    """What a recording says of itself: one of ours, or one of dryfire 0.2 to 0.4."""
    try:
        data = staged.tree.read(path)
    except DryfireError:
        return None
    if data is None or (b'"suite"' not in data or b'"case"' not in data):
        return None
    try:
        root = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(root, dict) or not ({"format", "fingerprint"} & root.keys()):
        return None
    suite, case = root.get("suite"), root.get("case")
    if not isinstance(suite, str) or not isinstance(case, str):
        return None
    return _Told(suite, case, bool(root.get("passthrough")))


def _of_case(path: str, suite: Suite, case: Case, changes: list[Change]) -> Blocked:
    rule = case.passthrough_rule
    assert rule is not None and isinstance(rule.answer, Impl)
    by_path = {change.path: change.status for change in changes}
    if path in by_path:
        what = f"{case.id} runs real code (impl: {rule.answer.target}), so {path} must not be recorded"
    elif suite.file in by_path:
        what = f"{case.id} becomes a passthrough (impl: {rule.answer.target}), and {path} is still there"
    else:
        what = f"{case.id} runs real code (impl: {rule.answer.target}), and {path} is a recording of it"
    remedy = f"Take the recording out: git rm --cached '{path}'. Or give the mock a fixed answer: return: …"
    return Blocked(str(rule.place), what, remedy)


def _unreadable(staged: Staged, loaded: set[str]) -> Iterator[Blocked]:
    """Suites with problems that mention `impl:`: nobody knows which of their cases are passthroughs."""
    for path in sorted(staged.tree.files(hidden=True)):
        if path in loaded or not path.endswith((".eval.yaml", ".eval.yml")):
            continue
        try:
            data = staged.tree.read(path) or b""
        except DryfireError as error:
            yield Blocked(path, f"cannot be read: {error.message}", error.remedy or "Resolve it first.")
            continue
        if _IMPL.search(data):
            yield Blocked(
                path,
                "has problems, so its passthrough cases are not known",
                f"See dryfire validate '{path}'.",
            )
