"""Streamed answers: text that comes in pieces, put together before it is searched.

A server-sent event, a line of JSON or an item of a list holds one piece: `"key: sk-an"` here, `"t-api03-…"` there.
Pieces belong together that stand at the same place of events of the same kind: the same names on the way, the same
`index` where lists have one, the same values of the fields that say which part an event goes on with.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from dryfire_action import json_leaves
from dryfire_action.json_leaves import Fields
from dryfire_action.late_pattern import late
from dryfire_action.named_texts import named_texts
from dryfire_action.recordings import json_tree
from dryfire_action.secret_keys import is_opaque_key

_EVENT_LINE = late(r"(?P<field>data:)?[ \t\x1e]*+(?P<v>[^\r\n]++)")
_DATA = late(r"^data:", re.MULTILINE)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# An event's own fields that say which text it goes on with.
_PARTS = ("type", "index", "output_index", "content_index", "summary_index", "item_id", "event")
# Names that hold pieces, in the streams of OpenAI, Anthropic, Google, Mistral, Cohere, Bedrock and their kind.
_PIECES = _words(
    """
    text content delta partial_json arguments thinking reasoning reasoning_content reasoning_text refusal transcript
    completion response generated_text output_text message input output summary data token value chunk body bytes
    partialJson inputText outputText completionText
    """
)
_PIECE_LISTS = _words("chunks deltas parts pieces fragments stream events data lines body tokens")
_EVENT_NAMES = _words(
    """
    delta choices candidates chunk contentBlockDelta contentBlockIndex completion response done generation token
    outputText generated_text message_delta
    """
)
_DEEPEST = 12
_SHORT = 64


class Joined(NamedTuple):
    """A text put together from pieces, the pieces with the place of each one's beginning, and the names of where."""

    text: str
    pieces: tuple[str, ...]
    starts: tuple[int, ...]
    names: tuple[str, ...] = ()

    def parts(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """What of each piece belongs to a part of the text: the piece's number, start and end in it."""
        number = max(0, bisect_right(self.starts, start) - 1)
        while number < len(self.pieces) and self.starts[number] < end:
            first = max(0, start - self.starts[number])
            last = min(len(self.pieces[number]), end - self.starts[number])
            if first < last:
                yield number, first, last
            number += 1


class EventList(list[Any]):
    """The events of one stream."""


class Events(NamedTuple):
    """The events of a stream as trees, those that are no JSON as texts, and what else stands in the stream: with
    blanks in place of the events, or, where places do not matter, without what repeats."""

    trees: list[Any]
    plain: list[str]
    rest: str


def is_stream(text: str) -> bool:
    """Whether a text may be a stream of server-sent events."""
    if "data:" not in text:
        return False
    first = _DATA.search(text)
    return first is not None and _DATA.search(text, first.end()) is not None


def events(text: str, *, with_places: bool) -> Events:
    """The JSON in the lines of a stream, server-sent events or one document a line."""
    trees: list[Any] = []
    plain: list[str] = []
    rest: list[str] = []
    seen: set[str] = set()
    at = 0
    for line in _EVENT_LINE.finditer(text):
        field, value = line.groups()
        if field is None and value[0] not in "{[":
            continue
        value, start = value.rstrip(), line.start("v")
        tree = json_leaves.parsed(value) if value else None
        if tree is not None:
            placed = json_tree.located(value, tree) if with_places else tree
            if placed is None:
                continue  # too deep to be located: it stays text
            trees.append(_moved(placed, start) if with_places else tree)
        elif field and value and value != "[DONE]":
            plain.append(_moved(json_tree.as_located(value), start))
        else:
            continue
        between = text[at:start]
        if with_places:
            rest += [between, " " * len(value)]
        elif between not in seen:
            # Where places do not matter, `event: delta` counts once, and a gap need not be as wide as what stood there.
            rest += [between, " "]
            if len(between) <= _SHORT:
                seen.add(between)
        at = start + len(value)
    return Events(trees, plain, "".join((*rest, text[at:])))


def _moved(tree: Any, by: int) -> Any:
    """A tree whose texts stand further on in a longer text."""
    for named in named_texts(tree):
        if isinstance(named.text, json_leaves.LocatedText):
            named.text.start += by
    return tree


def are_events(items: Sequence[Any]) -> bool:
    """Whether some items of a list are the events of a stream, and no messages, records or whole answers."""
    for item in items[:3]:
        names = (
            item.keys()
            if isinstance(item, dict)
            else {n for n, _ in item}
            if isinstance(item, Fields)
            else ()
        )
        if not _EVENT_NAMES.intersection(names) or "role" in names or "request" in names:
            return False
    return len(items) > 1


def joined_texts(trees: Sequence[Any]) -> Iterator[Joined]:
    """The texts that come in pieces over some events. A piece is the very object that stands in its event."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for tree in trees:
        if isinstance(tree, (dict, Fields)):
            fields = tree if type(tree) is dict else dict(tree)
            kind = tuple([_plain(fields.get(part)) for part in _PARTS])
            _collect(tree.items() if isinstance(tree, dict) else tree, kind, groups, 0)
    for way, pieces in groups.items():
        if len(pieces) > 1 and not all(piece == pieces[0] for piece in pieces):
            yield joined(pieces, tuple(step for step in way[len(_PARTS) :] if isinstance(step, str)))


def joined_list(items: Sequence[Any], name: str | None) -> Joined | None:
    """A list of texts as one text, where its name says that they are pieces of one."""
    if name not in _PIECE_LISTS or len(items) < 2 or not all(isinstance(item, str) for item in items):
        return None
    return joined(list(items))


def joined(pieces: Sequence[str], names: tuple[str, ...] = ()) -> Joined:
    """Some pieces as one text."""
    starts = []
    at = 0
    for piece in pieces:
        starts.append(at)
        at += len(piece)
    return Joined("".join(pieces), tuple(pieces), tuple(starts), names)


def _collect(
    pairs: Iterable[tuple[Any, Any]],
    way: tuple[Any, ...],
    groups: dict[tuple[Any, ...], list[str]],
    depth: int,
) -> None:
    for name, value in pairs:
        if name == "message" and "choices" in way:
            continue  # a whole answer
        if isinstance(value, str):
            if name in _PIECES and value:
                groups.setdefault((*way, str(name)), []).append(value)
        elif depth < _DEEPEST and isinstance(value, (dict, list)) and not is_opaque_key(str(name)):
            _collect_inside(value, (*way, str(name)), groups, depth + 1)


def _collect_inside(
    value: Any, way: tuple[Any, ...], groups: dict[tuple[Any, ...], list[str]], depth: int
) -> None:
    if isinstance(value, Fields):
        _collect(value, way, groups, depth)
    elif isinstance(value, dict):
        _collect(value.items(), way, groups, depth)
    elif depth < _DEEPEST:
        for number, item in enumerate(value):
            index = item.get("index", number) if isinstance(item, dict) else number
            if isinstance(item, (dict, list)):
                _collect_inside(item, (*way, _plain(index)), groups, depth + 1)


def _plain(value: Any) -> Any:
    if value is None or type(value) is str:
        return value
    return str(value) if isinstance(value, str) else value if isinstance(value, (int, float)) else None
