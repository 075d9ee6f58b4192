"""Writing a report's file in one step: a reader sees the old one or the new one, never a part."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write(path: Path, text: str) -> None:
    """Put ``text`` into the file at ``path``. Raises ``OSError``; then the file is as it was."""
    # A lone surrogate has no UTF-8; its escape, which this error handler makes, is what JSON writes for it.
    content = text.encode("utf-8", "backslashreplace")
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
