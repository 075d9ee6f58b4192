"""The comment on a pull request: when it speaks, what it says, and how it gets shorter."""

from __future__ import annotations

from dataclasses import replace
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.behaviour import BehaviourChange, Difference, NoLongerReplayed
from dryfire_action.comment_marker import PREFIX, parse_marker
from dryfire_action.errors import Place, Problem
from dryfire_action.messages import Usage
from dryfire_action.reports.comment import (
    MOST_BYTES,
    MOST_SUMMARY_BYTES,
    MOST_UNITS,
    comment,
    has_something_to_say,
    job_summary,
)
from dryfire_action.result_merge import merge_results
from dryfire_action.results import Results, SuiteResult, TurnResult
from dryfire_action.text_diff import DiffLine
from tests.reports.made import KEY, case, results, run, stale
from tests.reports.made_comments import HEAD, LINKS, OLD_HEAD, SERVER, WAS_STALE, marker
from tests.reports.shown_html import complaints
from tests.reports.test_result_json import COMMIT, FOUND, SYSTEM_CAUSE, made

if TYPE_CHECKING:
    pass

COMMAND = "dryfire run evals/s.eval.yaml --cassette-mode auto"
RUN = LINKS.run_url
AT = f"[`9b1d77c`]({SERVER}/acme/shop/commit/{HEAD})"
WAS = f"[`3f9c2e1`]({SERVER}/acme/shop/commit/{OLD_HEAD})"
CLEAR = results(
    *(case(f"c{n}", "passed", run()) for n in range(40)), base=COMMIT, no_longer_replayed=(), behaviour=()
)


def edited(number: int = 1, **more: Any) -> Results:
    """Results of that many cases that one edit made stale."""
    cases = [case(f"c{n}", "stale", run(stale(0), passed=False)) for n in range(number)]
    cause = replace(SYSTEM_CAUSE, cases=tuple(one.id for one in cases), note="")
    return results(*cases, causes=(cause,), command=COMMAND, **more)


def change(kind: Any, name: str = "", *differences: Difference, **more: Any) -> BehaviourChange:
    values = {"calls_before": ("lookup",), "calls_after": ("lookup", "refund"), **more}
    return BehaviourChange(f"s::{name or kind}", kind, differences, **values)


def body(found: Results | dict[str, Any], show: Any = "prompts", **more: Any) -> str:
    document = found if isinstance(found, dict) else made(found, show)
    written = comment(document, marker(), **{"previous": None, "links": LINKS, "speak": "always", **more})
    assert written is not None
    first, _, rest = written.partition("\n")
    assert parse_marker(written) == marker()
    assert PREFIX not in rest
    assert complaints(written, SERVER) == []
    assert first == marker().text()
    return rest.rstrip("\n")


# When it speaks


@pytest.mark.parametrize(
    ("found", "speaks"),
    [
        (CLEAR, False),
        (results(case("a"), case("b", "excluded")), False),
        (replace(CLEAR, behaviour=None, no_longer_replayed=None, base=None, not_compared="no git"), False),
        (edited(), True),
        (results(case("a"), case("b", "missing")), True),
        (results(case("a"), case("b", "damaged")), True),
        (results(case("a"), case("b", "failed")), True),
        (results(case("a"), case("b", "skipped")), True),
        (results(), True),
        (results(case("b", "excluded")), True),
        (results(case("a"), complete=False, not_run=3), True),
        (replace(CLEAR, no_longer_replayed=(NoLongerReplayed("s::x", "deleted"),)), True),
        (replace(CLEAR, behaviour=(change("wording"),)), True),
        (replace(CLEAR, behaviour=(change("new"),)), True),
    ],
)
def test_it_speaks_of_what_somebody_must_look_at(found: Results, speaks: bool) -> None:
    document = made(found)
    said = comment(document, marker(), previous=None, links=LINKS)
    assert (said is not None) is speaks is has_something_to_say(document)
    assert comment(document, marker(), previous=WAS_STALE, links=LINKS) is not None
    assert comment(document, marker(), previous=None, links=LINKS, speak="always") is not None
    for previous in (None, WAS_STALE):
        assert comment(document, marker(), previous=previous, links=LINKS, speak="never") is None


