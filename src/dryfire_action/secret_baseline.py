"""The baseline of an old repository: findings that were known when it began to be watched, one line each.

A line names the file, the rule and a digest of the value, and depends on no other line: no numbers, no counts, no
dates. So two branches that both add to it merge without a conflict (``merge=union``, which git has built in), and
lines that stand twice or out of order after a merge mean the same.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from dryfire_action.secret_allowances import keyed_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

BASELINE_FILE = ".dryfire/baseline.txt"
ATTRIBUTES_FILE = ".dryfire/.gitattributes"
ATTRIBUTES_LINE = "baseline.txt merge=union\n"

_HEAD = """\
# Secrets that were in the repository before its commits were checked: they do not block. New ones do.
# file: rule: digest of the value. Made by: dryfire redact --write-baseline PATH. Lines may stand in any order.
"""
_KEYED = "keyed-"
_MOST_NAMED = 5
_DIGITS = frozenset("0123456789abcdef")


class Entry(NamedTuple):
    """One known finding: the file it is in, the rule that finds it, and the digest of file, rule and value."""

    path: str
    rule: str
    digest: str


class Baseline:
    """The entries of a baseline, and which of them were met.

    ``key`` is that of the digests, "" for none. ``odd`` are the numbers of lines that are no entries.
    """

    def __init__(self, entries: Iterable[Entry] = (), *, key: str = "", odd: Iterable[int] = ()) -> None:
        self.entries = frozenset(entries)
        self.odd = tuple(odd)
        self._key = key
        self.met: set[Entry] = set()
        self._of_path: dict[str, frozenset[str]] = {}
        for entry in self.entries:
            self._of_path[entry.path] = self._of_path.get(entry.path, frozenset()) | {entry.rule}

    def knows(self, rule: str, value: str, path: str) -> bool:
        """Whether a finding is in the baseline. It counts as met then."""
        if rule not in self._of_path.get(path, ()):
            return False
        entry = entry_of(rule, value, path, self._key)
        if entry not in self.entries:
            return False
        self.met.add(entry)
        return True

    def over(self, looked_at: set[str], is_there: Callable[[str], bool]) -> list[Entry]:
        """The entries whose file was looked at and did not hold them, or is there no more."""
        return sorted(
            entry for entry in self.entries - self.met if entry.path in looked_at or not is_there(entry.path)
        )

    def former_path(self, rule: str, value: str, is_there: Callable[[str], bool]) -> str | None:
        """The file, there no more, in which a finding was known: the one that was renamed."""
        for entry in sorted(self.entries):
            known = entry.rule == rule and not is_there(entry.path)
            if known and entry_of(rule, value, entry.path, self._key) == entry:
                return entry.path
        return None

    @property
    def needs_key(self) -> bool:
        """Whether digests were made with a key, and there is none."""
        return not self._key and any(entry.digest.startswith(_KEYED) for entry in self.entries)


def notes_on(
    known: Baseline,
    findings: Iterable[tuple[str, str, str]],
    looked_at: set[str],
    is_there: Callable[[str], bool],
    key_variable: str,
) -> Iterator[str]:
    """What there is to say about a baseline after files were reviewed: lines of it that are none, digests whose key is
    missing, renamed files, and entries that are no longer needed. ``findings`` are file, rule and value."""
    import shlex

    from dryfire_action.visible import visible

    if known.odd:
        yield f"{BASELINE_FILE}:{known.odd[0]}: no entry, so it counts for nothing"
    if known.needs_key:
        yield f"{BASELINE_FILE}: made with a key that is not set here: {key_variable}"
        return
    renamed = {}
    for file, rule, value in findings if known.entries else ():
        former = known.former_path(rule, value, is_there)
        if former is not None:
            renamed[file] = former
    for file, former in renamed.items():
        again = f"dryfire redact --write-baseline {shlex.quote(visible(file))}"
        yield f"{visible(file)}: known as {visible(former)}: {again}"
    over = known.over(looked_at, is_there)
    if over:
        files = ", ".join(dict.fromkeys(visible(entry.path) for entry in over[:_MOST_NAMED]))
        more = " and more" if len(over) > _MOST_NAMED else ""
        yield (
            f"{BASELINE_FILE}: {len(over)} no longer needed ({files}{more}): "
            "dryfire redact --write-baseline PATH takes them out"
        )


def entry_of(rule: str, value: str, path: str, key: str) -> Entry:
    """The entry for a finding; ``value`` is "" for what was not checked. The digest holds for this file only."""
    made = keyed_digest("\0".join((path, rule, value)), key)
    return Entry(path, rule, _KEYED + made if key else made)


def read_baseline(text: str, key: str = "") -> Baseline:
    """The baseline that a file's text holds."""
    entries: list[Entry] = []
    odd: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        entry = _entry(line)
        if entry is None:
            odd.append(number)
        else:
            entries.append(entry)
    return Baseline(entries, key=key, odd=odd)


def without_entries(text: str) -> str:
    """What is in a baseline's text besides entries, on the same lines: only that need be searched for secrets."""
    return "\n".join("" if _entry(line) else line for line in text.splitlines())


def written_baseline(entries: Iterable[Entry]) -> str:
    """The text of a baseline: one line an entry, sorted."""
    return _HEAD + "".join(f"{line}\n" for line in _lines(entries))


def _lines(entries: Iterable[Entry]) -> Iterator[str]:
    for path, rule, digest in sorted(set(entries)):
        # Names with line ends and the like are written as JSON strings, and so is what could be taken for one.
        plain = path.isprintable() and path == path.strip() and path[:1] not in ('"', "#")
        yield f"{path if plain else json.dumps(path)}: {rule}: {digest}"


def _entry(line: str) -> Entry | None:
    head, _, digest = line.rstrip().rpartition(": ")
    path, _, rule = head.rpartition(": ")
    if not path or not rule or len(digest.removeprefix(_KEYED)) != 32:
        return None
    if not _DIGITS.issuperset(digest.removeprefix(_KEYED)):
        return None
    if path.startswith('"'):
        try:
            path = json.loads(path)
        except ValueError:
            return None
        if not isinstance(path, str):
            return None
    return Entry(path, rule, digest)
