"""Secrets that are in git's history already: taking them out of the file is not enough then."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from dryfire_action.errors import DryfireError
from dryfire_action.git_objects import GitObjects
from dryfire_action.git_process import ask
from dryfire_action.recordings.files import look
from dryfire_action.secret_rule_set import REVIEW_RULES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dryfire_action.recordings.report import Report

# Enough for years of a file, and seconds at most.
_MOST_COMMITS = 60
_MOST_SHOWN = 5
_MOST_NAMED = 3
_LARGEST = 20_000_000
_ADVICE = (
    "  Taking it out of the file does not take it out of these commits.",
    "  1. Revoke the secret and make a new one. Whoever has a clone has the old one.",
    "  2. Then rewrite: git commit --amend if nothing was pushed; otherwise, with everybody's agreement,",
    "     git filter-repo --path FILE --invert-paths, and add the redacted file again.",
)


def told_of_history(reports: Iterable[Report], root: str) -> Iterator[str]:
    """Which commits hold findings already, of which files; and, once, what to do about it."""
    told: dict[tuple[str, ...], list[str]] = {}
    with GitObjects(Path(root)) as objects:
        for report in reports:
            if not report.findings:
                continue
            file = os.path.relpath(report.findings[0].file, root).replace(os.sep, "/")
            file = report.findings[0].file if file.startswith("../") else file
            try:
                found_in = commits_with({found.value for found in report.findings}, file, objects)
            except DryfireError:
                break
            if found_in:
                told.setdefault(tuple(found_in), []).append(file)
    if told:
        yield ""
        for commits, files in told.items():
            yield from _told(files, commits)
        yield from _ADVICE


def commits_with(values: set[str], file: str, objects: GitObjects) -> list[str]:
    """The commits in which a file holds one of some secrets, newest first. Nothing secret is given to git."""
    asked = ["log", "--format=%H", f"--max-count={_MOST_COMMITS}", "--", f":(literal){file}"]
    status, said, _ = ask(objects.root, asked)
    if status:
        return []
    found: list[str] = []
    known: dict[str, bool] = {}
    for commit in said.decode("ascii", "replace").split():
        blob = objects.find(f"{commit}:{file}", _LARGEST)
        if blob is None or blob.data is None:
            continue
        if blob.oid not in known:
            report = look(blob.data, file, REVIEW_RULES)
            known[blob.oid] = any(finding.value in values for finding in report.findings)
        if known[blob.oid]:
            found.append(commit)
    return found


def _told(files: list[str], commits: Sequence[str]) -> Iterator[str]:
    """Files that are in the same commits: each on a line, or all on one where they are many."""
    from dryfire_action.review_report import shown_name

    shown = ", ".join(commit[:10] for commit in commits[:_MOST_SHOWN])
    more = f" and {len(commits) - _MOST_SHOWN} more" if len(commits) > _MOST_SHOWN else ""
    names = [shown_name(file) for file in files]
    if len(names) > _MOST_NAMED:
        names = [f"{names[0]} and {len(names) - 1} more files"]
    yield from (f"{name}: already in history, in {shown}{more}." for name in names)
