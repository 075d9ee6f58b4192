"""Answers of HTTP calls as a recording keeps them: JSON as JSON, streams event by event, all else as text or base64.

Of the headers only those stay that an SDK acts on. A stream comes back with an event a chunk; what is not JSON in it
(comments, ``[DONE]``) comes back too.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dryfire_action import redact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dryfire_action.messages import JsonObject, JsonValue
    from dryfire_action.redact import Rules

# What an answer says to the client that reads it. Ids, dates, limits and cookies are its envelope.
HEADERS = frozenset({"content-type", "retry-after", "retry-after-ms", "x-should-retry", "location"})
_STREAM = "text/event-stream"
_DONE = "[DONE]"
# Letters in a row, by one byte or two: in what is no text, so many do not stand together by chance.
_LETTERS = re.compile(rb"[\t\n\r -~]{16,}")
_LETTERS_LOW = re.compile(rb"(?:[\t\n\r -~]\0){16,}")
_LETTERS_HIGH = re.compile(rb"(?:\0[\t\n\r -~]){16,}")
# The last names of the paths at which a stream brings a text in pieces.
_PIECES = frozenset(
    {
        *("text", "partial_json", "content", "arguments", "delta", "thinking", "refusal"),
        *("reasoning", "reasoning_content", "input", "transcript", "code", "summary"),
        *("completion", "response", "message", "answer", "output", "output_text", "generated_text"),
        *("token", "value", "chunk"),
    }
)
# What tells two texts apart that arrive in turns.
_NUMBERS = ("type", "index", "output_index", "content_index", "summary_index", "item_id")


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """One answer: its status, the headers that count, and its body in chunks as they are given out.

    ``broken`` is the class of the exception that ended the body too early and its message ("" for none).
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    chunks: tuple[bytes, ...] = ()
    broken: tuple[str, str] | None = None
    streamed: bool = False

    @property
    def body(self) -> bytes:
        """The whole body."""
        return b"".join(self.chunks)


def to_json(answer: HttpAnswer, rules: Rules) -> JsonObject:
    """``answer`` as JSON. A secret that a stream brought in pieces stands in one of them, so that it will be found."""
    kept = {name.lower(): value for name, value in answer.headers.items() if name.lower() in HEADERS}
    found: JsonObject = {"status": answer.status}
    if kept:
        found["headers"] = dict(sorted(kept.items()))
    if kept.get("content-type", "").lower().startswith(_STREAM):
        found["events"] = _with_whole_secrets([_event(block) for block in _blocks(answer.body)], rules)
    elif answer.body:
        found.update(_with_whole_secrets_in_items(_body(_without_secrets(answer.body, rules)), rules))
    if answer.broken:
        found["broken"] = {"kind": answer.broken[0], "message": answer.broken[1]}
    return {"http": found}


def from_json(value: JsonObject) -> HttpAnswer:
    """The answer whose JSON is ``value``."""
    found = value["http"]
    broken = found.get("broken")
    if "events" in found:
        chunks = tuple(_written(event).encode() for event in found["events"])
    elif "json" in found:
        chunks = (json.dumps(found["json"], ensure_ascii=False).encode(),)
    elif "base64" in found:
        chunks = (b64decode(found["base64"]),)
    else:
        chunks = (found["text"].encode(),) if "text" in found else ()
    return HttpAnswer(
        found["status"],
        found.get("headers", {}),
        chunks,
        (broken["kind"], broken["message"]) if broken else None,
        streamed="events" in found,
    )


def check(value: Any) -> None:
    """Raise ``ValueError`` where ``value`` is no answer that ``to_json`` made."""
    found = value.get("http") if isinstance(value, dict) and value.keys() == {"http"} else None
    if not isinstance(found, dict) or not isinstance(found.get("status"), int):
        raise ValueError("the answer of an HTTP call holds its status")
    kinds: dict[str, type] = {"headers": dict, "events": list, "text": str, "base64": str, "broken": dict}
    wrong = [name for name, kind in kinds.items() if name in found and not isinstance(found[name], kind)]
    wrong += [name for name in found if name not in {*kinds, "status", "json"}]
    if wrong:
        raise ValueError(f"the answer's {wrong[0]} cannot be read")


def parsed(value: JsonObject) -> tuple[JsonValue, list[JsonObject] | None]:
    """The JSON body of a stored answer, or None; and the JSON events of a stream, or None where it is none."""
    found = value["http"]
    if "events" not in found:
        return found.get("json"), None
    return None, [event["data"] for event in found["events"] if isinstance(event.get("data"), dict)]


def _body(body: bytes) -> JsonObject:
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(body).decode()}
    try:
        value = json.loads(text, object_pairs_hook=_unique)
        json.dumps(value, allow_nan=False)
        return {"json": value}
    except (ValueError, RecursionError):
        pass
    return {"text": text}


def _without_secrets(body: bytes, rules: Rules) -> bytes:
    """``body``, where it is no text in UTF-8: a secret that stands in it in letters of one or two bytes is crossed out.

    In base64 no rule would see it. Its length stays, because frames count bytes.
    """
    try:
        body.decode()
    except UnicodeDecodeError:
        for step, run in enumerate((_LETTERS, _LETTERS_LOW, _LETTERS_HIGH)):
            crossed = [(m.span(), _crossed_out(m[0], step, rules)) for m in run.finditer(body)]
            for (start, end), letters in crossed:
                if body[start:end] != letters:
                    body = body[:start] + letters + body[end:]
    return body


