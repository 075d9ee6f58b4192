"""`make demo`: replay the example project, make recordings stale with three edits, and record again what is stale.

Everything happens in a scratch copy, with the scripted provider: no key, no network. The exit code is 0 only if every
edit was named as promised here and the project is green again in the end.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SHOP = Path(__file__).resolve().parent / "shop"
SHOWN_CASE = "refunds::above the limit a colleague decides"


@dataclass(frozen=True)
class Edit:
    """An edit of one file, and what a replay must say about it: the changed field, and how many cases have it."""

    what: str
    file: str
    old: str
    new: str
    field: str
    cases: int


EDITS = (
    Edit(
        what="the prompt file that two suites share",
        file="prompts/support.md",
        old="up to 30 days after delivery",
        new="up to 14 days after delivery",
        field="system",
        cases=15,
    ),
    Edit(
        what="the description of one tool",
        file="evals/orders.eval.yaml",
        old="Answers with its latest scan.",
        new="Answers with its latest scan, in local time.",
        field="tools[track_parcel].description",
        cases=7,
    ),
    Edit(
        what="what one mock answers",
        file="evals/refunds.eval.yaml",
        old="return: {ticket: T-7741, waiting: 2}",
        new="return: {ticket: T-7741, waiting: 5}",
        field="messages[4].tool_results[0].content",
        cases=1,
    ),
)


def main() -> int:
    """Show it all; 1 where something was not as promised."""
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="dryfire-demo-") as name:
        scratch = Path(name)
        heading("1. The recordings of examples/shop, replayed: no key, no network, no cost")
        say("$ dryfire run")
        green = replay(SHOP, scratch)
        expect(wrong, green["exit_code"] == 0, "the example did not replay green")
        checked = green["counts"]["passed"]

        heading("2. Three edits in a scratch copy, one at a time")
        for edit in EDITS:
            copy = copy_to(scratch / "one")
            apply(copy, edit)
            if edit is not EDITS[0]:
                say("")
            show_edit(wrong, edit, replay(copy, scratch, quiet=True), checked)
            shutil.rmtree(copy)

        heading("3. All three at once: what the report says of one case, and of all")
        copy = copy_to(scratch / "all")
        for edit in EDITS:
            apply(copy, edit)
        say(f'$ dryfire run --case "{SHOWN_CASE}"')
        replay(copy, scratch, "--case", SHOWN_CASE)
        say("\n$ dryfire run")
        stale = replay(copy, scratch, quiet=True)
        tell(stale)
        expect(wrong, stale["exit_code"] == 3, "a stale recording did not make the exit code 3")
        expect(
            wrong,
            fields(stale).keys() == {edit.field for edit in EDITS},
            "other fields were named than edited",
        )

        heading("4. Recorded again, only what is stale, with the command of the report")
        command = (stale.get("rerecord") or {}).get("command") or ""
        expect(wrong, command.startswith("dryfire run "), "the report named no command")
        say(f"$ {command}")
        recorded = replay(copy, scratch, *shlex.split(command)[2:], quiet=True)
        tell(recorded)
        say("\n$ dryfire run")
        again = replay(copy, scratch, quiet=True)
        tell(again)
        expect(wrong, again["exit_code"] == 0, "the project is not green after recording again")
        expect(wrong, again["counts"] == green["counts"], "other cases were checked than before")
    say("")
    for problem in wrong:
        say(f"NOT AS PROMISED: {problem}")
    if not wrong:
        say("Everything was as promised. To try it on a project of your own: dryfire init")
    return 1 if wrong else 0


def copy_to(folder: Path) -> Path:
    """A copy of the project, prompts, suites and recordings alike, committed: old texts are found in git."""
    copy = Path(shutil.copytree(SHOP, folder, ignore=shutil.ignore_patterns("__pycache__")))
    identity = ("-c", "user.name=demo", "-c", "user.email=demo@example.com", "-c", "commit.gpgsign=false")
    for words in (("init", "-q", "-b", "main"), ("add", "."), (*identity, "commit", "-q", "-m", "The shop")):
        subprocess.run(["git", *words], cwd=copy, stdin=subprocess.DEVNULL, check=True)
    return copy


def apply(copy: Path, edit: Edit) -> None:
    """Make one edit; it must be found exactly once."""
    path = copy / edit.file
    text = path.read_text(encoding="utf-8")
    if text.count(edit.old) != 1:
        raise SystemExit(f"demo: {edit.file} does not hold {edit.old!r} once")
    path.write_text(text.replace(edit.old, edit.new), encoding="utf-8", newline="\n")


def replay(folder: Path, scratch: Path, *arguments: str, quiet: bool = False) -> dict[str, Any]:
    """Run ``dryfire run`` in ``folder`` and return its result file; the report is shown unless ``quiet``."""
    result = scratch / "result.json"
    result.unlink(missing_ok=True)
    sys.stdout.flush()
    done = subprocess.run(
        [sys.executable, "-m", "dryfire_action", "run", "--json-out", str(result), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL if quiet else None,
        check=False,
    )
    if not result.is_file():
        raise SystemExit(f"demo: dryfire run left no result file and the exit code {done.returncode}")
    found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    if found["exit_code"] != done.returncode:
        raise SystemExit(f"demo: exit code {done.returncode}, but {found['exit_code']} in the result file")
    return found


def fields(result: dict[str, Any]) -> dict[str, set[str]]:
    """The changed fields of a result, each with the cases that have it."""
    found: dict[str, set[str]] = {}
    for suite in result["suites"]:
        for case in suite["cases"]:
            for run in case["runs"]:
                for turn in run["turns"]:
                    for change in turn["changes"]:
                        found.setdefault(change["path"], set()).add(f"{suite['name']}::{case['name']}")
    return found


def show_edit(wrong: list[str], edit: Edit, result: dict[str, Any], checked: int) -> None:
    """Print an edit and what the replay named, and note where that is not what the edit did."""
    named = fields(result)
    say(f"{edit.file}: {edit.what}")
    say(f"  - {edit.old}")
    say(f"  + {edit.new}")
    for path, cases in named.items():
        say(f"  => {path} changed: {len(cases)} of {checked} cases are stale")
    expect(wrong, {path: len(cases) for path, cases in named.items()} == {edit.field: edit.cases}, edit.what)
    expect(wrong, result["counts"]["stale"] == edit.cases, f"{edit.what}: the number of stale cases")


def tell(result: dict[str, Any]) -> None:
    """Print the counts of a result in one line."""
    counts = {name: number for name, number in result["counts"].items() if number and name != "turns"}
    total = counts.pop("cases")
    words = ", ".join(f"{number} {name}" for name, number in counts.items())
    say(f"{total} cases: {words}  (exit {result['exit_code']})")


def expect(wrong: list[str], holds: bool, what: str) -> None:
    """Note ``what`` where it does not hold."""
    if not holds:
        wrong.append(what)


def heading(text: str) -> None:
    """Print a heading."""
    say(f"\n== {text}\n")


def say(text: str) -> None:
    """Print a line, whatever the encoding of the output is."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)


if __name__ == "__main__":
    sys.exit(main())
