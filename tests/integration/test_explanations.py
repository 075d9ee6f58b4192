"""Edits of a project of forty cases, and what a replay says about them: each edit once, with its place and its text."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from dryfire_action import git_log, old_text
from dryfire_action.causes import MODEL_OVERRIDE
from dryfire_action.change_notes import LINE_ENDS, OTHER_ORDER
from dryfire_action.explanation import OTHER_RULES
from dryfire_action.git_process import start
from dryfire_action.runner import RunOptions
from tests.git_repository import Repository
from tests.integration import forty_cases
from tests.integration.forty_cases import Drawn, drawn, explained

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ALL = 40
TURNS = 3 * ALL
PROMPT = "prompts/support.md"
SUITES = tuple(f"evals/{name}.eval.yaml" for name in sorted(forty_cases.SIZES))
OLD_RULE = "Approve a refund when the order is at most 30 days old."
NEW_RULE = OLD_RULE.replace("30", "14")
PROMPT_EDIT = Drawn(
    "system", "changed", ALL, TURNS, (f"{PROMPT}:4",), (f"- {OLD_RULE}", f"+ {NEW_RULE}"), note=""
)
LOOKUP, REFUND = "tools[lookup]", "tools[refund]"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return forty_cases.recorded(tmp_path_factory.mktemp("made") / "r")


@pytest.fixture
def project(made: Repository, tmp_path: Path) -> Repository:
    return forty_cases.copy(made, tmp_path / "r")


def each_suite(project: Repository, old: str, new: str) -> None:
    for suite in SUITES:
        project.replace(suite, old, new)


def edit_prompt(project: Repository) -> None:
    project.replace(PROMPT, OLD_RULE, NEW_RULE)


def edit_mock(project: Repository) -> None:
    project.replace(SUITES[0], "{status: sent, days: 3}", "{status: sent, days: 4}")


def swap_tools(project: Repository) -> None:
    for suite in SUITES:
        text = (project.root / suite).read_text(encoding="utf-8")
        start, middle, end = (text.index(mark) for mark in ("  - name: lookup", "  - name: refund", "mocks:"))
        project.write(suite, (text[:start] + text[middle:end] + text[start:middle] + text[end:]).encode())


def insert_tool(project: Repository) -> None:
    new = "  - {name: cancel, description: Call it off., input_schema: {type: object}}\n"
    each_suite(project, "  - name: refund\n", f"{new}  - name: refund\n")


def both_prompt_and_mock(project: Repository) -> None:
    edit_prompt(project)
    edit_mock(project)


# What is edited -> the causes. Suites are in the order of their files: orders, refunds, triage.
EDITS: dict[str, tuple[Callable[[Repository], None], list[Drawn]]] = {
    "a word of the prompt": (edit_prompt, [PROMPT_EDIT]),
    "the prompt and a mock": (
        both_prompt_and_mock,
        [
            PROMPT_EDIT,
            Drawn(
                "messages[2].tool_results[0].content",
                "changed",
                14,
                28,
                (f"{SUITES[0]}:14",),
                ('- "days": 3,', '+ "days": 4,'),
            ),
        ],
    ),
    "tools swapped": (
        swap_tools,
        [
            Drawn(
                "tools.order",
                "reordered",
                ALL,
                TURNS,
                tuple(f"{suite}:3" for suite in SUITES),
                ('- "lookup",', '- "refund"', '+ "refund",', '+ "lookup"'),
                OTHER_ORDER,
            )
        ],
    ),
    "a tool inserted": (
        insert_tool,
        [
            Drawn(
                "tools[cancel]",
                "added",
                ALL,
                TURNS,
                tuple(f"{suite}:7" for suite in SUITES),
                (
                    "+ {",
                    '+ "description": "Call it off.",',
                    '+ "input_schema": {',
                    '+ "type": "object"',
                    "+ }",
                    "+ }",
                ),
            )
        ],
    ),
    "a tool taken out": (
        lambda p: p.replace(
            SUITES[2],
            "  - name: refund\n    description: Pay it back.\n"
            "    input_schema: {type: object, properties: {order: {type: integer}}, required: [order]}\n",
            "",
        ),
        [
            Drawn(
                "tools[refund]",
                "removed",
                7,
                21,
                (f"{SUITES[2]}:3",),
                (
                    "- {",
                    '- "description": "Pay it back.",',
                    '- "input_schema": {',
                    '- "properties": {',
                    '- "order": {',
                    '- "type": "integer"',
                    "- }",
                    "- },",
                    '- "required": [',
                    '- "order"',
                    "- ],",
                    '- "type": "object"',
                    "- }",
                    "- }",
                ),
            )
        ],
    ),
    "the model of the config": (
        lambda p: p.replace("dryfire.yaml", "scripted-1", "scripted-2"),
        [Drawn("model", "changed", ALL, TURNS, ("dryfire.yaml:5",), ("- scripted-1", "+ scripted-2"))],
    ),
    "a parameter of the config": (
        lambda p: p.replace("dryfire.yaml", "temperature: 0", "temperature: 0.7"),
        [
            Drawn(
                "params.temperature",
                "changed",
                ALL,
                TURNS,
                ("dryfire.yaml:6",),
                ("- 0.0", "+ 0.7"),
            )
        ],
    ),
    "a description": (
        lambda p: each_suite(p, "Look an order up.", "Look up an order."),
        [
            Drawn(
                f"{LOOKUP}.description",
                "changed",
                ALL,
                TURNS,
                tuple(f"{suite}:5" for suite in SUITES),
                ("- Look an order up.", "+ Look up an order."),
            )
        ],
    ),
    "a question": (
        lambda p: p.replace(SUITES[1], "Where is order 5?", "Where is order number 5?"),
        [
            Drawn(
                "messages[0].content",
                "changed",
                1,
                3,
                (f"{SUITES[1]}:51",),
                ("- Where is order 5?", "+ Where is order number 5?"),
            )
        ],
    ),
    "a line of the prompt put in front": (
        lambda p: p.write(PROMPT, f"Be brief.\n{forty_cases.PROMPT}"),
        [Drawn("system", "changed", ALL, TURNS, (f"{PROMPT}:1",), ("+ Be brief.",))],
    ),
}


@pytest.mark.parametrize(("edit", "causes"), EDITS.values(), ids=EDITS)
def test_each_edit_is_one_cause_with_its_place_and_its_text(
    edit: Callable[[Repository], None], causes: list[Drawn], project: Repository
) -> None:
    edit(project)
    results = explained(project.root)
    assert [drawn(cause) for cause in results.causes] == causes
    assert all(cause.old_found or cause.old is None for cause in results.causes)
    assert results.history == ""


QUOTED = """\
name: mail
provider: fake
model: scripted-1
tools:
  - {name: find, input_schema: {type: object}}
  - {name: send, input_schema: {type: object}}
