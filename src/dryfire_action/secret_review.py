"""Reviewing files for secrets: which rules hold for a file, what its team allows, and what is left after a fix.

The command and the hook share this. It loads little (no `pathlib`, no `subprocess`): a hook runs on every commit.
"""

from __future__ import annotations

import json
import os
import stat
import time
from typing import TYPE_CHECKING, Any

from dryfire_action.recordings.files import Fixed, fix, look
from dryfire_action.recordings.report import NotChecked, Report
from dryfire_action.redact import REVIEW_RULES, Rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dryfire_action.tree import Tree

RULES_PAGE = "docs/reference/redaction-rules.md"
EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOT_CHECKED = 0, 1, 2

_CONFIG = "dryfire.yaml"
_LARGEST = 200_000_001
# Folders that tools fill and nobody commits.
_SKIPPED = frozenset(
    (".git", "node_modules", ".venv", "__pycache__", ".tox", ".mypy_cache", ".ruff_cache", ".pytest_cache")
)
_OWN_FORMAT = b'"dryfire-cassette/'


class Reviewer:
    """Reviews files of one repository under the rules of the `dryfire.yaml` nearest to each.

    `read` gives the bytes of a file of the repository, None where there is none; `tree` the same files for the reader
    of configs, made when a config has something to say about redaction. `today` is an ISO date, `key` that of the
    digests of allowed values.
    """

    def __init__(
        self, read: Callable[[str], bytes | None], tree: Callable[[], Tree], *, today: str = "", key: str = ""
    ) -> None:
        self.read = read
        self._tree = tree
        self._today = today or time.strftime("%Y-%m-%d", time.gmtime())
        self._key = key or os.environ.get("DRYFIRE_DIGEST_KEY", "")
        self._rules: dict[str, Rules] = {}

    def look(self, path: str, data: bytes) -> Report:
        """What a file holds. `path` is its path in the repository."""
        rules = self.rules(path)
        return look(data, path, rules, passes=self._passes(path, rules))

    def fix(self, path: str, data: bytes) -> Fixed:
        """The file without what was found in it."""
        rules = self.rules(path)
        fixed = fix(data, path, rules, passes=self._passes(path, rules))
        if fixed.data == data or not is_own_cassette(data):
            return fixed
        from dryfire_action.cassette_redaction import redacted_file

        new = redacted_file(self._tree(), path, data, rules)
        if new is not None:
            left = look(new, path, rules, passes=self._passes(path, rules))
            if left.is_clean:
                return Fixed(new, fixed.found, left)
        return fixed._replace(data=with_new_digests(fixed.data))

    def still_replays(self, path: str, data: bytes) -> bool:
        """Whether a cassette of ours replays for its case."""
        from dryfire_action.cassette_redaction import replays

        return replays(self._tree(), path, data)

    def rules(self, path: str) -> Rules:
        """The rules for a file. Raises `SpecError` where its config is wrong."""
        folder = path.rpartition("/")[0]
        if folder not in self._rules:
            self._rules[folder] = self._rules_in(folder)
        return self._rules[folder]

    def _rules_in(self, folder: str) -> Rules:
        config = f"{folder}/{_CONFIG}" if folder else _CONFIG
        data = self.read(config)
        if data is None:
            return self.rules(folder) if folder else REVIEW_RULES
        if b"redact" not in data:
            return REVIEW_RULES
        from dryfire_action.config_file import load_config
        from dryfire_action.redaction_settings import rules_with

        return rules_with(load_config(self._tree(), config).redact, REVIEW_RULES)

    def _passes(self, path: str, rules: Rules) -> Callable[[str, str], bool]:
        def passes(rule: str, value: str) -> bool:
            if not rules.allow:
                return False
            return rules.allowance(rule, value, path=path, today=self._today, key=self._key) is not None

        return passes


def reviewer_of(root: str) -> Reviewer:
    """A reviewer of the files below a folder as they are now."""

    def read(path: str) -> bytes | None:
        place = f"{root}/{path}"
        try:
            if not stat.S_ISREG(os.lstat(place).st_mode):
                return None
            with open(place, "rb") as stream:  # noqa: PTH123
                return stream.read()
        except OSError:
            return None

    def tree() -> Tree:
        from pathlib import Path

        from dryfire_action.tree import FolderTree

        return FolderTree(Path(root))

    return Reviewer(read, tree)


def root_here() -> str:
    """The root of the repository that the current folder belongs to; the folder itself where there is none."""
    here = folder = os.getcwd()  # noqa: PTH109
    while True:
        if os.path.lexists(f"{folder}/.git"):
            return folder
        above = os.path.dirname(folder)  # noqa: PTH120
        if above == folder:
            return here
        folder = above


