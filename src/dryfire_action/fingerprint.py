"""The fingerprint: one digest for every field of a request, and the key derived from those digests and nothing else.

Include by default: a field counts unless it stands in the short list of what never reaches the model
(``TRANSPORT_PARAMS``, ``CACHE_MARKS``, ``Message.raw``, a call's own id). Where stability and sensitivity conflict,
sensitivity wins. The rules are explained in ``docs/explanation/fingerprint.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from dryfire_action.beginning import Beginning
from dryfire_action.canonical_json import DIGEST_LENGTH as DIGEST_LENGTH
from dryfire_action.canonical_json import canonical, encode
from dryfire_action.canonical_json import digest as digest
from dryfire_action.canonical_json import dotted as dotted
from dryfire_action.canonical_json import quoted as quoted
from dryfire_action.errors import FingerprintError
from dryfire_action.quick_init import quick_init

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dryfire_action.field_changes import FieldChange
    from dryfire_action.ignore_rules import Masker
    from dryfire_action.messages import Hook, JsonValue, Message, Request

    # Digests by field path; the two orders (``tools.order``, ``hooks.order``) are kept as tuples of names.
    Head = Mapping[str, str | tuple[str, ...]]
    Digests = Mapping[str, str]

FINGERPRINT_VERSION = 1

# Parameters of SDK calls that steer the transport or label the caller, and never reach the model.
TRANSPORT_PARAMS = frozenset(
    {
        "timeout",
        "max_retries",
        "extra_headers",
        "api_key",
        "stream",  # the same answer, in pieces
        "stream_options",
        "user",  # labels of the caller, for abuse detection and billing
        "metadata",
        "safety_identifier",
        "store",  # whether the provider keeps a copy
        "prompt_cache_key",  # where a prefix is cached, not what it says
        "prompt_cache_retention",
    }
)
# Marks on content blocks, or on a whole request, that say what the provider may cache.
CACHE_MARKS = frozenset({"cache_control"})
NOT_SENT_PARAMS = TRANSPORT_PARAMS | CACHE_MARKS


@quick_init
@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Digests of all fields of one request, and their key.

    ``head`` maps the paths before the messages; ``messages`` holds one mapping per message, whose paths are relative
    to it (``role``, ``tool_calls[0].arguments``).
    """

    head: Head
    messages: Sequence[Digests]
    key: str

    @property
    def fields(self) -> dict[str, str | tuple[str, ...]]:
        """All digests by full field path, head first."""
        found = dict(self.head)
        for index, message in enumerate(self.messages):
            found.update({f"messages[{index}].{path}": digest for path, digest in message.items()})
        return found

    def changes(self, other: Fingerprint) -> tuple[FieldChange, ...]:
        """The field changes from this fingerprint to ``other``; empty exactly when the keys are equal."""
        from dryfire_action.field_changes import changes_between

        return changes_between(self, other)

    def diff(self, other: Fingerprint) -> tuple[str, ...]:
        """The parts of the request that differ (``hooks``, ``messages``, ``model``, ...), sorted, each once."""
        from dryfire_action.field_changes import top_level

        return top_level(self.changes(other))


RunFingerprint = Fingerprint


_NO_MESSAGES = sha256(b"messages").digest()


class KeyChain:
    """Derives keys from digests; hashes each message's digests once and carries the running hash on.

    So the key of turn 2,000 costs what the key of turn 20 costs.
    """

    def __init__(self) -> None:
        self.messages: list[Digests] = []
        self._running = [_NO_MESSAGES]
        self._head: Head | None = None
        self._head_hash = b""

    def keep(self, count: int) -> None:
        """Forget all messages after the first ``count``."""
        if count < len(self.messages):
            # A new list: fingerprints that were made hold on to the old one.
            self.messages = self.messages[:count]
            del self._running[count + 1 :]

    def append(self, digests: Digests) -> None:
        """Put one more message at the end."""
        self.messages.append(digests)

    def fingerprint(self, head: Head) -> Fingerprint:
        """The fingerprint of a request with this head and the messages so far. ``head`` must not change later."""
        count = len(self.messages)
        for digests in self.messages[len(self._running) - 1 :]:
            self._running.append(_hashed(self._running[-1], digests))
        if head is not self._head:
            self._head_hash, self._head = _hashed(b"", head), head
        key = sha256(self._head_hash + self._running[-1]).hexdigest()[:DIGEST_LENGTH]
        return Fingerprint(head, Beginning(self.messages, count), key)


def _hashed(before: bytes, digests: Head) -> bytes:
    return sha256(before + encode(digests).encode()).digest()


