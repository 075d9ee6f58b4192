"""The two streams: colours, width and progress on a terminal, plain text anywhere else."""

from __future__ import annotations

import os
import select
import struct
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING

import pytest

from dryfire_action import console
from dryfire_action.progress import Progress, Spent
from dryfire_action.reports.lines import line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LINES = (line(("word " * 30, "bad"), indent=2),)


@contextmanager
def terminal() -> Iterator[Callable[[], str]]:
    """A terminal of 40 columns behind stdout and stderr; gives a function that tells what was written."""
    fcntl, pty, termios = (pytest.importorskip(name) for name in ("fcntl", "pty", "termios"))
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    os.set_blocking(reader, False)
    with os.fdopen(writer, "w", encoding="utf-8") as stream, redirect_stdout(stream), redirect_stderr(stream):

        def written() -> str:
            found = b""
            # The system hands it on in pieces, when it gets round to it.
            while select.select([reader], [], [], 0.3)[0]:
                found += os.read(reader, 65536)
            return found.decode()

        yield written
    os.close(reader)


def test_a_report_on_a_terminal_is_coloured_and_fits() -> None:
    with terminal() as written:
        console.show(LINES, {"TERM": "xterm"})
        shown = written()
    assert "\x1b[1;31m" in shown
    rows = shown.replace("\x1b[1;31m", "").replace("\x1b[0m", "").splitlines()
    assert max(map(len, rows)) <= 40
    assert len(rows) > 3


@pytest.mark.parametrize("environ", [{"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_without_colours_there_are_no_codes(environ: dict[str, str]) -> None:
    with terminal() as written:
        console.show(LINES, environ)
        shown = written()
    assert "\x1b" not in shown
    assert shown.split() == ["word"] * 30
    assert (len(shown.splitlines()) > 3) is (environ["TERM"] != "dumb")


def test_progress_is_one_line_that_is_gone_at_the_end() -> None:
    with terminal() as written:
        tell, end = console.progress_line({"TERM": "xterm"})
        tell(Progress(1, 20, "s::a\x1b[2J" + "退" * 40, "passed"))
        end()
        shown = written()
    assert shown.startswith("\r1/20  passed  s::a\\x1b[2J退")
    assert "\n" not in shown
    assert shown.endswith("\r" + " " * 39 + "\r")


WAITING = Progress(1, 3, "s::a", "", Spent(7, 5, 1234), Spent(2, 1, 10), "503 overloaded_error", 7.04)


def test_a_terminal_shows_cases_turns_attempts_and_tokens() -> None:
    with terminal() as written:
        tell, _ = console.progress_line({"TERM": "xterm"})
        tell(Progress(1, 3, "s::a", "", Spent(5, 5, 1234), Spent(1, 1, 10)))
        tell(WAITING)
        shown = written()
    assert "1/3  5 turns, 1,234 tokens  s::a" in shown
    assert "1/3  5 turns, 7 attempts, 1,234 token" in shown


@pytest.mark.parametrize("simple", [False, True])
def test_elsewhere_progress_is_a_line_for_each_case_that_asked_and_each_wait(
    capsys: pytest.CaptureFixture[str], simple: bool
) -> None:
    tell, end = console.progress_line({"TERM": "dumb"} if simple else {})
    tell(Progress(1, 3, "s::replayed", "passed"))
    tell(Progress(1, 3, "s::a", "", Spent(1, 1, 10), Spent(1, 1, 10)))
    tell(WAITING)
    tell(Progress(2, 3, "s::a\x1b", "passed", Spent(9, 7, 1240), Spent(3, 2, 16)))
    end()
    assert capsys.readouterr() == (
        "",
        "s::a: 503 overloaded_error; trying again in 7.0 s\n"
        "2/3 passed s::a\\x1b (2 turns, 3 attempts, 16 tokens)\n",
    )


def test_plain_text_is_not_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    console.show(LINES, {})
    assert capsys.readouterr().out == "  " + ("word " * 30).rstrip() + "\n"
