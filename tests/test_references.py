"""`$ref` and `${NAME}`: what a suite takes from other files and from the config."""

from __future__ import annotations

import pytest

from dryfire_action.errors import Place
from dryfire_action.references import MAX_CHAIN
from dryfire_action.suite import Case, Return
from tests.memory_tree import CONFIG, SUITE, load_case, problem_of, problems_of, with_case

LOOKUP = "{name: lookup, input_schema: {type: object}}"


def returned(case: Case) -> object:
    answer = case.mocks["lookup"][0].answer
    assert isinstance(answer, Return)
    return answer.value


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"You help.\nAlways.\n", "You help.\nAlways.\n"),
        (b"no end", "no end"),
        (b"You help.\r\nAlways.\r\n", "You help.\nAlways.\n"),
        (b"\xef\xbb\xbfhi", "hi"),
        (b"", ""),
        ("{{a: b} # ${HOME} $${X} é".encode(), "{{a: b} # ${HOME} $${X} é"),
        (b"  indented\n\n\n", "  indented\n\n\n"),
        (b"a\rb", "a\rb"),
    ],
)
@pytest.mark.parametrize("name", ["p.md", "p.txt", "P.MD"])
def test_0_md_and_txt_are_raw_text_whose_line_ends_are_lf(data: bytes, text: str, name: str) -> None:
    case = load_case("", f"system: {{$ref: prompts/{name}}}", {f"evals/prompts/{name}": data})
    assert case.system == text
    assert case.places["system"] == Place(f"evals/prompts/{name}", 1, 1)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_0_a_crlf_checkout_gives_the_same_case(end: str) -> None:
    suite = "system: {$ref: p.md}\nmocks: {t: [{return: {$ref: r.json}}]}\ntools: {$ref: t.yaml}"
    files = {
        "evals/p.md": "one\ntwo\n",
        "evals/r.json": '{"a":\n"x"}\n',
        "evals/t.yaml": "- name: t\n  input_schema: {}\n  description: |\n    one\n    two\n",
    }
    text = with_case('input: |\n  x\n  y\nexpect: [{final_contains: "a\\r\\nb"}]', suite)
    changed = {path: content.replace("\n", end) for path, content in files.items()}
    changed[SUITE] = text.replace("\n", end)
    case = load_case_of(changed)
    assert case == load_case_of({**files, SUITE: text})
    assert case.checks[0].arguments == {"texts": ["a\r\nb"]}


def load_case_of(files: dict[str, str]) -> Case:
    from dryfire_action.suite_file import load_suites
    from tests.memory_tree import MemoryTree

    [suite] = load_suites(MemoryTree(files), [SUITE])
    [case] = suite.cases
    return case


@pytest.mark.parametrize(
    ("suite", "files"),
    [
        ("tools: {$ref: tools.yaml}", {"tools.yaml": f"[{LOOKUP}]"}),
        ("tools: [{$ref: t/l.json}]", {"t/l.json": '{"name": "lookup", "input_schema": {"type": "object"}}'}),
        ("tools: [{name: lookup, input_schema: {$ref: s.yml}}]", {"s.yml": "type: object"}),
        ("tools: {$ref: a/tools.yaml}", {"a/tools.yaml": "- $ref: lookup.yaml", "a/lookup.yaml": LOOKUP}),
        ("tools: [{$ref: a.yaml}]", {"a.yaml": "$ref: ./b.yaml", "b.yaml": LOOKUP}),
        ("tools: [{name: lookup, input_schema: {$ref: ../shared/s.yaml}}]", {"../shared/s.yaml": "type: object"}),
        ("tools: [{name: lookup, input_schema: {$ref: '..\\shared\\s.yaml'}}]", {"../shared/s.yaml": "type: object"}),
    ],
)  # fmt: skip
def test_0_tools_and_schemas_may_stand_in_files(suite: str, files: dict[str, str]) -> None:
    there = {f"evals/{path}".replace("evals/../", ""): text for path, text in files.items()}
    case = load_case("", suite, there)
    assert [(tool.name, tool.input_schema) for tool in case.tools] == [("lookup", {"type": "object"})]


