"""Which tool wrote a file: told by the keys at its root, and by the folders it stands in."""

from __future__ import annotations

import re
from typing import Any

from dryfire_action.late_pattern import late
from dryfire_action.recordings.bodies import fields

_FOLDER = late(
    r"(?:^|/)(?:\.dryfire|[^/]*(?:cassette|recording|vcr|betamax|polly)[^/]*|__recordings__|har|hars|snapshots)/",
    re.I,
)
_SUITE = late(r"(?:\.eval\.ya?ml|(?:^|/)dryfire\.yaml)\Z")
# A tool, and the keys that stand at the root of its files. The first that fits counts.
_ROOTS: tuple[tuple[str, frozenset[str]], ...] = (
    ("dryfire 0", frozenset({"fingerprint", "suite", "case", "response"})),
    ("Ruby VCR or Betamax", frozenset({"http_interactions"})),
    ("VCR.py or go-vcr", frozenset({"interactions"})),
    ("Polly.js", frozenset({"log", "_recordingName"})),
    ("HAR", frozenset({"log"})),
)


def format_of(tree: Any) -> str:
    """The tool that wrote a file, by its root; "" where that says nothing."""
    found = dict(fields(tree))
    written = found.get("format")
    if isinstance(written, str) and written.startswith("dryfire-cassette/"):
        return "dryfire cassette"
    for name, keys in _ROOTS:
        if keys <= found.keys():
            entries = dict(fields(found["log"])) if "log" in keys else {"entries"}
            if "entries" in entries:
                return "Polly.js" if name == "HAR" and "_recordingName" in entries else name
    names = {str(name).lower() for name in found}
    return "exchange" if {"request", "response"} <= names else ""


def is_recording(file: str, tool: str) -> bool:
    """Whether a file is a recording, in which people's addresses and card numbers count: by what wrote it, or by the
    folder it stands in. A suite is none."""
    path = file.replace("\\", "/")
    if _SUITE.search(path):
        return False
    return bool(tool) or _FOLDER.search(path) is not None or path.endswith((".har", ".har.gz"))
