"""Bodies and the headers beside them: what a body is said to be encoded in, and where its length is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from dryfire_action.json_leaves import Fields
from dryfire_action.secret_keys import plain_name

HEADER_NAMES = frozenset({"headers", "header", "responseheaders", "requestheaders", "rawheaders"})
_BODY = frozenset(
    """
    body string text content contents base64string base64 b64 data payload response request answer raw postdata
    responsebody requestbody bodybase64 bodystring bodytext
    """.split()  # noqa: SIM905
)
_NAMES = ("name", "key", "header", "field")
_VALUES = ("value", "values")
_BASE64_NAMES = ("base64", "b64")


def fields(node: Any) -> Sequence[tuple[Any, Any]]:
    """The fields of a map, those of a name that stands twice too; none of anything else."""
    if isinstance(node, Mapping):
        return list(node.items())
    return node if isinstance(node, Fields) else ()


def step_into(node: Any, step: Any) -> Any:
    """What a step of a path leads to; None where it leads nowhere."""
    if isinstance(node, Mapping):
        return node.get(step)
    if isinstance(node, Fields):
        return next((value for name, value in node if name == step), None)
    if isinstance(node, list) and isinstance(step, int) and step < len(node):
        return node[step]
    return None


class Around(NamedTuple):
    """A map on the way to a text, and the steps that lead from it to the text."""

    node: Any
    steps: tuple[Any, ...]

    @property
    def is_message(self) -> bool:
        """Whether the text is the body of the request or response that the map is, and not something inside it."""
        return all(isinstance(step, str) and plain_name(step) in _BODY for step in self.steps)


def around(tree: Any, path: Sequence[Any]) -> list[Around]:
    """The maps on the way to a text, the nearest first."""
    found: list[Around] = []
    for number, step in enumerate(path):
        if isinstance(tree, (Mapping, Fields)):
            found.append(Around(tree, tuple(path[number:])))
        tree = step_into(tree, step)
    return found[::-1]


def header(maps: Sequence[Around], name: str) -> str | None:
    """The value of a header of the message whose body a text is; None where it is none, or has no such header."""
    for around_ in maps:
        if not around_.is_message:
            return None
        for key, value in fields(around_.node):
            if isinstance(key, str) and plain_name(key) in HEADER_NAMES:
                for found, text in _headers(value):
                    if plain_name(found) == name:
                        return text
    return None


@lru_cache(maxsize=1024)
def may_be_body(name: str | None) -> bool:
    """Whether a name can be that of a body, or says that its value is base64."""
    plain = plain_name(name or "")
    return plain in _BODY or any(word in plain for word in _BASE64_NAMES)


def is_declared_base64(maps: Sequence[Around], name: str | None) -> bool:
    """Whether a text is said to be base64: by its own name, or by an `encoding` beside it."""
    if name is not None and any(word in plain_name(name) for word in _BASE64_NAMES):
        return True
    for key, value in fields(maps[0].node) if maps else ():
        if isinstance(value, str) and plain_name(str(key)) in ("encoding", "bodyencoding", "contentencoding"):
            return value.lower() == "base64"
        if value is True and plain_name(str(key)) in ("isbase64encoded", "isbinary"):
            return True
    return False


def _headers(node: Any) -> Iterator[tuple[str, str]]:
    """Names and values of headers: of a map, a list of pairs, a list of `{"name": …, "value": …}`, or a flat list."""
    for name, value in fields(node):
        if isinstance(value, list):
            value = next((item for item in value if isinstance(item, str)), None)
        if isinstance(name, str) and isinstance(value, str):
            yield name, value
    if not isinstance(node, list) or isinstance(node, Fields):
        return
    for index, item in enumerate(node):
        if isinstance(item, list) and len(item) == 2 and all(isinstance(part, str) for part in item):
            yield item[0], item[1]
        elif isinstance(item, (Mapping, Fields)):
            found = dict(fields(item))
            told = next((found[key] for key in _NAMES if isinstance(found.get(key), str)), None)
            text = next((found[key] for key in _VALUES if isinstance(found.get(key), str)), None)
            if told is not None and text is not None:
                yield told, text
        elif (
            isinstance(item, str)
            and index % 2 == 0
            and index + 1 < len(node)
            and isinstance(node[index + 1], str)
        ):
            yield item, node[index + 1]
