"""Which suites a pattern names.

``*`` and ``?`` stay within a name, ``**`` stands for any number of folders, ``[ab]`` for one character.
Upper and lower case differ everywhere, and hidden names match only a pattern that writes their dot.
"""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

from dryfire_action.errors import UsageError
from dryfire_action.tree import CONFIG_NAME, FolderTree, IsFolder, TreeError, inside

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dryfire_action.tree import Tree

_MAGIC = re.compile(r"[*?\[]")


class NothingMatched(UsageError):
    """A pattern that names no file."""

    slug = "nothing-matched"


def matching(tree: Tree, pattern: str, base: str = "") -> tuple[str, ...]:
    """The files of ``tree`` that ``pattern`` names, sorted. ``base`` is the folder it is relative to.

    A pattern that is the path of a file names that file, whatever characters are in it. Backslashes are
    slashes. Raises ``NothingMatched`` where nothing is named, ``UsageError`` for a folder and for a pattern
    that leaves the tree.
    """
    try:
        path = inside(_relative(tree, pattern, base), base)
    except TreeError as error:
        if error.reason.startswith("is the repository itself"):
            raise _is_folder(pattern) from None
        raise UsageError(f"{pattern}: {error.reason}", remedy=error.remedy) from None
    try:
        if tree.read(path) is not None:
            return (path,)
    except IsFolder:
        raise _is_folder(pattern) from None
    parts = path.split("/")
    fixed = list(takewhile(lambda part: not _MAGIC.search(part), parts[:-1]))
    hidden = any(part.startswith(".") for part in parts[len(fixed) :])
    files = tree.files("/".join(fixed), hidden=hidden, odd=True)
    found = sorted(file for file in files if _names(file, parts))
    if found:
        return tuple(found)
    if not _MAGIC.search(path) and next(iter(tree.files(path, hidden=True)), None) is not None:
        raise _is_folder(pattern)
    raise NothingMatched(f"no file matches {pattern}", remedy="Suites are usually called *.eval.yaml.")


def matching_any(tree: Tree, patterns: Iterable[str], base: str = "") -> tuple[str, ...]:
    """The files that the patterns name, in the order of the patterns, each once."""
    return tuple(dict.fromkeys(path for pattern in patterns for path in matching(tree, pattern, base)))


def _relative(tree: Tree, pattern: str, base: str) -> str:
    """An absolute pattern below a folder's root, made relative to ``base``; any other pattern as it is."""
    text = pattern.replace("\\", "/")
    if isinstance(tree, FolderTree):
        root = tree.root.as_posix().rstrip("/") + "/"
        if text.startswith(root):
            return "../" * (base.count("/") + 1 if base else 0) + text.removeprefix(root)
    return text


def _is_folder(pattern: str) -> UsageError:
    glob = f"{pattern.rstrip('/')}/**/*.eval.yaml" if pattern not in ("", ".", "./") else "**/*.eval.yaml"
    return UsageError(f"{pattern or '.'} is a folder", remedy=f'Name the suites in it: "{glob}".')


def _names(file: str, pattern: Sequence[str]) -> bool:
    parts = file.split("/")
    # A wide pattern does not mean the config beside the suites.
    return parts[-1] != CONFIG_NAME and _matches(parts, pattern)


def _matches(names: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether a path fits a pattern, both as their parts; the work is at most the product of the lengths."""
    reached = {0}
    for name in (*names, None):
        # `**` may stand for nothing.
        for position in sorted(reached):
            while position < len(pattern) and pattern[position] == "**":
                position += 1
                reached.add(position)
        if name is None:
            break
        reached = {after for position in reached for after in _after(name, pattern, position)}
        if not reached:
            return False
    return len(pattern) in reached


def _after(name: str, pattern: Sequence[str], position: int) -> tuple[int, ...]:
    if position == len(pattern):
        return ()
    part = pattern[position]
    if part == "**":
        return () if name.startswith(".") else (position,)
    if name.startswith(".") and not part.startswith("."):
        return ()
    return (position + 1,) if _compiled(part).match(name) else ()


@lru_cache(maxsize=256)
def _compiled(part: str) -> re.Pattern[str]:
    return re.compile(translate(part))
