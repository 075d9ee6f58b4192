"""The search through one file: its tree, the layers in its texts, and the layers in those.

One walk serves both uses. Looking, it notes what it finds. Fixing, it also returns the edits that put markers in the
place of secrets, each layer closed again around its new content.

Texts of JSON are walked twice: quickly, and, only where something was found, once more with the place of every text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from dryfire_action.json_leaves import Fields
from dryfire_action.named_texts import NamedText, Way, named_texts, path_of
from dryfire_action.recordings import bodies, json_tree, known_texts, layers, notations, quick_walk, streams
from dryfire_action.recordings.context import Context, InLeaf
from dryfire_action.recordings.edits import Edit, edited, written_edits
from dryfire_action.recordings.limits import MAX_LAYERS, MAX_OPENED, LimitReached
from dryfire_action.recordings.plain_texts import is_plain
from dryfire_action.recordings.report import Finding, Layer, NotChecked, Path, shown_path
from dryfire_action.secret_keys import KeyKind
from dryfire_action.secret_rule_set import Rules
from dryfire_action.secret_search import search
from dryfire_action.secret_signs import shows_nothing

Mark = Callable[[str, str, str, int], str]
"""What to put in the place of a value: given the value, the rule, the text around it and where it begins in it."""


# A list of fewer numbers is no text that could hold a secret.
_LEAST_BYTES = 16


def _joined_way(outer: Callable[[], Path], path: Path) -> Path:
    return (*outer(), *path)


def _name_of(way: Way) -> str | None:
    """The name that the list which a way leads to stands under, itself or as an item of lists."""
    while way and not isinstance(way[1], str):
        way = way[0]
    return way[1] if way else None


class _Dirty(Exception):
    """Something was found on a quick walk."""


class Scan:
    """The walk through one file.

    `passes` says of a rule and a value whether they are allowed, `whole` is the file's text, by which lines are
    counted, `mark` makes markers if the file is to be fixed, `lengths` are the sizes in bytes of changed layers,
    before and after.
    """

    def __init__(
        self,
        file: str,
        rules: Rules,
        passes: Callable[[str, str], bool],
    ) -> None:
        self.file = file
        self.rules = rules
        self.passes = passes
        self.mark: Mark | None = None
        self.whole = ""
        self.findings: list[Finding] = []
        self.not_checked: list[NotChecked] = []
        self.lengths: list[tuple[int, int]] = []
        self.budget = MAX_OPENED
        self._quick = 0
        self._allowed = self._looked_around = 0
        self._asked, self._shows_nothing = "", True
        # What a text over several pieces was found to hold need not be found in each again.
        self._opened: dict[int, str] = {}
        self._covered: dict[int, tuple[str, list[tuple[int, int]]]] = {}

    # What is found, and what is not.

    def note(
        self,
        context: Context,
        found: tuple[int, int, str],
        text: str,
        *,
        at: int | None = None,
        path: Path = (),
    ) -> str | None:
        """Note a secret in a text, unless it is allowed; its marker. `at` is its place in `context`, if another."""
        start, end, rule = found
        value = text[start:end]
        if self.passes(rule, value):
            self._allowed += 1
            return None
        if self._quick:
            raise _Dirty
        where = shown_path((*context.way(), *path))
        self.findings.append(
            Finding(self.file, self._line(context.place(start if at is None else at)), where, rule, value)
        )
        return self.mark(value, rule, text, start) if self.mark else ""

    def miss(self, context: Context, rule: str, reason: str) -> None:
        """Note something that was not looked at, unless that is allowed."""
        if self.passes(rule, ""):
            self._allowed += 1
            return
        if self._quick:
            raise _Dirty
        line = self._line(context.place(0))
        missed = NotChecked(self.file, line, shown_path(context.way()), rule, reason)
        if missed not in self.not_checked:
            self.not_checked.append(missed)

    def doubts(self) -> tuple[int, int]:
        """How often something was found that is allowed, and how often what stands around a text mattered. Where that
        grows, what was searched is not known to be clean under all circumstances."""
        return self._allowed, self._looked_around

    def _line(self, offset: int) -> int:
        return self.whole.count("\n", 0, max(0, offset)) + 1

    # Texts.

    def shows_nothing(self, text: str) -> bool:
        """Whether a text shows no sign of a secret; worked out once where it is asked twice in a row."""
        if text is not self._asked:
            self._asked, self._shows_nothing = text, shows_nothing(text, self.rules.plan)
        return self._shows_nothing

    def text(
        self, text: str, context: Context, name: str | None = None, kind: KeyKind | None = None
    ) -> list[Edit]:
        """Search a text and what is in it. The edits are those of the text."""
        if not self._quick or self.rules.team:
            return self._text(text, context, name, kind)
        known = known_texts.of(self.rules)
        if known.is_clean(text, name, kind, context.depth):
            return []
        before = self.doubts()
        # One that is not clean ends the walk here.
        self._text(text, context, name, kind)
        if before == self.doubts() and id(text) not in self._covered:
            known.add_clean(text, name, kind, context.depth)
        return []

    def _text(self, text: str, context: Context, name: str | None, kind: KeyKind | None) -> list[Edit]:
        if context.depth > MAX_LAYERS:
            self.miss(context, "too-deep", f"texts in texts, nested more than {MAX_LAYERS} deep")
            return self.flat(text, context, name, kind)
        try:
            tree = json_tree.parsed(text)
        except LimitReached as limit:
            self.miss(context, limit.rule, limit.reason)
            return self.flat(text, context, name, kind)
        if tree is not None:
            edits = self.json_text(text, tree, context, name)
            if kind is not None or self.rules.team:
                edits = edits or self.flat(text, context, name, kind)
            return edits
        layered = layers.of_parts(self, text, context) if len(text) >= 24 else None
        if layered is not None:
            return layered
        edits = self.flat(text, context, name, kind)
        if id(text) in self._opened:
            return edits
        return edits or layers.encoded(self, text, context, name)

    def flat(self, text: str, context: Context, name: str | None, kind: KeyKind | None) -> list[Edit]:
        """Search a text as it stands."""
        edits = []
        covered = self._covered.get(id(text), ("", []))[1]
        for found in self.search(text, context, name, kind):
            if any(first <= found[0] and found[1] <= last for first, last in covered):
                continue
            marker = self.note(context, found, text)
            if marker is not None:
                edits.append(Edit(*found[:2], marker))
        return edits

    def search(
        self, text: str, context: Context, name: str | None, kind: KeyKind | None
    ) -> Iterable[tuple[int, int, str]]:
        """What the rules find in a text; a pattern of the team's that takes too long is noted and left out."""
        if not self.rules.team:
            is_quiet = kind is None and self.shows_nothing(text)
            return () if is_quiet else search(text, self.rules, name, kind)
        from dryfire_action.patterns import PatternTimeout

        try:
            return search(text, self.rules, name, kind)
        except PatternTimeout as error:
            self.miss(context, "pattern-timeout", error.message)
            without = Rules(table=self.rules.table, samples=self.rules.samples)
            return search(text, without, name, kind)

    def json_text(self, text: str, tree: Any, context: Context, name: str | None = None) -> list[Edit]:
        """Search a text that is JSON, and whose tree without places is at hand."""
        layer = context if not context.depth else context.inside("json", lambda offset: offset)
        before = self._looked_around
        is_short = len(text) <= known_texts.LONGEST_WITH_LISTS
        if self.is_clean(lambda: self.tree(tree, layer, name, is_short=is_short)):
            # What stands around a text in it is part of it.
            self._looked_around = before
            return []
        placed = json_tree.located(text, tree)
        if placed is not None:
            return self.tree(placed, layer, name)
        self.miss(layer, "too-deep", "JSON with secrets in it, nested too deeply to say where")
        return []

    def is_clean(self, walk: Callable[[], object]) -> bool:
        """Whether a walk finds nothing. It is made quickly: nothing is noted, and the first find ends it."""
        if self._quick:
            walk()
            return True
        before = self.budget
        self._quick += 1
        try:
            walk()
        except _Dirty:
            return False
        finally:
            self._quick -= 1
            self.budget = before
        return True

    # Trees.

    def tree(
        self, tree: Any, context: Context, name: str | None = None, *, is_short: bool = False
    ) -> list[Edit]:
        """Search a tree of maps, lists and texts. The edits are those of the text that the tree was read from, which
        is known to be short."""
        changes: dict[int, tuple[str, list[Edit]]] = {}
        if self._quick and not self.rules.team:
            quick_walk.search_tree(self, tree, context, name, keeps_lists=is_short)
            return []
        self._lists(tree, context, changes)
        bodies_changed: list[tuple[Path, list[tuple[int, int]]]] = []
        for named in named_texts(tree, name):
            text = named.text
            if named.kind is None and not self.rules.team and is_plain(text):
                continue
            leaf = self.context_of(tree, named, context)
            before = len(self.lengths)
            edits = (
                self.flat(text, leaf, None, None)
                if named.is_key
                else self.text(text, leaf, named.name, named.kind)
            )
            if edits:
                changes.setdefault(id(text), (text, []))[1].extend(edits)
                if self.mark:
                    size = len(text.encode("utf-8", "surrogatepass"))
                    grown = len(edited(text, edits).encode("utf-8", "surrogatepass"))
                    bodies_changed.append((named.path(), [(size, grown), *self.lengths[before:]]))
        for path, lengths in bodies_changed:
            self._correct_length(tree, path, lengths, changes)
        return [edit for leaf, edits in changes.values() for edit in written_edits(leaf, edits)]

    def context_of(self, tree: Any, named: NamedText, context: Context) -> Context:
        """Where a text of a tree stands."""
        outer, place, text = context.way, context.place, named.text

        def maps() -> list[bodies.Around]:
            self._looked_around += 1
            return bodies.around(tree, named.path())

        return Context(
            lambda: (*outer(), *named.path()),
            InLeaf(text, place),
            maps,
            context.depth + 1,
        )

    def _lists(self, tree: Any, context: Context, changes: dict[int, tuple[str, list[Edit]]]) -> None:
        """Search the texts that stand in a tree piece by piece, over the items of a list."""
        todo: list[tuple[Any, Way]] = [(tree, ())]
        while todo:
            node, way = todo.pop()
            if isinstance(node, list) and not isinstance(node, Fields):
                if node:
                    self.list_of(node, way, context, changes)
                inside: Iterable[tuple[Any, Any]] = enumerate(node)
            else:
                inside = bodies.fields(node)
            todo += [(value, (way, step)) for step, value in inside if isinstance(value, (dict, list))]

    def list_of(
        self, node: list[Any], way: Way, context: Context, changes: dict[int, tuple[str, list[Edit]]]
    ) -> None:
        """Search what the items of a list say together."""
        first = node[0]
        if isinstance(first, str):
            if len(node) < 2 and len(first) < notations.LEAST_IN_CHUNKS:
                return
            if notations.may_be_chunks(node) and self._chunks(node, context, path_of(way), changes):
                return
            if len(node) > 1 and (found := streams.joined_list(node, _name_of(way))):
                self.pieces(found, context, (*path_of(way), Layer("stream")), changes)
        elif isinstance(first, int):
            if len(node) >= _LEAST_BYTES:
                steps = partial(_joined_way, context.way, path_of(way))
                layers.numbers(self, node, Context(steps, context.place, depth=context.depth))
        elif type(node) is streams.EventList or streams.are_events(node):
            path = path_of(way)
            where = path if type(node) is streams.EventList else (*path, Layer("stream"))
            for found in streams.joined_texts(node):
                self.pieces(found, context, where, changes)

    def _chunks(
        self, node: list[Any], context: Context, path: Path, changes: dict[int, tuple[str, list[Edit]]]
    ) -> bool:
        """Search a list of texts that are bytes in pieces; whether it is one."""
        way = context.way
        inside = Context(lambda: (*way(), *path), InLeaf(node[0], context.place), list, context.depth + 1)
        found = layers.chunks(self, node, inside)
        if found is None:
            return False
        self._opened.update((id(leaf), leaf) for leaf in node)
        for leaf, edit in found:
            changes.setdefault(id(leaf), (leaf, []))[1].append(edit)
        return True

    def pieces(
        self, found: streams.Joined, context: Context, path: Path, changes: dict[int, tuple[str, list[Edit]]]
    ) -> None:
        """Search a text that comes in pieces for what no piece holds whole."""
        for hit in self.search(found.text, context, None, None):
            parts = list(found.parts(*hit[:2]))
            if len(parts) < 2:
                continue
            number, first, _ = parts[0]
            inside = Context(context.way, InLeaf(found.pieces[number], context.place))
            marker = self.note(inside, hit, found.text, at=first, path=(*path, *found.names))
            if marker is None:
                continue
            for number, first, last in parts:
                leaf = found.pieces[number]
                edit = Edit(first, last, marker if number == parts[0][0] else "")
                changes.setdefault(id(leaf), (leaf, []))[1].append(edit)
                # The leaf is kept with it, so that its id stays its own.
                self._covered.setdefault(id(leaf), (leaf, []))[1].append((first, last))

    def _correct_length(
        self,
        tree: Any,
        path: Path,
        lengths: list[tuple[int, int]],
        changes: dict[int, tuple[str, list[Edit]]],
    ) -> None:
        """Write the new length of a changed body where a `content-length` beside it gave the old one."""
        leaf = bodies.header(bodies.around(tree, path), "contentlength")
        if leaf is None or not leaf.strip().isdecimal():
            return
        new = next((new for old, new in lengths if old == int(leaf)), None)
        if new is not None and str(new) != leaf.strip():
            changes.setdefault(id(leaf), (leaf, []))[1].append(Edit(0, len(leaf), str(new)))
