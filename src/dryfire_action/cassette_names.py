"""Where a case's recording lies: file names that are safe on every system and stay apart on every system.

A name that is lower-case ``[a-z0-9._-]``, short and reserved nowhere is used as it is. Any other gets a cleaned
stem and a hash of the true name, so that names which differ only in case or in Unicode form do not share a file. A
name that only looks hashed gets a hash too, so no name can take another one's file. The true names stand in the header.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256
from posixpath import join

LONGEST = 80
PARTIAL_FOLDER = ".partial"

_ODD = re.compile(r"[^a-z0-9_-]+")
_PLAIN = re.compile(r"[a-z0-9_-](?:[a-z0-9._-]*[a-z0-9_-])?\Z")
# Names that Windows keeps for devices, whatever suffix follows.
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|\Z)")
_LOOKS_HASHED = re.compile(r".*-[0-9a-f]{10}\Z")


@lru_cache(maxsize=64)
def safe_name(name: str) -> str:
    """``name`` as one part of a path."""
    if (
        len(name) <= LONGEST
        and _PLAIN.match(name)
        and not _RESERVED.match(name)
        and not _LOOKS_HASHED.match(name)
    ):
        return name
    cleaned = _ODD.sub("-", name.lower()).strip("-")[:40].strip("-")
    # Surrogates cannot be encoded, and a hash needs bytes for every name.
    hashed = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{cleaned}-{hashed}" if cleaned and not _RESERVED.match(cleaned) else f"x-{hashed}"


def cassette_path(folder: str, suite: str, case: str, model: str | None = None) -> str:
    """The cassette of a case, under the cassette folder; ``model`` is that of ``--model``, which records beside."""
    stem = safe_name(case) if model is None else f"{safe_name(case)}@{safe_name(model)}"
    return join(folder, safe_name(suite), f"{stem}.json")


def partial_path(folder: str, cassette: str) -> str:
    """Where the exchanges of a recording that goes on are kept until it is complete."""
    below = cassette[len(folder) :].lstrip("/") if folder else cassette
    return join(folder, PARTIAL_FOLDER, below.removesuffix(".json") + ".jsonl")
