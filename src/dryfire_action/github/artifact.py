"""The result file that another run left behind: found, bounded, and read in memory.

Whoever opened the pull request can have made every byte of it. Nothing is unpacked to a disk, and no name inside it
counts. What its content says is for the reader to validate.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from dryfire_action.github.pull_request import Refused, refused_run

if TYPE_CHECKING:
    from dryfire_action.github.client import GitHub
    from dryfire_action.github.event import Event, WorkflowRun

MOST_BYTES_ZIPPED = 5_000_000
MOST_BYTES = 20_000_000
# Results of a thousand alike cases shrink to a fortieth; what shrinks to less than this was made to.
MOST_RATIO = 200


def read_artifact(github: GitHub, event: Event, name: str) -> bytes | Refused:
    """The one file inside the artifact called ``name`` of the run behind a `workflow_run` event.

    ``Refused`` says why it is not taken: the run is not one to publish, there is no such artifact or several, it is too
    large, or it is not one file in a zip file. Raises ``GitHubError`` where GitHub does not answer.
    """
    refused = refused_run(event)
    if refused is not None or event.run is None:
        return refused or Refused("")
    found = _find(github, event.repository, event.run, name)
    if isinstance(found, Refused):
        return found
    path = f"/repos/{event.repository}/actions/artifacts/{found}/zip"
    return one_member(github.download(path, most_bytes=MOST_BYTES_ZIPPED))


def _find(github: GitHub, repository: str, run: WorkflowRun, name: str) -> int | Refused:
    path = f"/repos/{repository}/actions/runs/{run.id}/artifacts"
    found = [
        item
        for item in github.pages(path, {"name": name}, key="artifacts")
        if item.get("name") == name and _is_of(item, run)
    ]
    if len(found) > 1:
        # Attempts of a run that was started again leave theirs beside the first one's.
        found = [item for item in found if _time(item.get("created_at")) >= _time(run.started)]
    if len(found) != 1:
        many = "several artifacts" if found else "no artifact"
        return Refused(f"the finished run has {many} called {name!r}, so nothing of it is published")
    item = found[0]
    if item.get("expired"):
        return Refused(f"the artifact {name!r} of the finished run has expired")
    size, number = item.get("size_in_bytes"), item.get("id")
    if not isinstance(number, int) or not isinstance(size, int) or size > MOST_BYTES_ZIPPED:
        return Refused(f"the artifact {name!r} of the finished run is larger than {MOST_BYTES_ZIPPED} bytes")
    return number


def _is_of(item: dict[str, Any], run: WorkflowRun) -> bool:
    made_by = item.get("workflow_run")
    return isinstance(made_by, dict) and (made_by.get("id"), made_by.get("head_sha")) == (run.id, run.head)


def _time(text: Any) -> datetime:
    """A point in time as GitHub writes it; the beginning of time where it is none."""
    try:
        when = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return datetime.min.replace(tzinfo=UTC)
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def one_member(data: bytes) -> bytes | Refused:
    """The content of the only file in a zip file, whatever its name."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if len(members) != 1 or members[0].is_dir():
                return Refused("the artifact of the finished run holds something else than one file")
            member = members[0]
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                return Refused("the artifact of the finished run is packed in an unusual way")
            allowed = min(MOST_BYTES, MOST_RATIO * max(len(data), 1))
            # What the archive says of its size may be a lie: reading ends one byte after what is allowed.
            with archive.open(member) as file:
                content = file.read(allowed + 1)
            if member.file_size > allowed or len(content) > allowed:
                return Refused("the artifact of the finished run unpacks to more than is allowed")
            return content
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, ValueError, OSError):
        return Refused("the artifact of the finished run is no zip file that can be read")
