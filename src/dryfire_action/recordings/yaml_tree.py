"""YAML as a tree whose texts know where they stand in the file, and how to be written there.

This reader is for looking and for small edits: tags are not followed (`!!binary` is noted), a key that stands twice
keeps both values, what an alias names was read where it was written. Suites and config are read by `yaml_io`, which
is strict.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from dryfire_action.json_leaves import Fields
from dryfire_action.recordings.limits import LimitReached
from dryfire_action.recordings.yaml_places import Places, block_places, flow_places

MAX_DEPTH = 400
# An alias repeats what was read already; the names around it may say more, so short ones are followed.
_MAX_SHARED = 2000
_MAX_SHARED_IN_ALL = 200_000

_NO_TEXT = re.compile(
    r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|0x[0-9a-fA-F_]+|0o?[0-7_]+|\.inf|\.nan)"
    r"|~|null|Null|NULL|true|True|TRUE|false|False|FALSE|"
)
_PROPERTIES = re.compile(r"(?:[!&][^\s,\[\]{}]*+[ \t]*+(?:\r?\n[ \t]*+)*+)++")
_LONG_NAME = re.compile(r"[&*!%][^\s,\[\]{}&*!%]{16}|^%TAG ", re.MULTILINE)
_LINE = re.compile(r"[^\r\n]+")
_MAY_BE_NO_TEXT = frozenset("-+.0123456789~nNtTfF")
_NO_TEXT_TAGS = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("int", "float", "bool", "null", "timestamp")
)
_BINARY = frozenset({"tag:yaml.org,2002:binary", "!binary"})
# What may stand unquoted, in a flow or out of it.
_PLAIN = re.compile(
    r"[A-Za-z0-9_/.+](?:[^\s:#\[\]{},\"'&*!|>%@`]|:(?!\s|\Z)|(?<!\s)#|[ ](?![#\s]))*", re.ASCII
)


Change = tuple[int, int, str]
"""A piece of a text, and what is to stand there."""


class YamlText(str):
    """A scalar's text. `raw` is what stands for it in the file, from `start` on; `style` is its kind of quotes."""

    __slots__ = ("_known", "indent", "is_binary", "raw", "start", "style")

    raw: str
    start: int
    style: str | None
    indent: int
    is_binary: bool
    _known: Places | None

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The part of the file that stands for a part of the text; all of it where that cannot be said."""
        places = self._places()
        if places is None:
            return self.start, self.start + len(self.raw)
        return self.start + places.places[start], self.start + places.places[end]

    def edits(self, changes: Sequence[Change]) -> list[Change]:
        """The edits of the file that make some edits of the text, which are sorted and apart."""
        places = self._places()
        written = [self._written(new) for _, _, new in changes]
        if places is None or None in written or (self.style is None and not self._stays_plain(changes)):
            return [(self.start, self.start + len(self.raw), self._rewritten(changes))]
        return [
            (self.start + places.places[start], self.start + places.places[end], new or "")
            for (start, end, _), new in zip(changes, written, strict=True)
        ]

    def _places(self) -> Places | None:
        if not hasattr(self, "_known"):
            is_block = self.style in ("|", ">")
            found = block_places(self.raw, str(self)) if is_block else flow_places(self.raw, self.style)
            self._known = found if found is not None and found.text == self else None
        return self._known

    def _written(self, new: str) -> str | None:
        """A new piece as it is written in this style; None where the style cannot hold it."""
        if self.style == "|":
            return new.replace("\n", "\n" + " " * self.indent) if new.isprintable() or "\n" in new else None
        if self.style == '"':
            return json.dumps(new)[1:-1]
        if not new.isprintable() or (self.style == ">" and "\n" in new):
            return None
        return new.replace("'", "''") if self.style == "'" else new

    def _stays_plain(self, changes: Sequence[Change]) -> bool:
        return "\n" not in self.raw and _PLAIN.fullmatch(_changed(self, changes)) is not None

    def _rewritten(self, changes: Sequence[Change]) -> str:
        new = _changed(self, changes)
        # A block scalar ends with its last line: what follows the text stays, the next key's indentation too.
        end = self.raw[len(self.raw.rstrip()) :] if self.style in ("|", ">") else ""
        if new.isprintable() and self.style != '"':
            return "'" + new.replace("'", "''") + "'" + end
        return json.dumps(new) + end


class Documents(NamedTuple):
    """The documents of a YAML stream, and the stream with blanks in place of its scalars: comments are left."""

    trees: list[Any]
    rest: str


def read_documents(text: str) -> Documents:
    """The documents of a YAML stream as trees of maps, lists, `YamlText`, numbers, and None for what else is no text.

    Maps are dicts, or `Fields` where a key stands twice. Raises `ValueError` where it is no YAML, `LimitReached`
    where it is nested too deeply.
    """
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        reading = _Reading(text, yaml)
        return Documents(reading.documents(loader), reading.rest())
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        what = getattr(error, "problem", None) or type(error).__name__
        raise ValueError(f"{where}{what}") from None
    finally:
        loader.dispose()


class _Reading:
    def __init__(self, text: str, yaml: Any) -> None:
        self.text = text
        self.yaml = yaml
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.shared = 0
        self.count = 0
        self.scalars: list[tuple[int, int]] = []

    def rest(self) -> str:
        """What is not in a scalar: comments, and the names of anchors and tags if they are long."""
        starts, ends = [*(start for start, _ in self.scalars), None], [0, *(end for _, end in self.scalars)]
        between = " \n".join([self.text[end:start] for end, start in zip(ends, starts, strict=True)])
        if "#" not in between and _LONG_NAME.search(between) is None:
            return ""
        parts: list[str] = []
        at = 0
        for start, end in self.scalars:
            parts += [self.text[at:start], _LINE.sub(_blanks, self.text[start:end])]
            at = end
        found = "".join((*parts, self.text[at:]))
        return found if "#" in found or _LONG_NAME.search(found) else ""

    def documents(self, loader: Any) -> list[Any]:
        yaml = self.yaml
        found: list[Any] = []
        stack: list[tuple[Any, str | None, int]] = []  # node, anchor, count before
        while loader.check_event():
            event = loader.get_event()
            kind = type(event)
            self.count += 1
            if kind is yaml.ScalarEvent:
                value = self._scalar(event)
            elif kind is yaml.AliasEvent:
                value = self._alias(event)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                if len(stack) >= MAX_DEPTH:
                    raise LimitReached("too-deep", f"values are nested more than {MAX_DEPTH} deep")
                node: Any = _Map() if kind is yaml.MappingStartEvent else []
                stack.append((node, event.anchor, self.count))
                continue
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                node, anchor, before = stack.pop()
                value = node.value() if type(node) is _Map else node
                if anchor:
                    self.anchors[anchor] = (value, self.count - before)
            else:
                if kind is yaml.DocumentStartEvent:
                    self.anchors = {}
                continue
            if getattr(event, "anchor", None) and kind is yaml.ScalarEvent:
                self.anchors[event.anchor] = (value, 1)
            (stack[-1][0] if stack else found).append(value)
        return found

    def _alias(self, event: Any) -> Any:
        value, weight = self.anchors.get(event.anchor, (None, 0))
        self.shared += weight
        self.count += weight
        return value if weight <= _MAX_SHARED and self.shared <= _MAX_SHARED_IN_ALL else None

    def _scalar(self, event: Any) -> Any:
        value, style, tag = event.value, event.style or None, event.tag
        begin = event.start_mark.index
        if (tag or event.anchor) and (properties := _PROPERTIES.match(self.text, begin)):
            begin = properties.end()
        self.scalars.append((begin, event.end_mark.index))
        if style is None and tag is None and value[:1] in _MAY_BE_NO_TEXT and _NO_TEXT.fullmatch(value):
            return int(value) if value.isascii() and value.isdecimal() and len(value) < 20 else None
        if tag in _NO_TEXT_TAGS:
            return None
        leaf = YamlText(value)
        raw = self.text[begin : event.end_mark.index]
        if style is None or style in "'\"":
            raw = raw.rstrip() if style is None else raw
        else:
            leaf.indent = _indentation(raw)
        leaf.raw, leaf.start, leaf.style = raw, begin, style
        leaf.is_binary = tag in _BINARY
        return leaf


class _Map:
    """A map while it is read: keys and values come in turns."""

    __slots__ = ("key", "pairs")

    def __init__(self) -> None:
        self.pairs: list[tuple[Any, Any]] = []
        self.key: Any = _Map

    def append(self, value: Any) -> None:
        if self.key is _Map:
            self.key = value if isinstance(value, str) else ""
            if isinstance(value, (dict, list)):
                # A key that is a map or a list: what is in it counts as a value does.
                self.pairs.append(("", value))
        else:
            self.pairs.append((self.key, value))
            self.key = _Map

    def value(self) -> Any:
        fields = dict(self.pairs)
        return fields if len(fields) == len(self.pairs) else Fields(self.pairs)


def _blanks(line: re.Match[str]) -> str:
    return " " * len(line[0])


def _indentation(raw: str) -> int:
    """How far the lines of a block scalar are indented."""
    for line in raw.split("\n")[1:]:
        if line.strip():
            return len(line) - len(line.lstrip(" "))
    return 0


def _changed(text: str, changes: Sequence[Change]) -> str:
    parts: list[str] = []
    at = 0
    for start, end, new in changes:
        parts += [text[at:start], new]
        at = end
    return "".join((*parts, text[at:]))
