"""Reviewing files for secrets: which rules hold for a file, what its team allows, and what is left after a fix.

The command and the hook share this. It loads little (no `pathlib`, no `subprocess`): a hook runs on every commit.
"""

from __future__ import annotations

import json
import os
import stat
import time
from typing import TYPE_CHECKING, NamedTuple

from dryfire_action.recordings.files import Fixed, fix, look
from dryfire_action.recordings.report import Finding, NotChecked, Report
from dryfire_action.review_report import FILE_NAME, secrets_in_name, shown_name
from dryfire_action.secret_baseline import (
    BASELINE_FILE,
    Baseline,
    Entry,
    entry_of,
    notes_on,
    read_baseline,
    without_entries,
)
from dryfire_action.secret_rule_set import REVIEW_RULES, Rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dryfire_action.tree import Tree

_CONFIG = "dryfire.yaml"
_KEY_VARIABLE = "DRYFIRE_DIGEST_KEY"
_LARGEST = 200_000_001
# Folders that tools fill and nobody commits.
_SKIPPED = frozenset(
    (".git", "node_modules", ".venv", "__pycache__", ".tox", ".mypy_cache", ".ruff_cache", ".pytest_cache")
)
_CODE = frozenset(
    (
        *(
            "py",
            "pyi",
            "ipynb",
            "rb",
            "go",
            "rs",
            "js",
            "jsx",
            "mjs",
            "cjs",
            "ts",
            "tsx",
            "java",
            "kt",
            "scala",
        ),
        *(
            "c",
            "h",
            "cc",
            "cpp",
            "hpp",
            "cs",
            "php",
            "swift",
            "sh",
            "bash",
            "ps1",
            "pl",
            "lua",
            "sql",
            "md",
            "rst",
        ),
    )
)
_OWN_FORMAT = b'"dryfire-cassette/'


class _Settings(NamedTuple):
    """What the nearest config says about redaction, and where it is, or would be."""

    rules: Rules = REVIEW_RULES
    key_variable: str = _KEY_VARIABLE
    config: str = _CONFIG


class Reviewer:
    """Reviews files of one repository under the rules of the `dryfire.yaml` nearest to each.

    `read` gives the bytes of a file of the repository, None where there is none; `tree` the same files for the reader
    of configs, made when a config has something to say about redaction. `today` is an ISO date, `key` that of the
    digests of allowed values; else it is read from the variable that the config names. Without `uses_baseline`
    nothing counts as known.
    """

    def __init__(
        self,
        read: Callable[[str], bytes | None],
        tree: Callable[[], Tree],
        *,
        today: str = "",
        key: str = "",
        uses_baseline: bool = True,
    ) -> None:
        self.read = read
        self._tree = tree
        self._today = today or time.strftime("%Y-%m-%d", time.gmtime())
        self._key = key
        self._settings: dict[str, _Settings] = {}
        self._baseline = None if uses_baseline else Baseline()
        self._looked_at: set[str] = set()

    def look(self, path: str, data: bytes) -> Report:
        """What a file holds. `path` is its path in the repository."""
        rules = self.rules(path)
        if path == BASELINE_FILE:
            data = without_entries(data.decode("utf-8", "replace")).encode()
        self._looked_at.add(path)
        passes = self._passes(path, rules)
        return _with_name(look(data, path, rules, passes=passes), path, passes)

    def fix(self, path: str, data: bytes) -> Fixed:
        """The file without what was found in it."""
        rules = self.rules(path)
        self._looked_at.add(path)
        if path == BASELINE_FILE:
            return Fixed(data, self.look(path, data), Report())
        fixed = fix(data, path, rules, passes=self._passes(path, rules))
        fixed = fixed._replace(
            found=_with_name(fixed.found, path, self._passes(path, rules)),
            left=_with_name(fixed.left, path, self._passes(path, rules)),
        )
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
        return self._settings_in(path.rpartition("/")[0]).rules

    def key(self, path: str) -> str:
        """The key of the digests that count for a file, "" where there is none."""
        return self._key or os.environ.get(self.key_variable(path), "")

    def key_variable(self, path: str) -> str:
        """The environment variable that holds the key of a file's digests."""
        return self._settings_in(path.rpartition("/")[0]).key_variable

    def config(self, path: str) -> str:
        """The config that counts for a file, or would."""
        return self._settings_in(path.rpartition("/")[0]).config

    def baseline(self) -> Baseline:
        """What is known of old, from the file at the repository's root."""
        if self._baseline is None:
            data = self.read(BASELINE_FILE)
            text = (data or b"").decode("utf-8", "replace")
            self._baseline = read_baseline(text, self.key("")) if text else Baseline()
        return self._baseline

    def baseline_notes(self, reports: Iterable[Report]) -> Iterator[str]:
        """What there is to say about the baseline after the files were reviewed."""
        findings = ((found.file, found.rule, found.value) for report in reports for found in report.findings)
        variable = self.key_variable("")
        return notes_on(self.baseline(), findings, self._looked_at, self._is_there, variable)

    def new_baseline(self, findings: Iterable[tuple[str, str, str]]) -> list[Entry]:
        """A baseline of these findings (path, rule, value) and of what the old one says about other files."""
        data = self.read(BASELINE_FILE)
        old = read_baseline((data or b"").decode("utf-8", "replace"))
        key = self.key("")
        kept = [e for e in old.entries if e.path not in self._looked_at and self._is_there(e.path)]
        return sorted({*kept, *(entry_of(rule, value, path, key) for path, rule, value in findings)})

    def seen(self) -> tuple[set[str], set[Entry]]:
        """What was looked at so far: the paths, and the entries of the baseline that were met."""
        return self._looked_at, self.baseline().met

    def add_seen(self, paths: set[str], met: set[Entry]) -> None:
        """Take over what another reviewer of the same files has seen."""
        self._looked_at |= paths
        self.baseline().met |= met

    def _is_there(self, path: str) -> bool:
        return self.read(path) is not None

    def _settings_in(self, folder: str) -> _Settings:
        if folder not in self._settings:
            self._settings[folder] = self._read_settings(folder)
        return self._settings[folder]

    def _read_settings(self, folder: str) -> _Settings:
        config = f"{folder}/{_CONFIG}" if folder else _CONFIG
        data = self.read(config)
        if data is None:
            return self._settings_in(folder.rpartition("/")[0]) if folder else _Settings()
        if b"redact" not in data:
            return _Settings(config=config)
        from dryfire_action.config_file import load_config
        from dryfire_action.redaction_settings import digest_key_variable, rules_with

        said = load_config(self._tree(), config).redact
        return _Settings(rules_with(said, REVIEW_RULES), digest_key_variable(said) or _KEY_VARIABLE, config)

    def _passes(self, path: str, rules: Rules) -> Callable[[str, str], bool]:
        known = self.baseline()

        def passes(rule: str, value: str) -> bool:
            if rules.allow:
                key = self.key(path)
                if rules.allowance(rule, value, path=path, today=self._today, key=key) is not None:
                    return True
            return bool(known.entries) and known.knows(rule, value, path)

        return passes


