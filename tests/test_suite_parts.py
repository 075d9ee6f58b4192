"""Tools, messages and scripts as a suite writes them."""

from __future__ import annotations

import pytest

from dryfire_action.errors import Place
from dryfire_action.messages import Message, ToolCall, ToolResult, ToolSpec
from tests.memory_tree import SUITE, load_case, problem_of, problems_of, with_case


def test_1_2_a_tool_has_a_name_a_schema_and_perhaps_a_description() -> None:
    suite = """
    tools:
      - {name: a, input_schema: {type: object}, description: Finds a.}
      - {name: b.c, input_schema: {}, description: ""}
      - {name: d, input_schema: {}, description: null}
      - {name: e, input_schema: {}}
    """
    case = load_case("", suite)
    assert case.tools == (
        ToolSpec("a", {"type": "object"}, "Finds a."),
        ToolSpec("b.c", {}, ""),
        ToolSpec("d", {}),
        ToolSpec("e", {}),
    )
    assert case.places["tools[a].description"] == Place(SUITE, 3, 45)
    assert case.places['tools["b.c"].input_schema'] == Place(SUITE, 4, 17)
    assert case.places["tools.order"] == Place(SUITE, 2, 1)
    assert case.places["tools[e]"] == Place(SUITE, 6, 5)


@pytest.mark.parametrize(
    ("tools", "message", "place"),
    [
        ("[{name: a}]", "a tool needs the key 'input_schema'", "2:9"),
        ("[{input_schema: {}}]", "a tool needs the key 'name'", "2:9"),
        ("[{name: a, input_schema: {}, strict: true}]", "unknown key 'strict' in a tool", "2:37"),
        ("[{name: 1, input_schema: {}}]", "name must be text, not a number", "2:16"),
        ("[{name: a, input_schema: []}]", "input_schema must be a map, not a list", "2:33"),
        ("[{name: a, input_schema: {}, description: [x]}]", "description must be text, not a list", "2:50"),
        ("{name: a}", "tools must be a list, not a map", "2:8"),
        ("[a]", "a tool must be a map, not text", "2:9"),
        (
            "[{name: a, input_schema: {}}, {name: a, input_schema: {}}]",
            "a second tool called 'a'; the first is at evals/a.eval.yaml:2:16",
            "2:45",
        ),
    ],
)
def test_1_2_what_is_no_tool_is_an_error(tools: str, message: str, place: str) -> None:
    found = problem_of(with_case("", f"tools: {tools}"))
    assert (found.message, f"{found.place.line}:{found.place.column}") == (message, place)


@pytest.mark.parametrize(
    ("written", "system"),
    [
        ("system: Be kind.", "Be kind."),
        ('system: ""', ""),
        ("system: |\n  a\n  b\n", "a\nb\n"),
        ("system:", None),
        ("", None),
    ],
)
def test_1_2_the_system_prompt(written: str, system: str | None) -> None:
    case = load_case("", written)
    assert case.system == system
    assert case.places.get("system") == (None if system is None else Place(SUITE, 2, 1))


@pytest.mark.parametrize(
    ("written", "messages"),
    [
        ("hi", (Message("user", "hi"),)),
        ('""', (Message("user", ""),)),
        ("[]", ()),
        ("[{role: user, content: hi}]", (Message("user", "hi"),)),
        ("[{role: assistant, content: null}]", (Message("assistant"),)),
        ("[{role: user}]", (Message("user"),)),
        (
            "[{role: user, content: [{type: text, text: a}]}]",
            (Message("user", [{"type": "text", "text": "a"}]),),
        ),
        ("[{role: user, content: []}]", (Message("user", []),)),
        (
            "[{role: assistant, tool_calls: [{id: c, name: t, arguments: {a: 1}}]}]",
            (Message("assistant", tool_calls=(ToolCall("c", "t", {"a": 1}),)),),
        ),
        (
            """[{role: assistant, tool_calls: [{id: c, name: t, arguments: '{"a": 1}'}]}]""",
            (Message("assistant", tool_calls=(ToolCall("c", "t", {"a": 1}),)),),
        ),
        (
            "[{role: assistant, tool_calls: [{id: c, name: t, arguments: '{a'}]}]",
            (Message("assistant", tool_calls=(ToolCall("c", "t", {}, "{a"),)),),
        ),
        (
            "[{role: assistant, tool_calls: [{id: c, name: t, malformed_arguments: '{a'}]}]",
            (Message("assistant", tool_calls=(ToolCall("c", "t", {}, "{a"),)),),
        ),
        (
            "[{role: tool, tool_results: [{call_id: c, content: ok}, {call_id: d, content: {a: 1}, is_error: true}]}]",
            (Message("tool", tool_results=(ToolResult("c", "ok"), ToolResult("d", {"a": 1}, True))),),
        ),
        ("[{role: assistant, raw: {id: x}}]", (Message("assistant", raw={"id": "x"}),)),
    ],
)
def test_1_2_input_is_text_or_messages(written: str, messages: tuple[Message, ...]) -> None:
    assert load_case(f"input: {written}").messages == messages


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("5", "input must be text or a list of messages, not a number"),
        ("null", "input must be text or a list of messages, not null"),
        ("[hi]", "a message must be a map, not text"),
        ("[{content: hi}]", "a message needs the key 'role'"),
        ("[{role: usr}]", "role cannot be 'usr'"),
        ("[{role: system, content: x}]", "role cannot be 'system'"),
        ("[{role: user, contents: x}]", "unknown key 'contents' in a message"),
        ("[{role: user, content: 5}]", "content must be text, a list of maps or null, not a number"),
        ("[{role: user, content: [a]}]", "content must be text, a list of maps or null, not such a list"),
        ("[{role: user, raw: x}]", "raw must be a map, not text"),
        ("[{role: user, tool_calls: {}}]", "tool_calls must be a list, not a map"),
        ("[{role: user, tool_calls: [{id: c}]}]", "a tool call needs the key 'name'"),
        ("[{role: user, tool_calls: [{name: t}]}]", "a tool call needs the key 'id'"),
        ("[{role: user, tool_calls: [{id: c, name: t, args: {}}]}]", "unknown key 'args' in a tool call"),
        (
            "[{role: user, tool_calls: [{id: c, name: t, arguments: [1]}]}]",
            "arguments must be a map or JSON text, not a list",
        ),
        (
            "[{role: user, tool_calls: [{id: c, name: t, arguments: {a: 1}, malformed_arguments: x}]}]",
            "a call has both arguments and malformed_arguments",
        ),
        (
            "[{role: user, tool_calls: [{id: c, name: t}, {id: c, name: t}]}]",
            "a second call with the id 'c'; the first is at evals/a.eval.yaml:7:44",
        ),
        ("[{role: tool, tool_results: [{content: x}]}]", "a tool result needs the key 'call_id'"),
        (
            "[{role: tool, tool_results: [{call_id: c, is_error: x}]}]",
            "is_error must be true or false, not 'x'",
        ),
    ],
)
def test_1_2_what_is_no_message_is_an_error_when_it_is_loaded(written: str, message: str) -> None:
    found = problem_of(with_case(f"input: {written}"))
    assert found.message == message
    assert found.place.line == 7


