"""cassette-stale: every recording still answers the requests that its case makes.

usage: dryfire-cassette-stale [PATTERN ...]

Replays all suites as they are staged, offline, and shows one block for each edit that made recordings stale, with the
command that records them again. No key is needed, and no code that a suite names is imported. Where suites lie about
that are not yours to replay, name those that are, from the top of the repository: 'evals/**/*.eval.yaml'.

exit codes: 0 all recordings are fresh, 1 some are stale, missing or damaged, 2 suites or config are wrong
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Replay the staged state; 0 where nothing is stale."""
    words = list(sys.argv[1:] if argv is None else argv)
    if "-h" in words or "--help" in words:
        sys.stdout.write(__doc__ or "")
        return 0
    from dryfire_action.errors import DryfireError
    from dryfire_action.staged import Staged, only_patterns, shown

    try:
        patterns = only_patterns(words)
        with Staged() as staged:
            return _replayed(staged, patterns) if staged.has_suites() else 0
    except DryfireError as error:
        sys.stderr.write(f"{shown(error)}\n")
        return 2


def _replayed(staged: object, patterns: Sequence[str]) -> int:
    from dryfire_action.explanation import with_explanations
    from dryfire_action.reports.explain import render
    from dryfire_action.reports.lines import as_text
    from dryfire_action.runner import RunOptions, run_suites
    from dryfire_action.staged import Staged

    assert isinstance(staged, Staged)
    suites = staged.suites(patterns)
    if not suites:
        return 0
    results = run_suites(
        suites,
        RunOptions(mode="replay", allow_empty=True),
        root=staged.root,
        today="",
        environ={},
        tree=staged.tree,
    )
    if results.interrupted:
        return 130
    if not results.to_record:
        return 0
    sys.stdout.write(as_text(render(with_explanations(results, staged.root, staged.tree), fancy=False)))
    return 1


if __name__ == "__main__":
    sys.exit(main())
