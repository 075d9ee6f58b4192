"""Cassettes on disk: read through a tree, replaced in one step, and safe against a kill at any moment.

While a case is being recorded its exchanges go, one line each and synced to disk, to a partial file that git ignores.
When the case is complete the cassette is replaced and the partial goes. A lock keeps a second writer off.
"""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dryfire_action.cassette import Cassette, Exchange, Header
from dryfire_action.cassette_file import (
    RECORD_AGAIN,
    decode,
    decode_exchanges,
    encode,
    encode_exchange,
    header_document,
    header_from,
)
from dryfire_action.cassette_names import PARTIAL_FOLDER
from dryfire_action.errors import CassetteDamaged, DryfireError, RecordingError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedRandom

    from dryfire_action.tree import Tree


def read_cassette(tree: Tree, path: str) -> Cassette | None:
    """The cassette at ``path``, None where there is none. Raises ``CassetteDamaged``."""
    text = _read_text(tree, path)
    return None if text is None else decode(text, path)


def check_names(cassette: Cassette, path: str, suite: str, case: str) -> None:
    """Raise ``CassetteDamaged`` where the cassette at ``path`` says it belongs to another case."""
    header = cassette.header
    if (header.suite, header.case) != (suite, case):
        raise CassetteDamaged(
            path,
            f"the file says it belongs to {header.suite}::{header.case}, not to {suite}::{case}",
            line=1,
            remedy="move it back, or record the case again with --cassette-mode record",
        )


def write_cassette(root: Path, path: str, cassette: Cassette) -> bool:
    """Put ``cassette`` at ``path`` below ``root`` in one step; whether the file changed.

    Raises ``RecordingError`` where the disk or the folder refuses; then the file is as it was.
    """
    content = encode(cassette).encode()
    try:
        target = _below(root, path)
        if target.is_file() and target.read_bytes() == content:
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        replace_file(target, content)
    except OSError as error:
        raise _refused(path, error) from None
    return True


def replace_file(target: Path, content: bytes) -> None:
    """Replace ``target`` by ``content`` so that any reader sees the old file or the new one, whole."""
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


class Partial:
    """The exchanges of a recording that goes on. Open only inside ``recording_to``."""

    def __init__(self, file: BufferedRandom, path: str) -> None:
        self._file = file
        self._path = path
        self._last: Exchange | None = None

    def begin(self, header: Header) -> None:
        """Start anew: forget what the file held."""
        self._write_over(b"")
        self._line(header_document(header))

    def go_on(self, cassette: Cassette) -> None:
        """Go on after the exchanges of ``cassette``, which are written anew."""
        self.begin(cassette.header)
        for exchange in cassette.exchanges:
            self.append(exchange)

    def append(self, exchange: Exchange) -> None:
        """Keep one more exchange; it is on the disk when this returns."""
        self._line(encode_exchange(exchange, self._last))
        self._last = exchange

    def _write_over(self, content: bytes) -> None:
        self._file.seek(0)
        self._file.truncate()
        self._file.write(content)
        self._last = None

    def _line(self, document: Any) -> None:
        try:
            self._file.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise _refused(self._path, error) from None


@contextmanager
def recording_to(root: Path, path: str) -> Iterator[Partial]:
    """The partial file at ``path`` below ``root``, held by this process alone; it stays when the block ends.

    Raises ``RecordingError`` where another process holds it or the disk refuses.
    """
    from filelock import FileLock, Timeout

    try:
        target = _below(root, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        _ignored_by_git(target)
        lock = FileLock(f"{target}.lock", timeout=0)
        with lock, target.open("r+b" if target.exists() else "w+b") as file:
            yield Partial(file, path)
    except Timeout:
        raise RecordingError(
            f"another process is recording this case ({path} is locked)",
            remedy="wait until it has finished, then run again with --cassette-mode auto",
        ) from None
    except OSError as error:
        raise _refused(path, error) from None


def read_partial(tree: Tree, path: str) -> Cassette | None:
    """What an unfinished recording holds: its whole exchanges up to the first that is cut off. None: nothing."""
    text = _read_text(tree, path)
    if not text:
        return None
    lines = text.split("\n")[:-1]
    found: list[Exchange] = []
    try:
        header = header_from(json.loads(lines[0]), path)
        for exchange in decode_exchanges((json.loads(line) for line in lines[1:]), text, path):
            found.append(exchange)
    except (CassetteDamaged, ValueError, IndexError, RecursionError):
        if not found:
            return None
    return Cassette(header, tuple(found))


def remove_partial(root: Path, path: str) -> None:
    """Take away the partial file of a recording that is complete, and folders left empty."""
    target = _below(root, path)
    target.unlink(missing_ok=True)


def _below(root: Path, path: str) -> Path:
    """The file at ``path``; refuses to go through links, which could lead out of the repository."""
    target = root
    for part in path.split("/"):
        target = target / part
        if target.is_symlink():
            raise RecordingError(
                f"{path}: {target.name} is a symbolic link, and recordings are not written through one"
            )
    return target


def _ignored_by_git(target: Path) -> None:
    folder = next((parent for parent in target.parents if parent.name == PARTIAL_FOLDER), None)
    if folder and not (folder / ".gitignore").exists():
        (folder / ".gitignore").write_text("*\n")


def _read_text(tree: Tree, path: str) -> str | None:
    try:
        content = tree.read(path)
    except DryfireError as error:
        raise CassetteDamaged(path, error.message, remedy=error.remedy or RECORD_AGAIN) from None
    if content is None:
        return None
    try:
        return content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CassetteDamaged(path, "the file is not UTF-8 text", line=line, remedy=RECORD_AGAIN) from None


def _refused(path: str, error: OSError) -> RecordingError:
    return RecordingError(
        f"{path}: cannot be written: {error.strerror or error}",
        remedy="what was answered so far is kept; make room or give access, then run with --cassette-mode auto",
    )


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