def test_places_of_messages() -> None:
    case = load_case(
        """
        input:
          - role: user
            content: hi
          - role: assistant
            tool_calls:
              - {id: c, name: t, arguments: {a: 1}}
          - role: tool
            tool_results:
              - call_id: c
                content: ok
        """
    )
    lines = {path: place.line for path, place in case.places.items() if path.startswith("messages")}
    assert lines == {
        "messages[0]": 8,
        "messages[0].role": 8,
        "messages[0].content": 9,
        "messages[1]": 10,
        "messages[1].role": 10,
        **dict.fromkeys(
            [f"messages[1].tool_calls[0]{part}" for part in ("", ".id", ".name", ".arguments")], 12
        ),
        "messages[2]": 13,
        "messages[2].role": 13,
        "messages[2].tool_results[0]": 15,
        "messages[2].tool_results[0].answers": 15,
        "messages[2].tool_results[0].content": 16,
    }


@pytest.mark.parametrize(
    ("written", "step"),
    [
        ("{text: hi}", {"text": "hi"}),
        ("{text: null}", {"text": ""}),
        ("{tool_call: {name: t}}", {"parallel": [{"name": "t", "arguments": {}}]}),
        (
            "{tool_call: {name: t, arguments: {a: [1]}}}",
            {"parallel": [{"name": "t", "arguments": {"a": [1]}}]},
        ),
        ("{tool_call: {name: t, arguments: null}}", {"parallel": [{"name": "t", "arguments": {}}]}),
        (
            "{parallel: [{name: t}, {name: u, arguments: {b: 2}}]}",
            {"parallel": [{"name": "t", "arguments": {}}, {"name": "u", "arguments": {"b": 2}}]},
        ),
        ("{fails: overloaded}", {"fails": {"message": "overloaded"}}),
        (
            "{fails: {message: overloaded, status: 529, retry_after: 2}}",
            {"fails": {"message": "overloaded", "status": 529, "retry_after": 2.0}},
        ),
    ],
)
def test_1_7_steps_of_a_script(written: str, step: object) -> None:
    case = load_case(f"script: [{written}]", "provider: fake")
    assert case.script == (step,)
    assert case.scripted
    assert case.places["script[0]"] == Place(SUITE, 8, 14)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("[]", "the script has no step"),
        ("{text: hi}", "script must be a list, not a map"),
        ("[hi]", "a script step must be a map, not text"),
        ("[{}]", "a script step has exactly one of text, tool_call, parallel, fails"),
        ("[{text: a, fails: b}]", "a script step has exactly one of text, tool_call, parallel, fails"),
        ("[{txt: a}]", "unknown key 'txt' in a script step"),
        ("[{text: 5}]", "text must be text, not a number"),
        ("[{tool_call: t}]", "a scripted call must be a map, not text"),
        ("[{tool_call: {nam: t}}]", "unknown key 'nam' in a scripted call"),
        ("[{tool_call: {name: t, arguments: [1]}}]", "arguments must be a map, not a list"),
        ("[{parallel: []}]", "parallel must name at least one call"),
        ("[{fails: 5}]", "fails must be text, not a number"),
        ("[{fails: {status: 500}}]", "fails needs the key 'message'"),
        ("[{fails: {message: m, status: 42}}]", "status must be an HTTP status, not 42"),
        ("[{fails: {message: m, retry_after: -1}}]", "retry_after must not be negative"),
    ],
)
def test_1_7_what_is_no_step_is_an_error(written: str, message: str) -> None:
    found = problems_of(with_case(f"script: {written}", "provider: fake"))
    assert found[0].message == message
    assert found[0].place.line == 8


@pytest.mark.parametrize("case", ["", "script:"])
def test_1_7_a_scripted_case_without_a_script_is_an_error_when_it_is_loaded(case: str) -> None:
    found = problem_of(with_case(case, "provider: fake"))
    assert found.message == "a case of the provider fake needs a script"
    assert found.path == ("cases", 0)


def test_1_7_under_another_provider_a_script_is_ignored() -> None:
    assert load_case("script: [{nonsense: 1}]", "provider: openai").script == ()
