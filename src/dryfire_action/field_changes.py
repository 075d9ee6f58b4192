"""Which fields of a request changed: two fingerprints in, named differences out.

"The keys differ" and "there is a change" are one statement, because both are read off the same digests. Differences
are aligned before they are named: an inserted message or tool is one addition, a swap is one reordering.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal

from dryfire_action.fingerprint import digest, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dryfire_action.fingerprint import Digests, Fingerprint, Head

Change = Literal["changed", "added", "removed", "reordered"]

# Above this many comparisons an unequal block is paired by position: exact alignment of it would take quadratic time.
ALIGNMENT_LIMIT = 40_000

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
    return tuple(sorted({re.split(r"[.\[]", change.path, maxsplit=1)[0] for change in changes}))


def _head_changes(old: Head, new: Head) -> Iterator[FieldChange]:
    families = {"hooks": "hooks.order", "tools": "tools.order"}
    for part in ("provider", "model", "params", "hooks", "output_schema", "system", "tools", "script"):
        if part in families:
            yield from _family_changes(part, families[part], old, new)
            continue
        paths = [path for path in {**old, **new} if re.split(r"[.\[]", path, maxsplit=1)[0] == part]
        for path in paths:
            if old.get(path) != new.get(path):
                yield _compared(path, _text(old, path), _text(new, path))


def _family_changes(part: str, order: str, old: Head, new: Head) -> Iterator[FieldChange]:
    """Changes of named members (tools, hooks): a member added or removed is one change, whatever fields it has."""
    old_names, new_names = _names(old, order), _names(new, order)
    for name in old_names:
        if name not in new_names:
            yield FieldChange(_member(part, name), "removed", old=_combined(_member_fields(old, part, name)))
    for name in new_names:
        path = _member(part, name)
        if name not in old_names:
            yield FieldChange(path, "added", new=_combined(_member_fields(new, part, name)))
            continue
        before, after = _member_fields(old, part, name), _member_fields(new, part, name)
        for field in {**before, **after}:
            if before.get(field) != after.get(field):
                yield _compared(field, before.get(field), after.get(field))
    survivors_before = [name for name in old_names if name in new_names]
    survivors_after = [name for name in new_names if name in old_names]
    if survivors_before != survivors_after:
        yield FieldChange(order, "reordered", digest(list(old_names)), digest(list(new_names)))


def _message_changes(old: Sequence[Digests], new: Sequence[Digests]) -> list[FieldChange]:
    found = list(_sequence_changes("messages", old, new))
    if not any(_moves_calls(change, old, new) for change in found):
        return found
    # Where calls moved, what a result answers is bound to read differently: that is no change of its own.
    plain = list(_sequence_changes("messages", _without_answers(old), _without_answers(new)))
    return plain or found


def _sequence_changes(path: str, old: Sequence[Digests], new: Sequence[Digests]) -> Iterator[FieldChange]:
    """Changes between two lists of items (messages, calls, results), each a mapping of relative paths."""
    start = _common_start(old, new)
    end = _common_start(old[start:][::-1], new[start:][::-1])
    before, after = old[start : len(old) - end], new[start : len(new) - end]
    if len(before) > 1 and _counted(before) == _counted(after):
        yield FieldChange(f"{path}.order", "reordered", _digest_of(before), _digest_of(after))
        return
    for first, second in _pairs(before, after):
        if second is None:
            assert first is not None
            yield FieldChange(f"{path}[{start + first}]", "removed", old=_combined(before[first]))
        elif first is None:
            yield FieldChange(f"{path}[{start + second}]", "added", new=_combined(after[second]))
        else:
            yield from _item_changes(f"{path}[{start + second}]", before[first], after[second])


def _item_changes(path: str, old: Digests, new: Digests) -> Iterator[FieldChange]:
    if old == new:
        return
    lists: dict[str, None] = {}
    for field in {**old, **new}:
        item = _ITEM.match(field)
        if item:
            lists[item[1]] = None
        elif old.get(field) != new.get(field):
            yield _compared(f"{path}.{field}" if field else path, old.get(field), new.get(field))
    for name in lists:
        yield from _sequence_changes(f"{path}.{name}", _items(old, name), _items(new, name))


def _items(fields: Digests, name: str) -> list[dict[str, str]]:
    """The members of list ``name`` of one message, each as a mapping ("" where the member is one value)."""
    found: dict[int, dict[str, str]] = {}
    for field, value in fields.items():
        item = _ITEM.match(field)
        if item and item[1] == name:
            found.setdefault(int(item[2]), {})[item[3] or ""] = value
    return [found[index] for index in sorted(found)]


def _pairs(old: Sequence[Digests], new: Sequence[Digests]) -> Iterator[tuple[int | None, int | None]]:
    """Which old item became which new one, in order; None on one side for an item that came or went."""
    if len(old) * len(new) > ALIGNMENT_LIMIT:
        yield from _by_position(0, len(old), 0, len(new))
        return
    keys = [_combined(item) for item in old], [_combined(item) for item in new]
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        if i2 - i1 == j2 - j1:
            yield from _by_position(i1, i2, j1, j2)
        else:
            for first, second in _most_alike(old[i1:i2], new[j1:j2]):
                yield (None if first is None else i1 + first, None if second is None else j1 + second)


def _by_position(i1: int, i2: int, j1: int, j2: int) -> Iterator[tuple[int | None, int | None]]:
    for offset in range(max(i2 - i1, j2 - j1)):
        yield (i1 + offset if i1 + offset < i2 else None, j1 + offset if j1 + offset < j2 else None)


def _most_alike(old: Sequence[Digests], new: Sequence[Digests]) -> list[tuple[int | None, int | None]]:
    """The order-keeping pairing with the most equal fields; items with no equal field are not paired."""
    rows, columns = len(old), len(new)
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    alike = [[len(before.items() & after.items()) for after in new] for before in old]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            paired = alike[i][j] + best[i + 1][j + 1] if alike[i][j] else 0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    pairs: list[tuple[int | None, int | None]] = []
    i = j = 0
    while i < rows or j < columns:
        if i < rows and j < columns and alike[i][j] and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif i < rows and (j == columns or best[i][j] == best[i + 1][j]):
            pairs.append((i, None))
            i += 1
        else:
            pairs.append((None, j))
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
    return f"{part}[{quoted(name)}]"


def _member_fields(head: Head, part: str, name: str) -> dict[str, str]:
    path = _member(part, name)
    return {
        field: value
        for field, value in head.items()
        if isinstance(value, str) and (field == path or field.startswith(f"{path}."))
    }


def _combined(fields: Mapping[str, str]) -> str:
    return digest(dict(fields))


def _digest_of(items: Sequence[Digests]) -> str:
    return digest([dict(item) for item in items])


def _counted(items: Sequence[Digests]) -> Counter[str]:
    return Counter(_combined(item) for item in items)
