"""The layers a text may have: streams, forms, base64 and compression. Each is opened, searched, and closed again."""

from __future__ import annotations

import operator
import re
from functools import partial
from typing import TYPE_CHECKING

from dryfire_action.late_pattern import late, late_bytes
from dryfire_action.recordings import bodies, byte_kinds, compression, json_tree, notations, streams
from dryfire_action.recordings.edits import Edit, apart, edited
from dryfire_action.recordings.escapes import may_be_escaped, unescaped
from dryfire_action.recordings.limits import MAX_LAYERS, LimitReached
from dryfire_action.recordings.text_encodings import encoded as written
from dryfire_action.recordings.text_encodings import encoding_of
from dryfire_action.secret_keys import is_opaque_key, key_kind
from dryfire_action.secret_signs import has_run

if TYPE_CHECKING:
    from dryfire_action.recordings import multipart
    from dryfire_action.recordings.context import Context
    from dryfire_action.recordings.scan import Scan

_COMPRESSED = frozenset({"gzip", "x-gzip", "deflate", "br", "zstd", "compress"})
_LEAST_BASE64 = 16
# What compressed bytes begin with that are written one a character.
_BYTES = ("\x1f", "x")
# In pictures and the like only whole words are looked at, as metadata has them.
_MEDIA_WORDS = late_bytes(rb"[\x20-\x7e]{16,}")
# Base64 that stands in a text among other words, and all that a `data:` address holds.
_LEAST_WORD = 40
_BASE64_WORDS = late(
    rf"(?<![A-Za-z0-9+/_.=-])[A-Za-z0-9+/_-]{{{_LEAST_WORD},}}+={{0,2}}+(?![A-Za-z0-9+/_.=-])", re.ASCII
)
_DATA_ADDRESS = late(r";base64,([A-Za-z0-9+/_-]{16,}+={0,2})", re.ASCII)


def of_parts(scan: Scan, text: str, context: Context) -> list[Edit] | None:
    """Search a text that consists of parts: events, lines of JSON, the fields of a form. None: it is no such text."""
    if streams.is_stream(text):
        return stream(scan, text, context)
    if text[0] in "{[" and json_tree.is_jsonl(text):
        return stream(scan, text, context, lines=True)
    if "form-data" in text:
        from dryfire_action.recordings import multipart

        form = list(multipart.parts(text))
        if form:
            return _form(scan, text, form, context)
    return None


def shows_none(text: str, name: str | None) -> bool:
    """Whether a text in which no rule finds a sign, and that is no JSON, shows no sign of a layer either: then neither
    it nor a word in it stands for something else."""
    return not shows_mark(text) and stands_for_itself(text, name) and not holds_word(text)


def shows_mark(text: str) -> bool:
    """Whether a text shows a mark that a layer has. Some texts together show every mark that one of them shows."""
    return "data:" in text or ";base64," in text or may_be_escaped(text)


def stands_for_itself(text: str, name: str | None) -> bool:
    """Whether a text is not, as a whole, base64, hexadecimal or the like around something."""
    if text[:1] in _BYTES and not text.isascii():
        return False
    if len(text) < _LEAST_BASE64:
        return True
    if type(text) is not str and getattr(text, "is_binary", False):
        return False
    if text[0] in "{[" and json_tree.is_jsonl(text):
        return False
    if " " in text[:64] or not notations.is_base64(text):
        return True
    if bodies.may_be_body(name):
        return False
    return bool(name and is_opaque_key(name)) or not (notations.from_base64(text) or notations.from_hex(text))


def holds_word(text: str) -> bool:
    """Whether a word in a text, and not all of it, may be base64."""
    if len(text) < _LEAST_WORD or not has_run(text, _LEAST_WORD):
        return False
    word = _BASE64_WORDS.search(text)
    return word is not None and len(word[0]) != len(text)


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
        return _encoded_words(scan, text, context) or _escaped(scan, text, context)
    new = content(scan, decoded.data, context.inside(decoded.name))
    # The line end behind a block of base64 stays where it is.
    return [] if new is None else [Edit(0, len(text.rstrip()), decoded.write(new).rstrip())]


def _encoded_words(scan: Scan, text: str, context: Context) -> list[Edit]:
    """Search what stands in base64 among other words, and in `data:` addresses."""
    if len(text) < _LEAST_BASE64 * 2:
        return []
    found = [(match.span(1), True) for match in _DATA_ADDRESS.finditer(text)] if ";base64," in text else []
    if has_run(text, _LEAST_WORD):
        found += [(match.span(), False) for match in _BASE64_WORDS.finditer(text)]
    edits = []
    for (start, end), declared in found:
        decoded = notations.from_base64(text[start:end], declared=declared)
        if decoded is None or end - start == len(text):
            continue
        new = content(scan, decoded.data, context.inside("base64", partial(operator.add, start)))
        if new is not None:
            edits.append(Edit(start, end, decoded.write(new)))
    return apart(edits)


