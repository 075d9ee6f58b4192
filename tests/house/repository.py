"""Where the repository is and what git tracks in it."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Folders that hold importable packages: each child folder is one.
SOURCE_ROOTS = (ROOT / "src", ROOT / "hooks")


@cache
def _listed(*arguments: str) -> tuple[str, ...]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: nothing says which files belong to the repository")
    done = subprocess.run(
        ["git", "ls-files", "-z", *arguments],
        cwd=ROOT,
        # Inside a git hook these point at another repository or index.
        env={key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        check=True,
    )
    return tuple(name for name in os.fsdecode(done.stdout).split("\0") if name)


def tracked(suffix: str = "") -> list[Path]:
    """The files git tracks whose name ends in `suffix`, but for links and what is gone from the folder."""
    paths = [ROOT / name for name in _listed() if name.endswith(suffix)]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def modules() -> dict[str, Path]:
    """Every module below the source roots: `{"dryfire_action.cli": .../cli.py, ...}`."""
    found = {}
    for root in SOURCE_ROOTS:
        for path in sorted(root.rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found
