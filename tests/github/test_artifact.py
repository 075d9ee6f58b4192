"""What another run left is read in memory, bounded, and only where it is the one that is meant."""

from __future__ import annotations

import io
import struct
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dryfire_action.github import artifact
from dryfire_action.github.artifact import one_member, read_artifact
from dryfire_action.github.failures import GitHubError
from dryfire_action.github.pull_request import Refused
from tests.github.talk import client
from tests.github.test_pull_request import run_event
from tests.github_double import zipped

if TYPE_CHECKING:
    from pathlib import Path

    from tests.github.talk import Waiting
    from tests.github_double import GitHubDouble

NAME = "dryfire-result"
RESULT = b'{"format": "dryfire-result/1"}'


def read(github: GitHubDouble, waiting: Waiting, **known: Any) -> bytes | str:
    """What is read of run 5, or the notice why it is not."""
    found = read_artifact(client(github, waiting), run_event(github, **known), NAME)
    return found.notice if isinstance(found, Refused) else found


def test_the_one_file_is_read_and_the_other_host_sees_no_token(
    github: GitHubDouble, waiting: Waiting
) -> None:
    github.add_artifact(5, NAME, ("result.json", RESULT))
    github.add_artifact(5, "another", ("result.json", b"no"))
    github.add_artifact(6, NAME, ("result.json", b"no"))
    assert read(github, waiting) == RESULT
    assert [(call.path, "authorization" in call.headers) for call in github.calls] == [
        ("/repos/acme/demo/actions/runs/5/artifacts", True),
        ("/repos/acme/demo/actions/artifacts/1001/zip", True),
        ("/artifacts/1001.zip", False),
    ]


