"""Cassettes on disk: whole at every moment, never read or written through a link, and refused in one line."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.cassette import Cassette, Exchange, Header
from dryfire_action.cassette_file import SIZE_LIMIT, decode, encode
from dryfire_action.cassette_store import (
    check_names,
    check_plain_names,
    check_target,
    ignored_folder,
    read_cassette,
    replace_file,
    write_cassette,
)
from dryfire_action.errors import CassetteDamaged, RecordingError
from dryfire_action.fingerprint import KeyChain
from dryfire_action.tree import FolderTree

if TYPE_CHECKING:
    from collections.abc import Callable

PATH = "c/shop/refund.json"
HEADER = Header("shop", "refund", "told", "m")


def cassette(text: str = "A") -> Cassette:
    fingerprint = KeyChain().fingerprint({})
    return Cassette(
        HEADER, (Exchange(0, 0, 0, fingerprint, answer={"text": text, "stop_reason": "end_turn"}),)
    )


def files(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


def read(root: Path) -> Cassette | None:
    return read_cassette(FolderTree(root, limit=SIZE_LIMIT), PATH)


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    assert write_cassette(tmp_path, PATH, cassette())
    assert read(tmp_path) == cassette()
    assert (tmp_path / PATH).read_text(encoding="utf-8") == encode(cassette())
    assert files(tmp_path) == ["c/.partial/.gitignore", PATH]


def test_where_there_is_no_file_there_is_no_cassette(tmp_path: Path) -> None:
    assert read(tmp_path) is None


def test_the_same_cassette_does_not_touch_the_file(tmp_path: Path) -> None:
    write_cassette(tmp_path, PATH, cassette())
    before = (tmp_path / PATH).stat()
    assert not write_cassette(tmp_path, PATH, cassette())
    assert (tmp_path / PATH).stat() == before


def test_another_cassette_replaces_the_file_in_one_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_cassette(tmp_path, PATH, cassette("A"))
    seen: list[bytes] = []
    fsync = os.fsync

    def watched(handle: int) -> None:
        seen.append((tmp_path / PATH).read_bytes())
        fsync(handle)

    monkeypatch.setattr(os, "fsync", watched)
    assert write_cassette(tmp_path, PATH, cassette("B"))
    assert seen == [encode(cassette("A")).encode()], (
        "the new content is on the disk before it takes the place"
    )
    assert read(tmp_path) == cassette("B")


def test_the_file_has_the_rights_that_the_user_gives_new_files(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_cassette(tmp_path, PATH, cassette())
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / PATH).stat().st_mode) == 0o640


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS])
@pytest.mark.parametrize("place", ["fsync", "open", "replace"])
def test_where_the_disk_refuses_the_old_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, place: str
) -> None:
    write_cassette(tmp_path, PATH, cassette("A"))
    before = files(tmp_path)

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patched:
        patched.setattr(os if place == "fsync" else Path, place, refuse)
        with pytest.raises(RecordingError) as caught:
            write_cassette(tmp_path, PATH, cassette("B"))
    assert caught.value.message == f"{PATH}: cannot be written: {os.strerror(code)}"
    assert "--cassette-mode auto" in caught.value.remedy
    assert read(tmp_path) == cassette("A")
    assert files(tmp_path) == before


def test_a_file_in_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("")
    with pytest.raises(RecordingError, match=f"{PATH}: cannot be written: "):
        write_cassette(tmp_path, PATH, cassette())


def test_what_an_earlier_kill_left_is_no_hindrance(tmp_path: Path) -> None:
    left = ignored_folder(tmp_path, "c") / f".refund.json.{os.getpid()}.tmp"
    left.write_text("half")
    write_cassette(tmp_path, PATH, cassette())
    assert read(tmp_path) == cassette()
    assert not left.exists()


def test_a_file_is_replaced_beside_itself_where_no_folder_is_named(tmp_path: Path) -> None:
    replace_file(tmp_path / "x", b"1")
    replace_file(tmp_path / "x", b"2")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"x": b"2"}


# ---- links


@pytest.mark.parametrize("link", ["c", "c/shop"])
def test_nothing_is_written_through_a_folder_that_is_a_link(tmp_path: Path, link: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    outside.mkdir()
    (root / link).parent.mkdir(parents=True)
    (root / link).symlink_to(outside)
    with pytest.raises(
        RecordingError, match="is a symbolic link, and recordings are not written through one"
    ):
        write_cassette(root, PATH, cassette())
    with pytest.raises(RecordingError, match="symbolic link"):
        check_target(root, PATH)
    assert list(outside.iterdir()) == []


def test_a_link_in_place_of_the_file_is_replaced_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text(encode(cassette()), encoding="utf-8")
    (tmp_path / "c/shop").mkdir(parents=True)
    (tmp_path / PATH).symlink_to(outside)
    check_target(tmp_path, PATH)
    with pytest.raises(CassetteDamaged, match="is a symbolic link"):
        read(tmp_path)
    assert write_cassette(tmp_path, PATH, cassette())
    assert not (tmp_path / PATH).is_symlink()
    assert outside.read_text(encoding="utf-8") == encode(cassette())


@pytest.mark.parametrize("where", ["c/.partial", "c/.partial/.gitignore"])
def test_the_ignored_folder_is_not_made_through_a_link(tmp_path: Path, where: str) -> None:
    outside = tmp_path / "outside"
    (tmp_path / where).parent.mkdir(parents=True)
    (tmp_path / where).symlink_to(outside)
    with pytest.raises(RecordingError, match="symbolic link"):
        ignored_folder(tmp_path, "c")
    assert not outside.exists()


# ---- damage that is seen before the text is


def _folder(path: Path) -> None:
    path.mkdir()


def _large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100_000_000)


@pytest.mark.parametrize(
    ("make", "what", "line"),
    [
        (_folder, "is a folder, not a file", 0),
        (_large, "has 100,000,000 bytes, and the limit is 50,000,000", 0),
        (lambda path: os.mkfifo(path), "is no regular file (a pipe, a socket or a device)", 0),
        (lambda path: path.write_bytes(b'{\n "a": "\xff"}'), "the file is not UTF-8 text", 2),
        (lambda path: path.write_bytes("{}".encode("utf-16")), "the file is not UTF-8 text", 1),
    ],
    ids=["folder", "100 MB", "pipe", "Latin-1", "UTF-16"],
)
def test_what_is_no_text_file_is_damaged_and_said_in_one_line(
    tmp_path: Path, make: Callable[[Path], Any], what: str, line: int
) -> None:
    (tmp_path / PATH).parent.mkdir(parents=True)
    make(tmp_path / PATH)
    with pytest.raises(CassetteDamaged) as caught:
        read(tmp_path)
    assert caught.value.message == f"{PATH}{f':{line}' if line else ''}: {what}"
    assert caught.value.remedy


@pytest.mark.parametrize("path", ["../out/x.json", "/etc/x.json"])
def test_a_cassette_is_never_read_from_outside(tmp_path: Path, path: str) -> None:
    with pytest.raises(CassetteDamaged):
        read_cassette(FolderTree(tmp_path), path)


def test_a_folder_in_place_of_the_file_is_found_before_anything_is_paid_for(tmp_path: Path) -> None:
    (tmp_path / PATH).mkdir(parents=True)
    with pytest.raises(RecordingError, match="a folder stands where the recording goes"):
        check_target(tmp_path, PATH)


# ---- the true names


@pytest.mark.parametrize(
    ("suite", "case", "message"),
    [
        ("Shop", "refund", "the file says it belongs to the suite 'shop', not to 'Shop'"),
        ("shop", "re\nfund", "the file says it belongs to the case 'refund', not to 're\\nfund'"),
    ],
)
def test_a_cassette_of_another_case_is_damaged(suite: str, case: str, message: str) -> None:
    check_names(cassette(), PATH, "shop", "refund")
    with pytest.raises(CassetteDamaged) as caught:
        check_names(cassette(), PATH, suite, case)
    assert caught.value.message == f"{PATH}:1: {message}"


KEY = "sk-" + "ant-api03-" + "q7" * 48


@pytest.mark.parametrize(("suite", "case"), [(KEY, "refund"), ("shop", f"refund with {KEY}")])
def test_a_secret_in_a_name_is_not_recorded_under_it(suite: str, case: str) -> None:
    with pytest.raises(RecordingError, match="holds what looks like a secret") as caught:
        check_plain_names(suite, case)
    assert "q7q7" not in str(caught.value)


def test_names_of_people_and_samples_are_names() -> None:
    check_plain_names("shop", "a mail of ann@shop.example")


def test_what_a_provider_calls_its_model_holds_no_secret() -> None:
    exchange = replace(cassette().exchanges[0], served=KEY)
    text = encode(Cassette(replace(HEADER, served=KEY), (exchange,)))
    assert "q7q7" not in text
    assert decode(text, PATH).exchanges[0].served == "[redacted:anthropic-key:1]"
