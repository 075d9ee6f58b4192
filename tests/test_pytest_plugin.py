"""The pytest plugin, as a team's own test suite meets it: a pytest inside of pytest."""

from __future__ import annotations

import pytest

from tests.pytest_project import ONE, TEST, Project
from tests.pytest_project import project as project

pytest_plugins = ["pytester"]


def test_a_bare_command_records_nothing_and_says_how_to(project: Project) -> None:
    project.write(ONE)
    found = project.run()
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(
        [
            "*nothing is recorded for this test: there is no cassettes/test_it/test_one.jsonl",
            "*pytest test_it.py::test_one --cassette-mode record",
        ]
    )
    assert project.recordings == []


@pytest.mark.parametrize("mode", ["record", "auto"])
def test_a_test_is_recorded_beside_itself_and_replayed_from_then_on(project: Project, mode: str) -> None:
    project.write(ONE)
    project.run("--cassette-mode", mode).assert_outcomes(passed=1)
    assert project.recordings == ["cassettes/test_it/test_one.jsonl"]
    project.edit('return {"id": order_id}', "raise AssertionError('a replay runs no tool')")
    project.run().assert_outcomes(passed=1)


def test_off_calls_everything_and_keeps_nothing(project: Project) -> None:
    project.write(ONE)
    project.run("--cassette-mode", "off").assert_outcomes(passed=1)
    assert project.recordings == []


def test_a_replay_leaves_the_file_as_it_is(project: Project) -> None:
    project.write(ONE)
    project.run("--cassette-mode", "record")
    file = project.pytester.path / project.recordings[0]
    before = file.read_bytes()
    project.run()
    project.run("--cassette-mode", "auto")
    project.run("--cassette-mode", "record")
    assert file.read_bytes() == before


def test_an_edit_is_explained_as_in_the_comment(project: Project) -> None:
    project.write(ONE)
    project.run("--cassette-mode", "record")
    project.edit("Looks an order up.", "Looks up an order.")
    found = project.run()
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(
        [
            "test_it.py::test_one: stale recording: tools[[]lookup].description changed",
            "at agent.py:*",
            "1. tools[[]lookup].description changed*",
            "*- Looks an order up.",
            "*+ Looks up an order.",
            "Was that edit meant? *",
            "  pytest test_it.py::test_one --cassette-mode auto",
            "FAILED test_it.py::test_one - stale recording: tools[[]lookup].description*",
        ]
    )
    assert "Traceback" not in found.stdout.str()


def test_auto_calls_only_what_is_not_recorded(project: Project) -> None:
    project.write(
        "def test_two(cassette):\n"
        "    llm = cassette.wrap_llm(MockLLM(['new']))\n"
        "    texts = [llm.complete(agent.LLMRequest(text)).content for text in agent.TEXTS]\n"
        "    assert texts\n"
    )
    project.edit("DESCRIPTION =", "TEXTS = ['a']\nDESCRIPTION =")
    project.run("--cassette-mode", "record").assert_outcomes(passed=1)
    project.edit("TEXTS = ['a']", "TEXTS = ['a', 'b']")
    project.run("--cassette-mode", "auto").assert_outcomes(
        passed=1
    )  # the mock has one answer: a is not asked again
    project.run().assert_outcomes(passed=1)
    project.edit("TEXTS = ['a', 'b']", "TEXTS = ['b']")
    project.run().assert_outcomes(failed=1)
    project.run("--cassette-mode", "auto").assert_outcomes(passed=1)  # what is not played goes
    project.run().assert_outcomes(passed=1)


def test_calls_that_never_happen_fail_the_test(project: Project) -> None:
    project.write(ONE)
    project.run("--cassette-mode", "record")
    project.edit("order = lookup(order_id)", "order = {'id': '1'}")
    found = project.run()
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*recorded, but never asked for: tool call #0 (lookup)*"])
    found.stdout.fnmatch_lines(["recorded, and not asked for: test_it.py::test_one (1)"])


def test_an_agent_that_swallows_the_miss_fails_all_the_same(project: Project) -> None:
    project.write(
        "def test_swallows(cassette):\n    try:\n        ask(cassette)\n    except Exception:\n        pass\n"
    )
    project.run("--cassette-mode", "record").assert_outcomes(passed=1)
    project.edit("Be brief.", "Be long.")
    found = project.run()
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*stale recording: system changed*"])


def test_a_test_that_records_nothing_is_no_pass(project: Project) -> None:
    project.write("def test_none(cassette):\n    pass\n")
    found = project.run("--cassette-mode", "record")
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*nothing was recorded: no call went through the cassette*"])


