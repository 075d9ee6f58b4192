"""cassette-redact: no secret in a recording that is about to be committed.

usage: dryfire-cassette-redact [--fix] [--all-files] [FILE ...]

Under pre-commit and prek the files are read as they are, because whatever is not staged is set aside. Anywhere else (a
plain git hook, lefthook, husky) the staged content is read; without FILE, that of all staged recordings and suites.

  --fix         put markers in the place of secrets; then stage the files again
  --all-files   everything that git tracks, not only what is staged

exit codes: 0 clean, 1 something was found (also when it was fixed), 2 something could not be checked
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from dryfire_action.recordings.report import Report

# What `files:` in .pre-commit-hooks.yaml says, for hooks that no framework runs.
DEFAULT_FILES = (
    r"(?:^|/)(?:\.dryfire|tapes|[^/]*(?:cassette|recording|vcr|betamax|polly|nock)[^/]*)/"
    r"(?:[^/]*/)*(?:[^/.]+|[^/]*\.(?:json|json5|jsonl|ndjson|ya?ml|har|txt|log|http|sse))"
    r"(?:\.(?:gz|br|zst|bz2|xz|zip|bak|orig|old|tmp))*~?$"
    r"|\.har(?:\.gz)?$|\.eval\.ya?ml$|(?:^|/)dryfire\.yaml$"
)
# What stands in git's index for a file that is kept elsewhere; the folder has the file itself.
_KEPT_ELSEWHERE = b"version https://git-lfs.github.com/spec/"


def main(argv: Sequence[str] | None = None) -> int:
    """Look at the files in `argv`; 0 where they are clean. Without `argv` it is a program, and ends with it."""
    if argv is not None:
        return _main(list(argv))
    # Of a small commit, collecting garbage and taking apart what was loaded would be a third of the work.
    import gc

    gc.disable()
    code = _main(sys.argv[1:])
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return code
    os._exit(code)


def _main(words: list[str]) -> int:
    if "-h" in words or "--help" in words:
        sys.stdout.write(__doc__ or "")
        return 0
    fixing, everything = "--fix" in words, "--all-files" in words
    unknown = [word for word in words if word.startswith("--") and word not in ("--fix", "--all-files", "--")]
    if unknown:
        sys.stderr.write(f"dryfire-cassette-redact: there is no option {unknown[0]}; see --help\n")
        return 2
    files = [word for word in words if not word.startswith("--")]
    for stream in (sys.stdout, sys.stderr):
        getattr(stream, "reconfigure", lambda **_: None)(errors="backslashreplace")
    try:
        if os.environ.get("PRE_COMMIT") == "1" and not everything:
            return _files(files, fixing)
        return _staged(files, fixing, everything)
    except Exception as error:
        # Loaded only now: dataclasses take longer to load than Python takes to start.
        from dryfire_action.errors import DryfireError

        if not isinstance(error, DryfireError):
            raise
        sys.stderr.write(f"dryfire-cassette-redact: {error}\n")
        return 2


def _files(files: Sequence[str], fixing: bool) -> int:
    from dryfire_action import review_files as review

    root = review.root_here()
    reviewer = review.reviewer_of(root)
    all_files = list(review.walked(sorted(files)))
    if len(all_files) > 1:
        from dryfire_action.review_workers import all_reviewed

        reports, notes = all_reviewed(reviewer, root, all_files, fixing=fixing)
    else:
        reports, notes = [], []
        for file in all_files:
            report, notes = review.reviewed(reviewer, root, file, fixing=fixing)
            reports.append(report)
    return _told(reports, [*notes, *reviewer.baseline_notes(reports)], root, fixing)


def _staged(files: Sequence[str], fixing: bool, everything: bool) -> int:
    """Look at what is staged: the index, not the folder."""
    import re

    from dryfire_action import review_files as review
    from dryfire_action.git_process import NoRepository
    from dryfire_action.secret_review import Reviewer
    from dryfire_action.staged import Staged
    from dryfire_action.tree import TreeError

    try:
        with Staged() as staged:
            root = str(staged.root)
            if everything:
                wanted = re.compile(DEFAULT_FILES, re.IGNORECASE)
                paths = sorted(path for path in staged.tree.files(hidden=True) if wanted.search(path))
            elif files:
                paths = [
                    os.path.relpath(file, root).replace(os.sep, "/") for file in review.walked(sorted(files))
                ]
            else:
                wanted = re.compile(DEFAULT_FILES, re.IGNORECASE)
                changes = staged.changes()
                paths = [path for status, path in changes if status != "D" and wanted.search(path)]

            def read(path: str) -> bytes | None:
                try:
                    return staged.tree.read(path)
                except TreeError:
                    return None

            reviewer = Reviewer(read, lambda: staged.tree)
            reports, notes = [], []
            for path in paths:
                data = None if path.startswith("../") else read(path)
                if data is not None and data.startswith(_KEPT_ELSEWHERE):
                    data = None
                place = os.path.join(root, path)  # noqa: PTH118
                report = None
                if (data is None or fixing) and os.path.lexists(place):
                    report, said = review.reviewed(reviewer, root, os.path.relpath(place), fixing=fixing)
                    notes += said
                if data is None:
                    report = report or review.unread(path, "it is staged, and cannot be read")
                elif report is None or report.is_clean:
                    # Fixed or clean in the folder, a secret may still be staged.
                    report = reviewer.look(path, data)
                    if report.findings and _differs(place, data):
                        notes.append(f"{path}: this is the staged content; the file in the folder is another")
                reports.append(report)
            return _told(reports, [*notes, *reviewer.baseline_notes(reports)], root, fixing)
    except NoRepository:
        return _files(files, fixing)


def _differs(place: str, data: bytes) -> bool:
    try:
        with open(place, "rb") as stream:  # noqa: PTH123
            return stream.read() != data
    except OSError:
        return True


def _told(reports: Sequence[Report], notes: Sequence[str], root: str, fixing: bool) -> int:
    from dryfire_action import review_report as review

    code = review.exit_code(reports)
    lines = [line for report in reports for line in review.text_lines(report)]
    if code == review.EXIT_FINDINGS:
        from dryfire_action.secret_history import told_of_history

        lines += told_of_history(reports, root)
    lines += review.advice(reports, fixing=fixing, framework=os.environ.get("PRE_COMMIT") == "1")
    lines += notes
    if fixing and any(report.findings for report in reports):
        lines.append("Look at what was redacted, then stage it: git add FILE")
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return code


if __name__ == "__main__":
    sys.exit(main())
