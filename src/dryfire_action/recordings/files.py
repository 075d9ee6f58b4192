"""One file from bytes to findings, and from bytes to bytes without them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from dryfire_action.late_pattern import late
from dryfire_action.recordings import byte_kinds, compression, json_tree, layers
from dryfire_action.recordings.context import Context
from dryfire_action.recordings.edits import Edit, edited
from dryfire_action.recordings.formats import format_of, is_recording
from dryfire_action.recordings.limits import MAX_FILE, LimitReached
from dryfire_action.recordings.markers import Markers
from dryfire_action.recordings.report import Report
from dryfire_action.recordings.scan import Scan
from dryfire_action.recordings.text_encodings import encoded, encoding_of
from dryfire_action.secret_rule_set import Rules

Passes = Callable[[str, str], bool]
"""Whether a value that a rule found, or what a rule says was not checked (value ""), is allowed."""


def nothing_passes(rule: str, value: str) -> bool:  # noqa: ARG001
    """Allow nothing."""
    return False


_CONFLICT = late(r"^(?:<{7}|>{7}|\|{7}) |^={7}$", re.MULTILINE)
# The same for short, with a letter in front by which it is found fast.
_CONFLICT_MARK = late(r"\n[<=>|]{7}")
_COMPRESSED_NAME = late(r"\.(?:gz|gzip|br|zst|zz|bz2|xz)\Z", re.IGNORECASE)
_YAML_NAME = late(r"\.ya?ml\Z", re.IGNORECASE)
_JSON_NAME = late(r"\.(?:json|har)\Z", re.IGNORECASE)
_YAML_START = late(r"(?:---|%YAML|[A-Za-z_][\w-]*:)[ \t\r\n]")
# Each round brings less: a marker may bring text together that was apart before.
_MOST_ROUNDS = 6


class Fixed(NamedTuple):
    """A file without secrets, what was found in it, and what is still there: rules whose finding could not be removed,
    and layers that were not checked."""

    data: bytes
    found: Report
    left: Report


def look(data: bytes, file: str, rules: Rules, *, passes: Passes = nothing_passes) -> Report:
    """What one file holds. `file` is its path as shown to people; rules for recordings count in recordings only."""
    return _Looking(file, rules, passes).report(data)


def fix(data: bytes, file: str, rules: Rules, *, passes: Passes = nothing_passes) -> Fixed:
    """The file with markers in place of what was found, and otherwise the same bytes."""
    first: Report | None = None
    for _ in range(_MOST_ROUNDS):
        looking = _Looking(file, rules, passes, fixing=True)
        new = looking.content(data, file)
        report = looking.reported()
        first = first or report
        if new is None or new == data:
            break
        data = new
    assert first is not None
    return Fixed(data, first, look(data, file, rules, passes=passes))


class _Looking:
    def __init__(self, file: str, rules: Rules, passes: Passes, *, fixing: bool = False) -> None:
        self.rules = rules
        self.scan = Scan(file, rules, passes)
        self.fixing = fixing
        self.format = ""

    def report(self, data: bytes) -> Report:
        self.content(data, self.scan.file)
        return self.reported()

    def reported(self) -> Report:
        findings = sorted(self.scan.findings, key=lambda found: found.line)
        return Report(tuple(findings), tuple(self.scan.not_checked), self.format)

    def content(self, data: bytes, name: str) -> bytes | None:
        """Search a file's bytes; the new bytes where something changes."""
        scan = self.scan
        if len(data) > MAX_FILE:
            scan.miss(Context(), "too-large", f"the file has {len(data):,} bytes; {MAX_FILE:,} are read")
            return None
        try:
            declared = "br" if name.lower().endswith(".br") else ""
            opened = compression.decompressed(data, declared, budget=scan.budget)
        except LimitReached as limit:
            scan.miss(Context(), limit.rule, limit.reason)
            return None
        if opened is not None:
            scan.budget -= len(opened.data)
            if not opened.is_whole:
                scan.miss(Context(), "compressed", "the file is cut off")
            new = self.content(opened.data, _COMPRESSED_NAME.sub("", name))
            return None if new is None else opened.close(new)
        if compression.is_surely_compressed(data):
            scan.miss(Context(), "compressed", "the file is damaged: it could not be opened")
        encoding = encoding_of(data)
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            if byte_kinds.is_media(data) or byte_kinds.is_archive(data):
                # Looked into, but never written: a picture with other bytes in it is none.
                scan.rules = self.rules.outside_recordings()
                layers.content(scan, data, Context())
                return None
            if encoding != "utf-8":
                scan.miss(Context(), "unreadable", f"the file is damaged {encoding.upper()} text")
                self._as_text(data.decode(encoding, "replace"))
                return None
            # Not UTF-8, or damaged: one character a byte, so that all that is no secret stays as it is.
            encoding = "latin-1"
            text = data.decode(encoding)
        edits = self.text(text, name)
        if not edits or not self.fixing:
            return None
        from dryfire_action.recordings.sizes import corrected

        written = corrected(text, edited(text, edits))
        return written.encode(encoding) if encoding == "latin-1" else encoded(written, data)

    def text(self, text: str, name: str) -> list[Edit]:
        """Search a file's text. The edits are those of the text."""
        scan = self.scan
        scan.whole = text
        if self.fixing:
            scan.mark = Markers(text)
        # The first mark may be the text's first line; of two, one is not.
        conflict = _CONFLICT.search(text) if _CONFLICT_MARK.search(text) is not None else None
        if conflict is not None and len({found[0][:3] for found in _CONFLICT.finditer(text)}) > 1:
            place = conflict.start()
            scan.miss(Context(place=lambda _: place), "conflict", "the marks of a merge conflict")
            return self._as_text(text)
        try:
            tree = json_tree.parsed(text)
            if tree is not None:
                self._use_rules_for(tree)
                return scan.json_text(text, tree, Context())
            if json_tree.is_jsonl(text):
                self._use_rules_for(None)
                return layers.stream(scan, text, Context(), lines=True)
            if _YAML_NAME.search(name) or _YAML_START.match(text):
                return self._yaml(text, name)
        except LimitReached as limit:
            scan.miss(Context(), limit.rule, limit.reason)
        else:
            if _JSON_NAME.search(name) and text.strip():
                if (value := json_tree.scalar(text)) is not None:
                    self._use_rules_for(None)
                    return scan.text(value, Context()) and []
                scan.miss(Context(), "unreadable", "the file is no JSON, although its name says so")
        return self._as_text(text)

    def _as_text(self, text: str) -> list[Edit]:
        self._use_rules_for(None)
        return self.scan.text(text, Context())

    def _yaml(self, text: str, name: str) -> list[Edit]:
        from dryfire_action.recordings.yaml_tree import read_documents

        scan = self.scan
        try:
            trees, rest = read_documents(text)
        except ValueError as error:
            if _YAML_NAME.search(name):
                scan.miss(Context(), "unreadable", f"the file is no YAML: {error}")
            return self._as_text(text)
        self._use_rules_for(trees[0] if trees else None)
        edits: list[Edit] = []
        for number, tree in enumerate(trees):
            way = (number,) if len(trees) > 1 else ()
            if isinstance(tree, str):
                tree = [tree]
            context = Context(partial(tuple, way))
            if not scan.is_clean(partial(scan.tree, tree, context)):
                edits += scan.tree(tree, context)
        return edits + (scan.flat(rest, Context(), None, None) if rest else [])

    def _use_rules_for(self, tree: object) -> None:
        self.format = format_of(tree)
        if not is_recording(self.scan.file, self.format):
            self.scan.rules = self.rules.outside_recordings()