def test_a_problem_is_spoken_of_whatever_the_state_is() -> None:
    document = made(CLEAR) | {
        "problems": [{"file": None, "line": None, "column": None, "message": "x", "hint": None}]
    }
    assert has_something_to_say(document)
    assert "✅" not in body(document)


# What it says


def test_when_all_is_clear_again_one_line_is_left() -> None:
    assert body(CLEAR, previous=WAS_STALE) == (
        f"✅ All 40 cases match their recordings at {AT} (was: 40 stale at {WAS}) · [full report]({RUN})"
    )


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ({"state": "failed", "stale": 0}, f" (was: failing at {WAS})"),
        ({"state": "changed", "stale": 0}, f" (was: changed at {WAS})"),
        ({"state": "nothing-checked", "stale": 0}, f" (was: nothing checked at {WAS})"),
        ({"state": "error", "stale": 0}, f" (was: not checked at {WAS})"),
        ({"state": "clear", "stale": 0}, ""),
        ({"state": "no-state-of-ours", "stale": 0}, ""),
    ],
)
def test_it_remembers_what_it_said_before(before: dict[str, Any], words: str) -> None:
    line = body(CLEAR, previous=replace(WAS_STALE, **before))
    assert line == f"✅ All 40 cases match their recordings at {AT}{words} · [full report]({RUN})"


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (results(case("a")), "✅ The one case matches its recording at "),
        (results(case("a"), case("b")), "✅ All 2 cases match their recordings at "),
        (results(case("a"), case("b"), case("c", "excluded")), "✅ 2 of 3 cases match their recordings at "),
        (results(case("a"), case("c", "excluded")), "✅ 1 of 2 cases matches its recording at "),
    ],
)
def test_what_is_excluded_is_counted_even_in_one_line(found: Results, line: str) -> None:
    shown = body(found, previous=WAS_STALE)
    assert shown.startswith(line)
    assert (", 1 excluded" in shown) == (len(list(found.cases)) > found.checked)


def test_causes_come_first_with_their_place_then_what_to_do() -> None:
    found = edited(4, base=COMMIT, no_longer_replayed=(), behaviour=())
    assert body(found) == cleandoc(
        f"""
        ### 🔴 Re-record 4 of 4 cases: one change explains all of them

        The tests of this agent replay answers that a model once gave, instead of asking it again. This commit asks the model something else than what those answers were given to, so they no longer show what the agent does.

        **1.** `system` **changed** · [`p.md:4`]({SERVER}/acme/shop/blob/{HEAD}/p.md?plain=1#L4) · 4 cases, 3 turns

        ```diff
        - 30 days
        + 14 days
        ```

        <details><summary>4 cases: <code>s</code> 4</summary>

        `s`: `c0` `c1` `c2` `c3`

        </details>

        Was that edit meant? Then record the new answers and commit them. If not, undo it.

        ```sh
        {COMMAND}
        ```

        <sub>4 calls of the model</sub>

        <details><summary>Turns, with their recorded and current keys</summary>

        | case | turn | recorded | current | fields |
        | --- | --- | --- | --- | --- |
        | `s::c0` | 0 | `3f2a3f2a` | `9c019c01` | `system` changed |
        | `s::c1` | 0 | `3f2a3f2a` | `9c019c01` | `system` changed |
        | `s::c2` | 0 | `3f2a3f2a` | `9c019c01` | `system` changed |
        | `s::c3` | 0 | `3f2a3f2a` | `9c019c01` | `system` changed |

        </details>

        <sub>4 cases, 4 turns · commit {AT} · compared with that commit · [full report]({RUN})</sub>
        """  # noqa: E501
    )


CHANGES = (
    change("new", tokens_after=Usage(50, 5)),
    change("wording", "w", Difference(0, 1, "text", "Hello.", "Hi @everyone.")),
    change("arguments", "a", Difference(0, 0, "arguments of refund", {"amount": 64}, {"amount": 68.5})),
    change("tools", "t", tokens_before=Usage(100, 10), tokens_after=Usage(120, 12)),
)


