"""The hooks in a ``.pre-commit-config.yaml`` that somebody wrote: added where they belong, and nothing else changes.

ruamel.yaml says where things stand; the new lines are put in as text, so comments, quotes, order, indentation and line
ends stay as they are. Afterwards the file is read again: unless it means exactly what it meant and the hooks, it is
refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from dryfire_action.errors import UsageError
from dryfire_action.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HOOK_CONFIG = ".pre-commit-config.yaml"
PREK_CONFIG = "prek.toml"
ADDRESS = "https://github.com/org/dryfire-action"
REVISION = f"v{__version__}"
HOOKS = ("cassette-redact", "cassette-passthrough", "cassette-stale", "suite-validate")

_NAME = ADDRESS.rpartition("/")[2]


class Added(NamedTuple):
    """A config with the hooks in it, which of them were added, and the revision that was there already, if any."""

    text: str
    hooks: tuple[str, ...]
    revision: str | None = None


class Layout(NamedTuple):
    """How a list of repositories is written: the column of its dashes, the spaces behind them, and how much further
    than its key the list of hooks is indented."""

    column: int = 2
    gap: int = 1
    deeper: int = 2


def new_config(hooks: Sequence[str]) -> str:
    """A config of these hooks alone."""
    return "repos:\n" + _entry(hooks, Layout())


def toml_entry(hooks: Sequence[str]) -> str:
    """The entry as `prek.toml` has it."""
    listed = ", ".join(f'{{ id = "{hook}" }}' for hook in hooks)
    return f'[[repos]]\nrepo = "{ADDRESS}"\nrev = "{REVISION}"\nhooks = [{listed}]\n'


def with_hooks(text: str, hooks: Sequence[str]) -> Added:
    """A config with those of the hooks that are not in it yet, at the end of its list of repositories, or of our
    entry's list of hooks where it has one. Raises ``UsageError``, with the lines to paste, for a config that is
    written in a way that is not understood.
    """
    from ruamel.yaml.error import YAMLError

    try:
        before = _loaded(text)
        made = _added(text, before, hooks)
        if made.hooks and _loaded(made.text) != _expected(before, made):
            raise _refused("the lines would not end up where they belong", hooks)
    except (YAMLError, RecursionError) as error:
        where = getattr(error, "problem_mark", None)
        line = f", line {where.line + 1}" if where is not None else ""
        raise _refused(f"no YAML that is understood{line}", hooks) from None
    return made


def _added(text: str, data: Any, hooks: Sequence[str]) -> Added:
    newline = "\r\n" if "\r\n" in text else "\n"
    if data is None:
        between = "" if not text or text.endswith("\n") else newline
        return Added(text + between + new_config(hooks).replace("\n", newline), tuple(hooks))
    missing = tuple(hook for hook in hooks if hook not in _hooks_in(data))
    ours = _ours(data)
    revision = str(data["repos"][ours].get("rev")) if ours is not None else None
    if not missing:
        return Added(text, (), revision)
    root = _composed(text)
    repos = _value(root, "repos")
    if not isinstance(data, dict) or root.flow_style or repos is None:
        raise _refused("there is no list of repos: at its root", hooks)
    if ours is not None:
        listed = _value(repos.value[ours], "hooks")
        if listed is None or not _is_block_list(listed):
            raise _refused(f"the hooks of {_NAME} are written in one line", hooks)
        item = listed.value[0].start_mark.column - listed.start_mark.column
        lines = "".join(
            " " * listed.start_mark.column + "-" + " " * (item - 1) + f"id: {hook}\n" for hook in missing
        )
        at = _end(text, listed, repos.value[ours].start_mark.column)
        return Added(_inserted(text, at, lines, newline), missing, revision)
    if _is_block_list(repos):
        at = _end(text, repos, root.start_mark.column)
        return Added(_inserted(text, at, _entry(missing, _layout(repos)), newline), missing)
    if _is_empty(repos):
        start, end = repos.start_mark.index, repos.end_mark.index
        head = text[:start].rstrip(" ") if end > start else text[:start]
        cut = head + text[end:] if end > start else text
        at = _line_end(cut, len(head))
        return Added(_inserted(cut, at, _entry(missing, Layout()), newline), missing)
    raise _refused("its repos: are written in one line", hooks)


def _entry(hooks: Sequence[str], layout: Layout) -> str:
    inner = layout.column + 1 + layout.gap
    begin, indent = " " * layout.column + "-" + " " * layout.gap, " " * inner
    item = " " * (inner + layout.deeper) + "-" + " " * layout.gap
    listed = "".join(f"{item}id: {hook}\n" for hook in hooks)
    return f"{begin}repo: {ADDRESS}\n{indent}rev: {REVISION}\n{indent}hooks:\n{listed}"


def _refused(why: str, hooks: Sequence[str]) -> UsageError:
    snippet = "".join(f"  {line}\n" for line in _entry(hooks, Layout()).splitlines())
    return UsageError(
        f"{HOOK_CONFIG}: {why}",
        remedy=f"Nothing was changed. Paste this under repos: by hand:\n\n{snippet.rstrip()}",
    )


# What the config says.


def _loaded(text: str) -> Any:
    from ruamel.yaml import YAML

    return YAML(typ="safe", pure=True).load(text)


def _composed(text: str) -> Any:
    from ruamel.yaml import YAML

    return YAML(typ="rt").compose(text)


def _expected(before: Any, made: Added) -> Any:
    """What the config must say afterwards."""
    new = [{"id": hook} for hook in made.hooks]
    if before is None:
        return {"repos": [{"repo": ADDRESS, "rev": REVISION, "hooks": new}]}
    repos = list(before["repos"] or ())
    ours = _ours(before)
    if ours is None:
        repos.append({"repo": ADDRESS, "rev": REVISION, "hooks": new})
    else:
        repos[ours] = {**repos[ours], "hooks": [*repos[ours]["hooks"], *new]}
    return {**before, "repos": repos}


def _repos(data: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    repos = data.get("repos") if isinstance(data, dict) else None
    for number, repo in enumerate(repos if isinstance(repos, list) else ()):
        if isinstance(repo, dict):
            yield number, repo


def _hooks_in(data: Any) -> set[str]:
    """The ids of all hooks in a config, whoever's they are: a hook of this name may be a local one."""
    listed = [repo.get("hooks") for _, repo in _repos(data)]
    hooks = [hook for found in listed if isinstance(found, list) for hook in found]
    return {str(hook.get("id")) for hook in hooks if isinstance(hook, dict)}


