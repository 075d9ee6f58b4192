"""The texts of a request that are digested, and pointers into them.

Equal keys mean equal texts: a pointer made for one request leads to the same text in any request with its key.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from dryfire_action.canonical_json import dotted, quoted
from dryfire_action.fingerprint import NOT_SENT_PARAMS, content_that_counts
from dryfire_action.ignore_rules import IGNORED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dryfire_action.ignore_rules import Masker
    from dryfire_action.messages import JsonValue, Message, Request

_POINTER = re.compile(r"(?P<path>.*)\[(?P<start>[0-9]{1,9}):(?P<end>[0-9]{1,9})\]\Z", re.DOTALL)
_MESSAGE = re.compile(r"messages\[([0-9]{1,9})\]")
# What a pointer says of a key is written into the recording. Only of such keys it is sure that they are no secret;
# any other is told by its number among the sorted keys, which equal requests share.
_WORD = re.compile(r"[A-Za-z_-]{1,64}\Z")
_BETWEEN = "\0"


class RequestTexts:
    """The texts of the requests of one run, searched for what an answer repeats.

    A conversation only grows, and each of its messages is read once: so a search costs at turn 200 what it costs at
    turn 20. ``mask`` applies the ignore rules: a text that they touch is never pointed to, because two requests with
    the same key may differ there.
    """

    def __init__(self, request: Request | None = None, mask: Masker | None = None) -> None:
        self._mask = mask
        self._head: list[tuple[str, str]] = []
        self._seen: tuple[Message, ...] = ()
        self._forget()
        if request is not None:
            self.read(request)

    def read(self, request: Request) -> None:
        """Take ``request`` for the one that is answered now."""
        self._head = list(_head_leaves(request))
        # Hooks may change a message in place.
        if request.hooks or request.messages[: len(self._seen)] != self._seen:
            self._forget()
        for index in range(len(self._seen), len(request.messages)):
            for path, text in _message_leaves(f"messages[{index}]", request.messages[index]):
                self._leaves.append((path, text))
                self._starts.append(len(self._joined))
                self._joined += text + _BETWEEN
        self._seen = request.messages

    def pointer_to(self, secret: str) -> str | None:
        """A pointer to where ``secret`` stands first, as ``messages[0].content[16:26]``; None: nowhere."""
        for path, text in self._head:
            start = text.find(secret)
            if start >= 0 and not _touched(path, text, self._mask):
                return f"{path}[{start}:{start + len(secret)}]"
        at = self._joined.find(secret)
        while at >= 0:
            number = bisect_right(self._starts, at) - 1
            path, text = self._leaves[number]
            start = at - self._starts[number]
            if start + len(secret) <= len(text) and not _touched(path, text, self._mask):
                return f"{path}[{start}:{start + len(secret)}]"
            at = self._joined.find(secret, self._starts[number] + len(text))
        return None

    def _forget(self) -> None:
        self._seen = ()
        self._leaves: list[tuple[str, str]] = []
        self._starts: list[int] = []
        self._joined = ""


def pointer_to(secret: str, request: Request, mask: Masker | None = None) -> str | None:
    """A pointer to where ``secret`` stands in one request; see ``RequestTexts``."""
    return RequestTexts(request, mask).pointer_to(secret)


def pointed_to(pointer: str, request: Request) -> str | None:
    """The text that ``pointer`` leads to; None where there is no such text.

    Looks only into the message that the path names, so that long runs stay fast.
    """
    found = _POINTER.match(pointer)
    if found is None:
        return None
    path, start, end = found["path"], int(found["start"]), int(found["end"])
    message = _MESSAGE.match(path)
    if message is None:
        leaves = _head_leaves(request)
    else:
        index = int(message[1])
        leaves = (
            _message_leaves(message[0], request.messages[index])
            if index < len(request.messages)
            else iter(())
        )
    text = next((text for where, text in leaves if where == path), "")
    return text[start:end] if start < end <= len(text) else None


def _touched(path: str, text: str, mask: Masker | None) -> bool:
    """Whether ignore rules change this text. They go by field path, which is a prefix of the leaf's."""
    if mask is None:
        return False
    fields = [path[:end] for end in range(1, len(path) + 1) if end == len(path) or path[end] in ".[{"]
    return any(IGNORED in str(mask(field, text)) for field in fields)


def _head_leaves(request: Request) -> Iterator[tuple[str, str]]:
    yield from _leaves("system", request.system)
    for tool in request.tools:
        path = f"tools[{quoted(tool.name)}]"
        yield from _leaves(f"{path}.description", tool.description)
        yield from _leaves(f"{path}.input_schema", tool.input_schema)
    for name, value in request.params.items():
        if name not in NOT_SENT_PARAMS:
            yield from _leaves(f"params{dotted(name)}", value)
    yield from _leaves("output_schema", request.output_schema)
    if request.script:
        yield from _leaves(f"script[{request.script.index}]", request.script.step)


def _message_leaves(path: str, message: Message) -> Iterator[tuple[str, str]]:
    yield from _leaves(f"{path}.content", content_that_counts(message.content))
    for index, part in enumerate(message.reasoning):
        yield from _leaves(f"{path}.reasoning[{index}]", part)
    for index, call in enumerate(message.tool_calls):
        yield from _leaves(f"{path}.tool_calls[{index}].name", call.name)
        yield from _leaves(f"{path}.tool_calls[{index}].arguments", call.arguments)
        yield from _leaves(f"{path}.tool_calls[{index}].malformed_arguments", call.malformed_arguments)
    for index, result in enumerate(message.tool_results):
        yield from _leaves(f"{path}.tool_results[{index}].content", result.content)


def _leaves(path: str, value: JsonValue) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        if value:
            yield path, value
    elif isinstance(value, dict):
        for number, key in enumerate(sorted(value)):
            step = f".{key}" if _WORD.match(key) else f"{{{number}}}"
            yield from _leaves(path + step, value[key])
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(f"{path}[{index}]", item)
