"""Which fields of a request changed: two fingerprints in, named differences out.

"The keys differ" and "there is a change" are one statement, because both are read off the same digests. Differences
are aligned before they are named: an inserted message or tool is one addition, a swap is one reordering.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal

from dryfire_action.field_paths import part_of
from dryfire_action.fingerprint import digest, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dryfire_action.fingerprint import Digests, Fingerprint, Head

    # The old and the new place of an item; None where it was not there, or is no longer.
    Pair = tuple[int | None, int | None]

Change = Literal["changed", "added", "removed", "reordered"]

# Above this many comparisons an unequal block is paired by position: exact alignment of it would take quadratic time.
ALIGNMENT_LIMIT = 40_000

HEAD_PARTS = ("provider", "model", "params", "hooks", "output_schema", "system", "tools", "script")

_ITEM = re.compile(r"(\w+)\[(\d+)\](?:\.(.*))?\Z")


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field and what happened to it. ``old`` and ``new`` are short digests, None where the field was not there.

    ``path`` counts by the current request, or by the recorded one where something was removed.
    """

    path: str
    change: Change
    old: str | None = None
    new: str | None = None


def changes_between(recorded: Fingerprint, current: Fingerprint) -> tuple[FieldChange, ...]:
    """The field changes from ``recorded`` to ``current``, head first, then messages in order.

    Empty exactly when the keys are equal. Under another fingerprint version no digest can be compared, so that is
    then the only change named.
    """
    if recorded.key == current.key:
        return ()
    version = "fingerprint_version"
    if recorded.head.get(version) != current.head.get(version):
        return (_compared(version, _text(recorded.head, version), _text(current.head, version)),)
    found = [
        *_head_changes(recorded.head, current.head),
        *_message_changes(recorded.messages, current.messages),
    ]
    return tuple(found)


def top_level(changes: Sequence[FieldChange]) -> tuple[str, ...]:
    """The names of the request's parts that changed (``messages``, ``tools``, ...), sorted, each once."""
    return tuple(sorted({part_of(change.path) for change in changes}))


def _head_changes(old: Head, new: Head) -> Iterator[FieldChange]:
    families = {"hooks": "hooks.order", "tools": "tools.order"}
    differing: dict[str, list[str]] = {part: [] for part in HEAD_PARTS}
    for path in {**old, **new}:
        if old.get(path) != new.get(path):
            # A cassette may hold a part that this version does not know.
            differing.setdefault(part_of(path), []).append(path)
    for part, paths in differing.items():
        if part in families:
            yield from _family_changes(part, families[part], old, new)
        else:
            yield from (_compared(path, _text(old, path), _text(new, path)) for path in paths)


def _family_changes(part: str, order: str, old: Head, new: Head) -> Iterator[FieldChange]:
    """Changes of named members (tools, hooks): a member added or removed is one change, whatever fields it has."""
    old_names, new_names = _names(old, order), _names(new, order)
    # There may be as many members as a suite has room for: what each of them has is looked up, not looked for.
    old_known, new_known = set(old_names), set(new_names)
    old_fields, new_fields = _by_member(old, part, old_known), _by_member(new, part, new_known)
    for name in old_names:
        if name not in new_known:
            path = _member(part, name)
            yield FieldChange(path, "removed", old=_combined(old_fields[path]))
    for name in new_names:
        path = _member(part, name)
        if name not in old_known:
            yield FieldChange(path, "added", new=_combined(new_fields[path]))
            continue
        before, after = old_fields[path], new_fields[path]
        for field in {**before, **after}:
            if before.get(field) != after.get(field):
                yield _compared(field, before.get(field), after.get(field))
    survivors_before = [name for name in old_names if name in new_known]
    survivors_after = [name for name in new_names if name in old_known]
    if survivors_before != survivors_after:
        yield FieldChange(order, "reordered", digest(list(old_names)), digest(list(new_names)))


def _message_changes(old: Sequence[Digests], new: Sequence[Digests]) -> list[FieldChange]:
    found = list(_sequence_changes("messages", "messages", old, new))
    if not any(_moves_calls(change, old, new) for change in found):
        return found
    # Where calls moved, what a result answers is bound to read differently: that is no change of its own.
    plain = list(_sequence_changes("messages", "messages", _without_answers(old), _without_answers(new)))
    return plain or found


def _sequence_changes(
    old_path: str, path: str, old: Sequence[Digests], new: Sequence[Digests]
) -> Iterator[FieldChange]:
    """Changes between two lists of items (messages, calls, results), each a mapping of relative paths.

    What was removed is named by ``old_path``, everything else by ``path``.
    """
    start = _common_start(old, new)
    end = _common_start(old[start:][::-1], new[start:][::-1])
    before, after = old[start : len(old) - end], new[start : len(new) - end]
    moved, pairs = _aligned(before, after)
    if moved:
        yield FieldChange(f"{path}.order", "reordered", _digest_of(before), _digest_of(after))
    for first, second in pairs:
        if second is None:
            assert first is not None
            yield FieldChange(f"{old_path}[{start + first}]", "removed", old=_combined(before[first]))
        elif first is None:
            yield FieldChange(f"{path}[{start + second}]", "added", new=_combined(after[second]))
        else:
            places = f"{old_path}[{start + first}]", f"{path}[{start + second}]"
            yield from _item_changes(*places, before[first], after[second])


