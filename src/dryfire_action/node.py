"""A value of a suite or config file that knows where it stands, and the typed readers that complain with the place.

A reader that finds something wrong notes a problem and returns a harmless value of the wanted type, so that
one pass finds every problem of a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from dryfire_action.document import Document, KeyMark, Mark
from dryfire_action.errors import Place, Problem, SpecError
from dryfire_action.patterns import PatternError, compile_pattern
from dryfire_action.yaml_scalars import kind_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from dryfire_action.messages import JsonValue

_TRUE = frozenset({"true", "t", "yes", "y", "on", "1"})
_FALSE = frozenset({"false", "f", "no", "n", "off", "0"})


# Every value of a file is a node. A frozen dataclass takes three times as long to be made, and a named tuple's own
# constructor twice as long.
_made: Any = tuple.__new__


class Node(NamedTuple):
    """A value of a document. ``key`` is the mark of the key it stands under, None in a list and at the root.

    ``chain`` names the files whose ``$ref`` led here.
    """

    document: Document
    value: JsonValue
    mark: Mark
    path: tuple[str | int, ...] = ()
    key: KeyMark | None = None
    chain: tuple[str, ...] = ()

    @property
    def place(self) -> Place:
        """Where the value begins."""
        return Place(self.document.file, self.mark.line + 1, self.mark.column + 1)

    @property
    def home(self) -> Place:
        """Where its key stands, or where it begins if it has none: the place a person looks for."""
        if self.key is None:
            return self.place
        return Place(self.document.file, self.key.line + 1, self.key.column + 1)

    def child(self, step: str | int) -> Node:
        """The value under a key of this map, or at an index of this list."""
        document, value, mark, path, _, chain = self
        found = mark.inside[step]
        if type(found) is KeyMark:
            made: Node = _made(Node, (document, value[step], found.value, (*path, step), found, chain))
        else:
            made = _made(Node, (document, value[step], found, (*path, step), None, chain))
        return made

    def children(self) -> Iterator[Node]:
        """The values of this map or list, in order."""
        return (
            self.child(step)
            for step in (self.value if isinstance(self.value, dict) else range(len(self.value)))
        )


def root_of(document: Document, chain: tuple[str, ...] = ()) -> Node:
    """The whole of a document."""
    return Node(document, document.value, document.mark, chain=chain)


# Nobody reads more, and each costs a search for what was meant.
MAX_PROBLEMS = 500
_MAX_OPTIONS = 200
# Among so few a key is found sooner than a set of them is made.
_FEW = 24


class Problems:
    """The problems found so far, each once. With ``MAX_PROBLEMS`` of them they are raised at once."""

    def __init__(self) -> None:
        self._found: dict[tuple[Place, str], Problem] = {}

    def add(
        self, node: Node, message: str, hint: str = "", *, at: Place | None = None, slug: str = "spec"
    ) -> None:
        """Note that something is wrong with ``node``. ``at``: the place, where the value's own is not meant."""
        place = at or node.place
        line = node.document.source_line(place.line)
        self.note(Problem(place, message, node.path, hint, line, slug))

    def note(self, *problems: Problem) -> None:
        """Note finished problems."""
        for problem in problems:
            self._found.setdefault((problem.place, problem.message), problem)
        if len(self._found) >= MAX_PROBLEMS:
            self.stop()

    @property
    def sorted(self) -> list[Problem]:
        """All of them by file and position."""
        return sorted(
            self._found.values(), key=lambda found: (found.place.file, found.place.line, found.place.column)
        )

    def __len__(self) -> int:
        return len(self._found)

    def stop(self) -> NoReturn:
        """Raise them."""
        raise SpecError(self.sorted)


def did_you_mean(word: str, *options: Iterable[str]) -> str:
    """A hint that names the option most like ``word``, else all of the first options if they are few.

    Options are looked through in the order they are given.
    """
    from difflib import get_close_matches

    for known in options:
        # A word may be as long as a file, and comparing takes the product of the lengths.
        by_lower = {option.lower(): option for option in sorted(known)[:_MAX_OPTIONS]}
        close = get_close_matches(word.lower()[:100], by_lower, n=1, cutoff=0.6)
        if close:
            return f"Did you mean {by_lower[close[0]]!r}?"
    first = sorted(options[0])
    return f"Known: {', '.join(first)}." if 0 < len(first) <= 24 else ""