def test_0_causes_point_into_the_file() -> None:
    files = {
        "evals/t.yaml": "- name: lookup\n  description: x\n  input_schema:\n    $ref: s.json\n",
        "evals/s.json": "\n {}",
    }
    case = load_case("", "tools:\n  $ref: t.yaml", files)
    assert case.places["tools[lookup].description"] == Place("evals/t.yaml", 2, 3)
    assert case.places["tools[lookup].input_schema"] == Place("evals/s.json", 2, 2)
    assert case.places["tools[lookup]"] == Place("evals/t.yaml", 1, 3)
    assert case.places["tools.order"] == Place("evals/t.yaml", 1, 1)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("{$ref: r.json}", {"a": [1]}),
        ("{x: {$ref: r.json}, y: 1}", {"x": {"a": [1]}, "y": 1}),
        ("[{$ref: r.json}, 2]", [{"a": [1]}, 2]),
        ("{$ref: text.md}", "hello\n"),
        ("{$ref: nested/outer.yaml}", {"inner": {"deep": True}}),
        ("{$ref: '#/x'}", {"$ref": "#/x"}),
        ("{properties: {$ref: {type: string}}}", {"properties": {"$ref": {"type": "string"}}}),
    ],
)
def test_0_a_mocks_return_may_stand_in_files_at_any_depth(written: str, value: object) -> None:
    files = {
        "evals/r.json": '{"a": [1]}',
        "evals/text.md": "hello\n",
        "evals/nested/outer.yaml": "inner: {$ref: inner.yaml}",
        "evals/nested/inner.yaml": "deep: true",
    }
    assert returned(load_case("", f"mocks: {{lookup: [{{return: {written}}}]}}", files)) == value


def test_0_a_messages_content_may_stand_in_files() -> None:
    case = load_case(
        """
        input:
          - {role: user, content: {$ref: q.md}}
          - {role: user, content: [{type: text, text: {$ref: q.md}}]}
        """,
        files={"evals/q.md": "why?"},
    )
    assert [message.content for message in case.messages] == ["why?", [{"type": "text", "text": "why?"}]]
    assert case.places["messages[0].content"] == Place("evals/q.md", 1, 1)
    whole = load_case("input: {$ref: q.md}", files={"evals/q.md": "why?"})
    assert whole.messages[0].content == "why?"
    assert whole.places["messages[0].content"] == Place("evals/q.md", 1, 1)


def test_0_json_schemas_own_references_are_left_alone() -> None:
    schema = (
        '{type: object, properties: {a: {$ref: "#/$defs/A", description: x}}, $defs: {A: {$ref: a.json}}}'
    )
    case = load_case(
        "", f"tools: [{{name: lookup, input_schema: {schema}}}]", {"evals/a.json": '{"type": "string"}'}
    )
    assert case.tools[0].input_schema == {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A", "description": "x"}},
        "$defs": {"A": {"type": "string"}},
    }


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("nothing.md", "there is no such file"),
        ("../../x.md", "leads out of the repository"),
        ("/etc/passwd.md", "is an absolute path"),
        ("https://example.com/x.json", "there is no such file"),
        ("../.git/x.md", "is git's own folder"),
        ("x.py", "a $ref names a file that ends in .yaml, .yml, .json, .md, .txt"),
        ("", "a $ref names a file that ends in .yaml, .yml, .json, .md, .txt"),
        ("t.yaml#/a", "a part of a file cannot be named, only the whole file"),
        ("a.eval.yaml", "the files refer to each other in a circle: evals/a.eval.yaml -> evals/a.eval.yaml"),
    ],
)
def test_0_a_reference_that_cannot_be_followed_is_a_positioned_error(target: str, reason: str) -> None:
    found = problem_of(
        with_case("", f"system:\n  $ref: '{target}'"), {"evals/x.py": "", "evals/t.yaml": "a: b"}
    )
    assert found.message == f"$ref '{target}': {reason}"
    assert found.place == Place(SUITE, 3, 9)
    assert found.path == ("system", "$ref")


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("p/promt.md", "Did you mean 'prompt.md'?"),
        ("p/PROMPT.txt", "Did you mean 'prompt.md'?"),
        ("p/below.md", ""),
        ("q/prompt.md", ""),
    ],
)
def test_a_misspelt_file_is_named_by_the_one_beside_it_that_is_most_like_it(target: str, hint: str) -> None:
    files = {"evals/p/prompt.md": "", "evals/p/tools.yaml": "", "evals/p/deep/below.md": ""}
    assert problem_of(with_case("", f"system: {{$ref: {target}}}"), files).hint == hint