def reviewed(reviewer: Reviewer, root: str, file: str, *, fixing: bool = False) -> tuple[Report, list[str]]:
    """The report on one file, and with `fixing` what was done about it."""
    shown = file.replace(os.sep, "/").removeprefix("./")
    inside = os.path.relpath(file, root).replace(os.sep, "/")
    if inside.startswith("../"):
        inside = shown
    try:
        if not stat.S_ISREG(os.lstat(file).st_mode):
            return _unread(shown, "a link, a folder or a device: only plain files are read"), []
        with open(file, "rb") as stream:  # noqa: PTH123
            data = stream.read(_LARGEST)
    except OSError as error:
        return _unread(shown, f"cannot be read: {error.strerror}"), []
    if not fixing:
        return _as_seen(reviewer.look(inside, data), shown), []
    fixed = reviewer.fix(inside, data)
    notes = []
    if fixed.data != data:
        _write(file, fixed.data)
        notes.append(f"{shown}: {len(fixed.found.findings)} redacted")
        if is_own_cassette(data) and not reviewer.still_replays(inside, fixed.data):
            notes.append(f"{shown}: re-record this case: dryfire run --cassette-mode auto")
    notes += [
        f"{shown}:{left.line}: {left.rule} could not be removed: take it out by hand"
        for left in fixed.left.findings
    ]
    return _as_seen(fixed.found, shown), notes


def _write(file: str, data: bytes) -> None:
    from pathlib import Path

    from dryfire_action.cassette_store import replace_file

    place = Path(file)
    mode = place.stat().st_mode
    replace_file(place, data)
    place.chmod(mode)


def _unread(shown: str, why: str) -> Report:
    return Report((), (NotChecked(shown, 1, "(file)", "not-a-file", why),))


def _as_seen(report: Report, shown: str) -> Report:
    """A report with the file's name as it was given."""
    return report._replace(
        findings=tuple(found._replace(file=shown) for found in report.findings),
        not_checked=tuple(missed._replace(file=shown) for missed in report.not_checked),
    )


def with_new_digests(data: bytes) -> bytes:
    """A cassette of ours whose answers were edited, with the digests that belong to them now.

    The requests' digests stay: where an answer went into a later request, that turn is stale now, and is recorded
    again.
    """
    from dryfire_action.cassette_file import outcome_digest

    text = data.decode()
    try:
        for item in json.loads(text)["exchanges"]:
            old, new = item["digest"], outcome_digest(item)
            if old != new:
                text = text.replace(json.dumps(old), json.dumps(new))
    except (KeyError, TypeError, ValueError):
        return data
    return text.encode()


def is_own_cassette(data: bytes) -> bool:
    """Whether a file is a cassette of ours."""
    return _OWN_FORMAT in data[:400]


def walked(paths: Iterable[str]) -> Iterator[str]:
    """The files that some paths name: files themselves, and all files in folders and below, sorted, links left out."""
    for path in paths:
        if os.path.islink(path) or not os.path.isdir(path):  # noqa: PTH112, PTH114
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name not in _SKIPPED)
            for name in sorted(names):
                file = f"{folder}/{name}"
                if not os.path.islink(file):  # noqa: PTH114
                    yield file


def text_lines(report: Report) -> Iterator[str]:
    """A report as lines for people: `file:line: path: rule: mask`."""
    from dryfire_action.visible import visible

    for finding in report.findings:
        path, mask = visible(finding.path), visible(finding.mask)
        yield f"{visible(finding.file)}:{finding.line}: {path}: {finding.rule}: {mask}"
    for missed in report.not_checked:
        where = f"{visible(missed.file)}:{missed.line}: {visible(missed.path)}"
        yield f"{where}: {missed.rule}: not checked: {visible(missed.reason)}"


def document(reports: Iterable[Report]) -> dict[str, Any]:
    """Reports as the JSON of `dryfire redact --format json`."""
    found = list(reports)
    return {
        "findings": [
            {"file": f.file, "line": f.line, "path": f.path, "rule": f.rule, "mask": f.mask}
            for report in found
            for f in report.findings
        ],
        "not_checked": [
            {"file": m.file, "path": m.path, "reason": m.reason, "rule": m.rule, "line": m.line}
            for report in found
            for m in report.not_checked
        ],
    }


def exit_code(reports: Iterable[Report]) -> int:
    """0 where all is clean, 1 where something was found, 2 where something was only not checked."""
    found = list(reports)
    if any(report.findings for report in found):
        return EXIT_FINDINGS
    return EXIT_NOT_CHECKED if any(report.not_checked for report in found) else EXIT_CLEAN


def advice(reports: Iterable[Report], *, fixing: bool = False) -> Iterator[str]:
    """What to do about what was found."""
    found = list(reports)
    rules = sorted({f.rule for report in found for f in report.findings})
    missed = sorted({m.rule for report in found for m in report.not_checked})
    if not rules and not missed:
        return
    yield ""
    if rules and not fixing:
        yield "Redact in place: dryfire redact --fix FILE. Whatever was pushed before must be revoked too."
    yield from (f"  {rule}: {RULES_PAGE}#{rule}" for rule in (*rules, *missed))
    yield "Known and meant to stay: an entry under redact: allow: in dryfire.yaml, with a reason."
