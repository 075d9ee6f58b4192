"""Many files reviewed at once: on every processor, and in no more memory than a few workers need.

A worker is a fork of this process, so nothing is loaded twice. Each takes a few files from the list whenever it is
done with some, and says in the end what it found. What a worker does not come back with, this process reviews itself.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dryfire_action.review_files import reviewed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dryfire_action.recordings.report import Report
    from dryfire_action.secret_baseline import Entry
    from dryfire_action.secret_review import Reviewer

    Seen = tuple[set[str], set[Entry]]
    Reviewed = tuple[Report, list[str]]

# With less than this to read (bytes), a worker takes longer to start than it saves.
_LEAST_WORK = 1_000_000
# Each worker has some 25 MB of its own.
_MOST_WORKERS = 4
_AT_ONCE = 4
# Of so many files, this process reviews some before there are others: of all kinds, as they are sorted by their paths.
_MANY = 100
_FIRST = 8
# What a pipe holds on every system: the whole list of work is written before anybody reads it.
_PIPE = 4096
_NUMBER = 4


def all_reviewed(
    reviewer: Reviewer, root: str, files: Sequence[str], *, fixing: bool = False
) -> tuple[list[Report], list[str]]:
    """The reports on some files, in their order, and what was done about them; as `reviewed` for each of them.

    Files are fixed one after the other: a fix may replay the suites around it.
    """
    count = 1 if fixing else _workers(files)
    found = _by_workers(reviewer, root, files, count) if count > 1 else {}
    reports, notes = [], []
    for number, file in enumerate(files):
        report, said = found.get(number) or reviewed(reviewer, root, file, fixing=fixing)
        reports.append(report)
        notes += said
    return reports, notes


def _workers(files: Sequence[str]) -> int:
    """How many processes to review some files with."""
    if len(files) < 2 or not hasattr(os, "fork"):
        return 1
    size = 0
    for file in files:
        try:
            size += os.lstat(file).st_size
        except OSError:
            continue
        if size >= _LEAST_WORK:
            return min(_processors(), _MOST_WORKERS, len(files))
    return 1


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _by_workers(reviewer: Reviewer, root: str, files: Sequence[str], count: int) -> dict[int, Reviewed]:
    """What `count` processes, this one among them, find in the files, by their numbers."""
    at_once = max(_AT_ONCE, -(-len(files) * _NUMBER // _PIPE))
    # What every worker would load and come to know is there before they part.
    first = range(0, len(files), len(files) // _FIRST) if len(files) >= _MANY else ()
    found = {number: reviewed(reviewer, root, files[number]) for number in first}
    work, to_do = os.pipe()
    for start in range(0, len(files), at_once):
        os.write(to_do, start.to_bytes(_NUMBER, "big"))
    os.close(to_do)

    def share() -> dict[int, Reviewed]:
        return {
            number: reviewed(reviewer, root, files[number])
            for start in _starts(work)
            for number in range(start, min(start + at_once, len(files)))
            if number not in found
        }

    workers = []
    try:
        for _ in range(count - 1):
            workers.append(_Worker(reviewer, share))
        found |= share()
    finally:
        os.close(work)
        came_back = [worker.result() for worker in workers]
    for result in came_back:
        if result is not None:
            found.update(result[0])
            reviewer.add_seen(*result[1])
    return found


def _starts(work: int) -> Iterator[int]:
    """The numbers that are left in a pipe; other processes read from it, too."""
    while number := os.read(work, _NUMBER):
        yield int.from_bytes(number, "big")


class _Worker:
    """A forked process that does its share and sends back what it found."""

    def __init__(self, reviewer: Reviewer, share: Callable[[], dict[int, Reviewed]]) -> None:
        self._answer, answer = os.pipe()
        self._process = os.fork()
        if self._process:
            os.close(answer)
            return
        code = 1
        try:
            import pickle

            os.close(self._answer)
            found = share()
            with os.fdopen(answer, "wb") as stream:
                pickle.dump((found, reviewer.seen()), stream)
            code = 0
        finally:
            # Not `sys.exit`: what this process shares with the other is not its own to close.
            os._exit(code)

    def result(self) -> tuple[dict[int, Reviewed], Seen] | None:
        """What the worker found, and which paths it looked at; None if it failed."""
        import pickle

        with os.fdopen(self._answer, "rb") as stream:
            data = stream.read()
        _, status = os.waitpid(self._process, 0)
        if status:
            return None
        found: tuple[dict[int, Reviewed], Seen] = pickle.loads(data)
        return found
