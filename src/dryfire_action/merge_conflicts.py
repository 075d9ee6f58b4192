"""Merge conflicts in cassettes: of the two sides, the one that replays for the merged suite is right.

The sides are those that git's index holds while a merge goes on. Where it holds none, because the file was added with
the marks of the conflict in it, they are read between the marks.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from dryfire_action.cassette_file import SIZE_LIMIT, decode
from dryfire_action.cassette_folder import entries
from dryfire_action.cassette_names import cassette_path
from dryfire_action.cassette_store import check_names, write_cassette
from dryfire_action.errors import CassetteDamaged
from dryfire_action.git_objects import GitObjects
from dryfire_action.git_process import NoRepository, ask, refusal
from dryfire_action.rehearsal import fresh, rehearse
from dryfire_action.tree import FolderTree, TreeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from dryfire_action.cassette import Cassette
    from dryfire_action.suite import Case, Suite

Side = Literal["ours", "theirs"]
Resolution = Literal["ours", "theirs", "record", "unreadable", "no case"]

_STAGES: dict[str, Side] = {"2": "ours", "3": "theirs"}
_MARK = re.compile(rb"(<{7}|\|{7}|={7}|>{7})(?: .*)?\r?\n?\Z")


@dataclass(frozen=True, slots=True)
class Resolved:
    """What became of one cassette in conflict.

    ``ours`` and ``theirs``: that side replays fresh and is what the file holds now. ``record``: neither does; the file
    holds the side ``kept``, of which ``replayed`` of ``turns`` turns are served. ``unreadable``: ``why`` says what is
    wrong with both sides, and the file is as it was. ``no case``: no suite has the case; the file is as it was.
    """

    path: str
    resolution: Resolution
    case: Case | None = None
    kept: Side | None = None
    replayed: int = 0
    turns: int = 0
    why: str = ""


def conflicts(root: Path, folders: Iterable[str]) -> dict[str, dict[Side, bytes]]:
    """The cassettes below ``folders`` that are in conflict, each with the sides there are. Raises ``GitError``."""
    found: dict[str, dict[Side, bytes]] = {}
    for folder in folders:
        found |= _unmerged(root, folder)
        tree = FolderTree(root, limit=SIZE_LIMIT)
        for entry in entries(root, folder):
            if entry.kind == "damaged" and entry.path not in found:
                try:
                    sides = sides_of(tree.read(entry.path) or b"")
                except TreeError:
                    continue
                if sides:
                    found[entry.path] = sides
    return dict(sorted(found.items()))


def resolve(root: Path, suites: Sequence[Suite]) -> Iterator[Resolved]:
    """Resolve every conflict in the cassettes of ``suites``, which are the merged ones. Raises ``GitError``."""
    folders = sorted({suite.config.cassettes for suite in suites})
    cases = {
        cassette_path(suite.config.cassettes, case.suite, case.name): (suite, case)
        for suite in suites
        for case in suite.cases
    }
    for path, sides in conflicts(root, folders).items():
        stem, at, _ = path.removesuffix(".json").partition("@")
        suite_and_case = cases.get(f"{stem}.json" if at else path)
        if suite_and_case is None:
            yield Resolved(path, "no case")
        else:
            yield _resolved(root, path, *suite_and_case, sides, beside=bool(at))


def sides_of(content: bytes) -> dict[Side, bytes]:
    """Both sides of a file with the marks of a conflict in it; empty where there are none, or where they do not fit."""
    sides: dict[Side, list[bytes]] = {"ours": [], "theirs": []}
    where: Literal["both", "ours", "base", "theirs"] = "both"
    seen = False
    for row in content.splitlines(keepends=True):
        mark = _MARK.match(row)
        kind = mark[1][:1] if mark else b""
        if kind == b"<" and where == "both":
            where, seen = "ours", True
        elif kind == b"|" and where == "ours":
            where = "base"
        elif kind == b"=" and where in ("ours", "base"):
            where = "theirs"
        elif kind == b">" and where == "theirs":
            where = "both"
        elif kind:
            return {}
        elif where == "both":
            sides["ours"].append(row)
            sides["theirs"].append(row)
        elif where != "base":
            sides[where].append(row)
    return {side: b"".join(rows) for side, rows in sides.items()} if seen and where == "both" else {}


def _unmerged(root: Path, folder: str) -> dict[str, dict[Side, bytes]]:
    """What git's index holds of both sides, while a merge goes on."""
    status, said, complaint = ask(root, ["ls-files", "--unmerged", "-z", "--", f":(literal){folder}"])
    if status:
        error = refusal(root, "ls-files", complaint)
        if isinstance(error, NoRepository):
            return {}
        raise error
    found: dict[str, dict[Side, bytes]] = {}
    with GitObjects(root) as objects:
        for row in said.split(b"\0"):
            facts, tab, name = row.partition(b"\t")
            mode, oid, stage = facts.decode().split(" ") if tab else ("", "", "")
            if not mode.startswith("100") or not name.endswith(b".json") or stage not in _STAGES:
                continue
            blob = objects.find(oid, SIZE_LIMIT)
            if blob is not None and blob.data is not None:
                found.setdefault(os.fsdecode(name), {})[_STAGES[stage]] = blob.data
    return found


def _resolved(
    root: Path, path: str, suite: Suite, case: Case, sides: Mapping[Side, bytes], *, beside: bool
) -> Resolved:
    if case.passthrough_rule is not None:
        return Resolved(path, "no case", case, why="the case runs real code now, so it is not recorded")
    best: tuple[int, int, Side, Cassette] | None = None
    wrong = []
    for side in _STAGES.values():
        if side not in sides:
            continue
        try:
            cassette = _decoded(sides[side], path, case)
        except CassetteDamaged as error:
            wrong.append(f"{side}: {error.what}")
            continue
        asked = replace(case, model=cassette.header.model) if beside else case
        result = rehearse(asked, suite.config, cassette)
        if fresh(result):
            write_cassette(root, path, cassette)
            return Resolved(path, side, case, side)
        turns = [turn for run in result.runs for turn in run.turns]
        replayed = sum(turn.outcome == "replayed" for turn in turns)
        if best is None or replayed > best[0]:
            best = replayed, len(turns), side, cassette
    if best is None:
        return Resolved(path, "unreadable", case, why="; ".join(wrong))
    replayed, count, side, cassette = best
    write_cassette(root, path, cassette)
    return Resolved(path, "record", case, side, replayed, count)


def _decoded(content: bytes, path: str, case: Case) -> Cassette:
    try:
        cassette = decode(content.decode(), path)
    except UnicodeDecodeError:
        raise CassetteDamaged(path, "the file is not UTF-8 text") from None
    check_names(cassette, path, case.suite, case.name)
    return cassette
