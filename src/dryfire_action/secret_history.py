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
    from collections.abc import Iterable, Iterator

    from dryfire_action.recordings.report import Report

# Enough for years of a file, and seconds at most.
_MOST_COMMITS = 60
_MOST_SHOWN = 5
_LARGEST = 20_000_000


def told_of_history(reports: Iterable[Report], root: str) -> Iterator[str]:
    """For each file with findings that earlier commits hold too: which commits, and what to do about it."""
    with GitObjects(Path(root)) as objects:
        for report in reports:
            if not report.findings:
                continue
            file = os.path.relpath(report.findings[0].file, root).replace(os.sep, "/")
            file = report.findings[0].file if file.startswith("../") else file
            try:
                commits = commits_with({found.value for found in report.findings}, file, objects)
            except DryfireError:
                return
            if commits:
                yield from _advice(file, commits)


def commits_with(values: set[str], file: str, objects: GitObjects) -> list[str]:
    """The commits in which a file holds one of some secrets, newest first. Nothing secret is given to git."""
    asked = ["log", "--format=%H", f"--max-count={_MOST_COMMITS}", "--", file]
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


def _advice(file: str, commits: list[str]) -> Iterator[str]:
    from dryfire_action.visible import visible

    shown = ", ".join(commit[:10] for commit in commits[:_MOST_SHOWN])
    more = f" and {len(commits) - _MOST_SHOWN} more" if len(commits) > _MOST_SHOWN else ""
    yield ""
    yield f"{visible(file)}: already in history, in {shown}{more}."
    yield "  Taking it out of the file does not take it out of these commits."
    yield "  1. Revoke the secret and make a new one. Whoever has a clone has the old one."
    yield "  2. Then rewrite: git commit --amend if nothing was pushed; otherwise, with everybody's agreement,"
    yield "     git filter-repo --path FILE --invert-paths, and add the redacted file again."
