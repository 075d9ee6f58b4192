"""The result file that the action's two processes share, and what it holds where there is no result to speak of."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from dryfire_action.errors import DryfireError, Place, Problem, SpecError

if TYPE_CHECKING:
    from pathlib import Path

    from dryfire_action.action_inputs import Inputs

    Document = dict[str, Any]

RESULT_NAME = "result.json"


class CheckEnded(DryfireError):
    """The check came to its end without a result."""

    slug = "check-ended"


def unable(error: Exception, inputs: Inputs, *, commit: str | None) -> Document:
    """The document where nothing could be replayed: why. That nothing is there to replay is no error."""
    from dryfire_action.globs import NothingMatched
    from dryfire_action.reports import result_json
    from dryfire_action.results import Results
    from dryfire_action.suite_file import NoSuites

    if isinstance(error, (NothingMatched, NoSuites)):
        passes = inputs.on_empty == "pass"
        nothing = Results(suites=(), mode="replay", warnings=(error.message,), allow_empty=passes)
        return result_json.document(nothing, commit=commit, show=inputs.show, exit_code=nothing.exit_code)
    known = error if isinstance(error, DryfireError) else DryfireError(_internal(error))
    if isinstance(known, SpecError):
        problems = known.problems
    else:
        problems = (Problem(Place(""), known.message, hint=known.remedy, slug=known.slug),)
    stopped = Results(suites=(), mode="replay", complete=False)
    return result_json.document(
        stopped, commit=commit, show=inputs.show, exit_code=known.exit_code, problems=problems
    )


def write_result(path: Path, document: Document) -> None:
    """Write the document where nothing is yet, for nobody else to read; it is there only when it is whole."""
    from dryfire_action.reports import result_json

    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(result_json.text(document).encode("utf-8", "backslashreplace"))
    part.rename(path)


def _internal(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "too large to check: it takes more memory than it may"
    return f"internal error: {type(error).__name__}"
