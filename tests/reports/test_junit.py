"""The JUnit file: valid for the schema that CI systems go by, readable by a parser, and complete."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import fromstring

import pytest
import xmlschema
from junitparser import Error, Failure, JUnitXml, Skipped

from dryfire_action.errors import Place, Problem
from dryfire_action.reports.junit import text
from dryfire_action.results import Results
from tests.house.repository import ROOT
from tests.reports.made import case, results, run, verdict
from tests.reports.test_result_json import FOUND, made

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

SCHEMA = xmlschema.XMLSchema(str(ROOT / "tests/data/third_party/junit.xsd"))
NOW = datetime(2026, 11, 29, 18, 30, 5, tzinfo=UTC)
PROBLEMS = (
    Problem(Place("evals/a.eval.yaml", 3, 5), "unknown key", hint="did you mean 'model'?"),
    Problem(Place(""), "there are no suites"),
)


def xml_of(document: dict[str, Any]) -> Element:
    """The file, which must fit the schema and be what a parser of such files reads."""
    written = text(document, now=NOW)
    SCHEMA.validate(written)
    assert JUnitXml.fromstring(written.encode()) is not None
    return fromstring(written.encode())


def cases_of(root: Element) -> dict[str, Element | None]:
    """Of every case what became of it: None where it passed."""
    return {each.attrib["name"]: next(iter(each), None) for each in root.iter("testcase")}


@pytest.mark.parametrize("name", FOUND)
def test_every_result_is_valid(name: str) -> None:
    found = xml_of(made(FOUND[name]))
    assert len(cases_of(found)) == len(list(FOUND[name].cases)) or name == "nothing"


def test_each_outcome_has_its_kind_and_every_case_is_there() -> None:
    document = made(FOUND["everything"])
    kinds = {
        name: (result.tag, result.get("type"), result.get("message")) if result is not None else None
        for name, result in cases_of(xml_of(document)).items()
    }
    assert kinds == {
        "a": None,
        "b": ("failure", "assertion", "calls_tool: refund: refund was not called"),
        "c": ("error", "stale", "turn 0: stale: system changed"),
        "d": ("error", "missing", "turn 0: missing: nothing"),
        "e": ("error", "damaged", "x.json:3: truncated"),
        "f": ("skipped", None, "excluded: passthrough"),
        "g": ("skipped", None, "skipped: KEY is not set"),
        "h": ("error", "provider_error", "529: busy"),
    }
    suite = xml_of(document).find("testsuite")
    assert suite is not None
    assert {name: suite.attrib[name] for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "8",
        "failures": "1",
        "errors": "4",
        "skipped": "2",
    }
    assert suite.attrib["timestamp"] == "2026-11-29T18:30:05"


def test_a_parser_counts_the_same() -> None:
    read = JUnitXml.fromstring(text(made(FOUND["everything"]), now=NOW).encode())
    found = [type(result) for suite in read for each in suite for result in each.result]
    assert (found.count(Failure), found.count(Error), found.count(Skipped)) == (1, 4, 2)


def test_the_place_and_the_remedy_are_in_the_text() -> None:
    document = made(
        results(case("b", "damaged", error="x.json:3: cut off", remedy="record it", place=Place("f.yaml", 7)))
    )
    (result,) = cases_of(xml_of(document)).values()
    assert result is not None
    assert result.text == "x.json:3: cut off\nrecord it\nf.yaml:7"


def test_a_run_that_checked_nothing_is_no_empty_file() -> None:
    (result,) = cases_of(xml_of(made(results(warnings=("no suite matched",))))).values()
    assert result is not None
    assert (result.tag, result.attrib["message"]) == ("error", "no suite matched")
    allowed = results(allow_empty=True)
    assert allowed.exit_code == 0
    assert cases_of(xml_of(made(allowed))) == {}


def test_what_kept_everything_from_running_is_an_error_for_each_problem() -> None:
    found = cases_of(xml_of(made(Results((), complete=False), exit_code=2, problems=PROBLEMS)))
    assert {name: result.text for name, result in found.items() if result is not None} == {
        "evals/a.eval.yaml:3": "evals/a.eval.yaml:3\nunknown key\ndid you mean 'model'?",
        "problem 2": "there are no suites",
    }


HOSTILE = "a\x00\x1b[2J\x0b\ufffe\ud83d\u202e</failure>]]>&<!--\n\r\tb"


def test_what_xml_cannot_hold_is_escaped() -> None:
    document = made(
        results(
            case(
                HOSTILE, "failed", run(passed=False, verdicts=(verdict(description=HOSTILE),)), error=HOSTILE
            ),
            case("", "damaged", error=HOSTILE),
            warnings=(HOSTILE,),
        )
    )
    shown = cases_of(xml_of(document))
    assert set(shown) == {"a\\x00\\x1b[2J\\x0b\\ufffe\\ud83d\\u202e</failure>]]>&<!--\\n\\r\\tb", "(no name)"}


def test_long_texts_are_cut() -> None:
    document = made(results(case("a", "damaged", error="x" * 15_000)))
    assert len(text(document, now=NOW)) < 10_000


def test_blanks_in_names_that_a_reader_would_lose_are_evened() -> None:
    assert set(cases_of(xml_of(made(results(case("  a   b ")))))) == {"a b"}
