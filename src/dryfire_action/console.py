"""The command's two streams: reports go to stdout, errors and progress to stderr; neither ever brings it down.

A pipe that closes early ends the output quietly, not the run: its files and its exit code are still right. What a
stream's encoding cannot express is written as an escape.
"""

from __future__ import annotations

import os
import sys
from errno import EINVAL
from typing import TYPE_CHECKING

from dryfire_action.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TextIO

    from dryfire_action.progress import Progress
    from dryfire_action.reports.lines import Line

_MOST_COLUMNS = 160


def prepare() -> None:
    """Make stdout and stderr accept every text, whatever the machine's encoding is."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="backslashreplace")


def out(text: str) -> None:
    """Write ``text`` to stdout."""
    _write(sys.stdout, text)


def err(text: str) -> None:
    """Write ``text`` to stderr."""
    _write(sys.stderr, text)


def can_show(text: str) -> bool:
    """Whether stdout's encoding has all characters of ``text``."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def show(lines: Iterable[Line], environ: Mapping[str, str]) -> None:
    """Write a report to stdout: for eyes on a terminal, plain and unwrapped anywhere else.

    ``NO_COLOR`` takes the colours away, ``FORCE_COLOR`` asks for them where there is no terminal, and the first wins.
    """
    from dryfire_action.reports.lines import as_styled, as_text

    colour = bool(environ.get("FORCE_COLOR")) or _is_terminal(sys.stdout, environ)
    colour = colour and not environ.get("NO_COLOR")
    if not colour and not _is_terminal(sys.stdout, environ):
        out(as_text(lines))
        return
    out(as_styled(lines, width=_columns(sys.stdout), colour=colour))


def progress_line(environ: Mapping[str, str]) -> tuple[Callable[[Progress], None], Callable[[], None]]:
    """What to call as a run comes along and what to call at the end, to keep one line on stderr up to date.

    Without a terminal it is a line for each case that asked a provider, and for each wait before another attempt; a
    replay has none.
    """
    stream = sys.stderr
    if not _is_terminal(stream, environ):
        return _plain_progress, lambda: None

    from rich.cells import set_cell_size

    from dryfire_action.visible import visible

    columns = _columns(stream) - 1

    def tell(progress: Progress) -> None:
        parts = (
            f"{progress.done}/{progress.total}",
            progress.outcome,
            progress.run.words,
            visible(progress.case),
            visible(progress.again),
        )
        words = "  ".join(filter(None, parts))
        _write(stream, f"\r{set_cell_size(words, columns)}")

    return tell, lambda: _write(stream, "\r" + " " * columns + "\r")


def _plain_progress(progress: Progress) -> None:
    if progress.wait is None and not (progress.outcome and progress.own.calls):
        return
    from dryfire_action.visible import visible

    if progress.wait is not None:
        err(f"{visible(progress.case)}: {visible(progress.again)}\n")
    else:
        done = f"{progress.done}/{progress.total}"
        err(f"{done} {progress.outcome} {visible(progress.case)} ({progress.own.words})\n")


def _is_terminal(stream: TextIO | None, environ: Mapping[str, str]) -> bool:
    return stream is not None and stream.isatty() and environ.get("TERM") != "dumb"


def _columns(stream: TextIO | None) -> int:
    import shutil

    try:
        columns = os.get_terminal_size(stream.fileno()).columns if stream else 0
    except (OSError, ValueError):
        columns = 0
    return min(columns or shutil.get_terminal_size((100, 24)).columns, _MOST_COLUMNS)


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:  # it was closed before Python started
        return
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        _silence(stream)
        # Windows says EINVAL where a pipe's reader has gone. Without stderr there is nobody left to tell.
        if not isinstance(error, BrokenPipeError) and error.errno != EINVAL and stream is not sys.stderr:
            raise UsageError(f"the output cannot be written: {error.strerror or error}") from None


def _silence(stream: TextIO) -> None:
    """Send everything else that is written to this stream nowhere, Python's own flush at exit included."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    finally:
        os.close(nowhere)
