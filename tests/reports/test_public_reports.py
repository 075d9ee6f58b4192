"""What went wrong with the comments of other actions, and what ours does instead: one test for each kind of report.

The addresses are those of the reports. What concerns the client, the runner's commands and the set-up is tested where
these are.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from dryfire_action.reports.comment import MOST_SUMMARY_BYTES, MOST_UNITS, comment, job_summary
from dryfire_action.results import Results, TurnResult
from dryfire_action.text_diff import DiffLine, diff
from tests.reports.made import KEY, case, results, run, stale, verdict
from tests.reports.made_comments import CHANGES, CLEAR, HEAD, LINKS, SERVER, WAS_STALE, edited, many, marker
from tests.reports.shown_html import complaints, read
from tests.reports.test_markdown import hostile
from tests.reports.test_result_json import FOUND, SYSTEM_CAUSE, made

STATES = {
    **FOUND,
    "clear": CLEAR,
    "stale": edited(3),
    "changed": replace(CLEAR, behaviour=CHANGES),
    "failed": results(case("a"), case("b", "failed")),
    "long": many(60, cases=5, lines=12, length=300),
    "hostile": hostile(),
}


def body(found: Results, show: Any = "prompts", **more: Any) -> str:
    written = comment(
        made(found, show), marker(), **{"previous": None, "links": LINKS, "speak": "always", **more}
    )
    assert written
    return written


def test_the_comment_of_a_failure_does_not_stay_after_the_fix() -> None:
    """https://github.com/ariga/atlas/issues/3730, https://github.com/actions/dependency-review-action/issues/647"""
    lines = body(CLEAR, previous=WAS_STALE, speak="auto").splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("✅ All 40 cases match their recordings")


def test_an_unchanged_result_makes_no_edit() -> None:
    """https://github.com/marocchino/sticky-pull-request-comment/issues/1023"""
    for found in STATES.values():
        assert body(found) == body(found)


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("previous", [None, WAS_STALE])
def test_every_state_names_its_commit_and_its_run(name: str, previous: Any) -> None:
    """https://github.com/bldrs-ai/conway/pull/600"""
    shown = body(STATES[name], previous=previous)
    links = read(shown).links or re.findall(r"\]\(([^)]*)\)", shown)
    assert f"{SERVER}/acme/shop/commit/{HEAD}" in links
    assert LINKS.run_url in links


def test_what_is_cut_is_the_list_of_cases_and_never_the_cause() -> None:
    """https://github.com/dflook/terraform-github-actions/issues/197"""
    shown = body(many(2, cases=900, lines=4))
    assert len(shown) <= MOST_UNITS
    assert "+ 0000 yyy" in shown
    assert "… and 890 more" in shown
    assert shown.index("+ 0000 yyy") < shown.index("case_000_0000")
    assert LINKS.run_url in shown


@pytest.mark.parametrize("taken", [0, 500_000, 999_500])
def test_a_summary_is_never_so_large_that_it_is_dropped(taken: int) -> None:
    """https://github.com/actions/dependency-review-action/issues/867, https://github.com/maester365/maester/issues/905"""
    found = many(60, cases=20, lines=12, length=300)
    shown = job_summary(made(found), LINKS, budget_bytes=MOST_SUMMARY_BYTES - taken)
    assert 0 < len(shown.encode()) <= 1_000_000 - taken


@pytest.mark.parametrize("inside", ["```", "````\n```", "`````diff\n</details>", "~~~", "    ```"])
def test_a_fence_inside_of_a_text_does_not_end_ours(inside: str) -> None:
    """https://github.com/The-PR-Agent/pr-agent/pull/2945"""
    cause = replace(SYSTEM_CAUSE, diff=tuple(DiffLine("+", row) for row in inside.split("\n")))
    shown = body(results(case("c", "stale", run(stale(0), passed=False)), causes=(cause,)))
    assert complaints(shown, SERVER) == []
    # What comes after it is no code.
    assert "Turns, with their recorded" in "".join(read(shown).prose)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("never promise", "never\u200b promise", "U+200B"),
        ("caf\u00e9", "cafe\u0301", "U+0301"),
        ("a b", "a\u00a0b", "U+00A0"),
        ("30 days", "30 days ", "·"),
    ],
)
def test_a_change_that_cannot_be_seen_is_shown_by_name(old: str, new: str, named: str) -> None:
    """https://github.com/jestjs/jest/issues/10584"""
    cause = replace(SYSTEM_CAUSE, diff=diff(old, new))
    assert named in body(results(case("c", "stale", run(stale(0), passed=False)), causes=(cause,)))


