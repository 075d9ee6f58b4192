"""The linters of workflows, and what they say of some."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

BIN = Path(sys.executable).parent
LINTERS = ("zizmor", "jactionlint", "check-jsonschema")


def complaints(linter: str, root: Path, names: Sequence[str], config: Path | None = None) -> str:
    """What a linter says of the workflows that are called ``names`` in the repository ``root``; "" if it is content.

    ``config`` is that of zizmor (default: the repository's own).
    """
    files = [f".github/workflows/{name}" for name in names]
    arguments = {
        "zizmor": ["--offline", "--no-progress", *(["--config", str(config)] if config else []), ".github"],
        "jactionlint": ["--profile", "correctness", "--shellcheck", _program("shellcheck"), *files],
        "check-jsonschema": ["--builtin-schema", "vendor.github-workflows", *files],
    }[linter]
    done = subprocess.run(
        [_program(linter), *arguments],
        cwd=root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return (done.stdout + done.stderr or f"exit {done.returncode}") if done.returncode else ""


def _program(name: str) -> str:
    """The path of a program of the development environment."""
    found = shutil.which(name, path=str(BIN))
    assert found, f"{name} is not installed beside {sys.executable}"
    return found
