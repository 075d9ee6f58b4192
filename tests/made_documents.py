"""Result documents made by hand, and their merge, held against the schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from dryfire_action.causes import StaleRun, causes_of
from dryfire_action.reports.result_json import document, schema
from dryfire_action.rerecording import rerecord_command
from dryfire_action.result_merge import merge_results
from dryfire_action.results import CaseResult, Results, SuiteResult
from tests.reports.test_result_json import COMMIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dryfire_action.reports.shown import Show
    from dryfire_action.suite import Case, Suite


def made(found: Results, show: Show = "prompts", commit: str | None = COMMIT, **more: Any) -> dict[str, Any]:
    """The document of ``found``."""
    return document(found, commit=commit, show=show, exit_code=found.exit_code, **more)


def checked(*documents: dict[str, Any], names: Sequence[str] = ()) -> dict[str, Any]:
    """The merge of ``documents``, which is valid, whatever they are."""
    found = merge_results(documents, names)
    Draft202012Validator(schema()).validate(found)
    return found


def outcomes(found: dict[str, Any]) -> dict[str, str]:
    """The outcome of each case by its id."""
    return {f"{s['name']}::{c['name']}": c["outcome"] for s in found["suites"] for c in s["cases"]}


class Made:
    """A run that can be made as a whole and in shards: its cases, and what became of each."""

    def __init__(self, chosen: list[tuple[Suite, Case]], found: list[CaseResult], **more: Any) -> None:
        self.chosen, self.found, self.more = chosen, found, more

    def results(self, numbers: Iterable[int], **more: Any) -> Results:
        """The results of the cases with these numbers, as the runner would put them together."""
        there = sorted(numbers)
        chosen, found = [self.chosen[n] for n in there], [self.found[n] for n in there]
        by_file = {suite.file: suite for suite, _ in chosen}
        return Results(
            suites=tuple(
                SuiteResult(
                    suite.name,
                    file,
                    tuple(one for (s, _), one in zip(chosen, found, strict=True) if s.file == file),
                )
                for file, suite in by_file.items()
            ),
            causes=causes_of(
                StaleRun(one_case, "", one_run.turns, one_run.trace.messages, one_run.rules)
                for (_, one_case), result in zip(chosen, found, strict=True)
                for one_run in result.runs
                if one_run.misses and one_run.trace
            ),
            command=rerecord_command(chosen, dict(enumerate(found))),
            **{**self.more, **more},
        )

    def shards(self, where: Sequence[int], total: int) -> list[Results]:
        """The results of each shard, ``where`` saying in which one each case is."""
        made = []
        for shard in range(1, total + 1):
            numbers = [number for number, at in enumerate(where) if at % total == shard - 1]
            more: dict[str, Any] = {"shard": f"{shard}/{total}", "elsewhere": len(self.found) - len(numbers)}
            # What the runner does for a shard without cases, where other shards have some.
            made.append(self.results(numbers, **more, allow_empty=not numbers))
        return made