def _escaped(scan: Scan, text: str, context: Context) -> list[Edit]:
    """Search a text as it reads once its escapes are read."""
    found = unescaped(text)
    if found is None:
        return []
    edits = []
    layer = context.inside("escapes", lambda offset: offset)
    for hit in scan.search(found.text, context, None, None):
        start, end = found.places[hit[0]], found.places[hit[1]]
        marker = scan.note(layer, hit, found.text, at=start)
        if marker is not None:
            edits.append(Edit(start, end, marker))
    return edits


def numbers(scan: Scan, items: list[int], context: Context) -> None:
    """Search the bytes that a list of numbers writes, as Node's buffers are written. They are not rewritten."""
    try:
        data = bytes(items)
    except (ValueError, TypeError):
        return
    if compression.decompressed_head(data) or byte_kinds.is_text(data):
        content(scan, data, context.inside("bytes"))


def _decoded(text: str, context: Context, name: str | None) -> notations.Decoded | None:
    if getattr(text, "is_binary", False):
        return notations.from_base64(text, declared=True)
    if text[:2] == "\x1f\x8b" or (text[:1] == "x" and "\x7f" < max(text[:64]) <= "\xff"):
        return notations.from_characters(text)
    if len(text) < _LEAST_BASE64 or " " in text[:64] or (name and is_opaque_key(name)):
        return None
    found = notations.from_base64(text) or notations.from_hex(text)
    if found is None and is_body(text, name):
        maps = context.maps()
        if bodies.is_declared_base64(maps, name) or bodies.header(maps, "contentencoding"):
            found = notations.from_base64(text, declared=True)
    return found


def is_body(text: str, name: str | None) -> bool:
    """Whether what a text stands for depends on what is said beside it."""
    return len(text) >= _LEAST_BASE64 and bodies.may_be_body(name) and notations.is_base64(text)


def chunks(scan: Scan, items: list[str], context: Context) -> list[tuple[str, Edit]] | None:
    """Search the bytes that a list of hexadecimal or base64 chunks holds together, as Polly.js writes them.

    The edits are those of the chunks, of which there are as many as before. None: it is no such list.
    """
    for read, name in ((notations.chunks_of_hex, "hex"), (notations.chunks_of_base64, "base64")):
        data = read(items)
        if data is None:
            continue
        new = content(scan, data, context.inside(name))
        if new is None:
            return []
        written = notations.as_chunks(new, len(items), name)
        return [(item, Edit(0, len(item), chunk)) for item, chunk in zip(items, written, strict=True)]
    return None


def content(scan: Scan, data: bytes, context: Context) -> bytes | None:
    """Search bytes, compressed or not. The new bytes, or None where nothing changes."""
    if context.depth > MAX_LAYERS:
        scan.miss(context, "too-deep", f"layers in layers, nested more than {MAX_LAYERS} deep")
        return None
    declared = bodies.header(context.maps(), "contentencoding") or ""
    try:
        opened = compression.decompressed(data, declared, budget=scan.budget)
        if opened is None and not byte_kinds.is_text(data) and not byte_kinds.is_media(data):
            opened = compression.guessed(data, budget=scan.budget)
    except LimitReached as limit:
        scan.miss(context, limit.rule, limit.reason)
        return None
    if opened is None and compression.is_surely_compressed(data):
        scan.miss(context, "compressed", "a body that is damaged: it could not be opened")
    if opened is None and byte_kinds.is_archive(data):
        _members(scan, data, context)
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


def _members(scan: Scan, data: bytes, context: Context) -> None:
    """Search the files of an archive. They are not rewritten."""
    from dryfire_action.recordings import archives

    try:
        for member in archives.members(data, budget=scan.budget):
            inside = context.inside("zip", None, member.name)
            if member.data is None:
                scan.miss(inside, "compressed", "an archive, or a file in it, that could not be opened")
            else:
                scan.budget -= len(member.data)
                content(scan, member.data, inside)
    except LimitReached as limit:
        scan.miss(context, limit.rule, limit.reason)


def _plain_content(scan: Scan, data: bytes, context: Context, declared: str) -> bytes | None:
    encoding = encoding_of(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        if any(name.strip().lower() in _COMPRESSED for name in declared.split(",")):
            scan.miss(context, "compressed", "a body that is said to be compressed could not be opened")
        if byte_kinds.is_media(data):
            scan.flat("\n".join(map(bytes.decode, _MEDIA_WORDS.findall(data))), context, None, None)
            return None
        # Something else: what stands in it as plain text counts.
        text = data.decode("latin-1")
        inside = scan.flat(text, context, None, None)
        return edited(text, inside).encode("latin-1") if inside and scan.mark else None
    inside = scan.text(text, context.deeper())
    return written(edited(text, inside), data) if inside and scan.mark else None
