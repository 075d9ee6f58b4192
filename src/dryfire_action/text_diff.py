"""How a text or a JSON value changed, line by line, with what cannot be seen written out by name.

Nothing that differs is shown as if it were equal: invisible characters, blanks at a line's end, line ends and the two
ways to write an accented letter are named where they are what differs. All of it takes time about linear in the length
of what is compared, however hostile that is; where exactness would cost more, the comparison becomes coarser.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from dryfire_action.line_alignment import blocks, characters_changed, pairs, words_changed
from dryfire_action.named_characters import (
    hard_to_see,
    look_the_same,
    lookalikes,
    never_seen,
    rendered,
    window_of,
)
from dryfire_action.visible import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dryfire_action.messages import JsonValue

    Spans = tuple[tuple[int, int], ...]

Sign = Literal[" ", "-", "+", "…"]

# The side of a change that has no value: the field was not there, or is no longer.
ABSENT: Final[Any] = object()

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_ENDS = {"\n": "⟨LF⟩", "\r\n": "⟨CRLF⟩", "\r": "⟨CR⟩", "": "⟨no newline at the end⟩"}
# Longer values are shown as they are written, without being laid out.
_MOST_LAID_OUT = 1_000_000


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a diff. ``sign`` is " " for a line of both sides, "…" for what was left out (``text`` says how much).

    ``changed`` holds the parts of ``text`` that differ from the line's counterpart, as (start, end), in order; none for
    a line that has no counterpart.
    """

    sign: Sign
    text: str
    changed: Spans = ()


@dataclass(frozen=True, slots=True)
class _Settings:
    context: int
    limit: int
    width: int
    ends: bool


def diff(
    old: JsonValue, new: JsonValue, *, context: int = 2, limit: int = 40, width: int = 200
) -> tuple[DiffLine, ...]:
    """The lines that differ, with ``context`` lines around them, about ``limit`` in all; () for equal values.

    Two texts are compared by their lines. Other values are compared as JSON, laid out, with number types kept and keys
    sorted, because their order means nothing. ``ABSENT`` stands for no value. Of lines of more than ``width``
    characters, the part is shown where they begin to differ. Old lines of a change stand before its new ones.
    """
    texts = _texts(old, new)
    first, second = _lines(*texts)
    found = blocks(first, second)
    touched = {_end(first[i]) for rows, _ in found for i in rows}
    touched |= {_end(second[j]) for _, columns in found for j in columns}
    # Only where some line ends in another way than usual does it say anything how the others end.
    settings = _Settings(context, limit, width, bool(touched - {"\n"}))
    return tuple(_shown(first, second, found, settings))


def as_text(lines: Sequence[DiffLine]) -> str:
    """``lines`` as plain text, each after its sign and a blank; fit for a terminal and for a fenced block alike."""
    shown = (f"  … {line.text}" if line.sign == "…" else f"{line.sign} {line.text}" for line in lines)
    return harmless("\n".join(shown))


def _texts(old: JsonValue, new: JsonValue) -> tuple[str, str]:
    """Both sides as the texts to compare."""
    sides = [side for side in (old, new) if side is not ABSENT]
    if all(isinstance(side, str) for side in sides):
        laid_out = [_laid_out_text(side) for side in sides]
        texts = sides if None in laid_out else laid_out
    else:
        texts = [_laid_out(side) for side in sides]
    if old is ABSENT:
        texts = ["", *texts]
    elif new is ABSENT:
        texts = [*texts, ""]
    return texts[0] or "", texts[1] or ""


def _laid_out(value: JsonValue) -> str:
    short = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if len(short) > _MOST_LAID_OUT:
        return short
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=2)


def _laid_out_text(text: str) -> str | None:
    """A text that is a JSON list or map written in the usual way, laid out; None for any other.

    The text must be what writing its value gives, so that nothing about it is lost.
    """
    if text[:1] not in ("[", "{") or len(text) > _MOST_LAID_OUT:
        return None
    try:
        value = json.loads(text)
        usual = json.dumps(value, ensure_ascii=False) == text
        return json.dumps(value, ensure_ascii=False, indent=2) if usual else None
    except (ValueError, RecursionError):
        return None


def _lines(*texts: str) -> list[list[str]]:
    """The lines of both texts with their ends. A last line without one counts only where the other text has it."""
    found: list[list[str]] = [_LINE.findall(text) for text in texts]
    if not any(lines and _end(lines[-1]) for lines in found):
        for lines in found:
            if lines:
                lines[-1] += "\n"
    return found


