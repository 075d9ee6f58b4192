"""Walking a tree of mappings and lists, and telling of every text the name it stands under.

A name reaches its value in a mapping, in a list of `[name, value]`, in a list of `{"name": …, "value": …}`,
in `rawHeaders` lists where names and values take turns, and through a list (`authorization: [Bearer …]`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dryfire_action.json_leaves import Fields
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
        steps: list[str | int] = []
        way = self.way
        while way:
            way, step = way
            steps.append(step if isinstance(step, (str, int)) else str(step))
        return tuple(reversed(steps))


_Visit = tuple[Any, Way, str | None, KeyKind | None]

_NAME_FIELDS = frozenset({"name", "key", "header", "field"})
_VALUE_FIELDS = frozenset({"value", "values"})
_FIELD_LISTS = frozenset({"querystring", "query", "queryparams", "params", "formdata", "urlencoded"})
_JWK_SECRETS = frozenset({"d", "p", "q", "dp", "dq", "qi", "k"})
_ORDINARY_NAME = re.compile(r"[A-Za-z_-]{0,64}")


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
            yield from _visit_fields(list(node.items()), way, name, kind, todo)
        elif isinstance(node, Fields):
            yield from _visit_fields(node, way, name, kind, todo)
        elif isinstance(node, (list, tuple)):
            todo.extend(reversed(list(_items(node, way, name, kind))))


def _visit_fields(
    pairs: list[tuple[Any, Any]], way: Way, name: str | None, kind: KeyKind | None, todo: list[_Visit]
) -> Iterator[NamedText]:
    for field, _ in pairs:
        if isinstance(field, str) and not _ORDINARY_NAME.fullmatch(field):
            yield NamedText(field, way, None, None, is_key=True)
    todo.extend(reversed(list(_fields(pairs, way, name, kind))))


def _fields(
    pairs: list[tuple[Any, Any]], way: Way, name: str | None, kind: KeyKind | None
) -> Iterator[_Visit]:
    fields = {field for field, _ in pairs if isinstance(field, str)}
    told = None
    if not fields.isdisjoint(_VALUE_FIELDS):
        told = next((v for n, v in pairs if n in _NAME_FIELDS and isinstance(v, str)), None)
    for field, value in pairs:
        own = field if isinstance(field, str) else None
        own_kind = key_kind(own) if own else None
        if own in _VALUE_FIELDS and told is not None:
            own, own_kind = told, _kind_in_list(told, kind)
        elif own in _VALUE_FIELDS and kind is not None:
            own, own_kind = name, kind
        elif kind == "cookies" and told is None:
            own_kind = "cookie-value"
        elif kind == "fields" and own_kind == "query":
            own_kind = "in-query"
        elif own_kind == "weak" and "logprob" in fields:
            own_kind = None
        elif own in _JWK_SECRETS and "kty" in fields:
            own_kind = "credential"
        elif own is not None and plain_name(own) in _FIELD_LISTS:
            own_kind = "fields"
        yield value, (way, field), own, own_kind


def _kind_in_list(told: str, kind: KeyKind | None) -> KeyKind | None:
    """What a name says that a list's item tells, in a list of cookies or of a query's fields."""
    own = key_kind(told)
    if kind == "cookies":
        return "cookie-value"
    return "in-query" if own == "query" and kind == "fields" else own


def _items(node: Sequence[Any], way: Way, name: str | None, kind: KeyKind | None) -> Iterator[_Visit]:
    if node and all(
        isinstance(item, (list, tuple)) and len(item) == 2 and isinstance(item[0], str) for item in node
    ):
        for index, (told, value) in enumerate(node):
            yield told, ((way, index), 0), None, None
            yield value, ((way, index), 1), told, _kind_in_list(told, kind)
    elif name is not None and len(node) % 2 == 0 and plain_name(name) == "rawheaders":
        for index, value in enumerate(node):
            told = node[index - 1] if index % 2 and isinstance(node[index - 1], str) else None
            yield value, (way, index), told, key_kind(told) if told else None
    else:
        for index, value in enumerate(node):
            yield value, (way, index), name, kind
