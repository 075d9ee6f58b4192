"""Brings the generated parts of the documentation in line: `.venv/bin/python docs/build.py`.

Generated are the output in `console` blocks, the pages of the command line, of the redaction rules and of the library,
and the picture in the README. The tests run the same code and fail where a page says something else than the command
does.

Blocks of a page are played in order, in a scratch folder (``<!-- in: shop -->`` at the top of a page begins with a copy
of the example project, or of another one by its name, ``<!-- in: init -->`` with what `dryfire init` writes,
``<!-- in: old -->`` with a project of another runner):

    ```sh                     commands; ``exit=3`` after the word is the exit code that is expected
    ```console                commands after "$ ", each followed by its output
    ```yaml file=PATH         the content of a file
    ```diff file=PATH         an edit: the lines with - become those with +
    ```yaml sample=KIND       a sample, which must be valid; the kinds are in tests/docs/test_samples.py
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from dryfire_action.cli import EXIT_CODES, VERBS
from dryfire_action.commands.arguments import Parser

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
CLI_PAGE = ROOT / "docs/reference/cli.md"

# Commands that are shown and not played, and why.
SKIPPED = {
    "pip install dryfire-action": "needs the network",
    "make demo": "tests/integration/test_demo.py runs what it runs",
    "make test": "these are the tests",
}
_FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXAMPLES = ("shop", "cassette_pytest", "framework_pytest")
_START = re.compile(r"<!-- in: (\w+) -->")


class Unlike(AssertionError):
    """A page says something that does not happen."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the words after it, ``key=value`` among them, and its text."""

    language: str
    words: tuple[str, ...]
    text: str
    start: int
    end: int
    line: int

    def mark(self, key: str) -> str | None:
        """The value of ``key=value`` among the words."""
        return next((word.partition("=")[2] for word in self.words if word.startswith(f"{key}=")), None)


