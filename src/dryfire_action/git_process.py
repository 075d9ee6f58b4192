"""Git as a program: how it is called, and what its refusals mean.

A repository may be anybody's: nothing in its configuration or its content is run, and nothing is fetched. Only
commands that read are called, with what its configuration could hook into them switched off.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

from dryfire_action.errors import DryfireError
from dryfire_action.visible import cut, visible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# Of git's variables only those count that say how git is installed and which folders it may read. The others describe
# the command whose hook we may be running in: with them, every call would read that repository and not ours.
_KEPT = re.compile(
    r"GIT_(EXEC_PATH|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|CONFIG_(?!PARAMETERS).*)\Z"
)
_SAFE = {
    "LC_ALL": "C",  # messages are told apart by their English text
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    # Objects that a partial clone left out are missing; older versions, which do not know the first, may use no
    # protocol to get them.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}
_SWITCHED_OFF = (
    "--no-pager",
    *("-c", "core.fsmonitor=false"),
    *("-c", "log.showSignature=false"),
    *("-c", "log.follow=false"),
    *("-c", "log.showRoot=true"),
)
_INSTALL = "Old texts are read from git: install it, and have it on PATH."


class GitError(DryfireError):
    """Git is not there, or refuses to read a repository."""

    slug = "git"


class NoRepository(GitError):
    """A folder that belongs to no git repository."""


def start(
    root: Path, arguments: Sequence[str], complaints: Any, *, index: bool = False, feed: bool = True
) -> subprocess.Popen[bytes]:
    """Start git in the folder ``root``; what it complains about goes to the open file ``complaints``.

    ``feed`` gives it a pipe to read from. Raises ``GitError`` where there is no git.
    """
    try:
        return subprocess.Popen(
            [_git(), "-C", str(root), *_SWITCHED_OFF, *arguments],
            stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env=_environment(index),
        )
    except (OSError, ValueError) as error:
        raise GitError(f"git could not be started: {visible(str(error))}", remedy=_INSTALL) from None


def ask(
    root: Path, arguments: Sequence[str], *, index: bool = False, seconds: float = 60
) -> tuple[int, bytes, bytes]:
    """Run git once: its exit status, what it says, and what it complains about. Raises ``GitError``."""
    process = start(root, arguments, subprocess.PIPE, index=index, feed=False)
    with process:
        try:
            said, complaint = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise GitError(f"git {arguments[0]} took more than {seconds:g} s") from None
    return process.returncode, said, complaint


def refusal(root: Path, command: str, complaint: bytes) -> GitError:
    """The error for what git complained about."""
    text = complaint.decode("utf-8", "replace")
    shown = visible(str(root))
    if "not a git repository" in text:
        return NoRepository(f"{shown} is in no git repository")
    if "dubious ownership" in text or "unsafe repository" in text:
        return GitError(
            f"git refuses to read {shown}, because the folder belongs to another user",
            remedy=f"If you trust it: git config --global --add safe.directory {shown}",
        )
    lines = [line for line in text.splitlines() if line.startswith(("fatal:", "error:"))] or text.splitlines()
    first = (
        cut(visible(lines[0].removeprefix("fatal: ").removeprefix("error: ")), 300)
        if lines
        else "it ended at once"
    )
    return GitError(
        f"git {command} failed: {first}", remedy=f"See what git itself says: git -C {shown} status"
    )


def _git() -> str:
    found = shutil.which("git")
    # A relative place is the current folder, where a repository could have put a program of its own.
    if found is None or not os.path.isabs(found):  # noqa: PTH117
        raise GitError("git was not found on PATH", remedy=_INSTALL)
    return found


def _environment(index: bool) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or _KEPT.match(name) or (index and name == "GIT_INDEX_FILE")
    }
    return {**kept, **_SAFE}
