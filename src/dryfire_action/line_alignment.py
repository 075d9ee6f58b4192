"""Which lines of two texts belong together, and which words of two lines differ.

Exact alignment takes quadratic time and more. It is done for what is small; large parts are first divided at lines
that both sides have exactly once, and what is still large after that counts as changed as a whole.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

from dryfire_action.visible import normal_form

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    Spans = tuple[tuple[int, int], ...]
    Block = tuple[range, range]

# Comparisons of one line or word with another, up to which a part is aligned exactly.
LINES_LIMIT = 20_000
WORDS_LIMIT = 5_000
PAIRS_LIMIT = 400
LONGEST_WORD = 40
# How much of two lines must be equal for one to be the other, changed.
ALIKE = 0.3

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_WORDS_COMPARED = 200


def blocks(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """The parts that differ, in order: lines of ``old`` and the lines of ``new`` that stand in their place."""
    gap = _stripped(old, new, range(len(old)), range(len(new)))
    if len(gap[0]) * len(gap[1]) <= LINES_LIMIT:
        return list(_aligned(old, new, gap))
    found: list[Block] = []
    for part in _between_anchors(old, new, gap):
        part = _stripped(old, new, *part)
        if len(part[0]) * len(part[1]) <= LINES_LIMIT:
            found.extend(_aligned(old, new, part))
        else:
            found.append(part)
    return found


def pairs(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Which lines of a block became which: ``{old index: new index}``, in the order of both.

    Lines that are not alike have no counterpart, unless there is only one on each side.
    """
    if len(old) == len(new) == 1:
        return {0: 0}
    if len(old) * len(new) > PAIRS_LIMIT:
        return dict(enumerate(range(len(new)))) if len(old) == len(new) else {}
    likeness = [[_likeness(first, second) for second in map(_counted, new)] for first in map(_counted, old)]
    # best[i][j]: the most likeness that the lines from i and from j on can have together
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            paired = likeness[i][j] + best[i + 1][j + 1] if likeness[i][j] >= ALIKE else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    found: dict[int, int] = {}
    i = j = 0
    while i < len(old) and j < len(new):
        if likeness[i][j] >= ALIKE and best[i][j] == likeness[i][j] + best[i + 1][j + 1]:
            found[i] = j
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def words_changed(old: str, new: str) -> tuple[Spans, Spans]:
    """The parts of two lines that differ, by whole words; words with nothing but blanks between them are one part."""
    start = _common_start(old, new)
    end = _common_end(old, new, start)
    # Back to where a word begins, and on to where it ends, unless that is too far for the difference to be seen.
    start -= _steps(range(start, -1, -1), lambda at: _within_word(old, at) or _within_word(new, at))
    rest = range(end, -1, -1)
    end -= _steps(rest, lambda at: _within_word(old, len(old) - at) or _within_word(new, len(new) - at))
    middle = old[start : len(old) - end], new[start : len(new) - end]
    whole = ((start, len(old) - end),), ((start, len(new) - end),)
    if max(map(len, middle)) > WORDS_LIMIT:
        return _filled(whole[0]), _filled(whole[1])
    words = [_WORD.findall(text) for text in middle]
    if len(words[0]) * len(words[1]) > WORDS_LIMIT:
        return _filled(whole[0]), _filled(whole[1])
    matcher = SequenceMatcher(None, words[0], words[1], autojunk=False)
    changed = [opcode for opcode in matcher.get_opcodes() if opcode[0] != "equal"]
    return (
        _spans(old, words[0], start, [(i1, i2) for _, i1, i2, _, _ in changed]),
        _spans(new, words[1], start, [(j1, j2) for _, _, _, j1, j2 in changed]),
    )


def characters_changed(old: str, new: str) -> tuple[Spans, Spans]:
    """As ``words_changed``, down to the first and last character that differs in each part."""
    spans = words_changed(old, new)
    if len(spans[0]) != len(spans[1]):
        return spans
    narrow: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    for (a, b), (c, d) in zip(*spans, strict=True):
        start = _common_start(old[a:b], new[c:d])
        end = _common_end(old[a:b], new[c:d], start)
        narrow[0].append((a + start, b - end))
        narrow[1].append((c + start, d - end))
    return _filled(tuple(narrow[0])), _filled(tuple(narrow[1]))