def test_d35_a_name_inside_is_no_path(
    github: GitHubDouble, waiting: Waiting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    github.add_artifact(5, NAME, ("../../evil.json", RESULT))
    assert read(github, waiting) == RESULT
    assert list(tmp_path.iterdir()) == []
    assert not (tmp_path.parents[1] / "evil.json").exists()


@pytest.mark.parametrize("count", [0, 2])
def test_5c_exactly_one_artifact_is_taken(github: GitHubDouble, waiting: Waiting, count: int) -> None:
    for _ in range(count):
        github.add_artifact(5, NAME, ("result.json", RESULT))
    assert ("several" if count else "no artifact") in str(read(github, waiting))
    assert not [call for call in github.calls if call.path.endswith("/zip")]


def test_of_attempts_the_last_ones_is_taken(github: GitHubDouble, waiting: Waiting) -> None:
    for hour in (1, 3):
        github.add_artifact(5, NAME, ("r", b"%d" % hour), created_at=f"2026-01-01T0{hour}:00:00Z")
    assert read(github, waiting, attempt=2, started_at="2026-01-01T02:00:00Z") == b"3"
    assert "several" in str(read(github, waiting, started_at="soon"))


@pytest.mark.parametrize(
    ("known", "why"),
    [
        ({"expired": True}, "expired"),
        ({"size": 5_000_001}, "larger than"),
        ({"head_sha": "9" * 40}, "no artifact"),
    ],
)
def test_5c_what_the_listing_says_is_looked_at_before_anything_is_loaded(
    github: GitHubDouble, waiting: Waiting, known: dict[str, Any], why: str
) -> None:
    github.add_artifact(5, NAME, ("result.json", RESULT), **known)
    assert why in str(read(github, waiting))
    assert not [call for call in github.calls if call.path.endswith("/zip")]


def test_5c_a_listing_that_lies_about_the_size_is_noticed(
    github: GitHubDouble, waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(artifact, "MOST_BYTES_ZIPPED", 1000)
    github.add_artifact(5, NAME, data=bytes(100_000), size=10)
    with pytest.raises(GitHubError, match="more than 1000 bytes"):
        read(github, waiting)


@pytest.mark.parametrize(
    "known", [{"event": "push"}, {"head_repository": None}, {"event": "workflow_dispatch"}]
)
def test_5c_a_run_that_is_not_one_to_publish_is_not_asked_for(
    github: GitHubDouble, waiting: Waiting, known: dict[str, Any]
) -> None:
    github.add_artifact(5, NAME, ("result.json", RESULT))
    assert "nothing of it is published" in str(read(github, waiting, **known))
    assert github.calls == []


def test_an_event_that_is_no_finished_run_has_nothing_to_read(github: GitHubDouble, waiting: Waiting) -> None:
    from dryfire_action.github.event import Event

    found = read_artifact(client(github, waiting), Event("push", "acme/demo"), NAME)
    assert isinstance(found, Refused) and "workflow_run" in found.notice


# inside the zip file


def notice(data: bytes) -> str:
    found = one_member(data)
    assert isinstance(found, Refused), found
    return found.notice


def lying_about_its_size(data: bytes, size: int) -> bytes:
    """The zip file with another size of its member, in both places that tell it."""
    packed = bytearray(data)
    packed[22:26] = struct.pack("<I", size)
    central = packed.index(b"PK\x01\x02")
    packed[central + 24 : central + 28] = struct.pack("<I", size)
    return bytes(packed)


def packed_with(method: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("result.json", RESULT)
    return file.getvalue()


def encrypted() -> bytes:
    """A zip file whose member says that it needs a password."""
    packed = bytearray(zipped(("result.json", RESULT)))
    packed[6] |= 1
    packed[packed.index(b"PK\x01\x02") + 8] |= 1
    return bytes(packed)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (zipped(), "something else than one file"),
        (zipped(("a", RESULT), ("b", RESULT)), "something else than one file"),
        (zipped(("folder/", b"")), "something else than one file"),
        (packed_with(zipfile.ZIP_BZIP2), "unusual"),
        (packed_with(zipfile.ZIP_LZMA), "unusual"),
        (encrypted(), "no zip file that can be read"),
        (b"", "no zip file that can be read"),
        (RESULT, "no zip file that can be read"),
        (zipped(("a", RESULT))[:-30], "no zip file that can be read"),
        (zipped(("a", RESULT)).replace(b"PK\x01\x02", b"PK\x01\x09"), "no zip file that can be read"),
    ],
    ids=["empty", "two", "folder", "bzip2", "lzma", "encrypted", "nothing", "json", "cut", "broken"],
)
def test_5c_what_is_not_one_plain_file_is_refused(data: bytes, why: str) -> None:
    assert why in notice(data)


@pytest.mark.parametrize("lie", [None, 10, 2**32 - 2])
def test_d35_a_bomb_is_not_unpacked(lie: int | None) -> None:
    bomb = zipped(("result.json", bytes(30_000_000)))
    data = bomb if lie is None else lying_about_its_size(bomb, lie)
    assert len(data) < 60_000
    # One that says it is small is read as far as it says, and then its checksum is wrong.
    assert "more than is allowed" in notice(data) or lie == 10


def test_what_shrinks_too_well_was_made_to(monkeypatch: pytest.MonkeyPatch) -> None:
    alike = b'{"name": "case", "outcome": "fresh", "turns": []},' * 20_000
    assert notice(zipped(("a", alike))).endswith("more than is allowed")
    monkeypatch.setattr(artifact, "MOST_RATIO", 10_000)
    assert one_member(zipped(("a", alike))) == alike


def test_what_is_larger_than_twenty_megabytes_is_refused_however_it_is_packed() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a", bytes(artifact.MOST_BYTES + 1))
    assert "more than is allowed" in notice(file.getvalue())


@given(st.binary(max_size=200), st.integers(0, 150), st.binary(max_size=4))
def test_whatever_the_bytes_are_it_is_content_or_a_refusal(content: bytes, at: int, bytes_: bytes) -> None:
    data = bytearray(zipped(("result.json", content)))
    data[at : at + len(bytes_)] = bytes_
    found = one_member(bytes(data))
    assert isinstance(found, Refused) or len(found) <= artifact.MOST_BYTES
