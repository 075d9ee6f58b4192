"""Causes and the base in the terminal report: which edits, how they read, and what the base has beyond them."""

from __future__ import annotations

from dryfire_action.behaviour import BehaviourChange, NoLongerReplayed
from dryfire_action.causes import Cause
from dryfire_action.errors import Place
from dryfire_action.field_changes import FieldChange
from dryfire_action.messages import Usage
from dryfire_action.reports.lines import as_styled
from dryfire_action.reports.terminal import render
from dryfire_action.text_diff import DiffLine
from tests.reports.made import COMMAND, SYSTEM, case, picture, results, run, stale, text

TOOL = FieldChange("tools[lookup].description", "added", None, "77" * 8)
CAUSES = (
    Cause(
        "system",
        "changed",
        "12ab" * 4,
        "34cd" * 4,
        ("s::gift", "t::late"),
        5,
        (Place("prompts/support.md", 4), Place("evals/t.eval.yaml", 2)),
        "only a date differs",
        diff=(
            DiffLine(" ", "You are kind."),
            DiffLine("-", "At most 30 days.", ((8, 10),)),
            DiffLine("+", "At most 14 days.", ((8, 10),)),
            DiffLine("…", "3 equal lines"),
        ),
        old_found=True,
    ),
    Cause(
        "tools[lookup].description", "added", None, "77" * 8, ("s::gift",), 1, inner="properties.a changed"
    ),
)


def test_the_edits_come_first_and_each_case_names_its_own() -> None:
    found = results(
        case("gift", "stale", run(stale(0), stale(1), stale(2, SYSTEM, TOOL), passed=False)),
        command=COMMAND,
        causes=CAUSES,
        history="no git repository",
    )
    assert text(found) == picture(
        """
        Re-record 1 of 1 case: 2 changes explain it

        1. system changed  2 cases in 2 suites, 5 turns
           prompts/support.md:4
           evals/t.eval.yaml:2
             You are kind.
           - At most 30 days.
           + At most 14 days.
             … 3 equal lines
           note: only a date differs

        2. tools[lookup].description added  1 case, 1 turn
           77777777
           inside: properties.a changed

        without the old text: no git repository

        s  evals/s.eval.yaml
          ! stale     gift  3 turns   causes 1, 2

        1 case: 1 stale  (3 turns: 3 stale)

        Were those edits meant? Then record the new answers and commit them. If not, undo them.
        Re-record only what is stale:
          dryfire run evals/s.eval.yaml --cassette-mode auto
          3 calls of the model
        exit 3: a recording is stale
        """
    )


def test_a_stale_case_shows_keys_and_fields_when_verbose() -> None:
    found = results(
        case("gift", "stale", run(stale(0, equal=8, fields=9), stale(1, SYSTEM, TOOL), passed=False)),
    )
    assert text(found, verbose=True) == picture(
        """
        s  evals/s.eval.yaml
          ! stale     gift  2 turns
              turn 0: stale  3f2a3f2a -> 9c019c01  8 of 9 fields are equal
                  system  changed    12ab12ab -> 34cd34cd
              turn 1: stale  3f2a3f2a -> 9c019c01
                  system                     changed    12ab12ab -> 34cd34cd
                  tools[lookup].description  added      77777777

        1 case: 1 stale  (2 turns: 2 stale)
        exit 3: a recording is stale
        """
    )


def test_changed_words_are_marked_where_there_are_colours() -> None:
    found = results(case("gift", "stale", run(stale(0), passed=False)), causes=CAUSES)
    styled = as_styled(render(found, exit_code=3), width=80, colour=True)
    assert "\x1b[31mAt most \x1b[0m\x1b[1;4;31m30\x1b[0m\x1b[31m days.\x1b[0m" in styled
    assert "\x1b[32mAt most \x1b[0m\x1b[1;4;32m14\x1b[0m\x1b[32m days.\x1b[0m" in styled


def test_what_recording_again_costs_is_told_where_it_is_known() -> None:
    turn = stale(0, usage=Usage(1_234, 56))
    found = results(case("gift", "stale", run(turn, turn, passed=False)), command=COMMAND, causes=CAUSES)
    assert "\n  2 calls of the model; what is replaced took 2,468 input and 112 output tokens\n" in text(
        found
    )


def test_the_base_says_what_it_replays_and_what_changed_since() -> None:
    found = results(
        case("a"),
        base="0" * 40,
        no_longer_replayed=(NoLongerReplayed("s::b", "deleted"), NoLongerReplayed("s::c", "left_out")),
        behaviour=(BehaviourChange("s::a", "tools", (), (), ("refund",), Usage(5), Usage(9)),),
    )
    assert text(found) == picture(
        """
        s  evals/s.eval.yaml
          ✓ passed    a

        1 case: 1 passed
        1 of 3 cases clear, 2 no longer replayed
          no longer replayed: s::b: no suite holds it any more
          no longer replayed: s::c: the same arguments leave it out now
        1 recording changed since the base:
          s::a  other calls: refund; before: no call, 4 tokens more
        """
    )


def test_a_base_out_of_reach_is_told() -> None:
    assert "\nnote: not compared with the base: no git repository" in text(
        results(case("a"), not_compared="no git repository")
    )
