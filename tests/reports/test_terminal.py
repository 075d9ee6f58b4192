"""The terminal report, as pictures: results in, exactly these lines out."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from dryfire_action.behaviour import BehaviourChange, NoLongerReplayed
from dryfire_action.causes import OTHER_RULES, Cause
from dryfire_action.errors import EXIT_RECORDING, Place
from dryfire_action.field_changes import FieldChange
from dryfire_action.messages import Usage
from dryfire_action.reports.lines import as_styled, as_text
from dryfire_action.reports.terminal import render
from dryfire_action.results import Results, TurnResult
from dryfire_action.text_diff import DiffLine
from tests.reports.made import (
    COMMAND,
    KEY,
    case,
    picture,
    replayed,
    results,
    run,
    stale,
    text,
    trace,
    verdict,
)


def test_cases_that_pass_take_one_line_each_with_turns_and_tokens() -> None:
    found = results(
        case("short", "passed", run(*replayed(0), trace=trace("hi", usage=Usage(900, 334)))),
        case("a longer name", "passed", run(*replayed(0, 1, 2)), scripted=True),
    )
    assert text(found) == picture(
        """
        s  evals/s.eval.yaml
          ✓ passed    short          1 turn    1,234 tokens
          ✓ passed    a longer name  3 turns   scripted

        2 cases: 2 passed  (4 turns: 4 replayed)
        """
    )


def test_a_failed_case_shows_the_assertion_what_it_expected_and_where_it_stands() -> None:
    found = results(case("late return", "failed", run(passed=False, verdicts=(verdict(True), verdict()))))
    assert text(found) == picture(
        """
        s  evals/s.eval.yaml
          ✗ failed    late return  1 turn
              ✗ calls_tool: refund
                refund was not called
                expected  at least one call
                actual    lookup (end_turn)
                evals/s.eval.yaml:31

        1 case: 1 failed  (1 turn: 1 replayed)
        exit 1: an assertion failed
        """
    )


def test_a_missing_turn_says_how_often_it_was_recorded() -> None:
    note = "turn 1: this request is recorded twice and was asked for more times than that (3 times)"
    turns = (
        *replayed(0),
        TurnResult(1, 0, "missing", None, KEY, (), note),
        TurnResult(2, 1, "not_reached", KEY),
    )
    found = results(case("polling", "missing", run(*turns, passed=False)), command=COMMAND)
    assert text(found) == picture(
        """
        s  evals/s.eval.yaml
          ! missing   polling  2 turns
              turn 1: missing  this request is recorded twice and was asked for more times than that (3 times)
              1 recorded turn not reached: what comes after it cannot be checked before it is recorded again

        1 case: 1 missing  (3 turns: 1 replayed, 1 missing, 1 not reached)

        Record what is missing:
          dryfire run evals/s.eval.yaml --cassette-mode auto
          at least 2 calls of the model
        exit 3: a recording is missing
        """
    )


def test_damaged_excluded_and_skipped_cases_say_why_and_what_to_do() -> None:
    found = results(
        case(
            "broken",
            "damaged",
            error=".dryfire/cassettes/s/broken.json:12: conflict markers",
            remedy="record it again",
        ),
        case("live code", "excluded", error="passthrough: a mock runs real code (evals/s.eval.yaml:9:3)"),
        case("no key", "skipped", error="ANTHROPIC_API_KEY is not set", remedy="set it"),
    )
    assert text(found) == picture(
        """
        s  evals/s.eval.yaml
          ! damaged   broken
              .dryfire/cassettes/s/broken.json:12: conflict markers
              record it again
          - excluded  live code  passthrough, not replayed
              passthrough: a mock runs real code (evals/s.eval.yaml:9:3)
          - skipped   no key
              ANTHROPIC_API_KEY is not set
              set it

        3 cases: 1 damaged, 1 excluded, 1 skipped
        exit 2: cases were skipped (--allow-skipped accepts that)
        """
    )


def test_a_case_that_did_not_finish_shows_the_providers_reason_once() -> None:
    reason = "529: overloaded\nplease wait"
    found = results(
        case("busy", "failed", run(passed=False, termination="provider_error", error=reason), error=reason)
    )
    assert text(found) == picture(
        """
        s  evals/s.eval.yaml
          ✗ failed    busy  1 turn    provider_error
              529: overloaded
              please wait

        1 case: 1 failed  (1 turn: 1 replayed)
        exit 3: a provider failed
        """
    )


def test_repeated_runs_show_how_many_passed_and_how_sure_that_is() -> None:
    good, bad = run(), run(passed=False, index=1, verdicts=(verdict(),))
    found = results(case("flaky", "failed", good, bad, good), case("sure", "passed", good, good))
    assert text(found) == picture(
        """
        s  evals/s.eval.yaml
          ✗ failed    flaky  1 turn    2/3 runs passed (95% interval 21% to 94%)
              run 1, of 3:
              ✗ calls_tool: refund
                refund was not called
                expected  at least one call
                actual    lookup (end_turn)
                evals/s.eval.yaml:31
          ✓ passed    sure   1 turn    2/2 runs passed

        2 cases: 1 passed, 1 failed  (5 turns: 5 replayed)
        exit 1: an assertion failed
        """
    )


def test_verbose_shows_every_assertion_and_the_turns_of_what_did_not_pass() -> None:
    found = results(
        case("good", "passed", run(verdicts=(verdict(True),))),
        case(
            "bad",
            "failed",
            run(*replayed(0, 1), passed=False, verdicts=(verdict(),), trace=trace("a", "b\nc")),
        ),
    )
    assert text(found, verbose=True) == picture(
        """
        s  evals/s.eval.yaml
          ✓ passed    good  1 turn
              ✓ calls_tool: refund
          ✗ failed    bad   2 turns
              turn 0: replayed
                answer  a
                call    lookup {"n": 0}
                result  {"found": 0}
              turn 1: replayed
                answer  | b
                        | c
              ✗ calls_tool: refund
                refund was not called
                expected  at least one call
                actual    lookup (end_turn)
                evals/s.eval.yaml:31

        2 cases: 1 passed, 1 failed  (3 turns: 3 replayed)
        exit 1: an assertion failed
        """
    )


@pytest.mark.parametrize(
    ("mode", "told"), [("record", True), ("auto", True), ("replay", False), ("off", False)]
)
def test_an_interrupted_recording_says_how_to_go_on(mode: str, told: bool) -> None:
    found = results(case("one", "passed", run()), complete=False, interrupted=True, not_run=3, mode=mode)
    words = "what was answered is kept: --cassette-mode auto goes on from there\n"
    assert (words in text(found)) is told


def test_where_only_rules_changed_the_command_is_rekey() -> None:
    cause = Cause("system", "changed", "1" * 16, "2" * 16, ("s::one",), 1, note=OTHER_RULES)
    found = results(case("one", "stale", run(stale(0), passed=False)), command=COMMAND, causes=(cause,))
    shown = text(found)
    assert "without any call of the model:\n  dryfire rekey\nexit 3: " in shown
    assert "--cassette-mode" not in shown
    assert "undo" not in shown


def test_the_end_tells_what_was_left_out_unplayed_and_stopped() -> None:
    found = results(
        case("one", "passed", run(), unplayed=2, notices=("recorded with another SDK",)),
        complete=False,
        interrupted=True,
        not_run=3,
        left_out=1,
        warnings=("a mock for an undeclared tool",),
    )
    assert text(found) == picture(
        """
        s  evals/s.eval.yaml
          ✓ passed    one  1 turn
              note: recorded with another SDK

        1 case: 1 passed  (1 turn: 1 replayed)
        interrupted: 3 cases did not run or finish
        1 case left out by arguments
        2 recorded exchanges never asked for (unplayed): s::one (2)
        warning: a mock for an undeclared tool
        exit 130: interrupted
        """
    )


def test_nothing_checked_is_never_green() -> None:
    assert text(results(left_out=4)) == picture(
        """
        0 cases: nothing was checked
        4 cases left out by arguments
        exit 2: nothing was checked (--allow-empty accepts that)
        """
    )


def test_an_early_stop_is_told() -> None:
    assert "stopped early: 2 cases did not run" in text(results(case("a"), complete=False, not_run=2))


def test_without_the_characters_the_marks_are_ascii_and_the_words_the_same() -> None:
    found = results(case("a"), case("b", "failed", run(passed=False, verdicts=(verdict(),))))
    plain = text(found, fancy=False)
    assert plain.isascii()
    assert plain == text(found).replace("✓", "+").replace("✗", "x")


def test_paths_are_shown_as_seen_from_the_callers_folder() -> None:
    found = results(case("b", "failed", run(passed=False, verdicts=(verdict(),))))
    shown = text(found, shown_path=lambda path: f"../{path}")
    assert "s  ../evals/s.eval.yaml" in shown
    assert "../evals/s.eval.yaml:31" in shown


def test_wide_names_stay_in_their_column() -> None:
    found = results(case("退款", "passed", run()), case("abc", "passed", run()))
    lines = text(found).splitlines()[1:3]
    starts = {cell_len(line[: line.index("1 turn")]) for line in lines}
    assert len(starts) == 1


def test_a_name_longer_than_its_column_keeps_a_gap() -> None:
    name = "n" * 80
    assert f"{name}  1 turn" in text(results(case(name, "passed", run()), case("b", "passed", run())))


HOSTILE = "a\x1b[2Jb\u202ec\n::error::d ##[group]e"


@pytest.mark.parametrize("verbose", [False, True])
def test_hostile_text_is_escaped_wherever_it_stands(verbose: bool) -> None:
    bad = verdict(
        description=HOSTILE, message=HOSTILE, expected=HOSTILE, actual=HOSTILE, place=Place(HOSTILE)
    )
    change = FieldChange(HOSTILE, "changed", "11" * 8, "22" * 8)
    found = Results(
        suites=(
            *results(
                case(HOSTILE, "failed", run(passed=False, verdicts=(bad,), trace=trace(HOSTILE, HOSTILE))),
                case(HOSTILE, "stale", run(stale(0, change), passed=False), notices=(HOSTILE,)),
                case(HOSTILE, "damaged", error=HOSTILE, remedy=HOSTILE, unplayed=1),
            ).suites,
        ),
        warnings=(HOSTILE,),
        command=HOSTILE,
        causes=(
            Cause(
                HOSTILE,
                "changed",
                None,
                None,
                (HOSTILE,),
                1,
                (Place(HOSTILE),),
                HOSTILE,
                HOSTILE,
                (DiffLine("+", HOSTILE, ((0, 3), (5, 8))),),
            ),
        ),
        history=HOSTILE,
        not_compared=HOSTILE,
        no_longer_replayed=(NoLongerReplayed(HOSTILE, "off"),),
        behaviour=(BehaviourChange(HOSTILE, "tools", (), (HOSTILE,), (HOSTILE,)),),
    )
    lines = render(found, exit_code=EXIT_RECORDING, verbose=verbose)
    for shown in (as_text(lines), as_styled(lines, width=70, colour=False)):
        assert not set(shown) & {"\x1b", "\u202e", "\r"}
        assert "##[" not in shown
        assert not [line for line in shown.splitlines() if line.lstrip().startswith("::")]
        assert "\\x1b[2J" in shown


def test_long_lists_are_cut_with_a_count_and_whole_when_verbose() -> None:
    turns = [TurnResult(index, 0, "missing", None, KEY, (), "nothing") for index in range(12)]
    places = tuple(Place("p.md", line) for line in range(1, 9))
    long_diff = tuple(DiffLine("+", f"line {number}") for number in range(30))
    causes = tuple(
        Cause(f"params.p{n:02}", "changed", "1" * 16, "2" * 16, ("s::x",), 1, places, diff=long_diff)
        for n in range(25)
    )
    found = results(
        case("many turns", "missing", run(*turns, passed=False)),
        case("x", "stale", run(stale(0), passed=False)),
        case("long answer", "failed", run(passed=False, verdicts=(verdict(actual="x" * 1000),))),
        causes=causes,
        behaviour=tuple(BehaviourChange(f"s::{n}", "wording", (), (), ()) for n in range(9)),
    )
    short, whole = text(found), text(found, verbose=True)
    for cut in (
        "… and 4 more turns",
        "… and 5 more changes",
        "… and 3 more places",
        "… 16 more lines",
        "causes 1, 2, 3, 4, 5 and 20 more",
        "… (600 more characters)",
        "… and 4 more\n",
    ):
        assert cut in short
        assert cut not in whole or cut.startswith("causes")
    assert "params.p24" in whole
    assert "x" * 1000 in whole


def test_on_a_terminal_the_words_are_the_same_and_the_command_is_never_wrapped() -> None:
    long = f"{COMMAND} --case 's::" + "very " * 30 + "long'"
    found = results(case("gift", "stale", run(stale(0), passed=False)), command=long)
    lines = render(found, exit_code=3)
    styled = as_styled(lines, width=60, colour=False)
    assert long in styled
    assert styled.split() == as_text(lines).split()
    assert max(len(line) for line in styled.splitlines() if "dryfire run" not in line) <= 60
