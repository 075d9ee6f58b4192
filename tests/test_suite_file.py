"""Loading suites: which, with what, and everything that is wrong in one pass."""

from __future__ import annotations

import sys
import time
from subprocess import run
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.errors import Place, SpecError, UsageError
from dryfire_action.globs import NothingMatched
from dryfire_action.node import MAX_PROBLEMS
from dryfire_action.problems_text import format_problems
from dryfire_action.suite_file import load_suites
from dryfire_action.tree import FolderTree
from tests.memory_tree import CONFIG, SUITE, MemoryTree, load, load_case, problem_of, problems_of, with_case

if TYPE_CHECKING:
    from pathlib import Path


def suite_text(name: str = "s") -> str:
    return f"name: {name}\ncases: [{{name: c, input: hi, expect: []}}]\n"


def files_of(files: dict[str, str], patterns: list[str], **how: Any) -> list[str]:
    return [suite.file for suite in load_suites(MemoryTree(files), patterns, **how)]


def test_1_2_the_smallest_suite() -> None:
    suite = load("name: s\ncases: []\n")
    assert (suite.name, suite.file, suite.cases) == ("s", SUITE, ())
    assert (suite.tags, suite.description, suite.warnings, suite.config.file) == ((), None, (), None)


def test_1_2_what_a_suite_and_its_cases_say() -> None:
    suite = load(
        """
        name: orders
        description: Where is it
        tags: [smoke, slow]
        cases:
          - name: first case
            input: hi
            expect: []
          - {name: second, input: ho, expect: []}
        """,
        {CONFIG: "version: 1"},
    )
    assert (suite.description, suite.tags, suite.config.file) == ("Where is it", ("smoke", "slow"), CONFIG)
    assert [case.id for case in suite.cases] == ["orders::first case", "orders::second"]
    assert [case.place for case in suite.cases] == [Place(SUITE, 6, 5), Place(SUITE, 9, 5)]
    assert {case.file for case in suite.cases} == {SUITE}


@pytest.mark.parametrize(
    ("text", "place", "message", "hint"),
    [
        ("", "1:1", "a suite must be a map, not null", ""),
        ("[]", "1:1", "a suite must be a map, not a list", ""),
        ("name: s", "1:1", "a suite needs the key 'cases'", ""),
        ("cases: []", "1:1", "a suite needs the key 'name'", ""),
        ("name: 123\ncases: []", "1:7", "name must be text, not a number", "Write it in quotes."),
        ("name:\ncases: []", "1:6", "name must be text, not null", ""),
        ("name: s\ncases:", "2:7", "cases must be a list, not null", "An empty list is written []."),
        ("name: s\ncases: {}", "2:8", "cases must be a list, not a map", "Put a dash before the item."),
        ("name: s\ncases: [x]", "2:9", "a case must be a map, not text", ""),
        ("name: s\ncases: []\ntools:\n  a: b", "4:3", "tools must be a list, not a map", ""),
        ("name: s\ncases: []\nx-note: y", "3:1", "unknown key 'x-note' in a suite", ""),
        ("name: s\ncases: []\nmdoel: y", "3:1", "unknown key 'mdoel' in a suite", "Did you mean 'model'?"),
        ("name: s\ncases: []\ninput: y", "3:1", "unknown key 'input' in a suite", "It belongs into a case."),
        ("name: s\ncases: []\ntags: a", "3:7", "tags must be a list, not text", ""),
        ("name: s\ncases: []\ntags: [1]", "3:8", "each item of tags must be text, not a number", ""),
        ("name: s\ncases: []\ndescription: 5", "3:14", "description must be text, not a number", ""),
        ("name: s\ncases: [{name: c, expect: [], input: x, tags: [a]}]", "2:41", "unknown key 'tags'", "suite"),
        ("name: s\ncases: [{name: c, expect: [], inptu: x, input: y}]", "2:31", "unknown key 'inptu'", "mean"),
        ("name: s\ncases: [{name: 5, expect: [], input: x}]", "2:16", "name must be text, not a number", ""),
        ("name: s\nname: t\ncases: []", "2:1", "the key 'name' stands twice", ""),
        ("name: s\ncases: []\n---\nname: t", "3:1", "a second document begins here", ""),
    ],
)  # fmt: skip
def test_1_2_what_is_wrong_with_a_suite(text: str, place: str, message: str, hint: str) -> None:
    found = problem_of(text)
    assert found.message.startswith(message)
    assert f"{found.place.line}:{found.place.column}" == place
    assert hint in found.hint
    assert found.source_line == (text.splitlines() or [""])[found.place.line - 1]


