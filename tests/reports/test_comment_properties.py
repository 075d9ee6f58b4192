"""Whatever a document that fits the schema holds: its comment fits, is well formed, and obeys no stranger."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dryfire_action.comment_marker import parse_marker
from dryfire_action.reports.comment import MOST_BYTES, MOST_UNITS, comment, job_summary
from tests.reports.documents import HOSTILE, documents
from tests.reports.made_comments import LINKS, SERVER, WAS_STALE, marker
from tests.reports.shown_html import complaints

bounded = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def written(document: dict[str, Any], **more: Any) -> str:
    body = comment(document, marker(), **{"previous": None, "links": LINKS, "speak": "always", **more})
    assert body is not None
    return body


def right(body: str) -> None:
    """What holds for every comment."""
    assert units(body) <= MOST_UNITS
    assert len(body.encode()) <= MOST_BYTES
    assert parse_marker(body) == marker()
    assert body.count("<!--") == 1
    assert complaints(body, SERVER) == []


@bounded
@given(document=documents(), previous=st.sampled_from([None, WAS_STALE]))
def test_any_document_makes_a_comment_that_fits_and_does_nothing(
    document: dict[str, Any], previous: Any
) -> None:
    before = copy.deepcopy(document)
    body = written(document, previous=previous)
    right(body)
    assert document == before
    assert written(document, previous=previous) == body


@bounded
@given(document=documents(), times=st.sampled_from([30, 200]))
def test_much_of_everything_fits_too(document: dict[str, Any], times: int) -> None:
    for name in (
        "causes",
        "suites",
        "behaviour",
        "no_longer_replayed",
        "problems",
        "warnings",
        "not_checked",
    ):
        document[name] = (document[name] or []) * times
    for cause in document["causes"][:1]:
        document["causes"] = [{**cause, "cases": cause["cases"] * times}, *document["causes"][1:]]
    right(written(document))


@bounded
@given(document=documents(), budget=st.integers(0, 6_000))
def test_a_summary_fits_and_does_nothing(document: dict[str, Any], budget: int) -> None:
    body = job_summary(document, LINKS, budget_bytes=budget)
    assert len(body.encode()) <= budget
    if body:
        assert complaints(body, SERVER, marked=False) == []
    whole = job_summary(document, LINKS)
    assert whole
    assert complaints(whole, SERVER, marked=False) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_each_of_the_worst_texts_everywhere(text: str) -> None:
    from tests.reports.test_markdown import hostile
    from tests.reports.test_result_json import made

    document = made(hostile(), "all")
    right(written(_with(document, text)))
    right(written(_with({**document, "problems": document["problems"] * 2, "state": "stopped"}, text)))


def _with(value: Any, text: str, key: str = "") -> Any:
    """``value`` with ``text`` wherever any text may stand."""
    closed = {
        "format",
        "state",
        "show",
        "mode",
        "outcome",
        "change",
        "reason",
        "kind",
        "commit",
        "base",
        "old",
        "new",
    }
    if isinstance(value, dict):
        return {name: _with(one, text, name) for name, one in value.items()}
    if isinstance(value, list):
        return [_with(one, text, key) for one in value]
    return (
        text if isinstance(value, str) and key not in closed | {"recorded", "current", "command"} else value
    )
