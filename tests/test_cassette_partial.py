"""The partial file: what was paid for is on disk before more is asked, whatever happens to the process."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from dryfire_action.cassette import Cassette, Exchange, Header
from dryfire_action.cassette_partial import read_partial, recording_to
from dryfire_action.errors import CassetteDamaged, RecordingError
from dryfire_action.fingerprint import KeyChain
from dryfire_action.tree import FolderTree

if TYPE_CHECKING:
    from pathlib import Path

PATH = "c/.partial/shop/refund.jsonl"
HEADER = Header("shop", "refund", "told", "m", sdk="sdk", sdk_version="1")


def exchanges(count: int) -> list[Exchange]:
    chain, found = KeyChain(), []
    for turn in range(count):
        chain.append({"content": f"{turn:016x}"})
        answer = {"text": f"✓ {turn}", "stop_reason": "end_turn"}
        found.append(Exchange(0, turn, 0, chain.fingerprint({"model": "m"}), "2026-01-01", answer))
    return found


def read(root: Path) -> Cassette | None:
    return read_partial(FolderTree(root), PATH)


def write(root: Path, count: int, known: int = 0) -> bytes:
    """Record ``count`` exchanges after ``known`` ones; the content of the file."""
    made = exchanges(known + count)
    with recording_to(root, PATH) as partial:
        partial.begin(Cassette(HEADER, tuple(made[:known])))
        for exchange in made[known:]:
            partial.append(exchange)
    return (root / PATH).read_bytes()


def test_every_exchange_is_on_disk_when_append_returns(tmp_path: Path) -> None:
    with recording_to(tmp_path, PATH) as partial:
        partial.begin(Cassette(HEADER, ()))
        assert read(tmp_path) is None
        for count, exchange in enumerate(exchanges(3), 1):
            partial.append(exchange)
            assert read(tmp_path) == Cassette(HEADER, tuple(exchanges(count)))


def test_the_file_stays_when_the_recording_is_broken_off_and_goes_when_it_is_complete(tmp_path: Path) -> None:
    write(tmp_path, 2)
    assert read(tmp_path) == Cassette(HEADER, tuple(exchanges(2)))
    with recording_to(tmp_path, PATH) as partial:
        partial.remove()
    assert read(tmp_path) is None


def test_a_recording_goes_on_after_what_is_known(tmp_path: Path) -> None:
    write(tmp_path, 2)
    assert write(tmp_path, 1, known=2) == write(tmp_path, 3)


def test_what_was_known_is_never_out_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = write(tmp_path, 2)
    seen = []
    fsync = os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda handle: (seen.append((tmp_path / PATH).read_bytes()), fsync(handle))[1]
    )
    write(tmp_path, 0, known=2)
    assert seen == [before]


def test_git_ignores_it(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    write(tmp_path, 1)
    shown = subprocess.run(["git", "status", "--porcelain"], cwd=tmp_path, capture_output=True, check=True)
    assert shown.stdout == b""


def test_a_file_cut_off_anywhere_holds_its_whole_exchanges(tmp_path: Path) -> None:
    whole = write(tmp_path, 3)
    ends = [at for at, byte in enumerate(whole, 1) if byte == 10]
    assert len(ends) == 4
    for length in range(len(whole) + 1):
        (tmp_path / PATH).write_bytes(whole[:length])
        count = sum(length >= end for end in ends) - 1
        assert read(tmp_path) == (Cassette(HEADER, tuple(exchanges(count))) if count > 0 else None), length


@pytest.mark.parametrize(
    "rest", [b"{}\n", b"[]\n", b"\0\n", b"NaN\n", b"[" * 100_000 + b"\n", b"\xff\n", b"null\n"]
)
def test_after_a_line_that_is_no_exchange_nothing_is_read(tmp_path: Path, rest: bytes) -> None:
    whole = write(tmp_path, 3).splitlines(keepends=True)
    (tmp_path / PATH).write_bytes(b"".join([*whole[:2], rest, *whole[2:]]))
    assert read(tmp_path) == Cassette(HEADER, tuple(exchanges(1)))


@pytest.mark.parametrize("header", [b"[]\n", b'{"format": "dryfire-cassette/9"}\n', b"{}\n"])
def test_a_file_of_another_format_is_not_overwritten_unseen(tmp_path: Path, header: bytes) -> None:
    write(tmp_path, 1)
    (tmp_path / PATH).write_bytes(header)
    with pytest.raises(CassetteDamaged):
        read(tmp_path)


def test_a_second_recorder_of_the_same_case_is_refused(tmp_path: Path) -> None:
    other = f"""
import sys
from pathlib import Path
from dryfire_action.cassette_partial import recording_to
from dryfire_action.errors import RecordingError
try:
    with recording_to(Path(sys.argv[1]), {PATH!r}):
        print("held")
except RecordingError as error:
    print(error.message)
"""

    def second() -> str:
        command = [sys.executable, "-c", other, str(tmp_path)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    with recording_to(tmp_path, PATH) as partial:
        partial.begin(Cassette(HEADER, tuple(exchanges(1))))
        assert second() == f"another process is recording this case ({PATH} is locked)"
        with pytest.raises(RecordingError, match="another process"), recording_to(tmp_path, PATH):
            pass
    assert second() == "held"
    assert read(tmp_path) == Cassette(HEADER, tuple(exchanges(1)))


@pytest.mark.parametrize("name", ["refund.jsonl", "refund.jsonl.lock"])
def test_neither_the_file_nor_its_lock_is_opened_through_a_link(tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    folder = (tmp_path / PATH).parent
    folder.mkdir(parents=True)
    (folder / name).symlink_to(outside)
    with pytest.raises(RecordingError, match="symbolic link"), recording_to(tmp_path, PATH):
        pass
    assert not outside.exists()


def test_a_full_disk_is_one_line_and_what_was_kept_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = exchanges(2)

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(RecordingError) as caught, recording_to(tmp_path, PATH) as partial:
        partial.begin(Cassette(HEADER, ()))
        partial.append(made[0])
        monkeypatch.setattr(os, "fsync", full)
        partial.append(made[1])
    assert caught.value.message == f"{PATH}: cannot be written: No space left on device"
    found = read(tmp_path)
    assert found is not None
    assert found.exchanges[0] == made[0]


def test_errors_of_others_are_not_taken_for_the_disks(tmp_path: Path) -> None:
    with pytest.raises(ConnectionError), recording_to(tmp_path, PATH):
        raise ConnectionError("the provider's")


def test_one_line_is_one_exchange(tmp_path: Path) -> None:
    made = exchanges(1)
    odd = replace(made[0], answer={"text": "a\nb\u2028c\r\n", "stop_reason": "end_turn"})
    with recording_to(tmp_path, PATH) as partial:
        partial.begin(Cassette(HEADER, (odd,)))
    assert [json.loads(line)["suite" if not n else "key"] for n, line in enumerate(open_lines(tmp_path))]
    assert read(tmp_path) == Cassette(HEADER, (odd,))


def open_lines(root: Path) -> list[bytes]:
    return (root / PATH).read_bytes().split(b"\n")[:-1]
