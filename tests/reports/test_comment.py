"""The comment on a pull request: when it speaks, what it says, and how it gets shorter."""

from __future__ import annotations

from dataclasses import replace
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.behaviour import NoLongerReplayed
from dryfire_action.errors import Place, Problem
from dryfire_action.reports.comment import (
    comment,
    has_something_to_say,
    job_summary,
)
from dryfire_action.result_merge import merge_results
from dryfire_action.results import Results, SuiteResult, TurnResult
from tests.reports.made import KEY, case, results, run, stale
from tests.reports.made_comments import (
    CHANGES,
    CLEAR,
    COMMAND,
    HEAD,
    LINKS,
    OLD_HEAD,
    SERVER,
    WAS_STALE,
    body,
    change,
    edited,
    marker,
)
from tests.reports.test_result_json import COMMIT, SYSTEM_CAUSE, made

if TYPE_CHECKING:
    pass

RUN = LINKS.run_url
AT = f"[`9b1d77c`]({SERVER}/acme/shop/commit/{HEAD})"
WAS = f"[`3f9c2e1`]({SERVER}/acme/shop/commit/{OLD_HEAD})"
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
