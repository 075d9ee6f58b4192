"""The picture in the README: the report of a stale run as it looks on a terminal, drawn from the command's own output.

`docs/build.py` writes it, and a test compares it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

from rich.cells import cell_len

PICTURE = Path(__file__).resolve().parent / "stale.svg"
COMMAND = "dryfire run"
COLUMNS = 86

_IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false")
_COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341"}
_CODE = re.compile(r"\x1b\[([0-9;]*)m")
_WIDTH, _HEIGHT, _MARGIN = 7.8, 18, 20


def picture() -> str:
    """The SVG."""
    rows = [f"\x1b[1m$ {COMMAND}\x1b[0m", *_report().splitlines()]
    width = round(COLUMNS * _WIDTH) + 2 * _MARGIN
    height = len(rows) * _HEIGHT + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-label="The report of dryfire run after a prompt was edited">\n',
        f'<rect width="{width}" height="{height}" rx="8" fill="#161b22"/>\n',
        '<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="13" fill="#e6edf3" '
        'xml:space="preserve">\n',
    ]
    for number, row in enumerate(rows):
        y = _MARGIN + (number + 1) * _HEIGHT - 5
        parts += [_text(piece, style, at, y) for at, piece, style in _pieces(row)]
    return "".join((*parts, "</g>\n</svg>\n"))


def _report() -> str:
    """What the command prints, with colours, after one line of the prompt of a fresh project was edited."""
    with tempfile.TemporaryDirectory(prefix="dryfire-picture-") as name:
        _dryfire(name, 0, "init")
        _dryfire(name, 0, "run", "--cassette-mode", "record")
        for words in (("init", "-q"), ("add", "."), (*_IDENTITY, "commit", "-q", "-m", "start")):
            subprocess.run(["git", *words], cwd=name, check=True, stdin=subprocess.DEVNULL, timeout=60)
        prompt = Path(name) / "evals/prompts/support.md"
        text = prompt.read_text(encoding="utf-8")
        prompt.write_text(text.replace("30 days", "14 days"), encoding="utf-8")
        return _dryfire(name, 3, "run")


def _dryfire(folder: str, code: int, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "dryfire_action", *arguments],
        cwd=folder,
        env={
            "PATH": os.environ.get("PATH", os.defpath),
            "FORCE_COLOR": "1",
            "COLUMNS": str(COLUMNS),
            "LC_ALL": "C.UTF-8",
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == code, f"exit code {done.returncode}, not {code}:\n{done.stdout}"
    return done.stdout


def _pieces(row: str) -> list[tuple[int, str, str]]:
    """The parts of a line in one style each: ``(column, text, style)``."""
    found = []
    style, column = "", 0
    for number, part in enumerate(_CODE.split(row)):
        if number % 2:
            style = _style(part)
        else:
            # Blanks in a row are not kept by every viewer: what stands after them has a place of its own.
            for words in re.split(r"( {2,})", part):
                if words.strip():
                    found.append((column, words, style))
                column += cell_len(words)
    return found


def _style(codes: str) -> str:
    words = []
    for code in codes.split(";"):
        if code == "1":
            words.append('font-weight="bold"')
        elif code == "2":
            words.append('opacity="0.6"')
        elif code == "4":
            words.append('text-decoration="underline"')
        elif code in _COLOURS:
            words.append(f'fill="{_COLOURS[code]}"')
    return "".join(f" {word}" for word in words)


def _text(piece: str, style: str, column: int, y: int) -> str:
    blanks = len(piece) - len(piece.lstrip())
    words = piece.strip()
    x = _MARGIN + (column + blanks) * _WIDTH
    # textLength keeps the columns whatever font is there.
    length = cell_len(words) * _WIDTH
    return f'<text x="{x:.1f}" y="{y}" textLength="{length:.1f}"{style}>{escape(words)}</text>\n'