@pytest.mark.parametrize("key", ["name", "input", "expect"])
def test_1_2_a_case_needs(key: str) -> None:
    keys = {"name": "c", "input": "x", "expect": "[]"}
    del keys[key]
    found = problem_of(f"name: s\ncases:\n  - {{{', '.join(f'{k}: {v}' for k, v in keys.items())}}}\n")
    assert (found.message, found.path, found.place.line) == (f"a case needs the key {key!r}", ("cases", 0), 3)


def test_0_two_cases_of_one_name_are_an_error_that_names_the_other() -> None:
    case = "{name: c, input: x, expect: []}"
    found = problem_of(f"name: s\ncases:\n  - {case}\n  - {case}\n")
    assert found.message == "a second case called 'c'; the other is at evals/a.eval.yaml:3:12"
    assert found.place == Place(SUITE, 4, 12)


def test_0_two_suites_of_one_name_under_one_config_are_an_error() -> None:
    tree = MemoryTree(
        {
            "a.yaml": suite_text(),
            "b.yaml": suite_text(),
            "p/dryfire.yaml": "version: 1",
            "p/a.yaml": suite_text(),
        }
    )
    with pytest.raises(SpecError) as caught:
        load_suites(tree, ["**/*.yaml"])
    [found] = caught.value.problems
    assert found.message == "a second suite called 's'; the other is at a.yaml:1:7"
    assert found.place == Place("b.yaml", 1, 7)
    assert len(load_suites(tree, ["a.yaml", "p/a.yaml"])) == 2


def test_0_overlapping_patterns_load_each_suite_once_and_sorted() -> None:
    files = {"evals/b.yaml": suite_text("b"), "evals/a.yaml": suite_text("a")}
    assert files_of(files, ["evals/b*", "evals/*", "evals/b.yaml"]) == ["evals/a.yaml", "evals/b.yaml"]


def test_patterns_are_relative_to_the_working_folder() -> None:
    files = {"pkg/evals/a.yaml": suite_text(), "evals/b.yaml": suite_text("b")}
    assert files_of(files, ["evals/*"], cwd="pkg") == ["pkg/evals/a.yaml"]
    assert files_of(files, ["../evals/*"], cwd="pkg") == ["evals/b.yaml"]


def test_1_4_without_patterns_the_config_at_or_above_says_which() -> None:
    files = {
        "dryfire.yaml": "version: 1\nsuites: [top/*.yaml, 'top/a.*']",
        "top/a.yaml": suite_text(),
        "pkg/dryfire.yaml": "version: 1\nsuites: [evals/**/*.yaml]",
        "pkg/evals/x/b.yaml": suite_text("b"),
    }
    assert files_of(files, []) == ["top/a.yaml"]
    assert files_of(files, [], cwd="pkg/evals") == ["pkg/evals/x/b.yaml"]
    del files["dryfire.yaml"]
    assert files_of(files, []) == ["pkg/evals/x/b.yaml"]  # no config above: those below