def test_what_was_paid_for_is_not_lost_when_a_test_fails(project: Project) -> None:
    project.write(
        "def test_later(cassette):\n"
        "    assert 'way' in ask(cassette, answers=agent.ANSWERS)\n"
        "    assert agent.READY\n"
    )
    project.edit("DESCRIPTION =", "ANSWERS = ['On its way.']\nREADY = False\nDESCRIPTION =")
    found = project.run("--cassette-mode", "record")
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["not recorded, because the test failed; its answers are kept*"])
    assert project.recordings == ["cassettes/test_it/.partial/test_later.jsonl"]
    ignored = project.pytester.path / "cassettes/test_it/.partial/.gitignore"
    assert ignored.read_text(encoding="utf-8") == "*\n"
    project.edit("READY = False", "READY = True")
    project.edit("ANSWERS = ['On its way.']", "ANSWERS = []")
    project.run("--cassette-mode", "auto").assert_outcomes(passed=1)
    assert project.recordings == ["cassettes/test_it/test_later.jsonl"]
    project.run().assert_outcomes(passed=1)


def test_a_line_that_a_killed_process_left_half_written_is_left_out(project: Project) -> None:
    project.write(ONE + "    assert agent.READY\n")
    project.edit("DESCRIPTION =", "READY = False\nDESCRIPTION =")
    project.run("--cassette-mode", "record")
    partial = project.pytester.path / project.recordings[0]
    lines = partial.read_text(encoding="utf-8").splitlines(keepends=True)
    partial.write_text("".join(lines[:-1]) + lines[-1][:40], encoding="utf-8")
    project.edit("READY = False", "READY = True")
    project.run("--cassette-mode", "auto").assert_outcomes(passed=1)
    project.run().assert_outcomes(passed=1)


def test_a_damaged_recording_is_no_empty_one(project: Project) -> None:
    project.write(ONE)
    project.run("--cassette-mode", "record")
    file = project.pytester.path / project.recordings[0]
    file.write_text(file.read_text(encoding="utf-8").replace("on its way", "lost"), encoding="utf-8")
    for mode in ("replay", "auto"):
        found = project.run("--cassette-mode", mode)
        found.assert_outcomes(failed=1)
        found.stdout.fnmatch_lines(["*edited by hand?*"])
    assert "lost" in file.read_text(encoding="utf-8")
    project.run("--cassette-mode", "record").assert_outcomes(passed=1)


NAMES = """
@pytest.mark.parametrize("name", ["1", "A", "a", "x/y", "../up", "con", "é", "e\\u0301", "b" * 200, "a::b", "a.b"])
def test_named(cassette, name):
    assert ask(cassette, name)

class TestGroup:
    def test_named(self, cassette):
        assert ask(cassette)
"""


def test_every_parameter_has_a_file_of_its_own_on_every_system(project: Project) -> None:
    project.write(NAMES)
    project.run("--cassette-mode", "record").assert_outcomes(passed=12)
    names = project.recordings
    assert len({name.lower() for name in names}) == 12
    assert all(name.startswith("cassettes/test_it/") and name.isascii() and len(name) < 120 for name in names)
    project.run().assert_outcomes(passed=12)


def test_the_marker_names_the_file(project: Project) -> None:
    project.write("@pytest.mark.cassette('kept/mine')\n" + ONE)
    project.run("--cassette-mode", "record")
    assert project.recordings == ["kept/mine.jsonl"]
    project.run().assert_outcomes(passed=1)


def test_two_tests_do_not_record_into_one_file(project: Project) -> None:
    shared = "@pytest.mark.cassette(path='one.jsonl')\n"
    project.write(shared + ONE + "\n" + shared + ONE.replace("test_one", "test_other"))
    found = project.run("--cassette-mode", "record")
    assert found.ret != 0
    found.stderr.fnmatch_lines(
        ["*test_it.py::test_one and test_it.py::test_other would record into one file*"]
    )
    project.run("--cassette-mode", "record", "test_it.py::test_one").assert_outcomes(passed=1)
    project.run().assert_outcomes(passed=2)  # neither takes the other's answers


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("mode='record'", "*a marker says replay or lenient*--cassette-mode*"),
        ("paht='x'", "*knows no paht; there are *"),
    ],
)
def test_a_marker_that_cannot_be_is_refused(project: Project, marker: str, message: str) -> None:
    project.write(f"@pytest.mark.cassette({marker})\n" + ONE)
    found = project.run()
    assert found.ret != 0
    (found.stderr if found.stderr.lines else found.stdout).fnmatch_lines([message])


def test_a_marker_can_pin_a_recording(project: Project) -> None:
    project.write("@pytest.mark.cassette(mode='replay')\n" + ONE)
    done = project.run("--cassette-mode", "record")
    done.assert_outcomes(failed=1)
    assert project.recordings == []
    done.stdout.fnmatch_lines(['*take mode="replay" out of its marker*; then record it*'])


