"""A Python file fits in a reader's head."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.house.repository import ROOT, tracked

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MOST_LINES = 400


def too_long(paths: Iterable[Path]) -> list[str]:
    """The files with more lines than allowed, longest first, as "file: lines"."""
    sizes = {path: len(path.read_bytes().splitlines()) for path in paths}
    return [
        f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}: {size} lines"
        for path, size in sorted(sizes.items(), key=lambda item: -item[1])
        if size > MOST_LINES
    ]


def test_no_python_file_is_too_long() -> None:
    files = tracked(".py")
    assert files, "git lists no Python files: the test proves nothing"
    found = too_long(files)
    assert not found, f"more than {MOST_LINES} lines, split by noun:\n" + "\n".join(found)


def test_the_limit_is_a_limit(tmp_path: Path) -> None:
    fits, over = tmp_path / "fits.py", tmp_path / "over.py"
    fits.write_text("x = 1\n" * MOST_LINES, encoding="utf-8")
    over.write_text("x = 1\n" * (MOST_LINES + 1), encoding="utf-8")
    assert too_long([fits, over]) == [f"{over}: {MOST_LINES + 1} lines"]
