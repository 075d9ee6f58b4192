"""The recordings of the public runner dryfire, 0.2 to 0.4, in their folder: one file a turn, found by key."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dryfire_action.errors import UsageError
from dryfire_action.messages import Response, StopReason, ToolCall, Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dryfire_action.messages import JsonObject

_NAME = re.compile(r"(\d{2,})-([0-9a-f]{16}(?:#\d+)?)\.json")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOST_BYTES = 50_000_000


@dataclass(frozen=True, slots=True)
class ForeignAnswer:
    """One recorded turn: the answer with its own ids, the day it was given, and the reduced request it answered."""

    path: str
    suite: str
    case: str
    response: Response
    recorded: str
    request: JsonObject


class _Checked(BaseModel):
    # A number that is a text is damage, and what that runner wrote beside these fields is its own.
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class _Call(_Checked):
    id: str
    name: str
    arguments: dict[str, Any]
    malformed_arguments: str | None = None


_Count = Annotated[int, Field(ge=0)] | None


class _Usage(_Checked):
    input_tokens: _Count = None
    output_tokens: _Count = None
    cache_read_tokens: _Count = None
    cache_write_tokens: _Count = None


class _Answer(_Checked):
    text: str | None
    tool_calls: list[_Call]
    stop_reason: StopReason
    usage: _Usage | None = None
    latency_ms: float | None = None
    raw: dict[str, Any] | None = None


class _Recording(_Checked):
    schema_version: Literal[1]
    fingerprint: str
    suite: str
    case: str
    response: _Answer
    recorded_at: str = ""
    request_digest: dict[str, Any] | None = None


class ForeignRecordings:
    """All recordings below ``folder``. Nothing is read but names, until a turn is asked for.

    Raises ``UsageError`` where there is no such folder, or none of these recordings in it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._by_key: dict[str, list[Path]] = {}
        self._by_place: dict[tuple[str, str, int], list[Path]] = {}
        if not folder.is_dir():
            raise UsageError(f"--from: there is no folder {folder}")
        for path in sorted(folder.glob("*/*/*.json")):
            named = _NAME.fullmatch(path.name)
            if named and path.is_file():
                self._by_key.setdefault(named[2], []).append(path)
                place = (path.parent.parent.name, path.parent.name, int(named[1]))
                self._by_place.setdefault(place, []).append(path)
        if not self._by_key:
            raise UsageError(
                f"--from: {folder} holds no recordings of dryfire 0.2 to 0.4",
                remedy="name the folder that holds <suite>/<case>/<turn>-<key>.json (by default .dryfire/cassettes)",
            )

    def with_key(self, key: str, suite: str, case: str) -> ForeignAnswer | None:
        """The answer recorded under ``key``: this case's own, else the first of any case, as that runner would."""
        found = [answer for path in self._by_key.get(key, ()) if (answer := self._read(path, key))]
        return next((one for one in found if (one.suite, one.case) == (suite, case)), next(iter(found), None))

    def at(self, suite: str, case: str, turn: int, run: int) -> ForeignAnswer | None:
        """What is recorded at a place, whatever was asked there."""
        for path in self._by_place.get((folder_name(suite), folder_name(case), turn), ()):
            key = path.stem.partition("-")[2]
            if int(key.partition("#")[2] or 0) == run and (found := self._read(path, key)):
                return found
        return None

    def names(self) -> Sequence[str]:
        """The cases that have recordings, as their folders are called."""
        return sorted({f"{suite}/{case}" for suite, case, _ in self._by_place})

    def _read(self, path: Path, key: str) -> ForeignAnswer | None:
        """The turn in a file; None for one that is not what its name says: that runner passes over it too."""
        try:
            if path.stat().st_size > _MOST_BYTES:
                return None
            found = _Recording.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            return None
        if found.fingerprint != key:
            return None
        day = _DAY.match(found.recorded_at)
        return ForeignAnswer(
            path=os.fspath(path),
            suite=found.suite,
            case=found.case,
            response=_response(found.response),
            recorded=day[0] if day else "",
            request=found.request_digest or {},
        )


def folder_name(name: str) -> str:
    """What that runner calls the folder of a suite or case."""
    cleaned = re.sub(r"[^A-Za-z0-9._-]", "_", name)
    if cleaned == name and name not in ("", ".", ".."):
        return name
    return f"{cleaned}-{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _response(found: _Answer) -> Response:
    usage = found.usage or _Usage()
    raw = found.raw or {}
    served = raw.get("model") or raw.get("modelVersion")
    return Response(
        text=found.text,
        tool_calls=tuple(
            ToolCall(call.id, call.name, call.arguments, call.malformed_arguments)
            for call in found.tool_calls
        ),
        stop_reason=found.stop_reason,
        usage=Usage(
            usage.input_tokens or 0,
            usage.output_tokens or 0,
            usage.cache_read_tokens or 0,
            usage.cache_write_tokens or 0,
        ),
        latency_ms=max(int(found.latency_ms or 0), 0),
        model_served=served if isinstance(served, str) else None,
        raw=found.raw,
    )