def test_lenient_plays_the_recorded_answer_and_the_result_says_stale(project: Project) -> None:
    project.write(ONE)
    project.run("--cassette-mode", "record")
    project.write("@pytest.mark.cassette(mode='lenient')\n" + ONE)
    project.edit("Be brief.", "Be long.")
    assert project.result()["counts"]["stale"] == 1
    project.run().assert_outcomes(passed=1)


def test_digests_keep_no_text_of_requests(project: Project) -> None:
    project.write("@pytest.mark.cassette(requests='digests')\n" + ONE)
    project.run("--cassette-mode", "record")
    text = (project.pytester.path / project.recordings[0]).read_text(encoding="utf-8")
    assert "Be brief" not in text
    assert "Tell the customer" not in text
    project.edit("Be brief.", "Be long.")
    project.run().stdout.fnmatch_lines(["*stale recording: system changed*", "*1. system changed*"])


def test_volatile_text_is_ignored_where_a_rule_says_so(project: Project) -> None:
    rule = '@pytest.mark.cassette(ignore=[{"path": "system", "pattern": "B[a-z]+"}])\n'
    project.write(rule + ONE)
    project.run("--cassette-mode", "record")
    project.edit("Be brief.", "Become brief.")
    project.run().assert_outcomes(passed=1)
    project.edit("Become brief.", "Become long.")
    project.run().assert_outcomes(failed=1)


def test_a_date_in_a_prompt_is_told_what_to_do_about(project: Project) -> None:
    project.edit("Be brief.", "Today is 2026-01-02.")
    project.write(ONE)
    project.run("--cassette-mode", "record")
    project.edit("2026-01-02", "2026-01-03")
    project.run().stdout.fnmatch_lines(
        [
            "*note: only a date differs",
            '*@pytest.mark.cassette(ignore=[[]{"path": "system", "pattern": r"..."}])',
        ]
    )


def test_what_is_said_at_the_end_stands_right_under_its_title(project: Project) -> None:
    project.write(ONE)
    project.run("--cassette-mode", "record")
    rows = project.run("--dryfire-result", "result.json").outlines
    (title,) = (number for number, row in enumerate(rows) if "= cassettes =" in row)
    assert (rows[title - 1], rows[title + 1]) == ("", "result: result.json")


def test_recordings_of_tests_that_are_gone_are_named(project: Project) -> None:
    project.write(ONE + ONE.replace("test_one", "test_two"), test_other=TEST + ONE)
    project.run("--cassette-mode", "record").assert_outcomes(passed=3)
    (project.pytester.path / "test_other.py").unlink()
    project.write(ONE)
    found = project.run()
    found.stdout.fnmatch_lines(
        [
            "recorded for tests that are gone: cassettes/test_it/test_two.jsonl, cassettes/test_other/test_one.jsonl"
        ]
    )
    assert "tests that are gone" not in project.run("test_it.py::test_one").stdout.str()


OWN = """
@pytest.fixture
def cassette({argument}):
    {body}
"""


@pytest.mark.parametrize(
    ("argument", "body", "recorded"),
    [("", "return None", []), ("cassette", "return cassette", ["cassettes/test_it/test_one.jsonl"])],
    ids=["another thing", "ours in it"],
)
def test_a_fixture_of_their_own_with_this_name_is_theirs(
    project: Project, argument: str, body: str, recorded: list[str]
) -> None:
    test = "def test_one(cassette):\n    assert cassette is None or ask(cassette)\n"
    project.write(OWN.format(argument=argument, body=body) + test)
    project.run("--cassette-mode", "record").assert_outcomes(passed=1)
    assert project.recordings == recorded
    assert project.result()["counts"]["cases"] == len(recorded)


def test_tests_without_a_cassette_are_left_alone(project: Project) -> None:
    project.write("def test_plain():\n    import socket\n    socket.socket().close()\n")
    found = project.run()
    found.assert_outcomes(passed=1)
    assert "cassettes" not in found.stdout.str()


def test_our_modules_are_loaded_as_they_are_compiled(project: Project) -> None:
    project.write(
        ONE + "    import dryfire_action.replay_cassette as found\n"
        "    assert type(found.__loader__).__module__.startswith(('_frozen', 'importlib'))\n"
    )
    done = project.pytester.runpytest_subprocess(
        "-p", "no:cacheprovider", "--cassette-mode", "record", timeout=60
    )
    done.assert_outcomes(passed=1)


def test_starting_pytest_loads_nothing_of_ours_but_the_plugin(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_light="""
        import sys

        def test_light():
            ours = {name for name in sys.modules if name.startswith("dryfire_action.")}
            assert ours == {"dryfire_action.pytest_plugin"}
            assert not {"pydantic", "rich", "yaml", "httpx", "httpx2"} & sys.modules.keys()
        """
    )
    pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:anyio", timeout=60).assert_outcomes(
        passed=1
    )