def _crossed_out(run: bytes, step: int, rules: Rules) -> bytes:
    """``run``, letters alone (``step`` 0), or with a zero behind (1) or before each (2), without its secrets."""
    letters = bytearray(run if not step else run[step - 1 :: 2])
    for span in redact.find_in_text(letters.decode("ascii"), rules=rules):
        letters[span.start : span.end] = b"x" * (span.end - span.start)
    if not step:
        return bytes(letters)
    wide = bytearray(len(run))
    wide[step - 1 :: 2] = letters
    return bytes(wide)


def _unique(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _blocks(body: bytes) -> list[str]:
    """The events of a stream as text, without the empty line that ends each."""
    text = body.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return [block for block in text.split("\n\n") if block.strip("\n")]


def _event(block: str) -> JsonObject:
    """One event: its name and its data, as JSON where it is JSON; any other line as it is."""
    name: str | None = None
    data: list[str] = []
    other: list[str] = []
    for line in block.strip("\n").split("\n"):
        key, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if key == "event" and name is None:
            name = value
        elif key == "data":
            data.append(value)
        else:
            other.append(line)
    found: JsonObject = {}
    if name is not None:
        found["event"] = name
    if data:
        found["data"] = _data("\n".join(data))
    if other:
        found["lines"] = other
    return found


def _data(text: str) -> JsonValue:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    # A bare text is kept as it is written, so that it is told apart from JSON.
    return value if isinstance(value, dict) else text


def _written(event: JsonObject) -> str:
    lines = list(event.get("lines", ()))
    if "event" in event:
        lines.append(f"event: {event['event']}")
    data = event.get("data")
    if isinstance(data, dict):
        lines.append(f"data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}")
    elif isinstance(data, str):
        lines += [f"data: {line}" for line in data.split("\n")]
    return "\n".join(lines) + "\n\n"


@dataclass(slots=True)
class _Piece:
    """A piece of a text: where it stands in its event."""

    holder: Any
    name: Any

    @property
    def text(self) -> str:
        found: str = self.holder[self.name]
        return found


def _with_whole_secrets_in_items(body: JsonObject, rules: Rules) -> JsonObject:
    """A body that is a stream in another form: one list of its pieces, or one a line."""
    if isinstance(body.get("json"), list):
        _with_whole_secrets([{"data": item} for item in body["json"]], rules)
    lines = body.get("text", "").splitlines(keepends=True)
    if len(lines) > 1:
        events = [{"data": _data(line)} for line in lines]
        if all(isinstance(event["data"], dict) for event in events):
            before = json.dumps(events)
            if json.dumps(_with_whole_secrets(events, rules)) != before:
                written = (json.dumps(event["data"], ensure_ascii=False) for event in events)
                return {"text": "".join(f"{line}\n" for line in written)}
    return body


def _with_whole_secrets(events: list[JsonObject], rules: Rules) -> list[JsonObject]:
    """``events`` (changed in place), where no secret goes from one piece of a text into the next."""
    lanes: dict[tuple[Any, ...], list[_Piece]] = {}
    for event in events:
        data = event.get("data")
        if isinstance(data, dict):
            _gather(data, (), lanes)
        elif isinstance(data, str) and data != _DONE:
            lanes.setdefault(("data",), []).append(_Piece(event, "data"))
    for pieces in lanes.values():
        if len(pieces) > 1:
            _mend(pieces, rules)
    return events


def _gather(value: Any, path: tuple[Any, ...], lanes: dict[tuple[Any, ...], list[_Piece]]) -> None:
    if isinstance(value, dict):
        here = (
            *path,
            *(value.get(name) for name in _NUMBERS if not isinstance(value.get(name), dict | list)),
        )
        for name, item in value.items():
            if isinstance(item, str) and name in _PIECES:
                lanes.setdefault((*here, name), []).append(_Piece(value, name))
            else:
                _gather(item, (*here, name), lanes)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            # Of several answers at once, a later event may hold but one: it says itself which.
            at = item.get("index", number) if isinstance(item, dict) else number
            _gather(item, (*path, at if isinstance(at, int) else number), lanes)


def _mend(pieces: Sequence[_Piece], rules: Rules) -> None:
    """Move the cuts between ``pieces`` out of the secrets. Where a secret is none without its surroundings, all of
    the text goes into the first piece.
    """
    whole = "".join(piece.text for piece in pieces)
    spans = redact.find_in_text(whole, rules=rules)
    if not spans:
        return
    cuts, at = [], 0
    for piece in pieces[:-1]:
        at += len(piece.text)
        cuts.append(next((span.end for span in spans if span.start < at < span.end), at))
    starts, ends = [0, *cuts], [*cuts, len(whole)]
    texts = [whole[start:end] for start, end in zip(starts, ends, strict=True)]
    found = [
        (start + span.start, start + span.end)
        for start, text in zip(starts, texts, strict=True)
        for span in redact.find_in_text(text, rules=rules)
    ]
    covered = all(any(first <= s.start and s.end <= last for first, last in found) for s in spans)
    if not covered:
        texts = [whole, *([""] * (len(pieces) - 1))]
    for piece, text in zip(pieces, texts, strict=True):
        piece.holder[piece.name] = text
