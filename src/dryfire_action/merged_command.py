"""The commands of several results as one: the files of all of them, from a folder that fits them all.

A result names the files as seen from the folder it was made in. Results that were made in different folders (the
packages of one repository) get one command for the root of the repository.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dryfire_action.rerecording import option_words, path_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Document = Mapping[str, Any]

_START = ["dryfire", "run"]


@dataclass(frozen=True, slots=True)
class _Command:
    """One command: the paths it names, each with its file seen from the root, where that is known."""

    mode: str
    model: str | None
    cases: tuple[str, ...]
    paths: tuple[tuple[str, str | None], ...]


def joined_command(parts: Sequence[Document], ids: Sequence[str]) -> str:
    """The command line that records what is stale in all of ``parts``; "" where nothing is. ``ids`` are all cases."""
    order = {case_id: number for number, case_id in enumerate(ids)}
    texts = [part["rerecord"]["command"] for part in parts]
    read = [_read(part) for part in parts]
    if any(commands is None for commands in read):
        # It is nothing of ours: what it means is not known, so it stays as it is.
        return " && ".join(dict.fromkeys(filter(None, texts)))
    commands = [command for found in read for command in found or ()]
    folders = {_folder(path, file) for command in commands for path, file in command.paths}
    from_root = len(folders) > 1
    words = []
    for model in dict.fromkeys(command.model for command in commands):
        for mode in ("auto", "record"):
            same = [command for command in commands if (command.mode, command.model) == (mode, model)]
            if same:
                words.append(_joined(same, from_root, order))
    return " && ".join(map(shlex.join, words))


def _joined(same: Sequence[_Command], from_root: bool, order: Mapping[str, int]) -> list[str]:
    named = {
        (file or path): path_word(file or path) if from_root else path
        for command in same
        for path, file in command.paths
    }
    cases = sorted(
        dict.fromkeys(case for command in same for case in command.cases),
        key=lambda case: order.get(case, len(order)),
    )
    first = same[0]
    return [
        *_START,
        *(named[file] for file in sorted(named)),
        *(word for case in cases for word in option_words("--case", case)),
        *(option_words("--model", first.model) if first.model else ()),
        "--cassette-mode",
        first.mode,
    ]


def _read(part: Document) -> list[_Command] | None:
    """The commands of a result; None where one is none of ours."""
    try:
        words = shlex.split(part["rerecord"]["command"])
    except ValueError:
        return None
    found = []
    for one in _split(words):
        command = _command(one, part)
        if command is None:
            return None
        found.append(command)
    return found


def _split(words: Sequence[str]) -> Iterator[list[str]]:
    one: list[str] = []
    for word in words:
        if word == "&&":
            yield one
            one = []
        else:
            one.append(word)
    if one:
        yield one


def _command(words: Sequence[str], part: Document) -> _Command | None:
    if list(words[:2]) != _START:
        return None
    options: dict[str, list[str]] = {"--case": [], "--model": [], "--cassette-mode": []}
    paths = []
    rest = iter(words[2:])
    for word in rest:
        name, equals, value = word.partition("=")
        if name in options:
            options[name].append(value if equals else next(rest, ""))
        elif word.startswith("-"):
            return None
        else:
            paths.append(word)
    mode = (options["--cassette-mode"] or [""])[0]
    if mode not in ("auto", "record"):
        return None
    files = _files(part, {"damaged"} if mode == "record" else {"stale", "missing"})
    known: Sequence[str | None] = files if len(files) == len(paths) else [None] * len(paths)
    model = options["--model"][0] if options["--model"] else None
    return _Command(mode, model, tuple(options["--case"]), tuple(zip(paths, known, strict=True)))


def _files(part: Document, outcomes: set[str]) -> list[str]:
    """The files of the suites that have a case of ``outcomes``, in order: those that a command of the part names."""
    return [
        suite["file"]
        for suite in part["suites"]
        if any(case["outcome"] in outcomes for case in suite["cases"])
    ]


def _folder(path: str, file: str | None) -> str | None:
    """The folder in which ``path`` means ``file``; None where that cannot be told."""
    if file is None:
        return None
    plain = path.removeprefix("./")
    if plain == file:
        return ""
    return file.removesuffix(plain).rstrip("/") if file.endswith(f"/{plain}") else None
