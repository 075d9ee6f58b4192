"""``$ref`` and ``${NAME}``: what a suite takes from other files and from ``env:`` in ``dryfire.yaml``.

``$ref`` names a whole file, relative to the file it stands in and inside the repository. ``.yaml``,
``.yml`` and ``.json`` are parsed, ``.md`` and ``.txt`` are raw text, so that a suite tests the prompt file
that the product ships. Raw text is taken as it is, but for CRLF, which becomes LF: how git checked a file
out must not make recordings stale.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dryfire_action.document import Document, KeyMark, Mark
from dryfire_action.errors import Place, SpecError
from dryfire_action.node import Node, did_you_mean, root_of
from dryfire_action.source_text import decoded, lines_of
from dryfire_action.tree import MAX_BYTES, TreeError, folder_of, inside
from dryfire_action.yaml_io import MAX_WEIGHT, read_document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dryfire_action.messages import JsonValue
    from dryfire_action.node import Problems
    from dryfire_action.tree import Tree

PARSED = (".yaml", ".yml", ".json")
RAW = (".md", ".txt")
MAX_CHAIN = 8
# Characters that all names of one file together may add.
MAX_GROWTH = 10_000_000

_NAME = re.compile(r"\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)\}")


class Files:
    """The parsed and raw files of one load, each read once."""

    def __init__(self, tree: Tree, problems: Problems) -> None:
        self.tree = tree
        self.problems = problems
        self._known: dict[str, Document | None] = {}

    def document(self, path: str, *, keep: bool = True) -> Document | None:
        """The file at ``path``; None where its content is wrong, which is noted.

        Raises ``TreeError`` where it cannot be read or is not there. What nobody else refers to need not be kept.
        """
        if path not in self._known:
            data = self.tree.read(path)
            if data is None:
                raise TreeError(path, "there is no such file", remedy=self._near(path))
            if len(data) > MAX_BYTES:
                # A tree that recordings are read from takes larger files.
                raise TreeError(path, f"has {len(data):,} bytes, and the limit is {MAX_BYTES:,}")
            found = self._read(data, path)
            if not keep:
                return found
            self._known[path] = found
        return self._known[path]

    def _near(self, path: str) -> str:
        """A hint that names the file in the same folder whose name is most like that of ``path``."""
        folder = folder_of(path)
        names = {other.rpartition("/")[2] for other in self.tree.files(folder) if folder_of(other) == folder}
        hint = did_you_mean(path.rpartition("/")[2], names)
        return hint if hint.startswith("Did") else ""

    def _read(self, data: bytes, path: str) -> Document | None:
        try:
            if not path.lower().endswith(RAW):
                return read_document(data, path)
            text = decoded(data, path).replace("\r\n", "\n")
        except SpecError as error:
            self.problems.note(*error.problems)
            return None
        return Document(path, text, Mark(0, 0), lines_of(text), 1 + len(text) // 64)


class References:
    """Resolves what the suites under one config refer to.

    ``env`` maps the declared names to their values; None means that the config could not be read, and then
    names stay as they are and are no problem of the suite.
    """

    def __init__(self, files: Files, env: Mapping[str, str] | None) -> None:
        self.files = files
        self.problems = files.problems
        self.env = env
        self._filled: dict[str, Document] = {}
        self._weight = 0

    def suite(self, path: str) -> Document | None:
        """The suite at ``path`` with its names filled in. Raises ``TreeError``.

        It is not kept: the places of all its values take more memory than what is made of it.
        """
        found = self.files.document(path, keep=False)
        return found if found is None else self._with_names(found)

    def document(self, path: str) -> Document | None:
        """The file at ``path`` with its names filled in. Raises ``TreeError``."""
        if path in self._filled:
            return self._filled[path]
        found = self.files.document(path)
        if found is not None:
            found = self._filled[path] = self._with_names(found)
        return found

    def resolved(self, node: Node) -> Node | None:
        """``node``, or what its ``$ref`` names; None where that cannot be read, which is noted."""
        while (target := reference_of(node.value)) is not None:
            if set(node.value) != {"$ref"}:
                extra = next(key for key in node.value if key != "$ref")
                self.problems.add(
                    node.child(extra),
                    f"{extra!r} stands beside $ref, which takes the place of the whole map",
                    "Remove it, or put it into the file.",
                    at=node.child(extra).home,
                )
                return None
            found = self._followed(node, target)
            if found is None:
                return None
            node = found
        return node

    def data(self, node: Node) -> JsonValue:
        """The plain value of ``node`` with every ``$ref`` in it resolved, at any depth.

        One that begins with ``#`` points into the value itself, as in JSON Schema, and is left alone.
        """
        if not _holds_reference(node.value):
            return node.value
        return self._data(node)

    def _data(self, node: Node) -> JsonValue:
        found = self.resolved(node)
        if found is None:
            return None
        if isinstance(found.value, dict):
            return {key: self._data(found.child(key)) for key in found.value}
        if isinstance(found.value, list):
            return [self._data(item) for item in found.children()]
        return found.value

    def _followed(self, node: Node, target: str) -> Node | None:
        at = node.child("$ref")
        home = node.document.file
        try:
            path = inside(target, folder_of(home))
            if not path.lower().endswith(PARSED + RAW):
                if "#" in target:
                    raise TreeError(target, "a part of a file cannot be named, only the whole file")
                raise TreeError(target, f"a $ref names a file that ends in {', '.join(PARSED + RAW)}")
            chain = (*node.chain, home)
            if path in chain:
                shown = " -> ".join((*chain[chain.index(path) :], path))
                raise TreeError(target, f"the files refer to each other in a circle: {shown}")
            if len(chain) > MAX_CHAIN:
                raise TreeError(target, f"more than {MAX_CHAIN} files refer to one another in a chain")
            document = self.document(path)
        except TreeError as error:
            self.problems.add(at, f"$ref {target!r}: {error.reason}", error.remedy)
            return None
        if document is None:
            return None
        self._weight += document.weight
        if self._weight > 4 * MAX_WEIGHT:
            self.problems.add(at, "the files that are referred to hold too much once they are put in")
            return None
        return root_of(document, chain)

    def _with_names(self, document: Document) -> Document:
        if not document.dollars or self.env is None:
            return document
        filling = _Filling(document, self.env, self.problems)
        return replace(document, value=filling.filled(document.value, document.mark, ()))


class _Filling:
    """Fills the names of one document."""

    def __init__(self, document: Document, env: Mapping[str, str], problems: Problems) -> None:
        self.document = document
        self.env = env
        self.problems = problems
        self.growth = 0
        # What aliases share is filled once, and stays shared.
        self.done: dict[int, Any] = {}

    def filled(self, value: Any, mark: Mark, path: tuple[str | int, ...]) -> Any:
        if isinstance(value, str):
            return self._text(value, mark, path) if "${" in value else value
        if not isinstance(value, dict | list):
            return value
        if id(value) not in self.done:
            self.done[id(value)] = self._container(value, mark, path)
        return self.done[id(value)]

    def _container(self, value: Any, mark: Mark, path: tuple[str | int, ...]) -> Any:
        if isinstance(value, list):
            return [self.filled(item, mark.inside[index], (*path, index)) for index, item in enumerate(value)]
        # A path in `$ref` is a path: what file it names must not hang on the environment.
        return {
            key: item if key == "$ref" else self.filled(item, _value_mark(mark.inside[key]), (*path, key))
            for key, item in value.items()
        }

    def _text(self, text: str, mark: Mark, path: tuple[str | int, ...]) -> str:
        def value_of(match: re.Match[str]) -> str:
            escaped, name = match.groups()
            if escaped:
                return f"${{{name}}}"
            if name not in self.env:
                self._undeclared(name, mark, path)
                return ""
            self.growth += len(self.env[name])
            if self.growth > MAX_GROWTH:
                node = Node(self.document, text, mark, path)
                self.problems.add(node, f"the names in this file become more than {MAX_GROWTH:,} characters")
                return ""
            return self.env[name]

        return _NAME.sub(value_of, text)

    def _undeclared(self, name: str, mark: Mark, path: tuple[str | int, ...]) -> None:
        at = Place(self.document.file, mark.line + 1, mark.column + 1)
        # A text may run over many lines: point to the line of the name.
        for line in range(mark.line, min(mark.line + 200, len(self.document.lines))):
            column = self.document.lines[line].find(f"${{{name}}}", mark.column if line == mark.line else 0)
            if column >= 0:
                at = Place(self.document.file, line + 1, column + 1)
                break
        close = did_you_mean(name, self.env) if self.env else ""
        hint = (
            f"Declare it with a default under env: in dryfire.yaml, or write $${{{name}}} for the bare text."
        )
        node = Node(self.document, None, mark, path)
        self.problems.add(node, f"the name ${{{name}}} is not declared", f"{close} {hint}".strip(), at=at)


def reference_of(value: JsonValue) -> str | None:
    """The file that a ``$ref`` map names, None if the value is no such map."""
    if not isinstance(value, dict):
        return None
    target = value.get("$ref")
    return target if isinstance(target, str) and not target.startswith("#") else None


def refuse_reference(node: Node, problems: Problems) -> bool:
    """Note a ``$ref`` that stands where none may; whether there is one."""
    if reference_of(node.value) is None:
        return False
    problems.add(
        node,
        "$ref may not stand here",
        "It may stand for a tool, the list of tools, a schema, system, a message's content or a mock's return.",
    )
    return True


def _holds_reference(value: JsonValue) -> bool:
    if isinstance(value, dict):
        return reference_of(value) is not None or any(map(_holds_reference, value.values()))
    return isinstance(value, list) and any(map(_holds_reference, value))


def _value_mark(mark: Mark | KeyMark) -> Mark:
    return mark.value if isinstance(mark, KeyMark) else mark