def test_recordings_that_differ_from_the_base_are_for_a_reviewer_to_judge() -> None:
    found = replace(CLEAR, base=OLD_HEAD, behaviour=CHANGES)
    shown = body(found)
    order = [
        "**Other tools called: 1 case**",
        "**The same tools, other arguments: 1 case**",
        "Wording only: 1 case",
        "New",
    ]
    assert shown.splitlines()[0] == (
        "### 🟡 4 of 40 cases are recorded anew: 1 with other calls, 1 with other arguments, 1 with other words, 1 new"
    )
    assert [shown.index(title) for title in order] == sorted(shown.index(title) for title in order)
    assert "- `s::t`: `lookup` → `lookup`, `refund` · 110 → 132 tokens" in shown
    assert "- `s::a`: arguments of `refund`" in shown
    assert "Tokens of the recordings that changed: input 100 → 120, output 10 → 12" in shown
    assert f"compared with {WAS}" in shown
    assert "Hello." not in shown
    assert "✅" not in shown


def test_texts_of_answers_are_there_only_where_all_may_be_shown() -> None:
    found = replace(CLEAR, behaviour=CHANGES)
    assert "- Hello.\n+ Hi @everyone." in body(found, "all")
    assert '- {"amount": 64}\n+ {"amount": 68.5}' in body(found, "all")
    for show in ("names", "prompts"):
        assert "Hello" not in body(found, show)
        assert "68.5" not in body(found, show)


def test_new_behaviour_and_what_is_stale_stand_together() -> None:
    shown = body(edited(behaviour=CHANGES, base=COMMIT, no_longer_replayed=()))
    assert shown.startswith("### 🔴 Re-record 1 of 1 case")
    assert "**4 recordings are new or differ from the base**: 1 with other calls" in shown
    assert shown.index("dryfire run") < shown.index("Other tools called")


def test_shrinking_is_never_green() -> None:
    found = replace(CLEAR, no_longer_replayed=(NoLongerReplayed("s::x", "deleted"),))
    shown = body(found, previous=WAS_STALE)
    assert shown.startswith("### ⚠️ 40 of 41 cases match their recordings, 1 no longer replayed")
    assert "- `s::x`: no suite holds it any more" in shown
    assert "nothing checks them" in shown


@pytest.mark.parametrize(
    ("found", "line", "means"),
    [
        (
            results(case("a"), case("b", "failed")),
            "🔴 1 of 2 cases fails",
            "does not do what its tests expect",
        ),
        (results(case("a"), case("b", "missing")), "🔴 Record 1 of 2 cases: ", "there is no answer yet"),
        (results(case("a"), case("b", "damaged")), "🔴 Re-record 1 of 2 cases: ", "edited by hand"),
        (
            results(case("a"), case("b", "skipped")),
            "⚠️ 1 of 2 cases matches its recording, 1 skipped",
            "no all-clear",
        ),
        (results(), "⚠️ Nothing was checked", "nothing is known about this commit"),
        (results(case("a"), complete=False, not_run=3), "⚠️ Stopped: 3 cases did not run", "no all-clear"),
    ],
)
def test_every_state_says_what_it_means(found: Results, line: str, means: str) -> None:
    shown = body(found)
    assert shown.startswith(f"### {line}")
    assert means in shown.split("\n\n")[1]
    assert AT in shown
    assert f"[full report]({RUN})" in shown


def test_a_shard_that_did_not_report_is_missing_and_the_others_are_told() -> None:
    problem = {
        "file": None,
        "line": None,
        "column": None,
        "message": "shard 2/3 did not report",
        "hint": "Look.",
    }
    document = made(edited(2)) | {"problems": [problem], "state": "stopped", "complete": False}
    shown = body(document)
    assert shown.startswith(
        "### ⚠️ Incomplete: 1 problem; of what was checked: re-record 2 of 2 cases: one change "
    )
    assert "- `shard 2/3 did not report` (`Look.`)" in shown
    assert "dryfire run" in shown
    green = body(
        made(CLEAR) | {"problems": [problem], "state": "stopped", "complete": False}, previous=WAS_STALE
    )
    assert green.startswith(
        "### ⚠️ Incomplete: 1 problem; of what was checked: all 40 cases match their recordings"
    )
    assert "✅" not in green