mocks:
  find: [{return: {mail: "ada@holm-post.net"}}]
  send: [{return: sent}]
cases:
  - name: asks
    input: Write to her.
    script:
      - tool_call: {name: find}
      - tool_call: {name: send, arguments: {to: "ada@holm-post.net"}}
      - text: Sent to ada@holm-post.net.
    expect: []
"""


def test_a_mock_edit_that_the_model_quotes_later_is_one_cause(tmp_path: Path) -> None:
    made = Repository(tmp_path / "r")
    made.write("dryfire.yaml", "version: 1\nsuites: ['*.eval.yaml']\ncassettes: {scripted: true}\n")
    made.write("mail.eval.yaml", QUOTED)
    forty_cases.run(made.root, RunOptions(mode="record"))
    made.commit()
    made.replace("mail.eval.yaml", 'find: [{return: {mail: "ada@', 'find: [{return: {mail: "eve@')
    results = explained(made.root)
    changed = [
        [change.path for change in turn.changes] for case in results.cases for turn in case.runs[0].turns
    ]
    result = "messages[2].tool_results[0].content"
    assert changed == [[], [result], [result]]
    (cause,) = results.causes
    assert drawn(cause) == Drawn(
        result,
        "changed",
        1,
        2,
        ("mail.eval.yaml:8",),
        ('- "mail": "ada@holm-post.net"', '+ "mail": "eve@holm-post.net"'),
    )


def test_the_model_of_the_command_line_is_told_as_such(project: Repository) -> None:
    forty_cases.run(project.root, RunOptions(mode="record", model="scripted-2"))
    # What stands in the recording of one model is asked of another.
    for path in (project.root / ".dryfire/cassettes/triage").iterdir():
        if "@" in path.name:
            other = path.with_name(path.name.replace("scripted-2", "scripted-3"))
            other.write_bytes(path.read_bytes())
    results = forty_cases.run(project.root, RunOptions(model="scripted-3"), ["evals/triage.eval.yaml"])
    assert {case.outcome for case in results.cases} <= {"stale", "damaged", "missing"}
    for cause in results.causes:
        assert (cause.where, cause.note) == ((), MODEL_OVERRIDE)


def test_line_ends_are_named_and_shown(project: Repository) -> None:
    text = forty_cases.PROMPT.replace("\n", "\r\n")
    each_suite(project, "{$ref: ../prompts/support.md}", "{$ref: ../prompts/support.txt}")
    project.write("prompts/support.txt", text.replace("\r\n", "\r").encode())
    causes = explained(project.root).causes
    # Files are read with LF: however a checkout writes line ends, a prompt stays what it was.
    assert [cause.note for cause in causes] in ([], [LINE_ENDS])


def test_other_ignore_rules_are_no_edit_of_the_text(project: Repository) -> None:
    project.write(
        "dryfire.yaml",
        forty_cases.CONFIG + 'fingerprint: {ignore: [{path: system, pattern: "\\\\d+ days"}]}\n',
    )
    (cause,) = explained(project.root).causes
    assert (cause.path, cause.note, cause.diff) == ("system", OTHER_RULES, ())


def no_git(project: Repository) -> Path:
    shutil.rmtree(project.root / ".git")
    return project.root


def no_commits(project: Repository) -> Path:
    shutil.rmtree(project.root / ".git")
    Repository(project.root)
    return project.root


def edited_and_recorded_in_one_commit(project: Repository) -> Path:
    """The only commit in reach has the edit already."""
    edit_prompt(project)
    project.commit()
    shallow = project.clone(project.root.parent / "s", "--depth=1")
    return shallow.root


HISTORIES: dict[str, tuple[Callable[[Repository], Path], str]] = {
    "no git": (no_git, git_log.NO_REPOSITORY),
    "no commits": (no_commits, git_log.NO_COMMITS),
    "depth 1": (edited_and_recorded_in_one_commit, old_text.NO_HISTORY),
}


@pytest.mark.parametrize(("make", "why"), HISTORIES.values(), ids=HISTORIES)
def test_without_history_names_and_digests_stand_alone_and_the_way_out_is_named(
    make: Callable[[Repository], Path], why: str, project: Repository
) -> None:
    root = make(project)
    if why != old_text.NO_HISTORY:
        (root / PROMPT).write_text(forty_cases.PROMPT.replace("30", "14"), encoding="utf-8")
    results = explained(root)
    (cause,) = results.causes
    assert (cause.path, cause.diff, cause.old_found, results.history) == ("system", (), False, why)
    assert cause.old and cause.new


def test_a_green_run_asks_git_nothing(project: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dryfire_action.git_process.subprocess.Popen", None)
    assert explained(project.root).exit_code == 0


def test_forty_cases_take_two_processes_of_git(project: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    both_prompt_and_mock(project)
    started: list[object] = []

    def counted(*arguments: object, **more: object) -> object:
        started.append(arguments)
        return start(*arguments, **more)  # type: ignore[arg-type]

    for module in ("git_log", "git_objects"):
        monkeypatch.setattr(f"dryfire_action.{module}.start", counted)
    assert len(explained(project.root).causes) == 2
    assert len(started) == 2


def test_a_case_says_how_much_of_its_request_is_equal(project: Repository) -> None:
    edit_prompt(project)
    turns = [turn for case in explained(project.root).cases for turn in case.runs[0].turns]
    assert {(turn.index, turn.fields - turn.equal) for turn in turns} == {(0, 1), (1, 1), (2, 1)}
    # version, provider, model, temperature, system, two tools of two fields, their order, question (2), script
    assert turns[0].fields == 13
