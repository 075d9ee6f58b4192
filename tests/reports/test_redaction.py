"""What leaves the machine is redacted, by the rules of the table and a team's own: every text, wherever it stands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.patterns import PatternTimeout
from dryfire_action.redaction_settings import rules_with
from dryfire_action.reports.comment import comment, job_summary
from dryfire_action.reports.redaction import redacted
from tests.commands import project
from tests.reports.made_comments import LINKS, marker
from tests.reports.test_markdown import hostile
from tests.reports.test_result_json import made

if TYPE_CHECKING:
    from pathlib import Path

KEY = "sk-" + "ant-api03-" + "q7" * 48
OTHER_KEY = "sk-" + "ant-api03-" + "r8" * 48
CUSTOMER = {"rule": {"id": "customer-number", "pattern": r"\bC-[0-9]{6}\b"}}
NAMED = {"rule": {"id": "patient", "keys": ["patient_name"]}}
TEAM = rules_with([CUSTOMER, NAMED])


def test_equal_secrets_have_equal_marks_and_others_others() -> None:
    shown = redacted({"a": f"{KEY} {OTHER_KEY}", "b": [KEY], "c": {"d": OTHER_KEY}})
    assert shown["b"] == ["[redacted:anthropic-key:0]"]
    assert shown["c"] == {"d": "[redacted:anthropic-key:1]"}
    assert shown["a"] == f"{shown['b'][0]} {shown['c']['d']}"


def test_a_mark_that_is_there_already_stands_for_something_else() -> None:
    there = "[redacted:anthropic-key:0]"
    assert redacted({"a": there, "b": KEY}) == {"a": there, "b": "[redacted:anthropic-key:1]"}


def test_twice_is_as_once() -> None:
    once = redacted({"a": KEY, "b": f"x C-123456 {KEY}"}, TEAM)
    assert redacted(once, TEAM) == once


def test_digests_and_commits_are_no_secrets_and_anything_in_their_place_may_be() -> None:
    digests = {"old": "0123456789abcdef" * 4, "commit": "89abcdef" * 5, "recorded": "3f2a" * 4}
    assert redacted(digests) == digests
    assert KEY not in str(redacted({"old": KEY, "commit": KEY}))


def test_names_of_keys_count_in_values_that_somebody_wrote() -> None:
    found = {"actual": {"patient_name": "Ada", "city": "Rome"}, "name": "Ada"}
    shown = redacted(found, TEAM)
    assert shown == {"actual": {"patient_name": "[redacted:patient:0]", "city": "Rome"}, "name": "Ada"}
    assert KEY not in str(redacted({"expected": {KEY: 1}}))


def test_long_texts_are_cut_and_commands_are_not() -> None:
    shown = redacted({"note": "x " * 20_000, "command": "x " * 20_000})
    assert shown["note"].endswith("… (20000 more characters)")
    assert len(shown["command"]) == 40_000


def test_a_rule_that_takes_too_long_lets_nothing_through() -> None:
    slow = rules_with([{"rule": {"id": "slow", "pattern": r"(?:a|aa)+$"}}])
    with pytest.raises(PatternTimeout):
        redacted({"a": "a" * 200 + "!"}, slow)


def test_whatever_a_result_holds_comment_and_summary_are_redacted_once_more() -> None:
    document = made(hostile(), "all")
    for place in _texts(document):
        spoiled = json.loads(json.dumps(document))
        _set(spoiled, place, f"see {KEY}")
        body = comment(spoiled, marker(), previous=None, links=LINKS, speak="always")
        assert body
        assert KEY not in body, place
        assert KEY not in job_summary(spoiled, LINKS), place


def _texts(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of texts that may be anything."""
    if isinstance(value, str):
        closed = {"format", "state", "show", "mode", "outcome", "change", "reason", "kind", "commit"}
        return [] if path[-1] in closed else [path]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, item in items for found in _texts(item, (*path, key))]


def _set(value: Any, path: tuple[Any, ...], text: str) -> None:
    for step in path[:-1]:
        value = value[step]
    value[path[-1]] = text


SUITE = """\
name: desk C-111111
provider: fake
model: scripted-1
system: Customer C-222222 is kind. TONE
tools:
  - {name: lookup, description: Look up C-333333., input_schema: {type: object}}
mocks:
  lookup:
    - return: {status: sent to C-444444}
cases:
  - name: order of C-555555
    input: I am C-666666.
    script:
      - tool_call: {name: lookup, arguments: {patient_name: Grace Hopper}}
      - text: It was sent, C-777777.
    expect:
      - final_contains: C-888888
"""


@pytest.fixture
def written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> dict[str, str]:
    """Every file, and every text for GitHub, of a run with two rules of the team's own and ``show`` ``all``."""
    monkeypatch.chdir(tmp_path)
    suite = project.make(tmp_path)
    (tmp_path / "dryfire.yaml").write_text(
        project.CONFIG + "redact:\n  rules:\n"
        "    - {id: customer-number, pattern: '\\bC-[0-9]{6}\\b'}\n"
        "    - {id: patient, keys: [patient_name]}\n"
    )
    suite.write_text(SUITE)
    assert project.dryfire(capsys, "run", "--cassette-mode", "record").code == 1
    suite.write_text(SUITE.replace("TONE", "Be brief."))
    done = project.dryfire(
        capsys,
        *("run", "--show", "all", "--json-out", "r.json", "--markdown-out", "r.md", "--junit-out", "r.xml"),
    )
    assert done.code == 3, done
    found = {name: (tmp_path / name).read_text() for name in ("r.json", "r.md", "r.xml")}
    document = json.loads(found["r.json"])
    found["comment"] = comment(document, marker(), previous=None, links=LINKS) or ""
    found["summary"] = job_summary(document, LINKS)
    return found


@pytest.mark.parametrize("where", ["r.json", "r.md", "r.xml", "comment", "summary"])
def test_the_rules_of_the_team_count_in_every_report(where: str, written: dict[str, str]) -> None:
    shown = written[where]
    assert "customer-number" in shown
    for number in range(1, 9):
        assert f"C-{str(number) * 6}" not in shown
    assert "Grace Hopper" not in shown


def test_where_a_rule_takes_too_long_nothing_is_written_but_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    suite = project.make(tmp_path)
    suite.write_text(suite.read_text().replace("where is it", "a" * 200 + "!"))
    project.dryfire(capsys, "run", "--cassette-mode", "record")
    config = project.CONFIG + "redact: {rules: [{id: slow, pattern: '(?:a|aa)+$'}]}\n"
    (tmp_path / "dryfire.yaml").write_text(config)
    done = project.dryfire(capsys, "run", "--json-out", "r.json")
    assert done.code == 2
    assert "a rule under redact: in dryfire.yaml: the pattern '(?:a|aa)+$' took longer than 1 s" in done.err
    document = json.loads((tmp_path / "r.json").read_text())
    assert document["state"] == "stopped"
    assert document["suites"] == []
