"""The shelf of a case: where its recording lies and by which rules it is made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dryfire_action.cassette import Cassette, Header, complete_part
from dryfire_action.cassette_store import check_names, read_cassette
from dryfire_action.errors import CassetteDamaged, UsageError
from dryfire_action.playback import refuse_other_origin
from dryfire_action.quick_init import quick_init
from dryfire_action.redaction_settings import rules_in_force

if TYPE_CHECKING:
    from pathlib import Path

    from dryfire_action.ignore_rules import Masker
    from dryfire_action.redact import Rules
    from dryfire_action.suite import Case, Config
    from dryfire_action.tree import Tree


@quick_init
@dataclass(frozen=True, slots=True)
class Shelf:
    """Where the recording of one case lies and by which rules it is made.

    ``path`` and ``partial`` are relative to the root of ``tree``, which is ``root`` on disk.
    """

    case: Case
    config: Config
    tree: Tree
    root: Path
    path: str
    partial: str
    rules: Rules
    mask: Masker | None

    def read(self) -> Cassette | None:
        """The cassette, None where there is none. Raises ``CassetteDamaged``, also for one of another origin."""
        cassette = read_cassette(self.tree, self.path)
        if cassette is not None:
            check_names(cassette, self.path, self.case.suite, self.case.name)
            try:
                refuse_other_origin(cassette, self.config.expect_provider, self.config.expect_version)
            except UsageError as error:
                raise CassetteDamaged(self.path, error.message, line=1, remedy=error.remedy) from None
        return cassette

    def read_unfinished(self) -> Cassette | None:
        """What an interrupted recording left, without the failures it ended in."""
        from dryfire_action.cassette_partial import read_partial

        unfinished = read_partial(self.tree, self.partial)
        if unfinished is None:
            return None
        check_names(unfinished, self.partial, self.case.suite, self.case.name)
        answered = complete_part(unfinished.exchanges)
        return replace(unfinished, exchanges=answered) if answered else None

    def header(self) -> Header:
        """The header of a recording made now."""
        case = self.case
        return Header(
            suite=case.suite,
            case=case.name,
            provider=case.provider,
            model=case.model,
            scripted=case.scripted,
            redaction=rules_in_force(self.rules),
            ignore=self.config.ignore,
        )
