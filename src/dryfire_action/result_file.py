"""Reading a result file that may come from a stranger: a job of a fork, an artifact, a file that a test run wrote."""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from typing import TYPE_CHECKING, Any

from dryfire_action.errors import DryfireError
from dryfire_action.reports.result_json import FORMAT, schema
from dryfire_action.results import CASE_OUTCOMES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SIZE_LIMIT = 20_000_000  # bytes
_LARGEST_NUMBER = 2**53


class ResultFileError(DryfireError):
    """A result file that cannot be read or does not fit the others. ``file`` is its name for people ("": several)."""

    slug = "result-file"

    def __init__(self, file: str, what: str, *, remedy: str = "") -> None:
        self.file = file
        super().__init__(f"{file}: {what}" if file else what, remedy=remedy)


def read_result(path: Path, *, limit: int = SIZE_LIMIT) -> dict[str, Any]:
    """The document in the result file at ``path``, which may come from a stranger.

    Raises ``ResultFileError`` for what is no regular file of at most ``limit`` bytes, no strict JSON, or not of the
    format ``dryfire-result/1``.
    """
    return parse_result(_content(path, limit), path.name)


def parse_result(content: bytes, name: str) -> dict[str, Any]:
    """The document in the ``content`` of a result file; ``name`` is the file's for people.

    Raises ``ResultFileError`` for what is no strict JSON (numbers that are none, keys that stand twice, half of a
    surrogate pair), not of the format, or says of its cases what they are not.
    """
    try:
        document = json.loads(
            content.decode(),
            object_pairs_hook=_without_doubles,
            parse_constant=_no_number,
            parse_int=_integer,
            parse_float=_number,
        )
        json.dumps(document, ensure_ascii=False).encode()
    except RecursionError:
        raise ResultFileError(name, "is nested too deeply") from None
    except ValueError as error:
        what = "is not UTF-8 text" if isinstance(error, UnicodeError) else f"is no JSON: {_first_line(error)}"
        raise ResultFileError(name, what) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        remedy = "It is written by dryfire run --json-out, by pytest --dryfire-result and by the action."
        raise ResultFileError(name, f"is no result file of the format {FORMAT}", remedy=remedy)
    wrong = _against_schema(document)
    if wrong:
        raise ResultFileError(name, f"is not as the format {FORMAT} wants it: {wrong}")
    wrong = _against_itself(document)
    if wrong:
        raise ResultFileError(name, f"contradicts itself: {wrong}")
    return document


def _content(path: Path, limit: int) -> bytes:
    name = path.name
    # A pipe that nobody writes to must not block, nor a link be followed that appears meanwhile.
    flags = (
        os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    )
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise ResultFileError(name, "is no regular file")
        with os.fdopen(os.open(path, flags), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise ResultFileError(name, "is no regular file")
            content = stream.read(limit + 1)
    except ValueError:
        raise ResultFileError("", "the name of a result file holds a NUL character") from None
    except OSError as error:
        raise ResultFileError(name, f"cannot be read: {error.strerror or error}") from None
    if len(content) > limit:
        raise ResultFileError(name, f"has more than {limit:,} bytes")
    return content


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number")


def _integer(text: str) -> int:
    if len(text) > len(str(_LARGEST_NUMBER)) + 1 or abs(int(text)) > _LARGEST_NUMBER:
        raise ValueError("a number is too large")
    return int(text)


def _number(text: str) -> float:
    found = float(text)
    if found - found:
        raise ValueError("a number is too large")
    return found


def _first_line(error: ValueError) -> str:
    return (str(error).splitlines() or [""])[0][:200]


def _against_schema(document: Mapping[str, Any]) -> str:
    """What is wrong in ``document`` by the schema, with its place and without its text; "" where nothing is."""
    from jsonschema import Draft202012Validator

    # The first one will do: who makes a file with a million faults is not told of the worst.
    error = next(Draft202012Validator(schema()).iter_errors(document), None)
    if error is None:
        return ""
    place = "".join(f"[{step}]" if isinstance(step, int) else ".…" for step in error.absolute_path)
    first = next(iter(error.absolute_path), "")
    named = first if first in schema()["properties"] else ""
    where = f"{named}{place.removeprefix('.…')}"
    return f"{where or 'the document'}: {error.validator} does not hold"


def _against_itself(document: Mapping[str, Any]) -> str:
    """Where ``document`` is more of an all-clear in one place than in another; "" nowhere.

    Whatever of it is believed, the verdict could be had from the other half: so none of it is.
    """
    cases = [case for suite in document["suites"] for case in suite["cases"]]
    outcomes = Counter(case["outcome"] for case in cases)
    turns = sum(len(run["turns"]) for case in cases for run in case["runs"])
    counted: dict[str, int] = {
        "cases": len(cases),
        **{str(name): outcomes[name] for name in CASE_OUTCOMES},
        "turns": turns,
    }
    state, code = document["state"], document["exit_code"]
    to_record = outcomes["stale"] + outcomes["missing"] + outcomes["damaged"]
    is_green = state in ("clear", "shrunk")
    is_whole = document["complete"] and not document["interrupted"] and not document["problems"]
    checks = (
        (document["counts"] != counted, "counts are not those of its cases"),
        (is_green and code, f"state is {state}, and exit_code {code}"),
        (is_green and not is_whole, f"state is {state}, and not all of it was checked"),
        (
            is_green and bool(outcomes.keys() - {"passed", "excluded"}),
            f"state is {state}, and not all cases passed",
        ),
        (is_green and not outcomes["passed"], f"state is {state}, and no case passed"),
        (state == "stale" and not to_record, "state is stale, and no case is"),
        (state == "failed" and not outcomes["failed"], "state is failed, and no case is"),
        (state == "skipped" and not outcomes["skipped"], "state is skipped, and no case is"),
        (not code and bool(to_record or outcomes["failed"]), "exit_code is 0, and not all cases passed"),
        (document["complete"] and document["not_run"], "complete is true, and cases did not run"),
        (
            any(map(_passed_unplayed, cases)),
            "a case passed, and a turn of it was not answered by its recording",
        ),
    )
    return next((what for is_wrong, what in checks if is_wrong), "")


def _passed_unplayed(case: Mapping[str, Any]) -> bool:
    """Whether a case counts as passed although one of its turns is stale or missing."""
    return case["outcome"] == "passed" and any(
        turn["outcome"] in ("stale", "missing", "not_reached")
        for run in case["runs"]
        for turn in run["turns"]
    )