def _ours(data: Any) -> int | None:
    """The number of our repository in a config's list, by its name: forks and mirrors have other addresses."""
    for number, repo in _repos(data):
        address = str(repo.get("repo", "")).rstrip("/").removesuffix(".git")
        if re.split(r"[/:]", address)[-1] == _NAME:
            return number
    return None


# Where it says it.


def _value(node: Any, key: str) -> Any:
    pairs = node.value if isinstance(node.value, list) else ()
    return next((pair[1] for pair in pairs if isinstance(pair, tuple) and pair[0].value == key), None)


def _is_block_list(node: Any) -> bool:
    return isinstance(node.value, list) and node.flow_style is False and bool(node.value)


def _is_empty(node: Any) -> bool:
    return node.value in ("", []) and not node.anchor


def _layout(repos: Any) -> Layout:
    column = repos.start_mark.column
    first = repos.value[0]
    hooks = _value(first, "hooks")
    is_listed = hooks is not None and _is_block_list(hooks)
    deeper = hooks.start_mark.column - first.start_mark.column if is_listed else 2
    return Layout(column, first.start_mark.column - column - 1, deeper)


def _end(text: str, node: Any, key: int) -> int:
    """Where the line after a block list begins: after its last word, and after comments that are indented as its
    items are. ``key`` is the column of the list's key: what stands there is about the next key."""
    least = max(key, node.start_mark.column - 1)
    at = _line_end(text, len(text[: max(_ends(node))].rstrip()))
    while at < len(text):
        after = _line_end(text, at)
        line = text[at:after]
        indentation = len(line) - len(line.lstrip(" "))
        if not line.lstrip(" ").startswith("#") or indentation <= least:
            break
        at = after
    return at


def _ends(node: Any) -> Iterator[int]:
    """Where the scalars and flow collections of a node end; the ends of blocks are those of what follows."""
    todo = [node]
    while todo:
        found = todo.pop()
        if not isinstance(found.value, list) or found.flow_style:
            yield found.end_mark.index
            continue
        for item in found.value:
            todo += item if isinstance(item, tuple) else (item,)


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _inserted(text: str, at: int, lines: str, newline: str) -> str:
    between = "" if text[:at].endswith("\n") else newline
    return text[:at] + between + lines.replace("\n", newline) + text[at:]
