"""The page of the action, from `action.yml` itself. `docs/build.py` writes it, and a test compares it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

PAGE = Path(__file__).resolve().parent / "reference/action.md"
MANIFEST = Path(__file__).resolve().parents[1] / "action.yml"

_HEAD = """# The action

Written by `docs/build.py` from `action.yml`; do not edit. [Check pull requests](../how-to/check-pull-requests.md) has a
workflow to copy.

The action replays recorded answers on a pull request, sets the result of the job, and keeps one comment true. It never
asks a model, and it runs nothing of the pull request.

## Inputs

An input that is empty counts as one that is not given.
"""

_OUTPUTS = """
## Outputs

| output | meaning |
| --- | --- |
"""

_MORE = """
## Results

`result` is the first of these that applies.

| result | when | fails the job, by `fail-on` |
| --- | --- | --- |
| `error` | the check could not be made or finished; `fail-on: shrink`, and the base is not in reach | always |
| `stale` | a recording is stale, missing or damaged | with `stale` |
| `failed` | an assertion failed, or a provider's recorded failure ended a case | with `failure` |
| `nothing-checked` | no suite was found, or no case of it could be replayed | with `on-empty: fail` |
| `changed` | all is right; recordings differ from the base's, or the base replays more | `shrink`, for the latter |
| `clear` | all is right, and as at the base | never |

Everything that `fail-on` names fails the job, also behind another result. What becomes of the comment changes no
result: where it cannot be written, there is a notice, and the summary of the job is complete.

## Permissions

```text
permissions:
  contents: read
  pull-requests: write
```

`contents: read` is for `actions/checkout`. Without `pull-requests: write`, as in every pull request from a fork,
there is no comment; [Comment on forks](../how-to/comment-on-forks.md) says how to have one all the same.

## What it needs

- A runner with bash, git and a Python of 3.11 or newer: `python3`, `python` or `py -3`, whichever is found first
  outside of the workspace. Where there is none, `actions/setup-python` has to come before.
- The package index that pip on the runner is set up for. What is installed is named by version and hash in
  `requirements/run.txt`; only wheels are taken, so nothing is built.
- A checkout with `fetch-depth: 2`: the commit and the base. With less, old texts and the comparison with the base are
  missing, and the report says so.

Everything it makes lies in the runner's temp folder. It changes neither the workspace (`junit-file` apart) nor
`PATH`, `GITHUB_ENV` or any Python of the runner, uses no other action and no cache.

## How it runs

1. *Environment*: finds a Python, installs the packages. A second use of the action in the same job takes the same
   ones.
2. *Check*: replays in a process that is started with a handful of named variables. It has no token, none of the job's
   secrets, and may reach no network. It has 20 minutes and 4 GB, and leaves one result file behind, whatever happens.
3. *Publish*: may hold the token, and never opens a file of the repository. It holds the result file against its
   schema, and then says the verdict, the outputs, the annotations, the summary and the comment, in this order.

The first use of the action in a job costs most. For `examples/shop` (20 cases, one edit that made 15 of them stale), in
seconds of the processor on a machine with two slow cores and Python 3.11:

| part | first | again in the same job |
| --- | --- | --- |
| find a Python, make the environment | 0.2 | 0.2 |
| install the packages: with pip 25.3, with pip 23.2 | 6, 12 | none |
| check | 2.2 | 1.0 |
| publish, without waiting for GitHub | 0.4 | 0.4 |

Beyond that a check takes about 2 ms for a case of four turns: in all 0.7 s for 300 cases, and 1 s where all of them are
stale. Half of a first check is Python compiling the code it has just installed.

Of the annotations, the runner keeps ten of a step: one for each edit that made recordings stale, the most
far-reaching first.
"""


def page() -> str:
    """The Markdown text of the page."""
    action = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    inputs = "".join(_input(name, found) for name, found in action["inputs"].items())
    outputs = "".join(
        f"| `{name}` | {found['description'].strip()} |\n" for name, found in action["outputs"].items()
    )
    return _HEAD + inputs + _OUTPUTS + outputs + _MORE


def _input(name: str, found: dict[str, Any]) -> str:
    default = str(found["default"])
    shown = f"`{default}`" if default else "nothing"
    return f"\n### {name}\n\n{found['description'].strip()}\n\nDefault: {shown}\n"