class LastHead:
    """The head that was digested last, and of which request: what follows is mostly about the very same values.

    Conversations may share one where they are made of the same values, and nobody changes these in place.
    """

    def __init__(self) -> None:
        self._of: Request | None = None
        self._mask: Masker | None = None
        self._head: Head = {}

    def digests(self, request: Request, mask: Masker | None) -> Head:
        """``head_digests`` of ``request``."""
        if request.hooks or self._of is None or self._mask is not mask or not _same_head(self._of, request):
            self._head, self._of, self._mask = head_digests(request, mask), request, mask
        return self._head


class Fingerprinter:
    """Fingerprints the growing conversation of one run: only messages that are new are digested.

    Requests that hooks rewrote are digested in full every time, because a hook may change a message in place.
    ``call_ids`` are the ids of all calls in the request fingerprinted last.
    """

    def __init__(self, mask: Masker | None = None, last_head: LastHead | None = None) -> None:
        self._mask = mask
        self._chain = KeyChain()
        self._seen: tuple[Message, ...] = ()
        self._calls: list[list[str]] = []
        self.call_ids: set[str] = set()
        self._last_head = last_head or LastHead()
        # The list of messages whose first ones were found to be those of the chain, and how many.
        self._alike: tuple[object, int] = (None, 0)

    def fingerprint(self, request: Request, expected: Fingerprint | None = None) -> Fingerprint:
        """The fingerprint of ``request``. Raises ``FingerprintError`` for values that JSON cannot hold exactly.

        One that is ``expected`` is compared digest by digest and given back if it is equal: its key is known then.
        """
        seen = self._seen
        if request.hooks or request.messages[: len(seen)] != seen:
            seen, self._seen, self._calls, self._chain = (), (), [], KeyChain()
            self._alike = (None, 0)
            self.call_ids.clear()
        for index in range(len(seen), len(request.messages)):
            message = request.messages[index]
            try:
                self._chain.append(message_digests(message, f"messages[{index}]", self._calls, self._mask))
            except FingerprintError:
                # Kept in step with the chain, so that a refused message leaves both as they were.
                self._seen = request.messages[:index]
                raise
            if message.tool_calls:
                self.call_ids.update([call.id for call in message.tool_calls])
        self._seen = tuple(request.messages)
        head = self._head_digests(request)
        if expected is not None and self._is(expected, head):
            return expected
        return self._chain.fingerprint(head)

    def _is(self, expected: Fingerprint, head: Head) -> bool:
        own, other = self._chain.messages, expected.messages
        if len(own) != len(other) or expected.head != head:
            return False
        whole = other.items if isinstance(other, Beginning) else other
        start = self._alike[1] if self._alike[0] is whole else 0
        for index in range(start, len(own)):
            if own[index] != other[index]:
                return False
        self._alike = (whole, len(own))
        return True

    def _head_digests(self, request: Request) -> Head:
        head = self._last_head.digests(request, self._mask)
        if request.script is None:
            return head
        path, step = f"script[{request.script.index}]", request.script.step
        return {**head, path: digest(self._mask(path, step) if self._mask else step, path)}


def fingerprint_of(
    request: Request, mask: Masker | None = None, *, hooks: Iterable[Hook] = ()
) -> Fingerprint:
    """The fingerprint of one request. ``mask`` applies ignore rules (see ``ignoring``).

    ``hooks`` is a chain that will rewrite it (anything with a name and a version), after those it names itself.
    """
    if hooks:
        request = replace(request, hooks=(*request.hooks, *hooks))
    return Fingerprinter(mask).fingerprint(request)


def head_digests(request: Request, mask: Masker | None = None) -> dict[str, str | tuple[str, ...]]:
    """Digests of everything but the messages and the script step."""
    found: dict[str, str | tuple[str, ...]] = {"fingerprint_version": str(FINGERPRINT_VERSION)}

    def put(path: str, value: JsonValue) -> None:
        found[path] = digest(mask(path, value) if mask else value, path)

    put("provider", request.provider)
    put("model", request.model)
    for name, value in request.params.items():
        _refuse_odd_name(name, "params")
        if name not in NOT_SENT_PARAMS and value is not None:
            put(f"params{dotted(name)}", value)
    _refuse_unordered(request.hooks, "hooks")
    hook_names = _numbered([hook.name for hook in request.hooks])
    for name, hook in zip(hook_names, request.hooks, strict=True):
        put(f"hooks[{name}]", hook.version)
    if request.hooks:
        found["hooks.order"] = hook_names
    if request.output_schema is not None:
        put("output_schema", request.output_schema)
    if request.system is not None:
        put("system", request.system)
    _refuse_unordered(request.tools, "tools")
    for tool in request.tools:
        _refuse_odd_name(tool.name, "tools")
        path = f"tools[{quoted(tool.name)}]"
        if f"{path}.input_schema" in found:
            raise FingerprintError(path, "two tools have this name")
        if tool.description is not None:
            put(f"{path}.description", tool.description)
        put(f"{path}.input_schema", tool.input_schema)
    if request.tools:
        found["tools.order"] = tuple(tool.name for tool in request.tools)
    return found


