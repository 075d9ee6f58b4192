"""The page of the redaction rules, from the rule table itself. `docs/build.py` writes it, and a test compares it."""

from __future__ import annotations

from pathlib import Path

from dryfire_action.recordings.limits import RULES as LIMITS
from dryfire_action.redact import RULES, RULESET_VERSION, Rule

PAGE = Path(__file__).resolve().parent / "reference/redaction-rules.md"

_HEAD = f"""# Redaction rules

Written by `docs/build.py` from the rule table; do not edit. This is version {RULESET_VERSION} of the table.

A finding names its rule, and a mark that stands where a secret was does too: `[redacted:github-token:1]`. Rules
with a shape find it wherever it stands in a text: in JSON in strings, in lines of JSON, percent-encoded. A token is
taken whole, however long it is; its documented length is a minimum and often less than that. What other tools left
(`[REDACTED]`, `***`, `<API_KEY>`, `${{API_KEY}}`) is never a finding. Where files are reviewed, published samples
and plainly invented values (`your-api-key`, the test cards of the networks, addresses at `example.com`) are none
either; a recorder takes them too.

A rule is allowed, for a reason and perhaps until a day, under `redact: allow:` in `dryfire.yaml`.

| rule | finds |
| --- | --- |
"""

_LIMITS = """
## What could not be checked

Never passed in silence: it blocks as a finding does, and is allowed under these names.
"""


def page() -> str:
    """The Markdown text of the page: a table, and a section with an anchor for every rule."""
    rows = "".join(f"| [{rule.id}](#{rule.id}) | {rule.finds} |\n" for rule in RULES)
    limits = "".join(f"\n### {rule}\n\n{what}.\n" for rule, what in LIMITS.items())
    return _HEAD + rows + "".join(map(_section, RULES)) + _LIMITS + limits


def _section(rule: Rule) -> str:
    lines = [f"\n## {rule.id}\n", f"{rule.finds}.", f"Format: {_linked(rule.source)}."]
    if rule.literals and rule.sight == "run":
        lines.append("Known by: " + ", ".join(f"`{literal}`" for literal in rule.literals) + ".")
    if rule.near:
        words = ", ".join(f"`{word}`" for word in rule.near)
        lines.append(
            f"Has no shape of its own: one of {words} and a word such as `key` must stand within 80 characters before."
        )
    if rule.checksum is not None:
        lines.append(
            "Its check digits are computed: a value whose digits hold is never taken for an invented one."
        )
    if rule.recordings_only:
        lines.append("Looked for in recordings only.")
    return "\n".join(lines) + "\n"


def _linked(source: str) -> str:
    return f"<{source}>" if source.startswith("https://") else source
