"""The first process of the action: has the pull request checked in a process that knows nothing worth stealing.

What is started gets an environment by a list of names: no token, no key, none of the files through which a step talks
to the runner. However it ends, there is one result file afterwards; a check that crashed is a result too.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from dryfire_action import console
from dryfire_action.action_inputs import InputError, Inputs, read_inputs, variable
from dryfire_action.action_replay import BASE, HEAD
from dryfire_action.action_result import RESULT_NAME, CheckEnded, unable, write_result
from dryfire_action.errors import EXIT_PASSED, DryfireError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MOST_SECONDS = 1200

# All that the check may know of its surroundings: how to find git and its settings, where temporary files go, which
# language texts are in, what Windows programs need, and what it is about.
_KEPT = (
    *("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TMP", "TEMP"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE"),
    *("GITHUB_WORKSPACE", "RUNNER_TEMP", "GITHUB_EVENT_NAME", "GITHUB_SHA"),
    *("GITHUB_JOB", "GITHUB_WORKFLOW", "GITHUB_WORKFLOW_REF"),
    *(variable(field.name.replace("_", "-")) for field in fields(Inputs)),
)


def bare_environment(environ: Mapping[str, str], base: str, head: str) -> dict[str, str]:
    """What the check is started with. No program of the workspace is found on its ``PATH``."""
    kept = {name: environ[name] for name in _KEPT if name in environ}
    workspace = Path(environ["GITHUB_WORKSPACE"]).resolve()
    kept["PATH"] = os.pathsep.join(_outside(environ.get("PATH", os.defpath), workspace))
    return kept | {BASE: base, HEAD: head}


def checked(environ: Mapping[str, str], result: Path, *, most_seconds: float = MOST_SECONDS) -> None:
    """Have the check write the file ``result``. Raises ``CheckEnded`` where it ended without."""
    base, head = _commits(environ)
    word = secrets.token_hex(16)
    # Whatever the check prints holds texts of strangers: until the word comes again, none of it is a command.
    console.out(f"::stop-commands::{word}\n")
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-Xutf8", "-m", "dryfire_action.action_replay", str(result)],
            env=bare_environment(environ, base, head),
            stdin=subprocess.DEVNULL,
            timeout=most_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CheckEnded(f"too large to check: it took more than {most_seconds:,.0f} s") from None
    finally:
        console.out(f"\n::{word}::\n")
    if not result.is_file():
        raise CheckEnded(f"the check ended without a result ({_ending(done.returncode)})")


def main(environ: Mapping[str, str] = os.environ, *, most_seconds: float = MOST_SECONDS) -> int:
    """Leave the result file behind, in the folder of this step; the exit code."""
    console.prepare()
    result = Path(environ["DRYFIRE_FOLDER"]) / RESULT_NAME
    inputs = Inputs()
    try:
        inputs = read_inputs(environ)
        if inputs.replays or inputs.results:
            checked(environ, result, most_seconds=most_seconds)
    except InputError:
        pass  # the step that publishes reads the same inputs, and says what is wrong with them
    except Exception as error:
        known = error if isinstance(error, DryfireError) else CheckEnded("the check could not be started")
        write_result(result, unable(known, inputs, commit=None))
    return EXIT_PASSED


def _commits(environ: Mapping[str, str]) -> tuple[str, str]:
    """The base and the head that the event is about, "" where it names none."""
    from dryfire_action.github.event import load_event

    event = load_event(environ)
    return event.base, event.head


def _outside(path: str, workspace: Path) -> Iterator[str]:
    """The folders of a ``PATH`` that are not the workspace's: what stands in it is the pull request's."""
    for name in path.split(os.pathsep):
        folder = Path(name)
        if name and folder.is_absolute() and not folder.resolve().is_relative_to(workspace):
            yield name


def _ending(code: int) -> str:
    return f"killed by signal {-code}" if code < 0 else f"exit code {code}"


if __name__ == "__main__":
    sys.exit(main())
