"""The layers a text may have: streams, forms, base64 and compression. Each is opened, searched, and closed again."""

from __future__ import annotations

import operator
from functools import partial
from typing import TYPE_CHECKING

from dryfire_action.recordings import bodies, encodings, json_tree, multipart, streams
from dryfire_action.recordings.edits import Edit, apart, edited
from dryfire_action.recordings.limits import MAX_LAYERS, LimitReached
from dryfire_action.secret_keys import is_opaque_key, key_kind

if TYPE_CHECKING:
    from dryfire_action.recordings.context import Context
    from dryfire_action.recordings.scan import Scan

_COMPRESSED = frozenset({"gzip", "x-gzip", "deflate", "br", "zstd", "compress"})
_LEAST_BASE64 = 16


def of_parts(scan: Scan, text: str, context: Context) -> list[Edit] | None:
    """Search a text that consists of parts: events, lines of JSON, the fields of a form. None: it is no such text."""
    if streams.is_stream(text):
        return stream(scan, text, context)
    if text[0] in "{[" and json_tree.is_jsonl(text):
        return stream(scan, text, context, lines=True)
    if "form-data" in text and (form := list(multipart.parts(text))):
        return _form(scan, text, form, context)
    return None


def stream(scan: Scan, text: str, context: Context, *, lines: bool = False) -> list[Edit]:
    """Search server-sent events, or JSON in `lines`: each of them, what they say together, and what is between."""
    layer = context if lines and not context.depth else context.inside("lines" if lines else "stream", int)

    def walk(*, with_places: bool = False) -> list[Edit]:
        found = streams.events(text, with_places=with_places)
        is_split = not lines or streams.are_events(found.trees)
        tree = {
            "lines" if lines else "events": streams.EventList(found.trees) if is_split else found.trees,
            "data": found.plain,
        }
        edits = scan.tree(tree, layer)
        return [*edits, *scan.flat(found.rest, context, None, None)]

    return [] if scan.is_clean(walk) else apart(walk(with_places=True))


def _form(scan: Scan, text: str, form: list[multipart.Part], context: Context) -> list[Edit]:
    """Search a multipart body: each field under its name, or, where that finds nothing, all of it."""
    edits: list[Edit] = []
    for part in form:
        start = part.start
        layer = context.inside("form", partial(operator.add, start), part.name)
        inside = scan.text(text[start : part.end], layer, part.name, key_kind(part.name))
        edits += [Edit(start + first, start + last, new) for first, last, new in inside]
    return apart([*edits, *(() if edits else scan.flat(text, context, None, None))])


def encoded(scan: Scan, text: str, context: Context, name: str | None) -> list[Edit]:
    """Search what a text stands for, where it is base64, hexadecimal, or bytes written as characters."""
    decoded = _decoded(text, context, name)
    if decoded is None:
        return []
    new = content(scan, decoded.data, context.inside(decoded.name))
    # The line end behind a block of base64 stays where it is.
    return [] if new is None else [Edit(0, len(text.rstrip()), decoded.write(new).rstrip())]


def _decoded(text: str, context: Context, name: str | None) -> encodings.Decoded | None:
    if getattr(text, "is_binary", False):
        return encodings.from_base64(text, declared=True)
    if text[:2] == "\x1f\x8b" or (text[:1] == "\x78" and "\x7f" < max(text[:64]) <= "\xff"):
        return encodings.from_characters(text)
    if len(text) < _LEAST_BASE64 or " " in text[:64] or (name and is_opaque_key(name)):
        return None
    found = encodings.from_base64(text) or encodings.from_hex(text)
    if found is None and bodies.may_be_body(name) and encodings.is_base64(text):
        maps = context.maps()
        if bodies.is_declared_base64(maps, name) or bodies.header(maps, "contentencoding"):
            found = encodings.from_base64(text, declared=True)
    return found


def chunks(scan: Scan, items: list[str], context: Context) -> list[tuple[str, Edit]] | None:
    """Search the bytes that a list of hexadecimal or base64 chunks holds together, as Polly.js writes them.

    The edits are those of the chunks, of which there are as many as before. None: it is no such list.
    """
    for read, name in ((encodings.chunks_of_hex, "hex"), (encodings.chunks_of_base64, "base64")):
        data = read(items)
        if data is None:
            continue
        new = content(scan, data, context.inside(name))
        if new is None:
            return []
        written = encodings.as_chunks(new, len(items), name)
        return [(item, Edit(0, len(item), chunk)) for item, chunk in zip(items, written, strict=True)]
    return None


def content(scan: Scan, data: bytes, context: Context) -> bytes | None:
    """Search bytes, compressed or not. The new bytes, or None where nothing changes."""
    if context.depth > MAX_LAYERS:
        scan.miss(context, "too-deep", f"layers in layers, nested more than {MAX_LAYERS} deep")
        return None
    declared = bodies.header(context.maps(), "contentencoding") or ""
    try:
        opened = encodings.decompressed(data, declared, budget=scan.budget)
        if opened is None and not encodings.is_text(data) and not encodings.is_media(data):
            opened = encodings.guessed(data, budget=scan.budget)
    except LimitReached as limit:
        scan.miss(context, limit.rule, limit.reason)
        return None
    if opened is None:
        closed = _plain_content(scan, data, context, declared)
    else:
        scan.budget -= len(opened.data)
        if not opened.is_whole:
            scan.miss(context, "compressed", f"a {opened.name} body that is cut off")
        new = content(scan, opened.data, context.inside(opened.name))
        closed = None if new is None else opened.close(new)
    if closed is not None:
        scan.lengths.append((len(data), len(closed)))
    return closed


def _plain_content(scan: Scan, data: bytes, context: Context, declared: str) -> bytes | None:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        if any(name.strip().lower() in _COMPRESSED for name in declared.split(",")):
            scan.miss(context, "compressed", "a body that is said to be compressed could not be opened")
        if encodings.is_media(data):
            return None
        # Something else: what stands in it as plain text counts.
        text = data.decode("latin-1")
        inside = scan.flat(text, context, None, None)
        return edited(text, inside).encode("latin-1") if inside and scan.mark else None
    inside = scan.text(text, context.deeper())
    return edited(text, inside).encode() if inside and scan.mark else None