def test_shards_are_merged_into_one_comment_that_misses_the_one_that_is_not_there() -> None:
    parts = [
        made(replace(edited(2), shard="1/3", elsewhere=4)),
        made(replace(results(case("y"), case("z")), shard="3/3", elsewhere=4)),
    ]
    shown = body(merge_results(parts))
    assert shown.startswith("### ⚠️ Incomplete: 1 problem; of what was checked: re-record 2 of 4 cases")
    assert "shard 2/3 did not report" in shown


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"shard": "3/3", "elsewhere": 38}, ", 38 in other shards"),
        ({"left_out": 2}, ", 2 left out by arguments"),
    ],
)
def test_an_all_clear_says_what_it_is_not_about(more: dict[str, Any], words: str) -> None:
    assert words in body(replace(CLEAR, **more), previous=WAS_STALE)
    assert words in job_summary(made(replace(CLEAR, **more)), LINKS).splitlines()[0]


@pytest.mark.parametrize(
    ("why", "depth"),
    [
        ({"history": "this checkout has no history beyond the last commit: use fetch-depth: 2"}, "2"),
        ({"not_compared": "it is not in this checkout (use fetch-depth: 2)"}, "2"),
        ({"history": "fetch-depth: 0 has them all", "not_compared": "use fetch-depth: 2"}, "0"),
    ],
)
def test_a_checkout_without_history_is_told_the_lines_that_fix_it(why: dict[str, str], depth: str) -> None:
    shown = body(edited(**why))
    assert f"```yaml\nwith: {{fetch-depth: {depth}}}\n```" in shown
    assert body(replace(CLEAR, **why), previous=WAS_STALE).count("fetch-depth: ") >= 1


def test_what_could_not_be_checked_is_told_with_its_reason() -> None:
    found = results(
        case("c", "stale", run(stale(0), TurnResult(1, 0, "not_reached", KEY), passed=False)),
        case("d", "excluded", error="runs code"),
        case("e", "skipped", error="KEY is not set"),
        causes=(SYSTEM_CAUSE,),
    )
    shown = body(found)
    assert (
        "1 turn was not reached: what comes after it cannot be checked before it is recorded again" in shown
    )
    assert "1 excluded, 1 skipped" in shown.splitlines()[0]
    assert "- `s::e`: `KEY is not set`" in shown or "- `s::e`: KEY is not set" in shown
    assert "- `s::d`" in shown


def test_a_text_that_may_not_be_shown_is_named_by_its_digests() -> None:
    shown = body(edited(), "names")
    assert "`12ab12ab` → `34cd34cd` (the text is not shown here)" in shown
    assert "30 days" not in shown


# How it gets shorter


def many(causes: int, *, cases: int = 1, lines: int = 1, length: int = 40) -> Results:
    """So many causes, each of so many cases, with a diff of so many lines of a length."""
    diff = tuple(DiffLine("+", f"{n:04} {'y' * length}") for n in range(lines))
    context = tuple(DiffLine(" ", f"{n:04} {'z' * length}") for n in range(lines))
    found, made_cases = [], []
    for number in range(causes):
        names = [f"case_{number:03}_{n:04}" for n in range(cases)]
        made_cases += [case(name, "stale", run(stale(0), passed=False)) for name in names]
        found.append(
            replace(
                SYSTEM_CAUSE,
                path=f"tools[t{number:03}].description",
                cases=tuple(f"s::{name}" for name in names),
                diff=(*context, *diff),
                note="",
            )
        )
    return results(*made_cases, causes=tuple(found), command=COMMAND)


@pytest.mark.parametrize(
    ("found", "says", "no_more"),
    [
        (many(3, cases=40, lines=3), ["`case_000_0039`", "0000 zzz"], ["more cases", "… and"]),
        (
            many(3, cases=900, lines=3),
            ["… and 890 more", "0000 zzz", "more rows"],
            ["`case_000_0009` `case_000_0010`"],
        ),
        (
            many(30, cases=12, lines=5, length=200),
            ["0004 yyy", "… and 2 more"],
            ["0000 zzz", "more changes, which"],
        ),
        (
            many(60, lines=12, length=300),
            ["… and 40 more changes, which made 40 cases stale"],
            ["tools[t020]"],
        ),
    ],
)
def test_each_step_of_the_ladder_says_in_numbers_what_it_leaves_out(
    found: Results, says: list[str], no_more: list[str]
) -> None:
    shown = body(found)
    for words in says:
        assert words in shown, words
    for words in no_more:
        assert words not in shown, words
    assert COMMAND in shown
    assert len(shown) < MOST_UNITS