def reviewer_of(root: str, *, uses_baseline: bool = True) -> Reviewer:
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

    return Reviewer(read, tree, uses_baseline=uses_baseline)


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
    inside = path_in(root, file)
    try:
        if not stat.S_ISREG(os.lstat(file).st_mode):
            return unread(shown, "a link, a folder or a device: only plain files are read"), []
        with open(file, "rb") as stream:  # noqa: PTH123
            data = stream.read(_LARGEST)
    except OSError as error:
        return unread(shown, f"cannot be read: {error.strerror}"), []
    if not fixing:
        return _as_seen(reviewer.look(inside, data), shown), []
    name = shown_name(shown)
    if _is_code(inside):
        report = reviewer.look(inside, data)
        return _as_seen(report, shown), [f"{name}: source code is not rewritten: take it out by hand"][
            : len(report.findings)
        ]
    fixed = reviewer.fix(inside, data)
    notes: list[str] = []
    if fixed.data != data:
        _write(file, fixed.data)
        count = sum(found.path != FILE_NAME for found in fixed.found.findings)
        notes.append(f"{name}: {count} redacted")
        if is_own_cassette(data) and not reviewer.still_replays(inside, fixed.data):
            notes.append(f"{name}: re-record this case: dryfire run --cassette-mode auto")
    notes += [
        f"{name}: {left.rule} in the name of the file: rename it"
        if left.path == FILE_NAME
        else f"{name}:{left.line}: {left.rule} could not be removed: take it out by hand"
        for left in fixed.left.findings
    ]
    return _as_seen(fixed.found, shown), notes


def _with_name(report: Report, path: str, passes: Callable[[str, str], bool]) -> Report:
    """A report with what is secret in the file's own name: test tools make names of the arguments of a test."""
    named = [
        Finding(path, 1, FILE_NAME, rule, value)
        for _, _, rule, value in secrets_in_name(path)
        if not passes(rule, value)
    ]
    return report._replace(findings=(*named, *report.findings)) if named else report


def path_in(root: str, file: str) -> str:
    """A file's path in the repository; outside of it, the path as it was given."""
    inside = os.path.relpath(file, root).replace(os.sep, "/")
    return file.replace(os.sep, "/").removeprefix("./") if inside.startswith("../") else inside


def _is_code(path: str) -> bool:
    """Whether a file is a program, which a marker in the place of a value could break, or a page about one."""
    return path.rpartition(".")[2].lower() in _CODE


def _write(file: str, data: bytes) -> None:
    from pathlib import Path

    from dryfire_action.cassette_store import replace_file

    place = Path(file)
    mode = place.stat().st_mode
    replace_file(place, data)
    place.chmod(mode)


def unread(shown: str, why: str) -> Report:
    """The report on a file that could not be read at all."""
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