def test_0_several_packages_in_one_run_each_under_its_own_config() -> None:
    files = {
        f"{name}/{file}": text
        for name in ("one", "two")
        for file, text in (
            (
                "dryfire.yaml",
                f"version: 1\nsuites: ['*.eval.yaml']\ndefaults: {{model: {name}}}\nenv: {{N: {name}}}\n",
            ),
            ("s.eval.yaml", "name: s\ncases: [{name: c, input: 'to ${N}', expect: []}]"),
        )
    }
    found = load_suites(MemoryTree(files), [])
    assert [suite.config.file for suite in found] == ["one/dryfire.yaml", "two/dryfire.yaml"]
    assert [suite.cases[0].model for suite in found] == ["one", "two"]
    assert [suite.cases[0].messages[0].content for suite in found] == ["to one", "to two"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "no suites were named, and there is no dryfire.yaml"),
        ({CONFIG: "version: 1"}, "dryfire.yaml: no globs stand under suites:"),
        ({CONFIG: "version: 1\nsuites: [a/*, b/*]"}, "dryfire.yaml: no file matches a/*, b/*"),
    ],
)
def test_no_suites_at_all_is_an_error_that_says_why(files: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_suites(MemoryTree(files), [])
    assert caught.value.message == message
    assert isinstance(caught.value, NothingMatched) == bool(files)
    assert ("dryfire init" in caught.value.remedy) == (not files)


@pytest.mark.parametrize("pattern", ["evals", "evals/", "."])
def test_2_14_a_folder_is_an_error_that_says_what_to_write(pattern: str) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        load_suites(MemoryTree({SUITE: suite_text()}), [pattern])


def test_a_pattern_without_a_match_is_an_error_even_beside_one_that_has_one() -> None:
    with pytest.raises(NothingMatched, match=r"no file matches evalz/\*"):
        load_suites(MemoryTree({SUITE: suite_text()}), ["evals/*", "evalz/*"])


def test_a_glob_of_the_config_that_leaves_the_repository_is_a_problem_of_the_config() -> None:
    with pytest.raises(SpecError) as caught:
        load_suites(MemoryTree({CONFIG: "version: 1\nsuites: ['../*']"}), [])
    assert caught.value.problems[0].message == "suites: ../*: leads out of the repository"


def test_all_problems_of_all_files_come_at_once_in_order() -> None:
    files = {
        "b.eval.yaml": "name: [\n",
        "a.eval.yaml": with_case("expect: [{calls_tol: x}]\nrepeat: 0", "sytem: x"),
        "pkg/dryfire.yaml": "suits: x",
        "pkg/c.eval.yaml": with_case("input: '${UNKNOWN}'\nexpect: [{calls_tool: y}]"),
    }
    with pytest.raises(SpecError) as caught:
        load_suites(MemoryTree(files), ["**/*.eval.yaml"])
    found = [(problem.place.file, problem.place.line) for problem in caught.value.problems]
    assert found == sorted(found)
    assert [f"{file}:{line}" for file, line in found] == [
        "a.eval.yaml:2",
        "a.eval.yaml:7",
        "a.eval.yaml:8",
        "b.eval.yaml:2",
        "pkg/c.eval.yaml:7",
        "pkg/dryfire.yaml:1",
        "pkg/dryfire.yaml:1",
    ]
    assert str(caught.value) == "7 problems in suites or config"


def test_a_default_that_is_used_by_many_suites_is_reported_once() -> None:
    files = {
        CONFIG: "version: 1\ndefaults: {repeat: 0}",
        "a.yaml": suite_text("a"),
        "b.yaml": suite_text("b"),
    }
    with pytest.raises(SpecError) as caught:
        load_suites(MemoryTree(files), ["*.yaml"])
    assert len(caught.value.problems) == 1


def test_an_unknown_provider_is_a_warning_with_a_guess() -> None:
    suite = load(with_case("", "provider: antropic"))
    assert suite.warnings == (
        "evals/a.eval.yaml:2:1: the provider 'antropic' is not known. Did you mean 'anthropic'?",
    )
    config = "version: 1\nproviders: {mine: {base_url: 'https://h/v1', api_key_env: K}}"
    assert load(with_case("", "provider: mine"), {CONFIG: config}).warnings == ()


def test_a_merge_key_and_aliases_work_in_suites() -> None:
    suite = load(
        """
        name: s
        tools:
          - &lookup {name: lookup, input_schema: {type: object}, description: of orders}
          - {<<: *lookup, name: find}
        cases:
          - &base {name: a, input: hi, expect: [], max_turns: 2}
          - {<<: *base, name: b}
        """
    )
    assert [(tool.name, tool.description) for tool in suite.cases[0].tools] == [
        ("lookup", "of orders"),
        ("find", "of orders"),
    ]
    assert [(case.name, case.max_turns) for case in suite.cases] == [("a", 2), ("b", 2)]


def test_a_suite_may_be_json() -> None:
    [suite] = load_suites(MemoryTree({"s.json": '{"name": "s", "cases": []}'}), ["s.json"])
    assert suite.name == "s"


def test_cases_of_a_suite_share_what_the_suite_declares() -> None:
    suite = load(
        "name: s\ntools: [{name: t, input_schema: {}}]\nsystem: x\n"
        "cases: [{name: a, input: x, expect: []}, {name: b, input: x, expect: []}]"
    )
    first, second = suite.cases
    assert first.tools is second.tools


def test_files_of_a_real_folder(tmp_path: Path) -> None:
    (tmp_path / "evals" / "prüf läufe").mkdir(parents=True)
    (tmp_path / "evals" / "prüf läufe" / "a.eval.yaml").write_bytes(
        b"\xef\xbb\xbf" + suite_text().replace("\n", "\r\n").encode()
    )
    tree = FolderTree(tmp_path)
    assert [suite.file for suite in load_suites(tree, ["evals\\**\\*.eval.yaml"])] == [
        "evals/prüf läufe/a.eval.yaml"
    ]
    (tmp_path / "evals" / "p.eval.yaml").write_text(with_case("", "system: {$ref: secret.md}"))
    (tmp_path / "evals" / "secret.md").symlink_to("/etc/hostname")
    with pytest.raises(SpecError) as caught:
        load_suites(tree, ["evals/p.eval.yaml"])
    assert caught.value.problems[0].message == "$ref 'secret.md': is a symbolic link"
    assert "Links are not followed" in caught.value.problems[0].hint


def test_loading_imports_nothing_heavy() -> None:
    code = (
        "import sys; from pathlib import Path; from dryfire_action.suite_file import load_suites\n"
        "from dryfire_action.tree import FolderTree\n"
        "heavy = {'pydantic', 'rich', 'requests', 'jsonschema', 'regex', 'difflib', 'ruamel'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    assert run([sys.executable, "-c", code], check=False).returncode == 0


def test_2_26_loading_takes_as_many_steps_for_each_case_however_many_there_are() -> None:
    case = (
        "  - name: case {0}\n    input: Where is order {0}?\n"
        "    mocks: {{lookup: [{{when: {{id: a}}, return: {{a: [1, 2]}}}}]}}\n"
        "    expect:\n      - calls_tool: lookup\n      - final_contains: [shipped, days]\n"
    )

    def steps(count: int) -> int:
        """How many functions are called to load so many cases."""
        text = "name: s\ntools: [{name: lookup, input_schema: {}}]\ncases:\n" + "".join(
            map(case.format, range(count))
        )
        found = 0

        def counting(frame: object, event: str, argument: object) -> None:
            nonlocal found
            found += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(counting)
        try:
            load(text)
        finally:
            sys.setprofile(before)
        return found

    steps(10)
    small, large = steps(100), steps(800)
    assert small > 100 * 10, "nothing is counted"
    assert large < 8.5 * small


def test_the_whole_text_of_a_few_problems() -> None:
    text = (
        "name: s\nsytem: Be kind.\ntools: [{name: lookup, input_schema: [x]}]\n"
        "cases:\n  - name: c\n    input: hi\n    expect:\n      - calls_tool: lokup\n"
        "      - max_turns: 1\n        llm_judge: {}\n"
    )
    assert format_problems(problems_of(text)) == GOLDEN_TEXT


GOLDEN_TEXT = """\
evals/a.eval.yaml:2:1: unknown key 'sytem' in a suite
  at sytem
  2 | sytem: Be kind.
    | ^
  Did you mean 'system'?

evals/a.eval.yaml:3:38: input_schema must be a map, not a list
  at tools[0].input_schema
  3 | tools: [{name: lookup, input_schema: [x]}]
    |                                      ^

evals/a.eval.yaml:8:21: the tool 'lokup' is neither declared nor mocked
  at cases[0].expect[0].calls_tool
  8 |       - calls_tool: lokup
    |                     ^
  Did you mean 'lookup'?

evals/a.eval.yaml:10:9: an assertion has one kind, and this has 'max_turns' and 'llm_judge'
  at cases[0].expect[1].llm_judge
  10 |         llm_judge: {}
     |         ^
  Give each a dash of its own."""


def test_a_suite_of_nothing_but_mistakes_is_an_answer_in_short_time() -> None:
    tools = ", ".join(f"{{name: tool_{n}, input_schema: {{}}}}" for n in range(1500))
    checks = "\n".join(f"  - calls_tool: tol_{n}" for n in range(1500))
    began = time.process_time()
    found = problems_of(with_case(f"expect:\n{checks}", f"tools: [{tools}]"))
    assert len(found) == MAX_PROBLEMS
    assert time.process_time() - began < 20


def test_the_names_a_suite_and_case_may_have() -> None:
    case = load_case("name: 'ü/\\\\:*? CON .'")
    assert case.name == "ü/\\\\:*? CON ."


@pytest.mark.parametrize(("written", "warned"), [("passthrough", 1), ('"null"', 0), ("error", 0)])
def test_0_unmocked_passthrough_is_a_warning_once(written: str, warned: int) -> None:
    suite = load(
        f"""
        name: s
        on_unmocked: {written}
        cases:
          - {{name: a, input: hi, expect: []}}
          - {{name: b, input: hi, expect: []}}
        """
    )
    assert [warning.startswith(f"{SUITE}:3:1: ") for warning in suite.warnings] == [True] * warned
    assert [case.passthrough_rule for case in suite.cases] == [None, None]
