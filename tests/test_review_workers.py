"""Files reviewed by several processes: the same reports, in the same order, as by one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from dryfire_action import review_workers
from dryfire_action.errors import DryfireError
from dryfire_action.review_files import reviewer_of
from dryfire_action.review_workers import all_reviewed
from tests.secret_values import B62, body

TOKEN = "gh" + "p_" + body(B62, 36)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    # Small files, as if they were large.
    monkeypatch.setattr(review_workers, "_LEAST_WORK", 1)
    monkeypatch.setattr(review_workers, "_processors", lambda: 3)
    return tmp_path


def written(folder: Path, count: int) -> list[str]:
    """Recordings, every fifth with a secret."""
    files = []
    for number in range(count):
        name = f"cassettes/{number:03}.json"
        place = folder / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(json.dumps({"n": number, "note": TOKEN if number % 5 == 0 else "nothing"}))
        files.append(name)
    return files


@pytest.mark.parametrize("count", [2, 7, 50, 230])
def test_workers_report_what_one_process_reports(project: Path, count: int) -> None:
    files = [*written(project, count), "cassettes/missing.json"]
    reports, notes = all_reviewed(reviewer_of(str(project)), str(project), files)
    one = reviewer_of(str(project))
    alone = [review_workers.reviewed(one, str(project), file) for file in files]
    assert (reports, notes) == ([report for report, _ in alone], [])
    assert sum(len(report.findings) for report in reports) == len(range(0, count, 5))


def test_the_reviewer_knows_what_its_workers_looked_at(project: Path) -> None:
    files = written(project, 20)
    reviewer = reviewer_of(str(project))
    all_reviewed(reviewer, str(project), files)
    assert reviewer.seen()[0] == set(files)


def test_what_a_failed_worker_leaves_is_done_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = written(project, 20)
    here, real = os.getpid(), review_workers.reviewed

    def fails_elsewhere(*arguments: object, **named: object) -> object:
        if os.getpid() != here:
            raise OSError("this worker cannot read")
        return real(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(review_workers, "reviewed", fails_elsewhere)
    reports, _ = all_reviewed(reviewer_of(str(project)), str(project), files)
    assert [bool(report.findings) for report in reports] == [number % 5 == 0 for number in range(20)]


def test_an_error_reaches_the_one_who_asked(project: Path) -> None:
    files = written(project, 8)
    (project / "dryfire.yaml").write_text("redact: nonsense\n")
    with pytest.raises(DryfireError):
        all_reviewed(reviewer_of(str(project)), str(project), files)


def test_little_work_is_done_by_one_process(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review_workers, "_LEAST_WORK", 10**9)
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("a process was forked"))
    files = written(project, 8)
    assert len(all_reviewed(reviewer_of(str(project)), str(project), files)[0]) == 8
