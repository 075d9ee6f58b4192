"""The partial file of a recording that goes on: every answer that was paid for, on disk before the next is asked for.

One line each: a header, then exchanges, as in a cassette. Git ignores the file; it goes when the recording is
complete. A lock keeps a second recorder of the same case off.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dryfire_action.cassette import Cassette
from dryfire_action.cassette_file import decode_exchanges, encode_exchange, header_document, header_from
from dryfire_action.cassette_names import PARTIAL_FOLDER
from dryfire_action.cassette_store import below, ignored_folder, read_bytes, refusing, replace_file
from dryfire_action.errors import CassetteDamaged, RecordingError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import FileIO
    from pathlib import Path

    from dryfire_action.cassette import Exchange
    from dryfire_action.messages import JsonObject
    from dryfire_action.tree import Tree


class Partial:
    """The exchanges of a recording that goes on. Held by this process alone, inside ``recording_to``."""

    def __init__(self, target: Path, path: str) -> None:
        self._target = target
        self._path = path
        self._file: FileIO | None = None
        self._last: Exchange | None = None

    def begin(self, known: Cassette) -> None:
        """Start with the header and the exchanges of ``known``; what the file held before goes, in one step."""
        lines = [_line(header_document(known.header))]
        for exchange in known.exchanges:
            lines.append(_line(encode_exchange(exchange, self._last)))
            self._last = exchange
        with refusing(self._path):
            replace_file(self._target, b"".join(lines))
            self._file = self._target.open("ab", buffering=0)

    def append(self, exchange: Exchange) -> None:
        """Keep one more exchange; it is on the disk when this returns."""
        assert self._file is not None
        rest = memoryview(_line(encode_exchange(exchange, self._last)))
        with refusing(self._path):
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        self._last = exchange

    def remove(self) -> None:
        """Take the file away: its recording is complete."""
        with refusing(self._path):
            self.close()
            self._target.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file; it stays."""
        if self._file is not None:
            self._file.close()


@contextmanager
def recording_to(root: Path, path: str) -> Iterator[Partial]:
    """The partial file at ``path`` below ``root``, held by this process alone; it stays when the block ends.

    Raises ``RecordingError`` where another process holds it or the disk refuses.
    """
    from filelock import FileLock, Timeout

    with refusing(path):
        target = below(root, path, links=False)
        ignored_folder(root, path.rpartition(f"{PARTIAL_FOLDER}/")[0].rstrip("/"))
        target.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(below(root, f"{path}.lock", links=False), timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise RecordingError(
                f"another process is recording this case ({path} is locked)",
                remedy="wait until it has finished, then run again with --cassette-mode auto",
            ) from None
    partial = Partial(target, path)
    try:
        yield partial
    finally:
        partial.close()
        lock.release()


def read_partial(tree: Tree, path: str) -> Cassette | None:
    """What an unfinished recording holds: its whole exchanges up to the first that is cut off. None: nothing.

    Raises ``CassetteDamaged`` for a file that is not of this format, or no plain file.
    """
    lines = (read_bytes(tree, path) or b"").split(b"\n")[:-1]
    try:
        document = json.loads(lines[0])
    except (ValueError, IndexError):
        return None
    header = header_from(document if isinstance(document, dict) else {}, path)
    found: list[Exchange] = []
    try:
        for exchange in decode_exchanges((json.loads(line) for line in lines[1:]), path, lambda n: n + 2):
            found.append(exchange)
    except (CassetteDamaged, ValueError, RecursionError):
        pass  # cut off by a kill or a full disk: what follows was told by what is gone
    return Cassette(header, tuple(found)) if found else None


def locked(root: Path, path: str) -> bool:
    """Whether some process records to the partial file at ``path`` now."""
    from filelock import FileLock, Timeout

    with refusing(path):
        lock = below(root, f"{path}.lock", links=False)
        if not lock.exists():  # taking it would make it
            return False
        try:
            with FileLock(lock, timeout=0):
                return False
        except Timeout:
            return True


def move_partial(root: Path, source: str, target: str, unfinished: Cassette) -> None:
    """Put ``unfinished``, which was read from the partial file at ``source``, at ``target``; ``source`` goes.

    Raises ``RecordingError`` where another process records to either.
    """
    with recording_to(root, source) as old, recording_to(root, target) as new:
        new.begin(unfinished)
        old.remove()


def _line(document: JsonObject) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode() + b"\n"