def pages() -> list[Path]:
    """The README and every page below docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    for match in _FENCE.finditer(text):
        language, *words = match[1].split() or [""]
        line = text.count("\n", 0, match.start()) + 1
        yield Block(language, tuple(words), match[2], match.start(2), match.end(2), line)


def played(text: str) -> str:
    """``text``, a page, with the output that its commands really have. Raises ``Unlike`` for a wrong exit code."""
    found = []
    at = 0
    with tempfile.TemporaryDirectory(prefix="dryfire-docs-") as name:
        scene = _Scene(Path(name))
        start = _START.search(text)
        scene.set(start[1] if start else "")
        for block in blocks(text):
            new = scene.play(block)
            if new is not None:
                found += [text[at : block.start], new]
                at = block.end
    return "".join((*found, text[at:]))


class _Scene:
    """The scratch folder of one page, and where in it the next command is called."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.cwd = folder / "project"
        self.cwd.mkdir()

    def set(self, name: str) -> None:
        """Begin with a project instead of an empty folder."""
        if name in _EXAMPLES:
            # What recording it on this machine left behind is no part of the example.
            left = shutil.ignore_patterns(".partial", "__pycache__")
            shutil.copytree(ROOT / "examples" / name, self.cwd, dirs_exist_ok=True, ignore=left)
        elif name == "init":
            self._run("dryfire init\ndryfire run --cassette-mode record", 0, 0)
        elif name == "old":
            shutil.copytree(ROOT / "tests/data/third_party/dryfire-0.4.0", self.cwd, dirs_exist_ok=True)
        elif name:
            raise Unlike(f"no scene is called {name!r}")

    def play(self, block: Block) -> str | None:
        """Play a block; the text that a ``console`` block should have."""
        file = block.mark("file")
        code = int(block.mark("exit") or 0)
        if block.language == "diff":
            self._edit(file, block)
        elif file:
            path = self.cwd / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "sh":
            self._run(block.text, code, block.line)
        elif block.language == "console":
            commands = [line[2:] for line in block.text.splitlines() if line.startswith("$ ")]
            return "".join(
                f"$ {command}\n{self._run(command, code if command is commands[-1] else 0, block.line)}"
                for command in commands
            )
        return None

    def _run(self, script: str, code: int, line: int) -> str:
        lines = [row for row in script.splitlines() if row.strip() not in SKIPPED]
        after = self.home / "cwd"
        done = subprocess.run(
            ["bash", "-c", "set -eu\ntrap 'pwd > \"$AFTER\"' EXIT\n" + "\n".join(lines)],
            cwd=self.cwd,
            env=_environ(self.home) | {"AFTER": str(after)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        if done.returncode != code:
            raise Unlike(f"line {line}: exit code {done.returncode}, not {code}:\n{script}\n{done.stdout}")
        self.cwd = Path(after.read_text(encoding="utf-8").strip())
        return done.stdout

    def _edit(self, file: str | None, block: Block) -> None:
        if file is None:
            raise Unlike(f"line {block.line}: a diff names the file it edits: ```diff file=PATH")
        rows = block.text.splitlines()
        old = "\n".join(row[1:] for row in rows if row[:1] in ("-", " "))
        new = "\n".join(row[1:] for row in rows if row[:1] in ("+", " "))
        path = self.cwd / file
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise Unlike(f"line {block.line}: {file} does not hold these lines once:\n{old}")
        path.write_text(text.replace(old, new), encoding="utf-8")


def _environ(home: Path) -> dict[str, str]:
    """What commands are called with: nothing of this machine but its programs, and our own command among them."""
    identity = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.com"))
    }
    return identity | {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def cli_page() -> str:
    """The page of the command line, from the parsers themselves."""
    parts = [
        "# Command line\n\n"
        "Written by `docs/build.py` from the command itself; do not edit.\n\n"
        "`dryfire VERB [...]`; `dryfire --help` lists the verbs, `dryfire VERB --help` what one takes, "
        "`dryfire --version` says the version.\n\n"
        f"```text\n{EXIT_CODES}\n```\n\n"
        "Variables: `NO_COLOR` takes colours away, `FORCE_COLOR` asks for them where there is no terminal, "
        "`DRYFIRE_DEBUG=1` adds a traceback to an internal error.\n"
    ]
    for verb in VERBS:
        command = import_module(f"dryfire_action.commands.{verb}")
        parser = Parser(prog=f"dryfire {verb}", description=command.__doc__)
        command.arguments(parser)
        parts.append(f"\n## dryfire {verb}\n\n{(command.__doc__ or '').strip()}\n\n{_table(parser)}")
        epilog = (parser.epilog or "").replace(EXIT_CODES, "").strip()
        if epilog:
            parts.append(f"\n```text\n{epilog}\n```\n")
    return "".join(parts)


def _table(parser: Parser) -> str:
    rows = ["| argument | meaning |\n| --- | --- |\n"]
    for action in parser._actions:
        if action.dest == "help":
            continue
        takes = "" if action.nargs == 0 else f" {action.metavar or action.dest.upper()}"
        names = ", ".join(f"{name}{takes}" for name in action.option_strings) or takes.strip()
        cells = (f"`{names}`".replace("|", r"\|"), (action.help or "").replace("|", r"\|"))
        rows.append(f"| {cells[0]} | {cells[1]} |\n")
    return "".join(rows)


def main() -> int:
    """Write what is generated, and name the files that changed."""
    from docs import action_page, api_page, redaction_rules
    from docs.assets.make_picture import PICTURE, picture

    new = {CLI_PAGE: cli_page(), redaction_rules.PAGE: redaction_rules.page(), PICTURE: picture()}
    new |= {module.PAGE: module.page() for module in (action_page, api_page)}
    for path, text in new.items():
        _write(path, text)
    for path in pages():
        _write(path, played(path.read_text(encoding="utf-8")))
    return 0


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"wrote {path.relative_to(ROOT).as_posix()}")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