def _item_changes(old_path: str, path: str, old: Digests, new: Digests) -> Iterator[FieldChange]:
    if old == new:
        return
    lists: dict[str, None] = {}
    for field in {**old, **new}:
        item = _ITEM.match(field)
        if item:
            lists[item[1]] = None
        elif old.get(field) != new.get(field):
            whole = path if field in new else old_path
            yield _compared(f"{whole}.{field}" if field else whole, old.get(field), new.get(field))
    for name in lists:
        yield from _sequence_changes(
            f"{old_path}.{name}", f"{path}.{name}", _items(old, name), _items(new, name)
        )


def _items(fields: Digests, name: str) -> list[dict[str, str]]:
    """The members of list ``name`` of one message, each as a mapping ("" where the member is one value)."""
    found: dict[int, dict[str, str]] = {}
    for field, value in fields.items():
        item = _ITEM.match(field)
        if item and item[1] == name:
            found.setdefault(int(item[2]), {})[item[3] or ""] = value
    return [found[index] for index in sorted(found)]


def _aligned(old: Sequence[Digests], new: Sequence[Digests]) -> tuple[bool, list[Pair]]:
    """Whether items moved without changing, and which of the others became which, in order.

    None on one side stands for an item that came or went.
    """
    keys = [_combined(item) for item in old], [_combined(item) for item in new]
    if Counter(keys[0]) == Counter(keys[1]):
        return bool(old), []
    if len(old) * len(new) > ALIGNMENT_LIMIT:
        return False, _by_position(range(len(old)), range(len(new)))
    from difflib import SequenceMatcher

    gaps = [
        (range(i1, i2), range(j1, j2))
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, *keys, autojunk=False).get_opcodes()
        if tag != "equal"
    ]
    gone = Counter(keys[0][i] for rows, _ in gaps for i in rows)
    come = Counter(keys[1][j] for _, columns in gaps for j in columns)
    moved = gone & come
    left, right = Counter(moved), Counter(moved)
    pairs: list[Pair] = []
    for rows, columns in gaps:
        rest = (
            [i for i in rows if not _taken(left, keys[0][i])],
            [j for j in columns if not _taken(right, keys[1][j])],
        )
        if len(rest[0]) == len(rest[1]):
            pairs += _by_position(*rest)
        else:
            pairs += _most_alike(old, new, *rest)
    return bool(moved), pairs


def _taken(moved: Counter[str], key: str) -> bool:
    if not moved[key]:
        return False
    moved[key] -= 1
    return True


def _by_position(rows: Sequence[int], columns: Sequence[int]) -> list[Pair]:
    return list(zip_longest(rows, columns))


def _most_alike(
    old: Sequence[Digests], new: Sequence[Digests], rows: Sequence[int], columns: Sequence[int]
) -> list[Pair]:
    """The order-keeping pairing with the most equal fields; items with no equal field are not paired."""
    best = [[0] * (len(columns) + 1) for _ in range(len(rows) + 1)]
    alike = [[len(old[row].items() & new[column].items()) for column in columns] for row in rows]
    for i in range(len(rows) - 1, -1, -1):
        for j in range(len(columns) - 1, -1, -1):
            paired = alike[i][j] + best[i + 1][j + 1] if alike[i][j] else 0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    pairs: list[Pair] = []
    i = j = 0
    while i < len(rows) or j < len(columns):
        both = i < len(rows) and j < len(columns)
        if both and alike[i][j] and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            pairs.append((rows[i], columns[j]))
            i, j = i + 1, j + 1
        elif i < len(rows) and (j == len(columns) or best[i][j] == best[i + 1][j]):
            pairs.append((rows[i], None))
            i += 1
        else:
            pairs.append((None, columns[j]))
            j += 1
    return pairs


def _moves_calls(change: FieldChange, old: Sequence[Digests], new: Sequence[Digests]) -> bool:
    if change.change == "changed":
        return False
    if re.search(r"\.tool_calls(\[\d+\]|\.order)\Z", change.path) or change.path == "messages.order":
        return True
    whole = re.fullmatch(r"messages\[(\d+)\]", change.path)
    if not whole:
        return False
    message = (old if change.change == "removed" else new)[int(whole[1])]
    return any(field.startswith("tool_calls[") for field in message)


def _without_answers(messages: Sequence[Digests]) -> list[dict[str, str]]:
    return [{field: value for field, value in m.items() if not field.endswith(".answers")} for m in messages]


def _common_start(first: Sequence[Digests], second: Sequence[Digests]) -> int:
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count


def _compared(path: str, old: str | None, new: str | None) -> FieldChange:
    change: Change = "added" if old is None else "removed" if new is None else "changed"
    return FieldChange(path, change, old, new)


def _text(head: Head, path: str) -> str | None:
    value = head.get(path)
    return value if value is None or isinstance(value, str) else digest(list(value))


def _names(head: Head, order: str) -> tuple[str, ...]:
    value = head.get(order, ())
    assert not isinstance(value, str)
    return value


def _member(part: str, name: str) -> str:
    # The order of hooks holds names as they stand in paths, because one of them may be in the chain twice.
    return f"{part}[{name}]" if part == "hooks" else f"{part}[{quoted(name)}]"


def _by_member(head: Head, part: str, names: set[str]) -> dict[str, dict[str, str]]:
    """The fields of each member of a family, by the member's path."""
    found: dict[str, dict[str, str]] = {_member(part, name): {} for name in names}
    for field, value in head.items():
        if not isinstance(value, str) or not field.startswith(f"{part}["):
            continue
        # A member's path, or that and the name of a field, which has no dots; a cassette may hold anything else.
        member = field if field in found else field.rpartition(".")[0]
        if member in found:
            found[member][field] = value
    return found


def _combined(fields: Mapping[str, str]) -> str:
    return digest(dict(fields))


def _digest_of(items: Sequence[Digests]) -> str:
    return digest([dict(item) for item in items])