def test_a_ref_without_its_dollar_is_told_how_a_file_is_named() -> None:
    found = problem_of(with_case("", "system: {ref: p.md}"))
    assert (found.message, found.hint) == (
        "system must be text, not a map",
        "A file is named by {$ref: path}.",
    )
    assert problem_of(with_case("", "system: {ref: p.md, x: 1}")).hint == ""


def test_0_files_that_refer_to_each_other_in_a_circle_are_an_error_where_it_closes() -> None:
    files = {"evals/a.yaml": "$ref: b.yaml", "evals/b.yaml": "$ref: a.yaml"}
    found = problem_of(with_case("", "system: {$ref: a.yaml}"), files)
    assert found.message.endswith("in a circle: evals/a.yaml -> evals/b.yaml -> evals/a.yaml")
    assert found.place == Place("evals/b.yaml", 1, 7)


def test_0_siblings_of_a_reference_are_an_error() -> None:
    found = problem_of(with_case("", "system: {$ref: p.md, extra: 1}"), {"evals/p.md": "x"})
    assert found.message == "'extra' stands beside $ref, which takes the place of the whole map"
    assert found.place == Place(SUITE, 2, 22)


def test_0_a_chain_of_files_has_an_end() -> None:
    files = {f"evals/{n}.yaml": f"$ref: {n + 1}.yaml" for n in range(40)} | {"evals/40.yaml": "text"}
    found = problem_of(with_case("", "system: {$ref: 0.yaml}"), files)
    assert f"more than {MAX_CHAIN} files" in found.message


@pytest.mark.parametrize(
    "case",
    [
        "expect: [{calls_tool: {$ref: x.yaml}}]",
        "mocks: {lookup: [{$ref: x.yaml}]}",
        "mocks: {lookup: [{when: {$ref: x.yaml}, error: x}]}",
        "input: [{$ref: x.yaml}]",
        "expect: [{tool_args: {tool: lookup, match: {$ref: x.yaml}}}]",
    ],
)
def test_0_a_reference_elsewhere_is_an_error_that_says_where_it_may_stand(case: str) -> None:
    found = problem_of(with_case(case, f"tools: [{LOOKUP}]"), {"evals/x.yaml": "{}"})
    assert found.message == "$ref may not stand here"
    assert "a mock's return" in found.hint


def test_1_3_errors_in_a_file_point_into_it() -> None:
    files = {"evals/t.yaml": "- name: lookup\n  input_schema: {}\n  descripton: x\n"}
    found = problem_of(with_case("", "tools: {$ref: t.yaml}"), files)
    assert found.place == Place("evals/t.yaml", 3, 3)
    assert found.source_line == "  descripton: x"
    assert found.hint == "Did you mean 'description'?"


def test_1_3_a_broken_file_is_reported_once_and_nothing_that_follows_from_it() -> None:
    files = {"evals/t.yaml": "- name: [\n"}
    case = "expect: [{calls_tool: lookup}]"
    found = problems_of(with_case(case, "tools: {$ref: t.yaml}\nsystem: {$ref: t.yaml}"), files)
    assert [problem.place.file for problem in found] == ["evals/t.yaml"]


