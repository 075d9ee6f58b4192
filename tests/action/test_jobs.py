"""Several jobs of one workflow: legs of a matrix that are merged, and jobs that want the same comment at once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tests.action.scene import HEAD, SEED, STEPS
from tests.kept_project import DESK

if TYPE_CHECKING:
    from pathlib import Path

    from tests.action.scene import Scene
    from tests.github_double import Call

# Files go from job to job through a folder here, as artifacts do on GitHub.
MATRIX = f"""\
{HEAD}  legs:
    strategy:
      fail-fast: false
      matrix: {{suite: [bag, desk, shop]}}
{STEPS}      - id: dryfire
        uses: org/dryfire-action@v1
        with:
          mode: check
          suites: evals/${{{{ matrix.suite }}}}.eval.yaml
      - if: always()
        env:
          REPORT: ${{{{ steps.dryfire.outputs.report-file }}}}
          SUITE: ${{{{ matrix.suite }}}}
        run: cp "$REPORT" "SHARED/$SUITE.json"
  report:
    needs: legs
    if: always()
    runs-on: ubuntu-latest
    steps:
{SEED}      - run: mkdir results && cp SHARED/*.json results
      - id: dryfire
        uses: org/dryfire-action@v1
        with:
          mode: publish
          results: results/*.json
"""
RACE = HEAD + "".join(
    f"""\
  {job}:
{STEPS}      - id: dryfire
        uses: org/dryfire-action@v1
        with: {{key: evals}}
"""
    for job in ("one", "two")
)


def test_the_legs_of_a_matrix_are_merged_into_one_comment_by_the_job_after_them(
    scene: Scene, tmp_path: Path
) -> None:
    scene.origin.write("evals/bag.eval.yaml", DESK.replace("name: desk", "name: bag"))
    scene.record()
    scene.make_stale()
    shared = tmp_path / "shared"
    shared.mkdir()
    run = scene.run(MATRIX.replace("SHARED", str(shared)))
    assert sorted(file.name for file in shared.iterdir()) == ["bag.json", "desk.json", "shop.json"], run.log
    legs = [run.outputs(f"legs-{number}")["result"] for number in (1, 2, 3)]
    assert legs == ["changed", "clear", "stale"], run.log
    assert run.jobs["report"] == "failure"
    assert run.outputs("report")["result"] == "stale"
    assert run.outputs("report")["case-count"] == "4"
    (body,) = scene.bodies
    assert "Re-record 2 of 4 cases" in body
    assert {call.method for call in scene.github.writes} == {"POST"}


def test_two_jobs_that_comment_at_once_leave_one_comment(scene: Scene) -> None:
    scene.make_stale()
    together = threading.Barrier(2, timeout=60)
    listed: list[Call] = []

    def wait_for_the_other(call: Call) -> None:
        """Neither job writes before both have seen that there is no comment."""
        if call.method == "GET" and call.path.endswith("/comments") and len(listed) < 2:
            listed.append(call)
            together.wait()

    scene.github.on_call = wait_for_the_other
    run = scene.run(RACE)
    assert len(listed) == 2, run.log
    assert [run.outputs(job)["result"] for job in ("one", "two")] == ["stale", "stale"]
    (comment,) = scene.github.comments(7)
    assert {run.outputs(job)["comment-id"] for job in ("one", "two")} == {str(comment.id)}
