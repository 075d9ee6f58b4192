"""What the redaction hook loads for a commit of one recording."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dryfire_action.late_pattern import late

# Each takes longer to load than the search through a small recording.
HEAVY = (
    "dataclasses",
    "inspect",
    "pathlib",
    "subprocess",
    "shutil",
    "urllib.parse",
    "zipfile",
    "yaml",
    "regex",
    "pydantic",
)


def test_a_clean_recording_is_reviewed_without_loading_anything_heavy(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"text": "nothing"}))
    code = (
        "import sys; from dryfire_hooks.cassette_redact import main; code = main(['a.json']);"
        f"print(code, [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path, env={**os.environ, "PRE_COMMIT": "1"}, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout == "0 []\n"


def test_a_late_pattern_is_compiled_once_and_works_as_a_compiled_one() -> None:
    pattern = late(r"(?P<a>\d)\d", re.ASCII)
    found = pattern.search("x12")
    assert found is not None and found["a"] == "1"
    assert pattern.sub("", "a12b") == "ab"
    assert pattern.search is pattern.search
    with pytest.raises(AttributeError):
        pattern.no_method  # noqa: B018
