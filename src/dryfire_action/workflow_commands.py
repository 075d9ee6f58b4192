"""What a step says to the runner: lines of its log that are commands, and files that take its outputs and summary.

Whatever is printed may hold text of strangers. As the value of a command it is escaped; as plain text it stands
between two commands that switch commands off and on again, under a word that nobody can guess.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Literal

from dryfire_action.visible import cut, harmless, visible

if TYPE_CHECKING:
    from collections.abc import Mapping

Level = Literal["error", "warning", "notice"]
# Of each level the runner keeps ten of a step, and drops the rest without a word.
MOST_ANNOTATIONS = 10
_MOST_MESSAGE = 3_000


def command(name: str, value: str, **properties: str | int | None) -> str:
    """The line of a command. Properties that are None or empty are left out."""
    named = ",".join(
        f"{key}={_property(str(given))}" for key, given in properties.items() if given not in (None, "")
    )
    return f"::{name}{' ' if named else ''}{named}::{_data(value)}\n"


def annotation(
    level: Level, title: str, message: str, *, file: str | None = None, line: int | None = None
) -> str:
    """The line that shows ``message`` beside a line of a file, or beside none."""
    shown = "\n".join(visible(row) for row in cut(message, _MOST_MESSAGE).split("\n"))
    place = {"file": visible(file), "line": line} if file else {}
    return command(level, shown, title=visible(title), **place)


def mask(secret: str) -> str:
    """The lines that keep ``secret`` out of the log from here on."""
    return "".join(command("add-mask", row) for row in secret.splitlines() if row.strip())


def quoted(text: str) -> str:
    """``text`` as lines of the log of which none is a command."""
    word = secrets.token_hex(16)
    rows = "".join(f"{harmless(visible(row))}\n" for row in text.rstrip("\n").split("\n"))
    return f"::stop-commands::{word}\n{rows}::{word}::\n"


def outputs(values: Mapping[str, str]) -> str:
    """The text that adds ``values`` to the file of a step's outputs. Raises ``ValueError`` for a name that is none."""
    return "".join(_output(name, value) for name, value in values.items())


def _output(name: str, value: str) -> str:
    if not name.replace("-", "").isalnum():
        raise ValueError(f"no name of an output: {name!r}")
    word = secrets.token_hex(16)
    while word in value:
        word = secrets.token_hex(16)
    return f"{name}<<{word}\n{value}\n{word}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