def test_nobody_is_pinged_and_nothing_is_linked_by_what_a_pull_request_says() -> None:
    """https://github.com/dependabot/dependabot-core/issues/427, https://github.com/openjdk/skara/pull/1548"""
    shown = body(hostile(), "all")
    assert complaints(shown, SERVER) == []
    assert "@everyone" in shown


def test_what_is_quoted_is_short() -> None:
    """https://github.com/dependabot/dependabot-core/pull/3157: who answers by e-mail sends it once more, as prose."""
    cause = replace(SYSTEM_CAUSE, diff=tuple(DiffLine("+", f"@user{n} " + "x" * 300) for n in range(60)))
    shown = body(results(case("c", "stale", run(stale(0), passed=False)), causes=(cause,)))
    assert shown.count("@user") == 12
    assert len(shown) < 20_000


def test_a_comment_is_redacted_before_it_is_first_posted() -> None:
    """https://github.com/actions/github-script/issues/180: nobody masks a comment, and its history stays."""
    secret = "ghp_" + "Zk3v" * 9
    document = made(edited(2)) | {"not_compared": f"token={secret}", "history": f"Bearer {secret}"}
    document["suites"][0]["cases"][0]["name"] = secret
    for shown in (comment(document, marker(), previous=None, links=LINKS), job_summary(document, LINKS)):
        assert shown
        assert secret not in shown


def test_names_only_lets_no_text_out() -> None:
    """https://github.com/dflook/terraform-github-actions/issues/130"""
    found = replace(edited(1, behaviour=CHANGES), history="")
    shown = body(found, "names")
    assert "`system` **changed**" in shown
    for text in ("30 days", "14 days", "Hello", "68.5"):
        assert text not in shown


def test_never_recorded_changed_repeat_missing_and_unreadable_are_four_findings() -> None:
    """https://github.com/lacs-project/sysknife/issues/182"""
    third = TurnResult(0, 0, "missing", None, KEY, (), "run 2, turn 0: recorded 2 times, asked 3 times")
    found = results(
        case(
            "never",
            "missing",
            run(TurnResult(0, 0, "missing", None, KEY, (), "turn 0: the cassette is empty")),
        ),
        case("changed", "stale", run(*[stale(1)], passed=False)),
        case("repeat", "missing", run(), run(index=1), run(third, index=2, passed=False)),
        case("broken", "damaged", error="c.json:3: conflict markers", cassette="c.json"),
        causes=(replace(SYSTEM_CAUSE, cases=("s::changed",)),),
    )
    shown = body(found)
    assert "Re-record 4 of 4 cases: 1 stale by 1 change, 2 missing, 1 damaged" in shown
    assert "- `s::never`: turn 0: the cassette is empty" in shown
    assert "- `s::repeat`: run 2, turn 0: recorded 2 times, asked 3 times" in shown
    assert "| `s::changed` | 1 | `3f2a3f2a` | `9c019c01` | `system` changed |" in shown
    assert "- `s::broken`: `c.json:3: conflict markers`" in shown


def test_a_miss_is_called_a_missing_recording_and_not_a_failure_of_the_network() -> None:
    """https://github.com/crewAIInc/crewAI/pull/5854"""
    shown = body(results(case("a", "missing", run(TurnResult(0, 0, "missing", None, KEY), passed=False))))
    assert "Record 1 of 1 case: something is not in its recording" in shown
    assert "Not recorded: 1 case" in shown
    assert not re.search(r"connection|network|timeout|provider", shown, re.IGNORECASE)


def test_a_miss_tells_both_keys_and_the_fields_that_differ() -> None:
    """https://github.com/mergewatch/mergewatch.ai/issues/491"""
    shown = body(edited())
    assert "| `s::c0` | 0 | `3f2a3f2a` | `9c019c01` | `system` changed |" in shown
    assert shown.splitlines()[1].startswith("### 🔴")


def test_a_case_that_fails_is_not_hidden_by_one_that_is_stale() -> None:
    failing = case("f", "failed", run(passed=False, verdicts=(verdict(),)))
    shown = body(results(case("c", "stale", run(stale(0), passed=False)), failing, causes=(SYSTEM_CAUSE,)))
    assert "1 failed" in shown.splitlines()[1]
    assert "- `s::f`: `calls_tool: refund` (refund was not called)" in shown