def message_digests(
    message: Message, path: str, calls: list[list[str]], mask: Masker | None = None
) -> dict[str, str]:
    """Digests of one message, by paths relative to it; ``path`` is its own, for errors and ignore rules.

    ``calls`` holds the call ids of each call-bearing message before this one; this message's are added to it.
    """
    values: dict[str, JsonValue] = {"role": message.role}
    if message.content is not None:
        values["content"] = content_that_counts(message.content)
    for index, part in enumerate(message.reasoning):
        values[f"reasoning[{index}]"] = part
    for index, call in enumerate(message.tool_calls):
        values[f"tool_calls[{index}].name"] = call.name
        values[f"tool_calls[{index}].arguments"] = call.arguments
        if call.malformed_arguments is not None:
            values[f"tool_calls[{index}].malformed_arguments"] = call.malformed_arguments
    for index, result in enumerate(message.tool_results):
        values[f"tool_results[{index}].answers"] = answered_call(result.call_id, calls)
        values[f"tool_results[{index}].content"] = result.content
        values[f"tool_results[{index}].is_error"] = result.is_error
    if mask:
        values = {name: mask(f"{path}.{name}", value) for name, value in values.items()}
    try:
        found = {
            name: _digest_of_place(value) if type(value) is CallPlace else digest(value, name)
            for name, value in values.items()
        }
    except FingerprintError as error:
        raise FingerprintError(f"{path}.{error.path}", error.reason) from None
    if message.tool_calls:
        ids = [call.id for call in message.tool_calls]
        if len(set(ids)) != len(ids):
            raise FingerprintError(f"{path}.tool_calls", "two calls of one turn share an id")
        calls.append(ids)
    return found


class CallPlace(NamedTuple):
    """A call by its place: in which call-bearing message, counted back from a result, and which call in it."""

    back: int
    number: int


def answered_call(call_id: str, calls: Sequence[Sequence[str]]) -> CallPlace | str:
    """Which call a result answers, or the id itself if it answers none.

    An id that several turns use means the latest of them.
    """
    for back, ids in enumerate(reversed(calls)):
        if call_id in ids:
            return CallPlace(back, ids.index(call_id))
    return call_id


@lru_cache(maxsize=256)
def _digest_of_place(place: CallPlace) -> str:
    return digest(list(place))


def content_that_counts(content: JsonValue) -> JsonValue:
    """A message's content without cache marks."""
    if not isinstance(content, list):
        return content
    return [
        {key: value for key, value in block.items() if key not in CACHE_MARKS}
        if isinstance(block, dict)
        else block
        for block in content
    ]


def _same_head(first: Request, second: Request) -> bool:
    # By identity: equal values may differ in number type, and values are not changed in place.
    return (
        first.provider is second.provider
        and first.model is second.model
        and first.params is second.params
        and first.system is second.system
        and first.tools is second.tools
        and first.output_schema is second.output_schema
        and not first.hooks
    )


def _numbered(names: Sequence[str]) -> tuple[str, ...]:
    """Names as they stand in paths, made unique: a hook that is in the chain twice is ``name`` and ``name#2``.

    One that is called ``name#2`` itself is ``"name#2"``, in quotes.
    """
    seen: dict[str, int] = {}
    found = []
    for name in names:
        _refuse_odd_name(name, "hooks")
        seen[name] = seen.get(name, 0) + 1
        found.append(quoted(name) if seen[name] == 1 else f"{quoted(name)}#{seen[name]}")
    return tuple(found)


def _refuse_odd_name(name: str, path: str) -> None:
    """Names stand in paths and in the two orders, where no digest would refuse them."""
    if not isinstance(name, str):
        raise FingerprintError(path, f"the name {name!r} is no text")
    canonical(name, f"{path}[{quoted(name)}]")


def _refuse_unordered(members: object, path: str) -> None:
    if not isinstance(members, tuple | list):
        kind = type(members).__name__
        raise FingerprintError(path, f"a {kind} has no order that could be recorded; hand in a tuple")