def _end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _shown(
    old: Sequence[str], new: Sequence[str], found: Sequence[tuple[range, range]], settings: _Settings
) -> Iterator[DiffLine]:
    left = settings.limit
    at = 0
    for number, (rows, columns) in enumerate(found):
        more = len(found) - number
        before = list(_between(old, range(at, rows.start), settings, bool(number), True))
        # What follows says at least what was left out on both sides, and how many changes are not shown.
        if number and left < len(before) + 4:
            yield DiffLine("…", _count(more, "more change"))
            return
        yield from before
        changed = list(_changed(old, new, rows, columns, settings, left - len(before) - (more > 1)))
        yield from changed
        left -= len(before) + len(changed)
        at = rows.stop
    if found:
        after = list(_between(old, range(at, len(old)), settings, True, False))
        yield from after[: max(left, 0)]


def _between(
    old: Sequence[str], equal: range, settings: _Settings, after: bool, before: bool
) -> Iterator[DiffLine]:
    """Equal lines, of which those ``after`` a change and ``before`` one are shown."""
    head = equal[: settings.context] if after else equal[:0]
    tail = equal[max(len(equal) - settings.context, 0) :] if before else equal[:0]
    # One line takes no more room than the words that it is left out.
    if len(head) + len(tail) >= len(equal) - 1:
        head, tail = equal, equal[:0]
    hidden = len(equal) - len(head) - len(tail)
    yield from (_equal(old[index], settings) for index in head)
    if hidden:
        yield DiffLine("…", _count(hidden, "equal line"))
    yield from (_equal(old[index], settings) for index in tail)


def _equal(line: str, settings: _Settings) -> DiffLine:
    text = line.rstrip("\r\n")
    window = window_of(len(text), (), settings.width)
    return DiffLine(" ", rendered(text, (), lambda index: never_seen(text, index), window)[0])


def _changed(
    old: Sequence[str],
    new: Sequence[str],
    rows: range,
    columns: range,
    settings: _Settings,
    left: int,
) -> Iterator[DiffLine]:
    """The old lines of one change, then its new ones; where there are too many, some of each."""
    most_old, most_new = len(rows), len(columns)
    if most_old + most_new > left:
        left = max(left - 2, 2)
        most_old = min(most_old, max(left - most_new, left // 2))
        most_new = min(most_new, left - most_old)
    first = [old[index] for index in rows]
    second = [new[index] for index in columns]
    partners = pairs(first, second)
    back = {j: i for i, j in partners.items()}
    for index in range(most_old):
        partner = second[partners[index]] if index in partners else None
        yield _side("-", first[index], partner, settings)
    if most_old < len(rows):
        yield DiffLine("…", _count(len(rows) - most_old, "more line") + " removed")
    for index in range(most_new):
        partner = first[back[index]] if index in back else None
        yield _side("+", second[index], partner, settings)
    if most_new < len(columns):
        yield DiffLine("…", _count(len(columns) - most_new, "more line") + " added")


def _side(sign: Literal["-", "+"], line: str, partner: str | None, settings: _Settings) -> DiffLine:
    text = line.rstrip("\r\n")
    # A dot at the end must not be taken for a blank.
    body = text.rstrip(" \t")
    reveal = set(range(len(body.rstrip("·")), len(body)))
    spans: Spans = ()
    window = window_of(len(text), spans, settings.width)
    if partner is not None:
        other = partner.rstrip("\r\n")
        same = look_the_same(text, other)
        compare = characters_changed if same else words_changed
        # The same way round for both lines, so that both show the same words.
        both = compare(text, other) if sign == "-" else compare(other, text)
        spans, theirs = both if sign == "-" else both[::-1]
        window = window_of(len(text), spans, settings.width)
        for number, (start, end) in enumerate(spans):
            counterpart = other[slice(*theirs[number])] if len(theirs) == len(spans) else ""
            inside = range(max(start, window[0]), min(end, window[1]))
            reveal.update(
                index for index in inside if hard_to_see(text, index) or (same and not text[index].isascii())
            )
            reveal |= lookalikes(text, (start, end), counterpart)
    shown, changed = rendered(
        text, spans, lambda index: index in reveal or never_seen(text, index), window, dots=True
    )
    if settings.ends and window[1] == len(text):
        shown += _ENDS[_end(line)]
    return DiffLine(sign, shown, changed)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
