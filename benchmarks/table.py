"""Tables as Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def shown(rows: Sequence[Sequence[str]]) -> str:
    """Rows of texts as a table, the first of them its head."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    lines.insert(1, " | ".join("-" * width for width in widths))
    return "".join(f"| {line} |\n" for line in lines)
