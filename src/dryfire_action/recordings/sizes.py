"""Numbers that tell the size of a body: written anew where the body was changed.

HAR has `bodySize` and `content.size`, go-vcr `content_length`, others a header whose value is a number. A number is
taken for the size of a body only if its name says so, it stands beside the body or in the map around it, and it was
right before: in bytes or characters, of the text as it is written or of what it stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from dryfire_action.recordings import bodies, compression, json_tree, notations
from dryfire_action.recordings.edits import Edit, edited
from dryfire_action.recordings.limits import LimitReached
from dryfire_action.secret_keys import plain_name

_NAMES = frozenset(
    """
    size bodysize contentlength contentsize length bodylength bytes bodybytes encodedbodysize decodedbodysize
    transfersize requestsize responsesize
    """.split()  # noqa: SIM905
)
_MAY_HAVE_SIZES = re.compile(r"size|length|bytes", re.IGNORECASE)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]]|[^\s{}\[\],:"]++', re.DOTALL)
_NUMBER = re.compile(r"[0-9]{1,15}", re.ASCII)
_DEEPEST = 3  # steps from a map to the body that its size is about: response, content, text


class Number(NamedTuple):
    """A number and where it is written."""

    value: int
    start: int
    end: int


class _Change(NamedTuple):
    """A body that was changed, and the steps that lead to it."""

    steps: tuple[Any, ...]
    sizes: dict[int, int]


def corrected(old: str, new: str) -> str:
    """A changed file, with the sizes in it that are no more right. `old` is what it was, in the same shape."""
    if not _MAY_HAVE_SIZES.search(new):
        return new
    try:
        before, after = _placed(old), _placed(new)
    except (ValueError, LimitReached, RecursionError):
        return new
    edits: dict[tuple[int, int], Edit] = {}
    for one, other in zip(before, after, strict=False):
        _walk(one, other, edits)
    return edited(new, edits.values())


def _walk(old: Any, new: Any, edits: dict[tuple[int, int], Edit]) -> list[_Change]:
    """Note the edits that a tree needs; the changed bodies in it, with the steps to them."""
    changes: list[_Change] = []
    if isinstance(new, dict) and isinstance(old, dict):
        # Names may have been redacted, too; their order stays.
        for (name, value), before in zip(new.items(), old.values(), strict=False):
            for change in _walk(before, value, edits):
                if len(change.steps) < _DEEPEST and bodies.may_be_body(str(name)):
                    changes.append(_Change((name, *change.steps), change.sizes))
        if changes:
            _correct(new, changes, edits)
    elif isinstance(new, list) and isinstance(old, list):
        for before, value in zip(old, new, strict=False):
            _walk(before, value, edits)
    elif isinstance(new, str) and isinstance(old, str) and new != old:
        changes.append(_Change((), _sizes(old, new)))
    return changes


def _correct(node: dict[Any, Any], changes: list[_Change], edits: dict[tuple[int, int], Edit]) -> None:
    for number in _numbers(node):
        size = next((c.sizes[number.value] for c in changes if number.value in c.sizes), None)
        if size is not None and size != number.value:
            edits.setdefault((number.start, number.end), Edit(number.start, number.end, str(size)))


def _numbers(node: dict[Any, Any]) -> Iterator[Number]:
    """The numbers of a map, and of headers in it, whose names say that they are sizes."""
    for name, value in node.items():
        plain = plain_name(str(name))
        if plain in _NAMES and isinstance(value, Number):
            yield value
        elif plain in bodies.HEADER_NAMES and isinstance(value, dict):
            for header, told in value.items():
                told = told[0] if isinstance(told, list) and len(told) == 1 else told
                if plain_name(str(header)) == "contentlength" and isinstance(told, Number):
                    yield told
        elif plain in bodies.HEADER_NAMES and isinstance(value, list):
            for item in value:
                fields = item if isinstance(item, dict) else {}
                told = fields.get("value")
                if plain_name(str(fields.get("name"))) == "contentlength" and isinstance(told, Number):
                    yield told


def _sizes(old: str, new: str) -> dict[int, int]:
    """The sizes that a body had and has, in all ways to count them."""
    found: dict[int, int] = {}
    pairs: list[tuple[Any, Any]] = [(old, new), (_bytes(old), _bytes(new))]
    decoded = notations.from_base64(old, declared=True), notations.from_base64(new, declared=True)
    if decoded[0] is not None and decoded[1] is not None:
        pairs.append((decoded[0].data, decoded[1].data))
        opened = _opened(decoded[0].data), _opened(decoded[1].data)
        if opened[0] is not None and opened[1] is not None:
            pairs.append(opened)
    for before, after in reversed(pairs):
        found[len(before)] = len(after)
    found.pop(0, None)
    return found


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _opened(data: bytes) -> bytes | None:
    try:
        opened = compression.decompressed(data)
    except LimitReached:
        return None
    return None if opened is None else opened.data


# Trees whose whole numbers know where they are written.


def _placed(text: str) -> list[Any]:
    """The documents of a text: JSON, JSON lines or YAML. Raises `ValueError` for anything else."""
    if json_tree.parsed(text) is not None:
        return [_json(text, 0)]
    if json_tree.is_jsonl(text):
        return [
            _json(line, at) if json_tree.parsed(line) is not None else None
            for at, line in json_tree.lines(text)
        ]
    return _yaml(text)


def _json(text: str, offset: int) -> Any:
    """The tree of a text that is JSON and not too deep, read once more with places."""
    import json

    stack: list[list[Any]] = [[]]
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word in "{[":
            stack.append([word])
        elif word in "}]":
            kind, *items = stack.pop()
            stack[-1].append(dict(zip(items[::2], items[1::2], strict=True)) if kind == "{" else items)
        elif word[0] == '"':
            stack[-1].append(json.loads(word, strict=False))
        elif _NUMBER.fullmatch(word):
            stack[-1].append(Number(int(word), offset + token.start(), offset + token.end()))
        else:
            stack[-1].append(None)
    return stack[0][0]


def _yaml(text: str) -> list[Any]:
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return [_node(node, yaml, {}) for node in yaml.compose_all(text, Loader=loader)]
    except yaml.YAMLError as error:
        raise ValueError("no YAML") from error


def _node(node: Any, yaml: Any, known: dict[int, Any]) -> Any:
    if id(node) in known:
        return None  # an alias: it was seen where it was written
    known[id(node)] = node
    if isinstance(node, yaml.MappingNode):
        return {
            key.value if isinstance(key, yaml.ScalarNode) else number: _node(value, yaml, known)
            for number, (key, value) in enumerate(node.value)
        }
    if isinstance(node, yaml.SequenceNode):
        return [_node(item, yaml, known) for item in node.value]
    if not node.style and _NUMBER.fullmatch(node.value):
        return Number(int(node.value), node.start_mark.index, node.end_mark.index)
    return str(node.value)
