"""A runner for the recipes: the actions of others that they use are small stand-ins here, which do the same locally.

Those actions come from the network on GitHub, and what they do is theirs to test. Here `checkout` fetches from the
author's repository, artifacts are files in a folder, and the token of an App is a word.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.action.act_run import Runner
from tests.house.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

RECIPES = ROOT / "examples/workflows"
NAMES = sorted(path.name for path in RECIPES.glob("*.yml"))
_USED = re.compile(r"uses: *((actions/[\w-]+)@[0-9a-f]{40})")

_STAND_INS = {
    "actions/checkout": (
        {"REF": "ref", "DEPTH": "fetch-depth"},
        """\
git init -q .
git remote add origin https://github.com/acme/demo.git
git fetch -q origin '+refs/heads/*:refs/remotes/origin/*' "$REF"
git checkout -q --detach "$REF"
""",
    ),
    "actions/setup-python": ({}, "true\n"),
    "actions/upload-artifact": (
        {"NAME": "name", "FROM": "path"},
        """\
mkdir "$ARTIFACTS/$NAME"
if [[ -e $FROM || $MISSING != ignore ]]; then cp -r "$FROM" "$ARTIFACTS/$NAME/"; fi
""",
    ),
    "actions/download-artifact": (
        {"NAME": "name", "PATTERN": "pattern", "TO": "path"},
        """\
mkdir -p "$TO"
if [[ $NAME ]]; then cp -r "$ARTIFACTS/$NAME/." "$TO"; exit; fi
for found in "$ARTIFACTS"/*; do
  if [[ ${found##*/} == $PATTERN ]]; then cp -r "$found" "$TO"; fi
done
""",
    ),
    "actions/create-github-app-token": (
        {},
        'printf "token=a-word-for-tests\\napp-slug=recorder\\n" >> "$GITHUB_OUTPUT"\n',
    ),
}
_MORE = {"actions/upload-artifact": {"MISSING": "if-no-files-found"}}


def text(name: str) -> str:
    """A recipe."""
    return (RECIPES / name).read_text(encoding="utf-8")


def runnable(name: str) -> str:
    """A recipe as this machine can run it: every job begins with what the action installed in an earlier run."""
    found = text(name).replace("runs-on: [self-hosted, linux]", "runs-on: ubuntu-latest")
    return found.replace("    steps:\n", "    steps:\n      - run: SEED\n")


def stand_ins(folder: Path) -> dict[str, Path]:
    """The actions that the recipes use, by name and commit, each as a folder."""
    found = {}
    used = {match[1]: match[2] for name in NAMES for match in _USED.finditer(text(name))}
    for pinned, action in used.items():
        place = folder / action.replace("/", "-")
        place.mkdir(parents=True, exist_ok=True)
        given, script = _STAND_INS[action]
        given = given | _MORE.get(action, {})
        inputs = "".join(f'  {name}: {{default: ""}}\n' for name in (*given.values(), *_OTHER_INPUTS[action]))
        env = "".join(f"        {variable}: ${{{{ inputs.{name} }}}}\n" for variable, name in given.items())
        body = "".join(f"        {row}\n" for row in script.splitlines())
        outputs = ""
        if action == "actions/create-github-app-token":
            outputs = "outputs:\n" + "".join(
                f"  {name}: {{value: '${{{{ steps.it.outputs.{name} }}}}'}}\n"
                for name in ("token", "app-slug")
            )
        (place / "action.yml").write_text(
            f"name: stand-in\ninputs:\n{inputs}{outputs}runs:\n  using: composite\n  steps:\n"
            f"    - id: it\n      shell: bash\n      env:\n        ANY: any\n{env}      run: |\n{body}",
            encoding="utf-8",
        )
        found[pinned] = place
    return found


_OTHER_INPUTS = {
    "actions/checkout": ("persist-credentials",),
    "actions/setup-python": ("python-version",),
    "actions/upload-artifact": ("retention-days",),
    "actions/download-artifact": (),
    "actions/create-github-app-token": ("client-id", "private-key", "permission-contents"),
}


@dataclass(frozen=True)
class RecipeRunner(Runner):
    """A runner with the command `dryfire` and a stand-in for `gh`, for which `origin` is acme/demo on GitHub."""

    origin: Path = Path()

    def environment(self) -> dict[str, str]:
        """What act itself is started with."""
        found = super().environment()
        # Only what pip would install: not the linters and runners of the development environment.
        tools = self.home / "tools"
        tools.mkdir(parents=True, exist_ok=True)
        scripts = {name: f'exec {Path(sys.executable).parent / name} "$@"' for name in ("python", "dryfire")}
        scripts["gh"] = f'echo "$*" >> {self.home}/gh.txt\ncat {self.home}/role'
        for name, script in scripts.items():
            (tools / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
            (tools / name).chmod(0o755)
        (self.home / ".gitconfig").write_text(
            f'[url "{self.origin.as_uri()}"]\n\tinsteadOf = https://github.com/acme/demo.git\n'
            '[protocol "file"]\n\tallow = always\n',
            encoding="utf-8",
        )
        return found | {"PATH": os.pathsep.join((str(tools), found["PATH"]))}


def artifacts(folder: Path) -> Mapping[str, str]:
    """The variable that tells the stand-ins where artifacts are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    return {"ARTIFACTS": str(folder)}
