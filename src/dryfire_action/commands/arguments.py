"""Reading a verb's arguments: mistakes are told in one line, with what was probably meant."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NoReturn

from dryfire_action.errors import UsageError
from dryfire_action.visible import closest, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Parser(argparse.ArgumentParser):
    """An argument parser that raises ``UsageError`` instead of ending the process, and knows its options' names."""

    def __init__(self, *, prog: str, description: str | None = None) -> None:
        super().__init__(
            prog=prog,
            description=description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            exit_on_error=False,
        )
        self._options: list[str] = ["--help"]

    def option(self, *names: str, **settings: Any) -> None:
        """Add an option; the arguments are those of ``add_argument``."""
        self._options += [name for name in names if name.startswith("--")]
        self.add_argument(*names, **settings)

    def error(self, message: str) -> NoReturn:
        """Raise ``UsageError`` with ``message``."""
        raise UsageError(visible(message), remedy=f"See {self.prog} --help.")

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """The arguments in ``words``; options and paths may stand in any order."""
        try:
            found, unknown = self.parse_known_intermixed_args(words)
        except argparse.ArgumentError as error:
            self.error(str(error))
        if unknown:
            word = unknown[0].partition("=")[0]
            self.error(f"unknown argument {word!r}{closest(word, self._options)}")
        return found


def one_of(*choices: str) -> Callable[[str], str]:
    """Reads one of ``choices``."""

    def read(text: str) -> str:
        if text not in choices:
            raise argparse.ArgumentTypeError(
                f"{text!r} is none of {', '.join(choices)}{closest(text, list(choices))}"
            )
        return text

    return read


def at_least(least: int) -> Callable[[str], int]:
    """Reads a whole number that is not below ``least``."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None
        if number < least:
            raise argparse.ArgumentTypeError(f"{number} is less than {least}")
        return number

    return read
