"""What started the workflow: the event's payload and the runner's variables, read into one value.

The payload holds text of whoever opened the pull request. What is taken from it is numbers, commit ids, names of
repositories in their fixed grammar, and branch names, which go nowhere but into the parameters of a call.
"""

from __future__ import annotations

import json
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dryfire_action.errors import DryfireError

if TYPE_CHECKING:
    from collections.abc import Mapping

# GitHub caps a payload at 25 MB.
MOST_BYTES = 26 * 2**20
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}")
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BRANCH = "refs/heads/"
_NOTHING = re.compile(r"0{40,64}")


class EventError(DryfireError):
    """The event's payload or the runner's variables cannot be read."""

    slug = "event"


@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """The finished run that started a `workflow_run` workflow.

    ``event`` is what had started it, ``head`` and ``branch`` the commit and branch it was about, ``head_repository``
    where that branch lies (None: the fork is deleted), ``repository`` where the run itself ran, ``started`` when its
    current attempt began, as text. ``numbers`` are the pull requests GitHub names; for forks it names none.
    """

    id: int
    event: str
    head: str
    branch: str
    head_repository: str | None
    repository: str
    attempt: int = 1
    started: str = ""
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """What started the workflow.

    ``repository`` is ours. ``head`` is the commit it is about: of a pull request the author's, not the test merge
    (``sha`` is what the runner calls `GITHUB_SHA`). ``branch`` is "" for a tag; ``base`` a pull request's or queue's
    base commit; ``number`` is a pull request's.
    """

    name: str
    repository: str
    sha: str = ""
    head: str = ""
    branch: str = ""
    base: str = ""
    number: int | None = None
    run: WorkflowRun | None = field(default=None)


def load_event(environ: Mapping[str, str]) -> Event:
    """The event that the runner's variables tell of. Raises ``EventError``.

    Reads `GITHUB_EVENT_NAME`, `GITHUB_REPOSITORY`, `GITHUB_SHA`, `GITHUB_REF` and the file at `GITHUB_EVENT_PATH`.
    """
    path = environ.get("GITHUB_EVENT_PATH", "")
    payload = _payload(Path(path)) if path else {}
    return read_event(
        environ.get("GITHUB_EVENT_NAME", ""),
        payload,
        repository=environ.get("GITHUB_REPOSITORY", ""),
        sha=environ.get("GITHUB_SHA", ""),
        ref=environ.get("GITHUB_REF", ""),
    )


def read_event(
    name: str, payload: dict[str, Any], *, repository: str = "", sha: str = "", ref: str = ""
) -> Event:
    """The event of a payload; the runner's ``repository``, ``sha`` and ``ref`` win. Raises ``EventError``."""
    ours = _repository(repository or _at(payload, "repository", "full_name"))
    if ours is None:
        raise EventError("GITHUB_REPOSITORY does not name a repository as owner/name")
    given = _sha(sha)
    if name in ("pull_request", "pull_request_target"):
        return Event(
            name,
            ours,
            sha=given,
            head=_needed_sha(payload, "pull_request", "head", "sha"),
            branch=_text(_at(payload, "pull_request", "head", "ref")),
            base=_sha(_at(payload, "pull_request", "base", "sha")),
            number=_needed_number(payload, "pull_request", "number"),
        )
    if name == "workflow_run":
        return Event(name, ours, sha=given, run=_run(payload))
    if name == "merge_group":
        head = _sha(_at(payload, "merge_group", "head_sha")) or given
        return Event(name, ours, sha=given, head=head, base=_sha(_at(payload, "merge_group", "base_sha")))
    where = ref or _text(_at(payload, "ref"))
    if where and not where.startswith("refs/"):
        where = _BRANCH + where
    branch = where.removeprefix(_BRANCH) if where.startswith(_BRANCH) else ""
    pushed = _sha(_at(payload, "after")) if name == "push" else ""
    head = "" if _NOTHING.fullmatch(pushed) else pushed or given
    return Event(name, ours, sha=given, head=head, branch=branch)


def _run(payload: dict[str, Any]) -> WorkflowRun:
    run = _at(payload, "workflow_run")
    if not isinstance(run, dict):
        raise EventError("the event's payload holds no workflow_run")
    numbers = [_at(item, "number") for item in run.get("pull_requests") or () if isinstance(item, dict)]
    return WorkflowRun(
        id=_needed_number(run, "id"),
        event=_text(run.get("event")),
        head=_needed_sha(run, "head_sha"),
        branch=_text(run.get("head_branch")),
        head_repository=_repository(_at(run, "head_repository", "full_name")),
        repository=_repository(_at(run, "repository", "full_name")) or "",
        attempt=_number(run.get("run_attempt")) or 1,
        started=_text(run.get("run_started_at")),
        numbers=tuple(number for number in map(_number, numbers) if number is not None),
    )


def _payload(path: Path) -> dict[str, Any]:
    try:
        # Asked before it is opened: opening a pipe would wait for ever.
        if not stat.S_ISREG(path.stat().st_mode):
            raise EventError("GITHUB_EVENT_PATH names no regular file")
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise EventError(f"the event's payload cannot be read: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise EventError(f"the event's payload is larger than {MOST_BYTES} bytes")
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise EventError("the event's payload is no JSON in UTF-8") from None
    if not isinstance(value, dict):
        raise EventError("the event's payload is no JSON object")
    return value


def _at(value: Any, *keys: str) -> Any:
    """What stands under keys inside keys; None where nothing does."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> int | None:
    # An id of GitHub's; text that looks like one is none.
    return value if type(value) is int and 0 < value < 2**63 else None


def _sha(value: Any) -> str:
    return value if isinstance(value, str) and _SHA.fullmatch(value) else ""


def _repository(value: Any) -> str | None:
    if not isinstance(value, str) or not _REPOSITORY.fullmatch(value):
        return None
    return None if {".", ".."} & set(value.split("/")) else value


def _needed_number(payload: dict[str, Any], *keys: str) -> int:
    number = _number(_at(payload, *keys))
    if number is None:
        raise EventError(f"the event's payload holds no number at {'.'.join(keys)}")
    return number


def _needed_sha(payload: dict[str, Any], *keys: str) -> str:
    sha = _sha(_at(payload, *keys))
    if not sha:
        raise EventError(f"the event's payload holds no commit id at {'.'.join(keys)}")
    return sha
