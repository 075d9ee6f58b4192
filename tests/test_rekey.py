"""Rekeying: other digests for the same answers, offline, and only where the recording is right under its own rules."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action import rekey as module
from dryfire_action.cassette_file import decode
from dryfire_action.fingerprint import Fingerprint, Fingerprinter, KeyChain
from dryfire_action.ignore_rules import IgnoreRule
from dryfire_action.messages import Message
from dryfire_action.rekey import rekey, rekeyed, under_other_rules
from dryfire_action.suite import Config
from tests.made_cases import (
    a_case,
    a_suite,
    asks,
    by_turn,
    cassette_of,
    fails,
    live,
    run,
    run_one,
    says,
    scripted,
)

if TYPE_CHECKING:
    from pathlib import Path

    from dryfire_action.cassette import Cassette
    from dryfire_action.ignore_rules import Masker
    from dryfire_action.messages import Request
    from dryfire_action.suite import Case

DATE = IgnoreRule("system", r"Today is \d{4}-\d{2}-\d{2}")
NONE, IGNORING = Config(scripted=True), Config(scripted=True, ignore=(DATE,))
DATED = a_case(system="Be kind. Today is 2026-11-29.")
LATER = a_case(system="Be kind. Today is 2027-01-01.")
TWO_TURNS = (asks({"q": 1}), says("It was sent."))


def record(root: Path, case: Case, *answers: Any, config: Config = NONE) -> Cassette:
    """Record one case through a provider that gives these answers by turn."""
    with live(by_turn(*(answers or TWO_TURNS))):
        assert run_one(root, a_suite(case, config=config), mode="record").outcome == "passed"
    return read(root)


def read(root: Path) -> Cassette:
    return decode(cassette_of(root).read_text(encoding="utf-8"), "refund.json")


def outcome(root: Path, case: Case, config: Config) -> str:
    """What a replay makes of it; no provider is at hand."""
    return run_one(root, a_suite(case, config=config), mode="replay").outcome


@pytest.mark.parametrize(
    ("before", "after"), [(NONE, IGNORING), (IGNORING, NONE), (IGNORING, replace(NONE, ignore=(DATE, DATE)))]
)
def test_a_fresh_recording_stays_fresh_under_the_new_rules(
    tmp_path: Path, before: Config, after: Config
) -> None:
    old = record(tmp_path, DATED, config=before)
    ((path, found),) = rekey(a_suite(DATED, config=after), DATED, tmp_path)
    assert (found.outcome, found.dropped) == ("rekeyed", 0)
    assert path == ".dryfire/cassettes/shop/refund.json"
    assert outcome(tmp_path, DATED, after) == "passed"
    new = read(tmp_path)
    assert new.header == replace(old.header, ignore=after.ignore)
    kept = [replace(exchange, fingerprint=Fingerprint({}, (), "")) for exchange in old.exchanges]
    assert [replace(exchange, fingerprint=Fingerprint({}, (), "")) for exchange in new.exchanges] == kept
    assert rekeyed(DATED, after, new).outcome == "in force"


def test_afterwards_the_ignored_text_may_change(tmp_path: Path) -> None:
    record(tmp_path, DATED)
    assert outcome(tmp_path, LATER, IGNORING) == "stale"
    list(rekey(a_suite(DATED, config=IGNORING), DATED, tmp_path))
    assert outcome(tmp_path, LATER, IGNORING) == "passed"


def test_there_and_back_gives_the_same_bytes(tmp_path: Path) -> None:
    record(tmp_path, DATED)
    before = cassette_of(tmp_path).read_bytes()
    list(rekey(a_suite(DATED, config=IGNORING), DATED, tmp_path))
    assert cassette_of(tmp_path).read_bytes() != before
    list(rekey(a_suite(DATED, config=NONE), DATED, tmp_path))
    assert cassette_of(tmp_path).read_bytes() == before


def test_a_stale_recording_stays_as_it_is_and_its_fields_are_named(tmp_path: Path) -> None:
    record(tmp_path, DATED)
    before = cassette_of(tmp_path).read_bytes()
    edited = replace(DATED, params={"temperature": 1}, messages=(Message("user", "Where?"),))
    ((_, found),) = rekey(a_suite(edited, config=IGNORING), edited, tmp_path)
    assert found.outcome == "stale"
    assert found.why.split(", ") == ["params.temperature added", "messages[0].content changed"]
    assert cassette_of(tmp_path).read_bytes() == before


def test_a_recording_that_would_only_be_fresh_under_the_new_rules_is_stale(tmp_path: Path) -> None:
    # It was made for another date: which answers the other date would have had, nobody knows.
    old = record(tmp_path, DATED)
    assert rekeyed(LATER, IGNORING, old).outcome == "stale"


def test_without_writing_nothing_is_written(tmp_path: Path) -> None:
    record(tmp_path, DATED)
    before = cassette_of(tmp_path).read_bytes()
    ((_, found),) = rekey(a_suite(DATED, config=IGNORING), DATED, tmp_path, write=False)
    assert found.outcome == "rekeyed"
    assert cassette_of(tmp_path).read_bytes() == before


def test_failures_that_were_recovered_from_are_kept(tmp_path: Path) -> None:
    outcomes = iter([fails(503), says("Hello.")])
    provider = by_turn(says(""))
    provider._by = lambda request: next(outcomes)
    with live(provider):
        run_one(tmp_path, a_suite(DATED, config=NONE), mode="record")
    list(rekey(a_suite(DATED, config=IGNORING), DATED, tmp_path))
    assert [exchange.place for exchange in read(tmp_path).exchanges] == [(0, 0, 0), (0, 0, 1)]
    assert outcome(tmp_path, LATER, IGNORING) == "passed"


def test_all_runs_of_a_repeated_script_are_rekeyed(tmp_path: Path) -> None:
    case = scripted("refund", {"text": "a"}, {"text": "b"}, {"text": "c"}, repeat=3, system=DATED.system)
    run(tmp_path, a_suite(case, config=NONE), mode="record")
    assert rekeyed(case, IGNORING, read(tmp_path)).outcome == "rekeyed"
    fewer = replace(case, repeat=2)
    assert rekeyed(fewer, IGNORING, read(tmp_path)).dropped == 1


def test_recordings_of_other_models_are_rekeyed_too(tmp_path: Path) -> None:
    record(tmp_path, DATED)
    other = replace(DATED, model="m-2")
    with live(by_turn(*TWO_TURNS)):
        run(tmp_path, a_suite(other, config=NONE), mode="record", model="m-2")
    found = dict(rekey(a_suite(DATED, config=IGNORING), DATED, tmp_path))
    assert [path.rpartition("/")[2] for path in found] == ["refund.json", "refund@m-2.json"]
    assert {one.outcome for one in found.values()} == {"rekeyed"}


# --- secrets: answers that take a text from their request ---------------------------------------

TOKEN = "ghp" + "_" + "q7Zx" * 9
ECHO = says(f"Your token is {TOKEN}.")


def test_a_secret_that_the_answer_takes_from_elsewhere_is_still_given_back(tmp_path: Path) -> None:
    case = a_case(system=f"Today it is {TOKEN}.", messages=(Message("user", f"Say {TOKEN} again."),))
    record(tmp_path, case, ECHO)
    assert TOKEN not in cassette_of(tmp_path).read_text()
    config = replace(NONE, ignore=(IgnoreRule("system", "Today it is [^.]*"),))
    ((_, found),) = rekey(a_suite(case, config=config), case, tmp_path)
    assert found.outcome == "rekeyed"
    result = run_one(tmp_path, a_suite(case, config=config), mode="replay")
    assert result.outcome == "passed"
    run_ = result.runs[0].trace
    assert run_ is not None
    assert run_.final_text == ECHO.text


def test_a_secret_that_stands_only_in_text_that_is_ignored_now_cannot_be_rekeyed(tmp_path: Path) -> None:
    case = a_case(system=f"Today it is {TOKEN}.")
    old = record(tmp_path, case, ECHO)
    found = rekeyed(case, replace(NONE, ignore=(IgnoreRule("system", "Today it is [^.]*"),)), old)
    assert found.outcome == "not possible"
    assert found.why == "the answer of turn 0 takes a secret from text that is ignored now"


# --- other versions of the fingerprint -----------------------------------------------------------


class EarlierRules(Fingerprinter):
    """Rules that called themselves version 0 and did not look at the parameters."""

    def fingerprint(self, request: Request, expected: Fingerprint | None = None) -> Fingerprint:
        found = super().fingerprint(replace(request, params={}))
        chain = KeyChain()
        for digests in found.messages:
            chain.append(digests)
        return chain.fingerprint({**found.head, "fingerprint_version": "0"})


def under_earlier_rules(root: Path, case: Case, monkeypatch: pytest.MonkeyPatch) -> Cassette:
    """A recording of ``case`` that an earlier version made."""

    def earlier(mask: Masker | None = None) -> Fingerprinter:
        return EarlierRules(mask)

    with monkeypatch.context() as patch:
        patch.setattr("dryfire_action.playback.Fingerprinter", earlier)
        return record(root, case)


def test_a_new_version_of_the_fingerprint_is_a_rekey_and_no_new_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = a_case(params={"temperature": 0})
    old = under_earlier_rules(tmp_path, case, monkeypatch)
    assert under_other_rules(old, NONE)
    (run_,) = run_one(tmp_path, a_suite(case, config=NONE), mode="replay").runs
    assert "fingerprint_version" in [change.path for change in run_.misses[0].changes]
    unknown = rekeyed(case, NONE, old)
    assert unknown.outcome == "not possible"
    assert unknown.why == "its requests are fingerprinted by version 0 of the rules"
    monkeypatch.setitem(module.FINGERPRINTERS, "0", EarlierRules)
    ((_, found),) = rekey(a_suite(case, config=NONE), case, tmp_path)
    assert found.outcome == "rekeyed"
    assert outcome(tmp_path, case, NONE) == "passed"
    assert rekeyed(replace(case, system="Be brief."), NONE, old).outcome == "stale"


# --- what stands in the way ----------------------------------------------------------------------


def test_a_damaged_recording_is_named_with_its_line(tmp_path: Path) -> None:
    record(tmp_path, DATED)
    cassette_of(tmp_path).write_text("<<<<<<< HEAD\n")
    ((_, found),) = rekey(a_suite(DATED, config=IGNORING), DATED, tmp_path)
    assert (found.outcome, found.why) == (
        "not possible",
        "the file holds the markers of a merge conflict (line 1)",
    )


def test_a_header_with_a_rule_that_is_no_pattern_is_named(tmp_path: Path) -> None:
    record(tmp_path, DATED)
    document = json.loads(cassette_of(tmp_path).read_text())
    cassette_of(tmp_path).write_text(json.dumps({"ignore": [{"path": "system", "pattern": "("}], **document}))
    ((_, found),) = rekey(a_suite(DATED, config=IGNORING), DATED, tmp_path)
    assert found.outcome == "not possible"
    assert found.why.startswith("an ignore rule in its header is no pattern")


def test_a_case_without_a_recording_gives_nothing(tmp_path: Path) -> None:
    assert list(rekey(a_suite(DATED, config=IGNORING), DATED, tmp_path)) == []


def test_a_replay_under_other_rules_says_so(tmp_path: Path) -> None:
    record(tmp_path, a_case())
    assert run_one(tmp_path, a_suite(a_case(), config=NONE), mode="replay").notices == ()
    told = run_one(tmp_path, a_suite(a_case(), config=IGNORING), mode="replay")
    assert told.outcome == "passed"
    assert told.notices == ("recorded under other ignore rules: dryfire rekey",)
