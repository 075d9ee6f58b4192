"""YAML and JSON read as plain data, with the place of every value.

Scalars are those of ``yaml_scalars``, and merge keys work. What a file's author could use to exhaust this
machine is refused: deep nesting, aliases that multiply, values that hold themselves. The parser hands out
events, so nothing here recurses, and no object is ever built from a tag.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from dryfire_action.document import Document, KeyMark, Mark
from dryfire_action.errors import Place, Problem, SpecError
from dryfire_action.source_text import decoded, lines_of, parsable
from dryfire_action.yaml_scalars import TOO_LONG, WRONG, is_text, kind_of, plain_value, tagged_value

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_DEPTH = 50
# Values of the document with every alias written out; long texts count as several.
MAX_WEIGHT = 500_000
_TEXT_PER_WEIGHT = 64

# A named tuple's own constructor takes three times as long, and a file has a mark for every value.
_mark: Any = tuple.__new__
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_TAGS = {f"tag:yaml.org,2002:{name}": name for name in ("str", "int", "float", "bool", "null", "map", "seq")}


def read_document(data: bytes | str, file: str, *, finite: bool = True) -> Document:
    """Read the one document of a YAML or JSON file.

    ``file`` is its path as shown to people; one that ends in ``.json`` may hold what JSON allows and YAML
    does not. ``finite`` refuses ``.inf`` and ``.nan``. Raises ``SpecError`` with every problem that was
    found; where the syntax is wrong nothing after it is looked at.
    """
    text = decoded(data, file) if isinstance(data, bytes) else data
    return _Reading(text, file, finite).document()


class _Frame:
    """A map or list that is being read, and of a map the key whose value comes next."""

    key: str | None = None
    key_line = key_column = 0
    merging = False  # the key is <<
    merges: tuple[tuple[Any, Mark], ...] = ()
    weight = 1
    height = 1

    def __init__(self, is_map: bool, line: int, column: int, anchor: str | None) -> None:
        self.is_map = is_map
        self.value: Any = {} if is_map else []
        self.marks: Any = {} if is_map else []
        self.line = line
        self.column = column
        self.anchor = anchor


class _Anchored(NamedTuple):
    value: Any
    mark: Mark
    weight: int
    height: int


class _Reading:
    """The state of reading one file."""

    def __init__(self, text: str, file: str, finite: bool) -> None:
        self.file = file
        self.finite = finite
        self.lines = lines_of(text)
        self.problems: list[Problem] = []
        self.stack: list[_Frame] = []
        self.frame: _Frame | None = None  # the last of them
        self.anchors: dict[str, _Anchored | None] = {}
        self.root: tuple[Any, Mark] | None = None
        self.weight = 0
        self.dollars = False
        self.text, self.stand_ins = parsable(text, file)

    def document(self) -> Document:
        loader = _Loader(self.text)
        try:
            self._read(loader.get_event)
        except yaml.MarkedYAMLError as error:
            at = error.problem_mark or error.context_mark
            place = Place(self.file, at.line + 1, at.column + 1) if at else Place(self.file)
            what = f"{error.problem} ({error.context})" if error.problem and error.context else error.problem
            self._stop(place, f"not valid YAML: {what or error.context}", _syntax_hint(error))
        except yaml.YAMLError as error:
            self._stop(Place(self.file), f"not valid YAML: {' '.join(str(error).split())}")
        finally:
            loader.dispose()
        if self.problems:
            raise SpecError(self.problems)
        value, mark = self.root or (None, Mark(0, 0))
        return Document(self.file, value, mark, self.lines, self.weight, self.dollars)

    def _read(self, next_event: Callable[[], Any]) -> None:
        while (kind := type(event := next_event())) is not StreamEndEvent:
            if kind is ScalarEvent:
                self._scalar(event)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                self._open(event, kind is MappingStartEvent)
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                self._close()
            elif kind is AliasEvent:
                self._alias(event)
            elif kind is DocumentStartEvent and self.root is not None:
                self._stop(
                    self._place(event),
                    "a second document begins here; a file holds one",
                    "Put it into a file of its own, or remove the line ---.",
                )

    def _scalar(self, event: Any) -> None:
        text = event.value
        if self.stand_ins:
            text = text.translate(self.stand_ins)
        if "${" in text:
            self.dollars = True
        plain, tag, anchor, mark = event.implicit[0], event.tag, event.anchor, event.start_mark
        line, column = mark.line, mark.column
        if not text and line >= len(self.lines):
            # What is not written at all stands, for the parser, behind the end of the file.
            line, column = len(self.lines) - 1, len(self.lines[-1])
        # What has no tag and is no number and no word of YAML is text; so are nearly all keys.
        known_text = tag is None and (not plain or is_text(text))
        frame = self.frame
        if frame is not None and frame.is_map and frame.key is None:
            self._key(frame, text, line, column, plain and tag is None and text == "<<")
            if not known_text and not isinstance(value := self._resolved(event, text), str):
                self._problem(
                    Place(self.file, line + 1, column + 1),
                    f"a key must be text, and {text or 'nothing'} is {kind_of(value)}",
                    f'Write it in quotes: "{text}".' if text else "Write a key before the colon.",
                )
            if anchor:
                self.anchors[anchor] = _Anchored(text, Mark(line, column), 1, 0)
            return
        value = text if known_text else self._resolved(event, text)
        weight = 1 + len(text) // _TEXT_PER_WEIGHT
        found = _mark(Mark, (line, column, None))
        if anchor:
            self.anchors[anchor] = _Anchored(value, found, weight, 0)
        self.weight += weight
        if self.weight > MAX_WEIGHT:
            self._too_much(line, column)
        self._put(value, found, weight, 0)

    def _resolved(self, event: Any, text: str) -> Any:
        """What an unquoted or tagged scalar means."""
        if event.tag is None:
            value = plain_value(text)
        else:
            name = _TAGS.get(event.tag)
            if event.tag == "!" or name == "str":
                return text
            if name is None or name in ("map", "seq"):
                self._bad_tag(event)
                return text
            value = tagged_value(name, text)
        if value is TOO_LONG:
            self._problem(self._place(event), "the number has too many digits", "Write it in quotes.")
            return 0
        if value is WRONG:
            self._problem(self._place(event), f"{text!r} does not fit its tag {_shown_tag(event.tag)}")
            return text
        if self.finite and isinstance(value, float) and not math.isfinite(value):
            self._problem(
                self._place(event),
                f"{text} is no number that JSON can hold",
                "Write it in quotes if it is text.",
            )
        return value

    def _open(self, event: Any, is_map: bool) -> None:
        line, column = event.start_mark.line, event.start_mark.column
        if event.tag is not None and event.tag not in (
            "!",
            f"tag:yaml.org,2002:{'map' if is_map else 'seq'}",
        ):
            self._bad_tag(event)
        frame = self.frame
        if frame is not None and frame.is_map and frame.key is None:
            kind = kind_of({} if is_map else [])
            self._stop(self._place(event), f"a key must be text, not {kind}", "Write the key in quotes.")
        if len(self.stack) >= MAX_DEPTH:
            self._too_deep(self._place(event))
        if event.anchor:
            self.anchors[event.anchor] = None
        self.weight += 1
        if self.weight > MAX_WEIGHT:
            self._too_much(line, column)
        self.frame = _Frame(is_map, line, column, event.anchor)
        self.stack.append(self.frame)

    def _close(self) -> None:
        frame = self.stack.pop()
        self.frame = self.stack[-1] if self.stack else None
        for value, mark in frame.merges:
            self._merge(frame, value, mark)
        mark = _mark(Mark, (frame.line, frame.column, frame.marks))
        if frame.anchor:
            self.anchors[frame.anchor] = _Anchored(frame.value, mark, frame.weight, frame.height)
        self._put(frame.value, mark, frame.weight, frame.height)

    def _alias(self, event: Any) -> None:
        place = self._place(event)
        if event.anchor not in self.anchors:
            self._stop(place, f"there is no anchor &{event.anchor} before this")
        found = self.anchors[event.anchor]
        if found is None:
            self._stop(place, f"*{event.anchor} stands inside the value that it names, which would never end")
        frame = self.frame
        line, column = event.start_mark.line, event.start_mark.column
        if frame is not None and frame.is_map and frame.key is None:
            if not isinstance(found.value, str):
                self._stop(place, f"a key must be text, and *{event.anchor} is {kind_of(found.value)}")
            self._key(frame, found.value, line, column, False)
            return
        if len(self.stack) + found.height > MAX_DEPTH:
            self._too_deep(place)
        self.weight += found.weight
        if self.weight > MAX_WEIGHT:
            self._too_much(line, column)
        self._put(found.value, Mark(line, column, found.mark.inside), found.weight, found.height)

    def _key(self, frame: _Frame, key: str, line: int, column: int, merging: bool) -> None:
        frame.key, frame.key_line, frame.key_column, frame.merging = key, line, column, merging
        if frame.merges if merging else key in frame.marks:
            self._twice(frame, key, Place(self.file, line + 1, column + 1))

    def _twice(self, frame: _Frame, key: str, place: Place) -> None:
        if frame.merging:
            self._problem(place, "<< stands twice in this map", "A merge takes a list: <<: [*a, *b].")
            return
        message = f"the key {key!r} stands twice in this map; it is also on line {frame.marks[key].line + 1}"
        self._problem(place, message, "Remove or rename one of them.")

    def _too_much(self, line: int, column: int) -> NoReturn:
        message = f"the file holds more than {MAX_WEIGHT:,} values once its aliases are written out"
        self._stop(Place(self.file, line + 1, column + 1), message, "Split the file, or use fewer aliases.")

    def _put(self, value: Any, mark: Mark, weight: int, height: int) -> None:
        """Add a finished value of this size to what is being read."""
        frame = self.frame
        if frame is None:
            self.root = (value, mark)
            return
        frame.weight += weight
        if height >= frame.height:
            frame.height = height + 1
        if not frame.is_map:
            frame.value.append(value)
            frame.marks.append(mark)
            return
        key = frame.key
        frame.key = None
        assert key is not None  # the parser hands out keys and values in turn
        if frame.merging:
            frame.merges = (*frame.merges, (value, mark))
        elif key not in frame.marks:
            frame.value[key] = value
            frame.marks[key] = _mark(KeyMark, (frame.key_line, frame.key_column, mark))

    def _merge(self, frame: _Frame, value: Any, mark: Mark) -> None:
        sources = list(zip(value, mark.inside, strict=True)) if type(value) is list else [(value, mark)]
        for source, inside in sources:
            if type(source) is not dict:
                self._problem(
                    Place(self.file, inside.line + 1, inside.column + 1),
                    f"<< merges maps, not {kind_of(source)}",
                    "Name the anchor of a map: <<: *name.",
                )
                continue
            for key, merged in source.items():
                if key not in frame.value:
                    frame.value[key] = merged
                    frame.marks[key] = inside.inside[key]

    def _bad_tag(self, event: Any) -> None:
        self._problem(
            self._place(event),
            f"the tag {_shown_tag(event.tag)} is not allowed",
            "Only !!str, !!int, !!float, !!bool, !!null, !!map and !!seq are.",
        )

    def _too_deep(self, place: Place) -> NoReturn:
        self._stop(place, f"values are nested more than {MAX_DEPTH} deep")

    def _place(self, event: Any) -> Place:
        return Place(self.file, event.start_mark.line + 1, event.start_mark.column + 1)

    def _problem(self, place: Place, message: str, hint: str = "") -> None:
        path: list[str | int] = []
        for frame in self.stack:
            if type(frame.value) is list:
                path.append(len(frame.value))
            elif frame.key is not None:
                path.append(frame.key)
        line = self.lines[place.line - 1] if place.line <= len(self.lines) else ""
        self.problems.append(Problem(place, message, tuple(path), hint, line, slug="yaml"))

    def _stop(self, place: Place, message: str, hint: str = "") -> NoReturn:
        self._problem(place, message, hint)
        raise SpecError(self.problems)


def _shown_tag(tag: str) -> str:
    return tag.replace("tag:yaml.org,2002:", "!!")


def _syntax_hint(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or ""
    if "mapping values are not allowed" in problem:
        return "A text that holds a colon and a space must stand in quotes."
    if "found a tab" in problem:
        return "Indent with spaces."
    if "did not find expected '-'" in problem:
        return "Check how far this line, and those before it, are indented."
    if "did not find expected key" in problem:
        return "Check how far this line is indented, and whether a quote before it ends too early."
    if "did not find expected ','" in problem:
        return "A bracket or brace that was opened before this place is not closed, or a comma is missing."
    if "cannot start any token" in problem:
        return "Indent with spaces, and put texts that begin with a special character in quotes."
    if "alias" in (error.context or ""):
        return "A text that begins with * must stand in quotes."
    if "Unicode character escape" in problem:
        return 'Write a character beyond U+FFFF as "\\U0001f600", not as two halves.'
    return ""
