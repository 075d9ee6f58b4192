"""Our own files hold nothing that our own rules find."""

from __future__ import annotations

from dryfire_action.redact import REVIEW_RULES, find_in_text
from tests.house.repository import ROOT, tracked
from tests.secret_values import B64U, body

RULES = REVIEW_RULES.outside_recordings()
# Recordings of other tools are test data, and a corpus of them may hold what redaction left.
LOOKED_AT = ("src/", "hooks/", "tests/", "docs/", "examples/", "benchmarks/")


def findings(name: str, text: str) -> list[str]:
    """What the rules find in a text, as "file:line: rule: mask"."""
    from dryfire_action.redact import mask

    return [
        f"{name}:{text.count(chr(10), 0, span.start) + 1}: {span.rule}: {mask(text[span.start : span.end])}"
        for span in find_in_text(text, rules=RULES)
    ]


def test_no_tracked_text_holds_a_secret() -> None:
    files = [path for path in tracked() if path.relative_to(ROOT).as_posix().startswith(LOOKED_AT)]
    assert files, "git lists no files: the test proves nothing"
    found = []
    for path in files:
        data = path.read_bytes()
        if b"\0" not in data:
            found += findings(path.relative_to(ROOT).as_posix(), data.decode("utf-8", "replace"))
    assert not found, "\n" + "\n".join(found)


def test_a_planted_secret_is_found() -> None:
    assert findings("a.py", "x = 1\nkey = '" + "sk-" + "ant-api03-" + body(B64U, 93) + "AA'\n")
