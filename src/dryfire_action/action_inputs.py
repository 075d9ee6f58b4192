"""The inputs of the action: read from variables that ``action.yml`` maps one by one, and checked before anything runs.

The token is no part of them: only the process that publishes is given one.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast, get_args

from dryfire_action.errors import DryfireError
from dryfire_action.visible import closest, cut, visible

if TYPE_CHECKING:
    from collections.abc import Mapping

Comment = Literal["auto", "always", "never"]
Mode = Literal["check", "publish", "both"]
Show = Literal["names", "prompts", "all"]
OnEmpty = Literal["fail", "pass"]
FailOn = Literal["stale", "failure", "shrink"]

PREFIX = "DRYFIRE_"
_KEY = re.compile(r"[a-z0-9-]{1,64}")
_NEVER = "never"
_MOST_CHARACTERS = 50_000
_MOST_LINES = 500


class InputError(DryfireError):
    """An input of the action holds what it cannot mean. The message begins with its name."""

    slug = "input"


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the workflow asks for; see ``action.yml`` for what each input means.

    ``suites`` and ``results`` are patterns relative to ``working_directory``, ``fail_on`` is empty for ``never``, and
    ``key`` is never empty.
    """

    suites: tuple[str, ...] = ()
    working_directory: str = "."
    comment: Comment = "auto"
    key: str = "dryfire"
    fail_on: frozenset[FailOn] = frozenset({"stale", "failure"})
    on_empty: OnEmpty = "fail"
    show: Show = "prompts"
    results: tuple[str, ...] = ()
    mode: Mode = "both"
    annotations: bool = True
    summary: bool = True
    junit_file: str = ""

    @property
    def replays(self) -> bool:
        """Whether suites are replayed here."""
        return self.mode != "publish"


def variable(name: str) -> str:
    """The variable that ``action.yml`` puts the input ``name`` into."""
    return PREFIX + name.upper().replace("-", "_")


def read_inputs(environ: Mapping[str, str]) -> Inputs:
    """The inputs in ``environ``. Raises ``InputError`` for the first that is wrong.

    An input that is empty counts as one that is not given, as a workflow that passes on its own inputs makes it.
    """
    suites = _lines(environ, "suites")
    folder = _text(environ, "working-directory") or "."
    found = Inputs(
        suites=suites,
        working_directory=folder,
        comment=cast("Comment", _one_of(environ, "comment", get_args(Comment), "auto")),
        key=_key(environ) or default_key(environ, suites, folder),
        fail_on=_fail_on(environ),
        on_empty=cast("OnEmpty", _one_of(environ, "on-empty", get_args(OnEmpty), "fail")),
        show=cast("Show", _one_of(environ, "show", get_args(Show), "prompts")),
        results=_lines(environ, "results"),
        mode=cast("Mode", _one_of(environ, "mode", get_args(Mode), "both")),
        annotations=_switch(environ, "annotations"),
        summary=_switch(environ, "summary"),
        junit_file=_text(environ, "junit-file"),
    )
    if found.junit_file and not found.replays and not found.results:
        raise InputError(
            "junit-file: there is nothing to write where the result comes from another workflow run",
            remedy="Give it where the suites are replayed.",
        )
    return found


def default_key(environ: Mapping[str, str], suites: tuple[str, ...], folder: str) -> str:
    """A key that this use of the action keeps from push to push, and that no other job or matrix leg has.

    The workflow counts by its file where the runner says it, because its name may be edited.
    """
    file = environ.get("GITHUB_WORKFLOW_REF", "").partition("@")[0] or environ.get("GITHUB_WORKFLOW", "")
    job = environ.get("GITHUB_JOB", "")
    parts = [file, job, _matrix(environ), list(suites), folder]
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]
    name = re.sub(r"[^a-z0-9]+", "-", job.lower()).strip("-")[:40].strip("-")
    return f"{name}-{digest}" if name else digest


def _matrix(environ: Mapping[str, str]) -> object:
    """The matrix values as they are meant, whatever their order and blanks."""
    text = environ.get(variable("matrix"), "")
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return text


def _text(environ: Mapping[str, str], name: str) -> str:
    text = environ.get(variable(name), "").strip()
    if len(text) > _MOST_CHARACTERS:
        raise InputError(f"{name}: has more than {_MOST_CHARACTERS:,} characters")
    if "\0" in text or (name != "suites" and name != "results" and "\n" in text):
        raise InputError(f"{name}: must stand on one line")
    return text


def _lines(environ: Mapping[str, str], name: str) -> tuple[str, ...]:
    lines = tuple(line.strip() for line in _text(environ, name).splitlines() if line.strip())
    if len(lines) > _MOST_LINES:
        raise InputError(
            f"{name}: has more than {_MOST_LINES} lines", remedy="A pattern may name many files."
        )
    return lines


def _one_of(environ: Mapping[str, str], name: str, choices: tuple[str, ...], default: str) -> str:
    text = _text(environ, name) or default
    if text not in choices:
        raise _no_choice(name, text, choices)
    return text


def _switch(environ: Mapping[str, str], name: str) -> bool:
    text = _text(environ, name).lower() or "true"
    if text not in ("true", "false"):
        raise _no_choice(name, text, ("true", "false"))
    return text == "true"


def _fail_on(environ: Mapping[str, str]) -> frozenset[FailOn]:
    text = _text(environ, "fail-on") or "stale,failure"
    words = [word for word in re.split(r"[,\s]+", text) if word]
    choices = (*get_args(FailOn), _NEVER)
    for word in words:
        if word not in choices:
            raise _no_choice("fail-on", word, choices)
    if _NEVER in words and len(set(words)) > 1:
        raise InputError(
            "fail-on: never stands alone", remedy=f"Leave out never, or write nothing else: {visible(text)}"
        )
    return frozenset(cast("list[FailOn]", [word for word in words if word != _NEVER]))


def _key(environ: Mapping[str, str]) -> str:
    key = _text(environ, "key")
    if key and not _KEY.fullmatch(key):
        raise InputError(
            f"key: {_shown(key)} is no key",
            remedy="A key is made of lower-case letters, digits and -, at most 64 of them.",
        )
    return key


def _no_choice(name: str, text: str, choices: tuple[str, ...]) -> InputError:
    return InputError(f"{name}: {_shown(text)} is none of {', '.join(choices)}{closest(text, list(choices))}")


def _shown(text: str) -> str:
    return repr(cut(visible(text), 100))