def mapping(
    node: Node,
    problems: Problems,
    allowed: Sequence[str],
    *,
    required: Sequence[str] = (),
    what: str = "this",
    hints: Mapping[str, str] | None = None,
) -> dict[str, Node]:
    """The values of a map by key. Unknown keys and missing ones are problems; ``hints`` answer certain unknown keys."""
    if not isinstance(node.value, dict):
        problems.add(node, f"{what} must be a map, not {kind_of(node.value)}")
        return {}
    known: Collection[str] = allowed if len(allowed) <= _FEW else dict.fromkeys(allowed)
    found = {key: node.child(key) for key in node.value if key in known}
    missing = [key for key in required if key not in node.value]
    if missing or len(found) < len(node.value):
        _complain(node, problems, dict.fromkeys(allowed), missing, what, hints or {})
    return found


def _complain(
    node: Node,
    problems: Problems,
    known: dict[str, None],
    missing: Iterable[str],
    what: str,
    hints: Mapping[str, str],
) -> None:
    meant = set()
    for key in node.value:
        if key not in known:
            child = node.child(key)
            hint = hints.get(key) or did_you_mean(key, known.keys() - node.value.keys(), known)
            meant.add(hint)
            problems.add(child, f"unknown key {key!r} in {what}", hint, at=child.home)
    for key in missing:
        if f"Did you mean {key!r}?" not in meant:
            problems.add(node, f"{what} needs the key {key!r}", at=node.home)


def has_only(node: Node, known: Mapping[str, Node]) -> bool:
    """Whether ``node`` is a map of known keys: else the reader has said what is wrong, and more would confuse."""
    return isinstance(node.value, dict) and len(known) == len(node.value)


def sequence(node: Node, problems: Problems, what: str = "this") -> list[Node]:
    """The items of a list."""
    if isinstance(node.value, list):
        return list(node.children())
    hint = "Put a dash before the item." if node.value is not None else "An empty list is written []."
    problems.add(node, f"{what} must be a list, not {kind_of(node.value)}", hint)
    return []


def text(node: Node, problems: Problems, what: str = "this") -> str:
    """A text."""
    if isinstance(node.value, str):
        return node.value
    is_scalar = isinstance(node.value, bool | int | float)
    hint = "Write it in quotes." if is_scalar else ""
    if isinstance(node.value, dict) and node.value.keys() == {"ref"}:
        hint = "A file is named by {$ref: path}."
    problems.add(node, f"{what} must be text, not {kind_of(node.value)}", hint)
    return ""


def texts(node: Node, problems: Problems, what: str = "this") -> list[str]:
    """A list of texts."""
    return [text(item, problems, f"each item of {what}") for item in sequence(node, problems, what)]


def choice(node: Node, problems: Problems, options: Iterable[str], what: str = "this") -> str:
    """One of some words; the first of them where it is none."""
    known = list(options)
    if isinstance(node.value, str) and node.value in known:
        return node.value
    word = text(node, problems, what)
    if isinstance(node.value, str):
        problems.add(node, f"{what} cannot be {word!r}", did_you_mean(word, known))
    return known[0]


def number(node: Node, problems: Problems, what: str = "this") -> float:
    """A number, which may be written as text."""
    value = node.value
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            value = None
        if value is not None and not abs(value) < float("inf"):
            value = None
    if isinstance(value, bool) or not isinstance(value, int | float):
        problems.add(node, f"{what} must be a number, not {_shown(node.value)}")
        return 0.0
    try:
        return float(value)
    except OverflowError:
        problems.add(node, f"{what} is too large a number")
        return 0.0


def integer(node: Node, problems: Problems, what: str = "this", *, least: int | None = None) -> int:
    """A whole number, which may be written as text or as 2.0."""
    value = node.value
    if isinstance(value, str):
        try:
            value = int(value)
        except ValueError:
            try:
                value = float(value)
            except ValueError:
                value = None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        problems.add(node, f"{what} must be a whole number, not {_shown(node.value)}")
        return least or 0
    if least is not None and value < least:
        problems.add(node, f"{what} must be at least {least}, not {value}")
        return least
    return value


def boolean(node: Node, problems: Problems, what: str = "this") -> bool:
    """A yes or no, in any of the ways people write it."""
    value = node.value
    if isinstance(value, bool):
        return value
    word = str(value).lower() if isinstance(value, str | int) else ""
    if word not in _TRUE | _FALSE:
        problems.add(node, f"{what} must be true or false, not {_shown(value)}")
    return word in _TRUE


def pattern(node: Node, problems: Problems, what: str = "this") -> str:
    """The text of a regular expression, which has been compiled once to see that it can be."""
    written = text(node, problems, what)
    try:
        compile_pattern(written)
    except PatternError as error:
        where = "" if error.position is None else f" (character {error.position + 1} of the pattern)"
        problems.add(node, f"{what}: {error}{where}")
    return written


def _shown(value: JsonValue) -> str:
    if isinstance(value, str):
        return repr(value) if len(value) <= 40 else "this text"
    return str(value).lower() if isinstance(value, bool | int | float) else kind_of(value)
