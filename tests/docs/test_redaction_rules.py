"""The page of the redaction rules is that of the table, with an anchor for each rule."""

from __future__ import annotations

from docs import redaction_rules
from dryfire_action.redact import RULES
from tests.docs.test_links import anchors


def test_the_page_is_that_of_the_table() -> None:
    text = redaction_rules.PAGE.read_text(encoding="utf-8")
    assert text == redaction_rules.page(), "run `.venv/bin/python docs/build.py`"


def test_every_rule_has_an_anchor() -> None:
    assert {rule.id for rule in RULES} <= anchors(redaction_rules.PAGE)
