"""Reviewing texts of files for secrets: which rules hold for a file, what its team allows, what is left after a fix.

The command and the hook share this. It loads little (no `pathlib`, no `subprocess`): a hook runs on every commit.
"""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, NamedTuple

from dryfire_action.recordings.files import Fixed, fix, look
from dryfire_action.recordings.report import Finding, Report
from dryfire_action.review_report import FILE_NAME, secrets_in_name
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


def _with_name(report: Report, path: str, passes: Callable[[str, str], bool]) -> Report:
    """A report with what is secret in the file's own name: test tools make names of the arguments of a test."""
    named = [
        Finding(path, 1, FILE_NAME, rule, value)
        for _, _, rule, value in secrets_in_name(path)
        if not passes(rule, value)
    ]
    return report._replace(findings=(*named, *report.findings)) if named else report


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
