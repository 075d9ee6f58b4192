"""Walking a tree of mappings and lists, and telling of every text the name it stands under.

A name reaches its value in a mapping, in a list of `[name, value]`, in a list of `{"name": …, "value": …}`,
in `rawHeaders` lists where names and values take turns, and through a list (`authorization: [Bearer …]`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from dryfire_action.json_leaves import Fields
from dryfire_action.late_pattern import late
from dryfire_action.secret_keys import KeyKind, key_kind, plain_name

Way = tuple[Any, ...]
"""The way to a node, last step first: `((), "a")`, then `(((), "a"), 0)`. Most are made and never read."""


class NamedText(NamedTuple):
    """A text in a tree: the way to it, the name it stands under, and what that name says.

    With `is_key` the text is a name of the mapping that the way leads to.
    """

    text: str
    way: Way
    name: str | None
    kind: KeyKind | None
    is_key: bool = False

    def path(self) -> tuple[str | int, ...]:
        """The keys and indices that lead to the text, or to the mapping whose name it is."""
        return path_of(self.way)


def path_of(way: Way) -> tuple[str | int, ...]:
    """The steps of a way, first step first."""
    steps: list[str | int] = []
    while way:
        way, step = way
        steps.append(step if isinstance(step, (str, int)) else str(step))
    return tuple(reversed(steps))


_Visit = tuple[Any, Way, str | None, KeyKind | None]

_CONTAINERS = (dict, list, tuple, Mapping)
_NO_TEXTS = frozenset({int, float, bool, type(None)})
_NAME_FIELDS = frozenset({"name", "key", "header", "field"})
_VALUE_FIELDS = frozenset({"value", "values"})
_FIELD_LISTS = frozenset({"querystring", "query", "queryparams", "params", "formdata", "urlencoded"})
_JWK_SECRETS = frozenset({"d", "p", "q", "dp", "dq", "qi", "k"})
_ORDINARY_NAME = late(r"[A-Za-z_-]{0,64}")


def named_texts(value: Any, name: str | None = None) -> Iterator[NamedText]:
    """Every text in a tree, in its order, names that are more than plain words among them.

    `name` is what the tree itself stands under. A tree as deep as memory allows is walked.
    """
    todo: list[_Visit] = [(value, (), name, key_kind(name) if name else None)]
    while todo:
        node, way, name, kind = todo.pop()
        if isinstance(node, str):
            yield NamedText(node, way, name, kind)
        elif isinstance(node, Mapping):
            yield from _visit_fields(node.items(), way, name, kind, todo)
        elif isinstance(node, Fields):
            yield from _visit_fields(node, way, name, kind, todo)
        elif isinstance(node, (list, tuple)):
            todo.extend(reversed(list(_items(node, way, name, kind))))


def _none(node: list[Any], way: Way, name: str | None, kind: KeyKind | None) -> int:  # noqa: ARG001
    """Know no item of a list."""
    return 0


def telling_texts(
    value: Any,
    name: str | None,
    is_plain: Callable[[str], bool],
    known_items: Callable[[list[Any], Way, str | None, KeyKind | None], int] = _none,
) -> Iterator[NamedText]:
    """The texts of `named_texts` that may hold something, in any order: those under a name that says something, and
    those that are not plain. Most texts of a tree are neither, so they cost little here. `known_items` is asked about
    each list that is not empty, with the way to it, its name and what that says, before its texts: those of so many of
    its first items are left out.
    """
    kind = key_kind(name) if name else None
    if isinstance(value, str):
        if kind is not None or not is_plain(value):
            yield NamedText(value, (), name, kind)
        return
    todo: list[_Visit] = [(value, (), name, kind)] if value and isinstance(value, _CONTAINERS) else []
    while todo:
        node, way, name, kind = todo.pop()
        children: Iterable[_Visit]
        if type(node) is dict or (type(node) is not list and isinstance(node, (Fields, Mapping))):
            pairs = node if isinstance(node, Fields) else node.items()
            told = None
            if type(node) is dict:
                fields = tuple(node)
                known = _known.get((kind, False, fields)) or _fields_of(fields, kind, False)
            if type(node) is not dict or known.may_tell:
                fields, told = _told(pairs)
                known = _known.get((kind, told is not None, fields)) or _fields_of(
                    fields, kind, told is not None
                )
            for field in known.odd:
                if not is_plain(field):
                    yield NamedText(field, way, None, None, is_key=True)
            if known.says_nothing:
                for field, child in pairs:
                    sort = type(child)
                    if sort is str or isinstance(child, str):
                        if not is_plain(child):
                            yield NamedText(child, (way, field), field, None)
                    elif sort not in _NO_TEXTS and child and isinstance(child, _CONTAINERS):
                        todo.append((child, (way, field), field, None))
                continue
            for (field, child), (own, own_kind, source) in zip(pairs, known.names, strict=True):
                if type(child) in _NO_TEXTS:
                    continue
                if source is not None:
                    own, own_kind = _from_outside(source, told, name, kind)
                if isinstance(child, str):
                    if own_kind is not None or not is_plain(child):
                        yield NamedText(child, (way, field), own, own_kind)
                elif child and isinstance(child, _CONTAINERS):
                    todo.append((child, (way, field), own, own_kind))
            continue
        known_count = known_items(node, way, name, kind) if isinstance(node, list) else 0
        if _are_pairs(node) or (name is not None and _is_of_turns(name)):
            children = list(_items(node, way, name, kind))
            if isinstance(node[0], list):
                for index, pair in enumerate(node):
                    known_items(pair, (way, index), None, None)
        else:
            children = [
                (child, (way, index), name, kind)
                for index, child in enumerate(node[known_count:] if known_count else node, known_count)
                if type(child) not in _NO_TEXTS
            ]
        for child, child_way, own, own_kind in children:
            if isinstance(child, str):
                if own_kind is not None or not is_plain(child):
                    yield NamedText(child, child_way, own, own_kind)
            elif child and isinstance(child, _CONTAINERS):
                todo.append((child, child_way, own, own_kind))


def _visit_fields(
    pairs: Collection[tuple[Any, Any]], way: Way, name: str | None, kind: KeyKind | None, todo: list[_Visit]
) -> Iterator[NamedText]:
    fields, told = _told(pairs)
    known = _fields_of(fields, kind, told is not None)
    for field in known.odd:
        yield NamedText(field, way, None, None, is_key=True)
    visits: list[_Visit] = []
    for (field, value), (own, own_kind, source) in zip(pairs, known.names, strict=True):
        if source is not None:
            own, own_kind = _from_outside(source, told, name, kind)
        visits.append((value, (way, field), own, own_kind))
    todo.extend(reversed(visits))


def _told(pairs: Collection[tuple[Any, Any]]) -> tuple[tuple[Any, ...], str | None]:
    """The fields of a mapping, and the name that one of them tells for the value beside it."""
    fields = tuple([field for field, _ in pairs])
    if _VALUE_FIELDS.isdisjoint(fields):
        return fields, None
    return fields, next((v for n, v in pairs if n in _NAME_FIELDS and isinstance(v, str)), None)


class _Known(NamedTuple):
    """What the fields of a mapping say, whatever stands under them: each one's name, its kind and, where the name
    comes from outside, from where; the fields that are more than plain words; whether that is all; and whether one of
    them may tell the name of another."""

    names: tuple[tuple[str | None, KeyKind | None, str | None], ...]
    odd: tuple[str, ...]
    says_nothing: bool
    may_tell: bool


# Mappings come in few forms: what one says is worked out once. Forms with long names are not kept.
_known: dict[tuple[Any, ...], _Known] = {}
_MOST_KNOWN = 2000
_MOST_FIELDS = 40


def _fields_of(fields: tuple[Any, ...], kind: KeyKind | None, is_told: bool) -> _Known:
    known = _known.get((kind, is_told, fields))
    if known is None:
        odd = tuple(f for f in fields if isinstance(f, str) and not _ORDINARY_NAME.fullmatch(f))
        is_kept = not odd and len(fields) <= _MOST_FIELDS and all(isinstance(field, str) for field in fields)
        if is_kept:
            # A name that knows its place in a file would keep the file, too.
            fields = tuple([str(field) for field in fields])
        names = tuple(_names(fields, kind, is_told))
        # Names of the fields themselves, and nothing that follows from them: so it is with most mappings.
        says_nothing = all(own is not None and own_kind is source is None for own, own_kind, source in names)
        known = _Known(names, odd, says_nothing, not _VALUE_FIELDS.isdisjoint(fields))
        if is_kept:
            if len(_known) >= _MOST_KNOWN:
                _known.clear()
            _known[kind, is_told, fields] = known
    return known


def _names(
    fields: tuple[Any, ...], kind: KeyKind | None, is_told: bool
) -> Iterator[tuple[str | None, KeyKind | None, str | None]]:
    for field in fields:
        own = field if isinstance(field, str) else None
        own_kind = key_kind(own) if own else None
        source = None
        if own in _VALUE_FIELDS and is_told:
            source = "told"
        elif own in _VALUE_FIELDS and kind is not None:
            source = "above"
        elif kind == "cookies" and not is_told:
            own_kind = "cookie-value"
        elif kind == "fields" and own_kind == "query":
            own_kind = "in-query"
        elif own_kind == "weak" and "logprob" in fields:
            own_kind = None
        elif own in _JWK_SECRETS and "kty" in fields:
            own_kind = "credential"
        elif own is not None and plain_name(own) in _FIELD_LISTS:
            own_kind = "fields"
        yield own, own_kind, source


def _from_outside(
    source: str, told: str | None, name: str | None, kind: KeyKind | None
) -> tuple[str | None, KeyKind | None]:
    """The name of a value that has it from the field beside it, or from the mapping it stands in."""
    if source == "told" and told is not None:
        return told, _kind_in_list(told, kind)
    return name, kind


def _kind_in_list(told: str, kind: KeyKind | None) -> KeyKind | None:
    """What a name says that a list's item tells, in a list of cookies or of a query's fields."""
    own = key_kind(told)
    if kind == "cookies":
        return "cookie-value"
    return "in-query" if own == "query" and kind == "fields" else own


def _are_pairs(node: Sequence[Any]) -> bool:
    """Whether a list holds nothing but `[name, value]`."""
    if not node or not isinstance(node[0], (list, tuple)):
        return False
    return all(
        isinstance(item, (list, tuple)) and len(item) == 2 and isinstance(item[0], str) for item in node
    )


@lru_cache(maxsize=1024)
def _is_of_turns(name: str) -> bool:
    return plain_name(name) == "rawheaders"


def _items(node: Sequence[Any], way: Way, name: str | None, kind: KeyKind | None) -> Iterator[_Visit]:
    if _are_pairs(node):
        for index, (told, value) in enumerate(node):
            yield told, ((way, index), 0), None, None
            yield value, ((way, index), 1), told, _kind_in_list(told, kind)
    elif name is not None and len(node) % 2 == 0 and _is_of_turns(name):
        for index, value in enumerate(node):
            told = node[index - 1] if index % 2 and isinstance(node[index - 1], str) else None
            yield value, (way, index), told, key_kind(told) if told else None
    else:
        for index, value in enumerate(node):
            yield value, (way, index), name, kind
