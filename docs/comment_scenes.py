"""Pull requests as they come, played in scratch copies of real projects: what a run says of each.

Each scene gives the document of the result file that the command wrote. Commits have fixed dates and authors, so that
the same project gives the same document.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

SHOP = Path(__file__).resolve().parents[1] / "examples/shop"
_WHEN = "2026-11-29T12:00:00+00:00"

_CONFIG = "version: 1\nsuites: ['evals/*.eval.yaml']\ncassettes: {scripted: true}\n"
_CASE = """\
  - name: %s
    input: "%s"
    script:
      - tool_call: {name: lookup_order, arguments: {order: "%d"}}
      - text: Done.
    expect: [{calls_tool: lookup_order}]
"""
_PROMPT = """\
You are the support agent for Acme. Call lookup_order before you answer.
Approve a refund when the order is at most 30 days old.
Never promise a date.
"""
_HOSTILE = (
    "@everyone </details> ::error::",
    "`code` ``` **bold** | cell | #1 GH-2",
    "<img src=x onerror=alert(1)> [link](https://example.com)",
    "right to left \u202edetrevni\u202c and zero\u200bwidth",
    "<!-- dryfire-action:v1 --> octo/repo#3 9b1d77c49b1d77c4",
    "a name that does not end " + "x" * 275,
)
_NEW_CASE = """
  - name: order without a number
    input: Where is my mug?
    script:
      - text: "Which order is it? Please send me its number."
    expect:
      - no_tool_calls: true
