"""The result file that the pytest plugin writes: that of ``dryfire run``."""

from __future__ import annotations

import json

import jsonschema
import pytest

from dryfire_action.reports import result_json
from tests.pytest_project import ONE, TEST, Project
from tests.pytest_project import project as project

pytest_plugins = ["pytester"]


def test_the_result_file_is_that_of_dryfire_run(project: Project) -> None:
    more = ONE.replace("test_one", "test_two") + "def test_skipped(cassette):\n    pytest.skip('not today')\n"
    project.write(
        ONE + more + "def test_fails(cassette):\n    assert 'never' in ask(cassette)\n", test_b=TEST + ONE
    )
    project.run("--cassette-mode", "record")
    fresh = project.result("--deselect", "test_it.py::test_fails")
    assert fresh["counts"] | {"cases": 4, "passed": 3, "skipped": 1} == fresh["counts"]
    assert (fresh["exit_code"], fresh["left_out"], fresh["complete"]) == (0, 1, True)
    assert fresh["not_checked"] == [
        {"case": "test_it.py::test_skipped", "reason": "skipped", "text": "not today"}
    ]
    project.edit("Looks an order up.", "Looks up an order.")
    stale = project.result()
    assert (stale["state"], stale["exit_code"]) == ("stale", 3)
    (cause,) = stale["causes"]
    assert (cause["path"], cause["change"]) == ("tools[lookup].description", "changed")
    assert sorted(cause["cases"]) == ["test_b.py::test_one", "test_it.py::test_one", "test_it.py::test_two"]
    assert cause["diff"] == "- Looks an order up.\n+ Looks up an order."
    outcomes = {
        f"{suite['name']}::{case['name']}": case["outcome"]
        for suite in stale["suites"]
        for case in suite["cases"]
    }
    assert outcomes["test_it.py::test_fails"] == "missing"  # it never was recorded: it failed
    assert stale["rerecord"]["command"].endswith("--cassette-mode auto")
    assert "'" not in stale["rerecord"]["command"]


@pytest.mark.parametrize("show", ["names", "prompts", "all"])
def test_show_says_how_much_text_is_in_the_file(project: Project, show: str) -> None:
    project.write(ONE)
    project.run("--cassette-mode", "record")
    project.edit("Be brief.", "Be long.")
    project.edit("Tell the customer", "Say to the customer")
    project.result("--dryfire-show", show)
    text = (project.pytester.path / "result.json").read_text(encoding="utf-8")
    assert ("Be long." in text) == (show != "names")
    assert ("Say to the customer" in text) == (show == "all")


def test_a_failing_assertion_is_no_stale_recording(project: Project) -> None:
    project.write(ONE)
    project.run("--cassette-mode", "record")
    project.write(ONE.replace("'way'", "'never'"))
    found = project.result()
    assert (found["state"], found["exit_code"], found["counts"]["failed"]) == ("failed", 1, 1)
    assert "never" in found["suites"][0]["cases"][0]["error"]


def test_a_run_that_stopped_early_is_no_all_clear(project: Project) -> None:
    project.write("def test_fails(cassette):\n    assert not ask(cassette)\n" + ONE)
    project.run("--cassette-mode", "record")
    found = project.result("-x")
    assert (found["complete"], found["not_run"]) == (False, 1)


def test_no_test_with_a_cassette_is_nothing_checked(project: Project) -> None:
    project.write("def test_plain():\n    pass\n")
    assert project.result()["state"] == "nothing_checked"


def test_a_file_that_cannot_be_written_is_refused_at_once(project: Project) -> None:
    project.write(ONE)
    found = project.run("--dryfire-result", "no/such/folder.json")
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    found.stderr.fnmatch_lines(["*--dryfire-result: no/such/folder.json: there is no folder*"])


@pytest.mark.slow
def test_workers_record_each_their_tests_and_one_file_tells_of_all(project: Project) -> None:
    body = "@pytest.mark.parametrize('n', range(8))\ndef test_many(cassette, n):\n    assert ask(cassette, str(n))\n"
    project.write(body)
    arguments = ("-p", "no:cacheprovider", "-p", "xdist", "-n", "2")
    recorded = project.pytester.runpytest_subprocess(*arguments, "--cassette-mode", "record", timeout=120)
    recorded.assert_outcomes(passed=8)
    recorded.stdout.fnmatch_lines(["recorded: *"])
    assert len(project.recordings) == 8
    project.edit("Looks an order up.", "Looks up an order.")
    (project.pytester.path / "cassettes/test_it/test_gone.jsonl").write_text("", encoding="utf-8")
    found = project.pytester.runpytest_subprocess(*arguments, "--dryfire-result", "result.json", timeout=120)
    found.assert_outcomes(failed=8)
    found.stdout.fnmatch_lines(["recorded for tests that are gone: cassettes/test_it/test_gone.jsonl"])
    document = json.loads((project.pytester.path / "result.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, result_json.schema())
    (cause,) = document["causes"]
    assert len(cause["cases"]) == 8
    assert document["complete"]


def test_a_module_that_cannot_be_collected_is_no_all_clear(project: Project) -> None:
    project.write(ONE)
    project.run("--cassette-mode", "record")
    project.pytester.makepyfile(test_broken="import nothing_of_this_name\ndef test_two(cassette): pass\n")
    found = project.result("--continue-on-collection-errors")
    assert (found["counts"]["passed"], found["complete"], found["state"]) == (1, False, "stopped")
    assert found["warnings"] == ["could not be collected: test_broken.py"]
