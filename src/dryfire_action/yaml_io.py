"""YAML and JSON read as plain data, with the place of every value.

Scalars are those of ``yaml_scalars``, and merge keys work. What a file's author could use to exhaust this
machine is refused: deep nesting, aliases that multiply, values that hold themselves. The parser hands out
events, so nothing here recurses, and no object is ever built from a tag.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import yaml

from dryfire_action.document import Document, KeyMark, Mark
from dryfire_action.errors import Place, Problem, SpecError
from dryfire_action.source_text import decoded, lines_of, parsable
from dryfire_action.yaml_scalars import NOT_TEXT, TOO_LONG, WRONG, kind_of, plain_value, tagged_value

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DEPTH = 50
# Values of the document with every alias written out; long texts count as several.
MAX_WEIGHT = 500_000
_TEXT_PER_WEIGHT = 64

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
    """A map or list that is being read."""

    __slots__ = ("anchor", "height", "key", "marks", "merges", "place", "value", "weight")

    def __init__(self, value: Any, place: Place, anchor: str | None) -> None:
        self.value = value
        self.marks: Any = {} if isinstance(value, dict) else []
        self.place = place
        self.anchor = anchor
        self.key: _Key | None = None
        self.merges: list[tuple[Any, Mark]] = []
        self.weight = 1
        self.height = 1


class _Anchored(NamedTuple):
    value: Any
    mark: Mark
    weight: int
    height: int


class _Key(NamedTuple):
    text: str
    line: int
    column: int
    merges: bool


class _Reading:
    """The state of reading one file."""

    def __init__(self, text: str, file: str, finite: bool) -> None:
        self.file = file
        self.finite = finite
        self.lines = lines_of(text)
        self.problems: list[Problem] = []
        self.stack: list[_Frame] = []
        self.anchors: dict[str, _Anchored | None] = {}
        self.root: tuple[Any, Mark] | None = None
        self.weight = 0
        self.dollars = False
        self.text, self.stand_ins = parsable(text, file)

    def document(self) -> Document:
        for event in self._events():
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self._scalar(event)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                self._open(event, {} if kind is yaml.MappingStartEvent else [])
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self._close()
            elif kind is yaml.AliasEvent:
                self._alias(event)
            elif kind is yaml.DocumentStartEvent and self.root is not None:
                self._stop(
                    self._place(event),
                    "a second document begins here; a file holds one",
                    "Put it into a file of its own, or remove the line ---.",
                )
        if self.problems:
            raise SpecError(self.problems)
        value, mark = self.root or (None, Mark(0, 0))
        return Document(self.file, value, mark, self.lines, self.weight, self.dollars)

    def _events(self) -> Iterator[Any]:
        loader = _Loader(self.text)
        try:
            while type(event := loader.get_event()) is not yaml.StreamEndEvent:
                yield event
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = Place(self.file, mark.line + 1, mark.column + 1) if mark else Place(self.file)
            what = f"{error.problem} ({error.context})" if error.problem and error.context else error.problem
            self._stop(place, f"not valid YAML: {what or error.context}", _syntax_hint(error))
        except yaml.YAMLError as error:
            self._stop(Place(self.file), f"not valid YAML: {' '.join(str(error).split())}")
        finally:
            loader.dispose()

    def _scalar(self, event: Any) -> None:
        text = event.value
        if self.stand_ins:
            text = text.translate(self.stand_ins)
        if "${" in text:
            self.dollars = True
        plain = event.implicit[0]
        frame = self.stack[-1] if self.stack else None
        mark = event.start_mark
        line, column = mark.line, mark.column
        if frame is not None and frame.key is None and type(frame.value) is dict:
            merges = plain and event.tag is None and text == "<<"
            self._key(_Key(text, line, column, merges))
            if (plain or event.tag) and not isinstance(value := self._resolved(event, text), str):
                self._problem(
                    Place(self.file, line + 1, column + 1),
                    f"a key must be text, and {text or 'nothing'} is {kind_of(value)}",
                    f'Write it in quotes: "{text}".' if text else "Write a key before the colon.",
                )
            if event.anchor:
                self.anchors[event.anchor] = _Anchored(text, Mark(line, column), 1, 0)
            return
        value = self._resolved(event, text) if plain or event.tag else text
        found = _Anchored(value, Mark(line, column), 1 + len(text) // _TEXT_PER_WEIGHT, 0)
        if event.anchor:
            self.anchors[event.anchor] = found
        self.weight += found.weight
        if self.weight > MAX_WEIGHT:
            self._count(0, self._place(event))
        self._put(value, found.mark, found)

    def _resolved(self, event: Any, text: str) -> Any:
        """What an unquoted or tagged scalar means."""
        if event.tag is None:
            if text and text[0] not in NOT_TEXT:
                return text
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

    def _open(self, event: Any, value: Any) -> None:
        place = self._place(event)
        if event.tag not in (None, "!", f"tag:yaml.org,2002:{'map' if type(value) is dict else 'seq'}"):
            self._bad_tag(event)
        if self.stack and type(self.stack[-1].value) is dict and self.stack[-1].key is None:
            self._stop(place, f"a key must be text, not {kind_of(value)}", "Write the key in quotes.")
        if len(self.stack) >= MAX_DEPTH:
            self._too_deep(place)
        if event.anchor:
            self.anchors[event.anchor] = None
        self._count(1, place)
        self.stack.append(_Frame(value, place, event.anchor))

    def _close(self) -> None:
        frame = self.stack.pop()
        for value, mark in frame.merges:
            self._merge(frame, value, mark)
        mark = Mark(frame.place.line - 1, frame.place.column - 1, frame.marks)
        if frame.anchor:
            self.anchors[frame.anchor] = _Anchored(frame.value, mark, frame.weight, frame.height)
        self._put(frame.value, mark, frame)

    def _alias(self, event: Any) -> None:
        place = self._place(event)
        if event.anchor not in self.anchors:
            self._stop(place, f"there is no anchor &{event.anchor} before this")
        found = self.anchors[event.anchor]
        if found is None:
            self._stop(place, f"*{event.anchor} stands inside the value that it names, which would never end")
        frame = self.stack[-1] if self.stack else None
        if frame is not None and frame.key is None and type(frame.value) is dict:
            if not isinstance(found.value, str):
                self._stop(place, f"a key must be text, and *{event.anchor} is {kind_of(found.value)}")
            self._key(_Key(found.value, place.line - 1, place.column - 1, False))
            return
        if len(self.stack) + found.height > MAX_DEPTH:
            self._too_deep(place)
        self._count(found.weight, place)
        self._put(found.value, Mark(place.line - 1, place.column - 1, found.mark.inside), found)

    def _key(self, key: _Key) -> None:
        frame = self.stack[-1]
        frame.key = key
        place = Place(self.file, key.line + 1, key.column + 1)
        if key.merges and frame.merges:
            self._problem(place, "<< stands twice in this map", "A merge takes a list: <<: [*a, *b].")
        elif not key.merges and key.text in frame.marks:
            first = frame.marks[key.text].line + 1
            message = f"the key {key.text!r} stands twice in this map; it is also on line {first}"
            self._problem(place, message, "Remove or rename one of them.")

    def _count(self, weight: int, place: Place) -> None:
        self.weight += weight
        if self.weight > MAX_WEIGHT:
            message = f"the file holds more than {MAX_WEIGHT:,} values once its aliases are written out"
            self._stop(place, message, "Split the file, or use fewer aliases.")

    def _put(self, value: Any, mark: Mark, size: _Frame | _Anchored) -> None:
        """Add a finished value of this size to what is being read."""
        if not self.stack:
            self.root = (value, mark)
            return
        frame = self.stack[-1]
        frame.weight += size.weight
        if size.height >= frame.height:
            frame.height = size.height + 1
        if type(frame.value) is list:
            frame.value.append(value)
            frame.marks.append(mark)
            return
        key = frame.key
        frame.key = None
        assert key is not None  # the parser hands out keys and values in turn
        if key.merges:
            frame.merges.append((value, mark))
        elif key.text not in frame.marks:
            frame.value[key.text] = value
            frame.marks[key.text] = KeyMark(key.line, key.column, mark)

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
                path.append(frame.key.text)
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
