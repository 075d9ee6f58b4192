"""Cassettes on disk: read through a tree, and replaced in one step: a kill at any moment leaves a whole file."""

from __future__ import annotations

import os
from contextlib import contextmanager
from posixpath import dirname, join
from typing import TYPE_CHECKING

from dryfire_action.cassette_file import decode, encode
from dryfire_action.cassette_names import PARTIAL_FOLDER
from dryfire_action.cassette_text import RECORD_AGAIN, shown
from dryfire_action.errors import CassetteDamaged, DryfireError, RecordingError
from dryfire_action.redact import REVIEW_RULES, find_in_text
from dryfire_action.tree import TreeError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dryfire_action.cassette import Cassette
    from dryfire_action.tree import Tree


def read_cassette(tree: Tree, path: str) -> Cassette | None:
    """The cassette at ``path``, None where there is none. Raises ``CassetteDamaged``."""
    content = read_bytes(tree, path)
    if content is None:
        return None
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CassetteDamaged(path, "the file is not UTF-8 text", line=line, remedy=RECORD_AGAIN) from None
    return decode(text, path)


def read_bytes(tree: Tree, path: str) -> bytes | None:
    """The content at ``path``, None where there is none. Raises ``CassetteDamaged`` for what is no plain file."""
    try:
        return tree.read(path)
    except TreeError as error:
        raise CassetteDamaged(path, error.reason, remedy=error.remedy or RECORD_AGAIN) from None
    except DryfireError as error:
        raise CassetteDamaged(path, error.message, remedy=error.remedy or RECORD_AGAIN) from None


def check_names(cassette: Cassette, path: str, suite: str, case: str) -> None:
    """Raise ``CassetteDamaged`` where the cassette at ``path`` says it belongs to another case."""
    header = cassette.header
    for what, found, wanted in (("suite", header.suite, suite), ("case", header.case, case)):
        if found != wanted:
            raise CassetteDamaged(
                path,
                f"the file says it belongs to the {what} {shown(found)}, not to {shown(wanted)}",
                line=1,
                remedy="move it back, or record the case again with --cassette-mode record",
            )


def check_target(root: Path, path: str) -> None:
    """Raise ``RecordingError`` where no cassette could be put at ``path``, before anything is paid for."""
    with refusing(path):
        if (target := below(root, path)).is_dir() and not target.is_symlink():
            raise RecordingError(f"{path}: a folder stands where the recording goes", remedy="remove it")


def check_plain_names(suite: str, case: str) -> None:
    """Raise ``RecordingError`` where a name holds a secret: names stand in a recording and its path as they are."""
    for what, name in (("suite", suite), ("case", case)):
        found = next(iter(find_in_text(name, rules=REVIEW_RULES.outside_recordings())), None)
        if found is not None:
            raise RecordingError(
                f"not recorded: the name of the {what} holds what looks like a secret ({found.rule})",
                remedy="take it out of the name; recordings are kept under their names",
            )


def write_cassette(root: Path, path: str, cassette: Cassette) -> bool:
    """Put ``cassette`` at ``path`` below ``root`` in one step; whether the file changed. A link there is replaced.

    Raises ``RecordingError`` where the disk or the folder refuses; then the file is as it was.
    """
    content = encode(cassette).encode()
    with refusing(path):
        target = below(root, path)
        if not target.is_symlink() and target.is_file() and target.read_bytes() == content:
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        # What a kill leaves behind must not be committed, so it is written where git does not look.
        replace_file(target, content, ignored_folder(root, dirname(dirname(path))))
    return True


def replace_file(target: Path, content: bytes, folder: Path | None = None) -> None:
    """Replace ``target`` by ``content`` so that any reader sees the old file or the new one, whole.

    ``folder`` is where the new content is written first (default: beside the target); it must be on the same disk.
    """
    written = (folder or target.parent) / f".{target.name}.{os.getpid()}.tmp"
    written.unlink(missing_ok=True)
    try:
        with written.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        written.replace(target)
    except BaseException:
        written.unlink(missing_ok=True)
        raise


def ignored_folder(root: Path, folder: str) -> Path:
    """The folder of a cassette folder that git ignores; it is made where it is not there."""
    ignore = below(root, join(folder, PARTIAL_FOLDER, ".gitignore"), links=False)
    # One that is empty was being written when its process was killed.
    if not ignore.exists() or not ignore.stat().st_size:
        ignore.parent.mkdir(parents=True, exist_ok=True)
        ignore.write_text("*\n", encoding="utf-8")
    return ignore.parent


def below(root: Path, path: str, *, links: bool = True) -> Path:
    """The file at ``path``. Raises ``RecordingError`` for folders that are links, which could lead out of the
    repository; without ``links`` also where the file itself is one.
    """
    parts = path.split("/")
    target = root
    for number, part in enumerate(parts, 1):
        target = target / part
        if (number < len(parts) or not links) and target.is_symlink():
            raise RecordingError(
                f"{path}: {part} is a symbolic link, and recordings are not written through one"
            )
    return target


@contextmanager
def refusing(path: str) -> Iterator[None]:
    """Turn what the system refuses to do with ``path`` into a ``RecordingError``."""
    try:
        yield
    except OSError as error:
        raise RecordingError(
            f"{path}: cannot be written: {error.strerror or error}",
            remedy="what was answered so far is kept; make room or give access, then run with --cassette-mode auto",
        ) from None