def test_files_that_are_put_in_too_often_are_refused() -> None:
    rules = "\n".join("    - return: {$ref: big.md}" for _ in range(2000))
    found = problems_of(with_case("", f"mocks:\n  lookup:\n{rules}"), {"evals/big.md": "x" * 1_000_000})
    assert "hold too much" in found[0].message


CONFIG_TEXT = 'version: 1\nenv: {PRODUCT: Acme, EMPTY: "", DAY: "2026-01-01"}\n'


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("Hi ${PRODUCT}!", "Hi Acme!"),
        ("${PRODUCT}${EMPTY}${DAY}", "Acme2026-01-01"),
        ("$${PRODUCT}", "${PRODUCT}"),
        ("$$${PRODUCT}", "$${PRODUCT}"),
        ("$${UNKNOWN}", "${UNKNOWN}"),
        ("$PRODUCT ${1X} ${} ${ PRODUCT } {PRODUCT}", "$PRODUCT ${1X} ${} ${ PRODUCT } {PRODUCT}"),
    ],
)
def test_0_names_are_filled_in_from_the_config(written: str, value: str) -> None:
    case = load_case(f"input: '{written}'", "system: 's ${PRODUCT}'", {CONFIG: CONFIG_TEXT})
    assert case.messages[0].content == value
    assert case.system == "s Acme"


def test_0_the_environment_counts_only_where_it_is_given() -> None:
    case, files = "input: ${PRODUCT} ${DAY}", {CONFIG: CONFIG_TEXT}
    assert load_case(case, "", files).messages[0].content == "Acme 2026-01-01"
    assert load_case(case, "", files, environ={}).messages[0].content == "Acme 2026-01-01"
    given = {"PRODUCT": "Mine", "HOME": "/root"}
    assert load_case(case, "", files, environ=given).messages[0].content == "Mine 2026-01-01"


def test_0_a_filled_in_name_stays_text_and_works_in_files_and_in_data() -> None:
    suite = "tools: {$ref: t.yaml}\nmocks: {lookup: [{return: {day: '${DAY}', '${DAY}': [1, '${PRODUCT}']}}]}"
    files = {
        CONFIG: CONFIG_TEXT,
        "evals/t.yaml": "- {name: lookup, description: 'of ${PRODUCT}', input_schema: {}}",
    }
    case = load_case("", suite, files)
    assert case.tools[0].description == "of Acme"
    assert returned(case) == {"day": "2026-01-01", "${DAY}": [1, "Acme"]}


def test_0_an_undeclared_name_is_an_error_with_the_line_it_stands_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME_TOWN", "x")
    text = with_case("input: |\n  Line one\n  and ${HOME_TOWN}\n  and ${PRODUKT}")
    first, second = problems_of(text, {CONFIG: CONFIG_TEXT})
    assert first.message == "the name ${HOME_TOWN} is not declared"
    assert first.source_line == "      and ${HOME_TOWN}"
    assert first.place.column == 11
    assert "env: in dryfire.yaml" in first.hint
    assert second.place.line == first.place.line + 1
    assert second.hint.startswith("Did you mean 'PRODUCT'?")


def test_0_a_path_in_a_reference_is_not_filled_in() -> None:
    found = problem_of(
        with_case("", "system: {$ref: '${PRODUCT}.md'}"), {CONFIG: CONFIG_TEXT, "evals/Acme.md": "x"}
    )
    assert found.message == "$ref '${PRODUCT}.md': there is no such file"


def test_names_cannot_make_a_file_grow_without_end() -> None:
    config = f"version: 1\nenv: {{A: {'x' * 60_000}}}\n"
    found = problems_of(with_case(f"input: '{'${A}' * 5000}'"), {CONFIG: config})
    assert "become more than" in found[0].message
