"""Multipart bodies: the fields of a form and the files in it, each with its name and its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dryfire_action.late_pattern import late

_BOUNDARY = late(r"--(?P<b>[^\r\n]{1,200}?)(?:\r\n|\n)(?=[A-Za-z-]{3,40}:)")
_NAME = late(r"(?i)\bcontent-disposition:[^\r\n]*?;[ \t]*name=\"?(?P<n>[^\";\r\n]*)")
_BLANK = late(r"\r\n\r\n|\n\n")


class Part(NamedTuple):
    """A part of a multipart body: the name of its field ("" where it has none), and where its content is."""

    name: str
    start: int
    end: int


def parts(text: str) -> Iterator[Part]:
    """The parts of a text that is a multipart body; none of any other."""
    begins = _BOUNDARY.match(text, len(text) - len(text.lstrip("\r\n")))
    if begins is None:
        return
    mark = "--" + begins["b"]
    at = begins.start() + len(mark)
    while (end := text.find(mark, at)) >= 0 or at < len(text):
        stop = end if end >= 0 else len(text)
        blank = _BLANK.search(text, at, stop)
        if blank is not None:
            name = _NAME.search(text, at, blank.start() + 1)
            content = text[blank.end() : stop]
            last = blank.end() + len(content.removesuffix("\n").removesuffix("\r"))
            yield Part(name["n"] if name else "", blank.end(), last)
        if end < 0:
            return
        at = end + len(mark)