"""


def one_cause(folder: Path) -> dict[str, Any]:
    """One line of the prompt that two suites share was edited."""
    _shop(folder)
    _edit(folder / "prompts/support.md", "up to 30 days after", "up to 14 days after")
    _commit(folder, "Fourteen days")
    return _result(folder, 3, "--base", "HEAD^1")


def behaviour(folder: Path) -> dict[str, Any]:
    """A limit was raised, everything recorded again before the push: nothing is stale, and the agent acts otherwise."""
    _shop(folder)
    _edit(folder / "prompts/support.md", "more than 200.00 EUR", "more than 500.00 EUR")
    refunds, orders = folder / "evals/refunds.eval.yaml", folder / "evals/orders.eval.yaml"
    text = refunds.read_text(encoding="utf-8")
    start = text.index("  - name: above the limit a colleague decides")
    end = text.index("  - name: label goes to the customer's address")
    case = text[start:end]
    call = case[case.index("      - tool_call:\n") : case.index("      - text: >-")]
    paid = (
        "      - tool_call:\n          name: refund_items\n"
        '          arguments: {order_id: "3301", skus: [SET-40], amount: 489.00, reason: damaged}\n'
    )
    case = case.replace(call, paid)
    case = case.replace("calls_tool: hand_over", "calls_tool: refund_items", 1)
    case = case.replace("      - not_calls_tool: refund_items\n", "      - not_calls_tool: hand_over\n")
    answer = case[case.index("      - text: >-") : case.index("    expect:")]
    case = case.replace(answer, "      - text: I have refunded 489.00 EUR for order 3301.\n")
    case = case.replace("final_contains: T-7741", "final_contains: 489.00 EUR")
    refunds.write_text(text[:start] + case + text[end:], encoding="utf-8")
    _edit(refunds, "skus: [TEA-12], amount: 64.00", "skus: [TEA-12], amount: 68.50")
    _edit(refunds, "amount: 64}}", "amount: 68.5}}")
    _edit(refunds, "You don't need to return the mug.", "Please keep the mug.")
    orders.write_text(orders.read_text(encoding="utf-8").rstrip("\n") + "\n" + _NEW_CASE, encoding="utf-8")
    _dryfire(folder, 0, "run", "--cassette-mode", "auto")
    _commit(folder, "Raise the limit")
    return _result(folder, 0, "--base", "HEAD^1")


def all_clear(folder: Path) -> dict[str, Any]:
    """Nothing differs from the base."""
    _shop(folder)
    return _result(folder, 0, "--base", "HEAD")


def forty_cases(folder: Path) -> dict[str, Any]:
    """One line of a prompt, forty cases in three suites."""
    _suites(folder, {"refunds": 18, "orders": 15, "triage": 7})
    _edit(folder / "evals/prompt.md", "at most 30 days", "at most 14 days")
    return _result(folder, 3)


def sixty_causes(folder: Path) -> dict[str, Any]:
    """Sixty cases, each of which asks something else now, at length."""
    _suites(folder, {"refunds": 60})
    path = folder / "evals/refunds.eval.yaml"
    text = path.read_text(encoding="utf-8")
    for number in range(60):
        # Each as long as a customer's letter.
        lines = (
            f"And where is parcel {number * 100 + line} of the order? It was due last week."
            for line in range(20)
        )
        letter = "\\n".join((f"Where is order {number}?", *lines))
        text = text.replace(f'input: "Where is order {number}?"', f'input: "{letter}"')
    path.write_text(text, encoding="utf-8")
    return _result(folder, 3, "--show", "all")


def not_checkable(folder: Path) -> dict[str, Any]:
    """A checkout without history, cases that run code, a case that was never recorded, a suite that cannot be asked."""
    origin = folder / "origin"
    _shop(origin)
    _edit(origin / "prompts/support.md", "up to 30 days after", "up to 14 days after")
    orders = origin / "evals/orders.eval.yaml"
    orders.write_text(orders.read_text(encoding="utf-8").rstrip("\n") + "\n" + _NEW_CASE, encoding="utf-8")
    _commit(origin, "Fourteen days")
    clone = folder / "clone"
    _git(folder, "clone", "-q", "--depth", "1", origin.as_uri(), str(clone))
    return _result(clone, 3)


def hostile_names(folder: Path) -> dict[str, Any]:
    """Every name in the pull request was chosen to do harm."""
    _suites(folder, {"refunds": 2})
    names = [*(json.dumps(name, ensure_ascii=False) for name in _HOSTILE)]
    path = folder / "evals/refunds.eval.yaml"
    more = "".join(_CASE % (name, "Where is it?", number) for number, name in enumerate(names))
    path.write_text(path.read_text(encoding="utf-8") + more, encoding="utf-8")
    _dryfire(folder, 0, "run", "--cassette-mode", "auto")
    _commit(folder, "More cases")
    hostile = "```\n</details> @everyone <!-- dryfire-action:v1 -->\n::error::it is over\n"
    prompt = folder / "evals/prompt.md"
    prompt.write_text(prompt.read_text(encoding="utf-8") + hostile, encoding="utf-8")
    return _result(folder, 3)


SCENES: dict[str, Callable[[Path], dict[str, Any]]] = {
    "one-stale-cause": one_cause,
    "new-recordings": behaviour,
    "all-clear": all_clear,
    "forty-cases": forty_cases,
    "sixty-causes": sixty_causes,
    "not-checkable": not_checkable,
    "hostile-names": hostile_names,
}


def _shop(folder: Path) -> None:
    left = shutil.ignore_patterns("__pycache__", ".partial")
    shutil.copytree(SHOP, folder, ignore=left, dirs_exist_ok=True)
    _git(folder, "init", "-q", "-b", "main")
    _commit(folder, "The shop")


def _suites(folder: Path, numbers: dict[str, int]) -> None:
    """A project with so many cases in each suite, recorded and committed."""
    evals = folder / "evals"
    evals.mkdir(parents=True)
    (folder / "dryfire.yaml").write_text(_CONFIG, encoding="utf-8")
    (evals / "prompt.md").write_text(_PROMPT, encoding="utf-8")
    for suite, number in numbers.items():
        cases = "".join(_CASE % (f"{suite}_case_{n}", f"Where is order {n}?", n) for n in range(number))
        (evals / f"{suite}.eval.yaml").write_text(
            f"name: {suite}\nprovider: fake\nmodel: scripted-1\nsystem: {{$ref: prompt.md}}\n"
            "tools:\n  - {name: lookup_order, description: Look it up., input_schema: {type: object}}\n"
            f"mocks:\n  lookup_order:\n    - return: {{status: sent}}\ncases:\n{cases}",
            encoding="utf-8",
        )
    _git(folder, "init", "-q", "-b", "main")
    _dryfire(folder, 0, "run", "--cassette-mode", "record")
    _commit(folder, "Suites")


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{path.name} does not hold {old!r} once")
    path.write_text(text.replace(old, new), encoding="utf-8")


def _result(folder: Path, code: int, *words: str) -> dict[str, Any]:
    """The result file of a run in ``folder``."""
    file = folder.parent / f"{folder.name}.json"
    _dryfire(folder, code, "run", "--json-out", str(file), *words)
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def _dryfire(folder: Path, code: int, *words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dryfire_action", *words],
        cwd=folder,
        env=_environ(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    if done.returncode != code:
        raise ValueError(
            f"dryfire {' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
        )


def _commit(folder: Path, message: str) -> None:
    _git(folder, "add", "-A")
    _git(folder, "-c", "commit.gpgsign=false", "commit", "-q", "-m", message)


def _git(folder: Path, *words: str) -> None:
    subprocess.run(
        ["git", *words], cwd=folder, env=_environ(), stdin=subprocess.DEVNULL, check=True, timeout=60
    )


def _environ() -> dict[str, str]:
    """Nothing of this machine but its programs; the same author at the same time."""
    identity = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.com"), ("DATE", _WHEN))
    }
    return identity | {
        "PATH": os.environ.get("PATH", os.defpath),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