def _stripped(old: Sequence[str], new: Sequence[str], rows: range, columns: range) -> Block:
    """A gap without the lines that are equal at its ends."""
    i, j, i_end, j_end = rows.start, columns.start, rows.stop, columns.stop
    while i < i_end and j < j_end and old[i] == new[j]:
        i, j = i + 1, j + 1
    while i < i_end and j < j_end and old[i_end - 1] == new[j_end - 1]:
        i_end, j_end = i_end - 1, j_end - 1
    return range(i, i_end), range(j, j_end)


def _aligned(old: Sequence[str], new: Sequence[str], gap: Block) -> Iterator[Block]:
    rows, columns = gap
    if not rows or not columns:
        if rows or columns:
            yield gap
        return
    first, second = old[rows.start : rows.stop], new[columns.start : columns.stop]
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if tag != "equal":
            yield (
                range(rows.start + i1, rows.start + i2),
                range(columns.start + j1, columns.start + j2),
            )


def _between_anchors(old: Sequence[str], new: Sequence[str], gap: Block) -> Iterator[Block]:
    """The gaps between lines that stand exactly once on each side, as many of them as stand in one order."""
    rows, columns = gap
    once = [Counter(old[i] for i in rows), Counter(new[j] for j in columns)]
    where = {new[j]: j for j in columns if once[1][new[j]] == 1}
    common = [(i, where[old[i]]) for i in rows if once[0][old[i]] == 1 and old[i] in where]
    anchors = [common[index] for index in _longest_rising([j for _, j in common])]
    edges = [(rows.start - 1, columns.start - 1), *anchors, (rows.stop, columns.stop)]
    for (i, j), (next_i, next_j) in pairwise(edges):
        if next_i > i + 1 or next_j > j + 1:
            yield range(i + 1, next_i), range(j + 1, next_j)


def _longest_rising(numbers: Sequence[int]) -> list[int]:
    """The indexes of a longest rising part of ``numbers``, which are all different."""
    tops: list[int] = []
    top_indexes: list[int] = []
    before: list[int] = []
    for index, number in enumerate(numbers):
        at = bisect_left(tops, number)
        before.append(top_indexes[at - 1] if at else -1)
        tops[at : at + 1] = [number]
        top_indexes[at : at + 1] = [index]
    found: list[int] = []
    index = top_indexes[-1] if top_indexes else -1
    while index >= 0:
        found.append(index)
        index = before[index]
    return found[::-1]


def _counted(line: str) -> Counter[Hashable]:
    words = _WORD.findall(normal_form("NFKC", line[: 10 * _WORDS_COMPARED]))
    return Counter(word for word in words[:_WORDS_COMPARED] if not word.isspace())


def _likeness(first: Counter[Hashable], second: Counter[Hashable]) -> float:
    both = (first & second).total()
    most = first.total() + second.total()
    return 2 * both / most if most else 1.0


def _common_start(old: str, new: str) -> int:
    """How many characters are equal from the start on; found by halving, because comparing slices is fast."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(old: str, new: str, start: int) -> int:
    """How many characters are equal at the end, of those after ``start``."""
    low, high = 0, min(len(old), len(new)) - start
    while low < high:
        middle = (low + high + 1) // 2
        if old[len(old) - middle : len(old) - low] == new[len(new) - middle : len(new) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def _steps(places: range, within: Callable[[int], bool]) -> int:
    """How many of ``places`` are passed before one that is not ``within`` a word; none if those are too many."""
    for steps, place in enumerate(places[: LONGEST_WORD + 1]):
        if not within(place):
            return steps
    return 0


def _within_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and (
        (_is_word(text[at - 1]) and _is_word(text[at])) or (text[at - 1].isspace() and text[at].isspace())
    )


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _spans(line: str, words: Sequence[str], start: int, changed: Sequence[tuple[int, int]]) -> Spans:
    offsets = [start]
    for word in words:
        offsets.append(offsets[-1] + len(word))
    found: list[tuple[int, int]] = []
    for first, last in changed:
        begin, end = offsets[first], offsets[last]
        if begin == end:
            continue
        if found and not line[found[-1][1] : begin].strip(" "):
            begin = found.pop()[0]
        found.append((begin, end))
    return tuple(found)


def _filled(spans: Spans) -> Spans:
    return tuple(span for span in spans if span[0] < span[1])
