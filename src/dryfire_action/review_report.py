"""How a review of files for secrets is told: lines for people, JSON for programs, and entries to paste."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dryfire_action.recordings.report import Report

RULES_PAGE = "docs/reference/redaction-rules.md"
EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOT_CHECKED = 0, 1, 2

FILE_NAME = "(file name)"

# In names of files a value must look like one: tests are called after their arguments, `test_login[password=wrong]`.
_LEAST_IN_NAME = 20
_BY_NAME = frozenset({"credential-key", "authorization", "cookie", "account-header", "signed-url"})

# From so many findings on they are more likely an old repository than a slip.
_MANY = 4
_REDACT = "Redact in place: dryfire redact --fix FILE. Whatever was pushed before must be revoked too."
_WILD = re.compile(r"[*?[]")


def secrets_in_name(path: str) -> Iterator[tuple[int, int, str, str]]:
    """The secrets in the name of a file: start, end, rule and value of each."""
    from dryfire_action.secret_rule_set import REVIEW_RULES
    from dryfire_action.secret_search import search
    from dryfire_action.secret_signs import shows_nothing

    rules = REVIEW_RULES.outside_recordings()
    for start, end, rule in () if shows_nothing(path, rules.plan) else search(path, rules):
        # An ending, or the bracket behind an argument, is no part of it.
        value = re.split(r"[\]/]|\.[a-z]{2,5}\Z", path[start:end])[0]
        is_random = len(value) >= _LEAST_IN_NAME and any(map(str.isdigit, value)) and not value.isdigit()
        if rule not in _BY_NAME or is_random:
            yield start, start + len(value), rule, value


def shown_name(path: str) -> str:
    """The name of a file as it may be shown."""
    from dryfire_action.visible import visible

    parts: list[str] = []
    at = 0
    for start, end, _, _ in secrets_in_name(path):
        parts += [path[at:start], "…"]
        at = end
    return visible("".join((*parts, path[at:])))


def text_lines(report: Report) -> Iterator[str]:
    """A report as lines for people: `file:line: path: rule: mask`."""
    from dryfire_action.visible import visible

    for finding in report.findings:
        path, mask = visible(finding.path), visible(finding.mask)
        yield f"{shown_name(finding.file)}:{finding.line}: {path}: {finding.rule}: {mask}"
    for missed in report.not_checked:
        where = f"{shown_name(missed.file)}:{missed.line}: {visible(missed.path)}"
        yield f"{where}: {missed.rule}: not checked: {visible(missed.reason)}"


def document(reports: Iterable[Report]) -> dict[str, Any]:
    """Reports as the JSON of `dryfire redact --format json`."""
    found = list(reports)
    return {
        "findings": [
            {"file": _unnamed(f.file), "line": f.line, "path": f.path, "rule": f.rule, "mask": f.mask}
            for report in found
            for f in report.findings
        ],
        "not_checked": [
            {"file": _unnamed(m.file), "path": m.path, "reason": m.reason, "rule": m.rule, "line": m.line}
            for report in found
            for m in report.not_checked
        ],
    }


def _unnamed(path: str) -> str:
    """The name of a file for programs: as it is, unless there is a secret in it."""
    return shown_name(path) if any(secrets_in_name(path)) else path


def exit_code(reports: Iterable[Report]) -> int:
    """0 where all is clean, 1 where something was found, 2 where something was only not checked."""
    found = list(reports)
    if any(report.findings for report in found):
        return EXIT_FINDINGS
    return EXIT_NOT_CHECKED if any(report.not_checked for report in found) else EXIT_CLEAN


def advice(reports: Iterable[Report], *, fixing: bool = False, framework: bool = False) -> Iterator[str]:
    """What there is in all, and what to do about it. Under a `framework` of hooks the command may not be at hand."""
    found = list(reports)
    rules = sorted({f.rule for report in found for f in report.findings})
    missed = sorted({m.rule for report in found for m in report.not_checked})
    if not rules and not missed:
        return
    yield ""
    total = sum(len(report.findings) for report in found)
    if total >= _MANY:
        files = len({f.file for report in found for f in report.findings})
        yield f"{total} findings in {files} {'file' if files == 1 else 'files'}:"
    elif rules and not fixing:
        yield _REDACT
    yield from (f"  {rule}{_times(rule, found)}: {_meaning(rule)}" for rule in (*rules, *missed))
    if fixing:
        return
    if total >= _MANY:
        yield _REDACT
    if framework and rules:
        yield "No dryfire here? pip install dryfire-action brings it; args: [--fix] at the hook redacts without it."
    yield (
        "Known and meant to stay: an entry under redact: allow: in dryfire.yaml, with a reason; "
        "dryfire redact --format allow FILE writes it."
    )
    if total >= _MANY:
        yield "All of this is old, and only new secrets shall block: dryfire redact --write-baseline PATH."


def _times(rule: str, reports: Iterable[Report]) -> str:
    """How often a rule was found, and how many secrets that makes: one key may stand in every recording."""
    values = [f.value for report in reports for f in report.findings if f.rule == rule]
    if len(values) < 2:
        return ""
    different = len(set(values))
    return f", {len(values)} times, {different} {'value' if different == 1 else 'values'}"


def _meaning(rule: str) -> str:
    """Where a rule is explained."""
    from dryfire_action.hook_config import ADDRESS, REVISION
    from dryfire_action.recordings.limits import RULES as LIMITS
    from dryfire_action.secret_rules import RULES

    if rule in LIMITS or any(known.id == rule for known in RULES):
        return f"{ADDRESS}/blob/{REVISION}/{RULES_PAGE}#{rule}"
    return "a rule of yours, under redact: rules: in dryfire.yaml"


def allow_entries(
    reports: Iterable[Report],
    place_of: Callable[[str], tuple[str, str, bool]],
    digest_of: Callable[[str, str], str],
) -> Iterator[str]:
    """Entries for `dryfire.yaml` that let these findings pass, as lines of YAML. The reasons are left to fill in.

    `place_of` gives for a file its path in the repository, the config that counts for it, and whether that is there;
    `digest_of` the digest of a value for such a path.
    """
    entries: dict[tuple[str, bool], dict[str, None]] = {}
    for report in reports:
        for found in report.findings:
            path, config, there = place_of(found.file)
            line = f"rule: {found.rule}, path: {_pattern(path)}, digest: {json.dumps(digest_of(found.value, path))}"
            entries.setdefault((config, there), {})[line] = None
        for missed in report.not_checked:
            path, config, there = place_of(missed.file)
            entries.setdefault((config, there), {})[f"rule: {missed.rule}, path: {_pattern(path)}"] = None
    for (config, there), lines in sorted(entries.items()):
        missing = "" if there else ", which is not there yet"
        yield f"# {config}{missing}: fill in each reason. What is real must be revoked first."
        if not there:
            yield "version: 1"
        yield "redact:"
        yield "  allow:"
        yield from (f"    - {{{line}, reason: }}" for line in lines)


def _pattern(path: str) -> str:
    """A path as a pattern that fits it alone."""
    return json.dumps(_WILD.sub(lambda found: f"[{found[0]}]", path), ensure_ascii=False)