def test_the_last_step_is_the_headline_the_command_and_where_the_rest_is() -> None:
    cases = tuple(case("\U0001f600" * 190 + f" {n}", "failed", error="\U0001f600" * 900) for n in range(60))
    cause = replace(SYSTEM_CAUSE, path="\U0001f600" * 300, note="\U0001f600" * 900, inner="\U0001f600" * 900)
    found = results(
        *cases,
        case("x", "stale", run(stale(0), passed=False)),
        causes=(cause,) * 40,
        command=f"dryfire run {' '.join(f'evals/suite-{n}.eval.yaml' for n in range(600))} --cassette-mode auto",
    )
    shown = body(found)
    assert shown.startswith("### 🔴 Re-record 1 of 61 cases: 40 changes explain it, 60 failed")
    assert "Too long to be shown here: 40 changes, 61 cases, 1 turn." in shown
    assert "```sh\ndryfire run --cassette-mode auto\n```" in shown
    assert f"[full report]({RUN})" in shown
    assert len(shown) < 3_000


def test_all_causes_but_the_first_are_opened_by_a_click() -> None:
    shown = body(many(8))
    assert "<details><summary>3 more changes</summary>" in shown
    assert shown.index("tools[t004]") < shown.index("3 more changes") < shown.index("tools[t005]")


def test_units_and_bytes_are_both_counted() -> None:
    for letter in ("a", "é", "退", "\U0001f600"):
        names = tuple(case(letter * 150 + f" {n}", "failed", error="x") for n in range(400))
        written = comment(made(results(*names)), marker(), previous=None, links=LINKS)
        assert written
        assert len(written.encode("utf-16-le")) // 2 <= MOST_UNITS
        assert len(written.encode()) <= MOST_BYTES
        assert "more cases" in written


# The summary of a job


@pytest.mark.parametrize("name", FOUND)
def test_a_summary_is_always_there_and_complete(name: str) -> None:
    shown = job_summary(made(FOUND[name]), LINKS)
    assert shown.startswith("### ")
    assert complaints(shown, SERVER, marked=False) == []
    assert PREFIX not in shown
    assert "full report" not in shown


def test_a_summary_has_room_for_more_than_a_comment() -> None:
    document = made(many(60, cases=30, lines=12, length=300))
    shown = job_summary(document, LINKS)
    assert "tools[t059]" in shown
    assert MOST_UNITS < len(shown.encode()) <= MOST_SUMMARY_BYTES


@pytest.mark.parametrize("taken", [0, 600_000, 990_000, 999_000, 999_990, 1_000_000, 2_000_000])
def test_what_the_step_wrote_before_counts(taken: int) -> None:
    document = made(many(60, cases=30, lines=12, length=300))
    shown = job_summary(document, LINKS, budget_bytes=MOST_SUMMARY_BYTES - taken)
    assert len(shown.encode()) + taken <= max(MOST_SUMMARY_BYTES, taken)
    assert bool(shown) == (taken <= 999_000)


# Stable


def test_the_same_result_makes_the_same_comment() -> None:
    document = made(edited(9, behaviour=CHANGES))
    assert body(document) == body(document)


def test_a_problem_names_its_place_as_a_link() -> None:
    problem = Problem(Place("evals/orders.eval.yaml", 12, 1), "it is no YAML")
    shown = body(made(Results((), complete=False), exit_code=2, problems=(problem,)))
    place = f"[`evals/orders.eval.yaml:12`]({SERVER}/acme/shop/blob/{HEAD}/evals/orders.eval.yaml#L12)"
    assert shown.startswith("### ⚠️ Stopped: 1 problem")
    assert f"- {place}: it is no YAML" in shown


def test_suites_stand_in_their_own_order() -> None:
    suites = tuple(SuiteResult(name, f"{name}.yaml", (case("a", "failed"),)) for name in ("b", "a"))
    shown = body(Results(suites))
    assert shown.index("`b::a`") < shown.index("`a::a`")
