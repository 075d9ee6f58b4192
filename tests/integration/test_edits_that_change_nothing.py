"""Edits of suites, prompts and recordings that change nothing of what reaches the model: the replay stays green."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.loans_project import EVAL, ORIGINAL, PROMPT, TOOL, outcomes, run, write
from tests.made_requests import shuffled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.integration.loans_project import Files

TOOLS = "tools/find_loan.yaml"
AS_TEXT = """'{"card": "R-1", "limit": 1}'"""
BLOCK_STYLE = """\
      - parallel:
        - name: find_loan
          arguments:
            limit: 1
            card: R-311
        - name: find_loan
          arguments:
            card: R-312
"""
FLOW_STYLE = """\
      - parallel:
          - {name: find_loan, arguments: {card: R-311, limit: 1}}
          - {name: find_loan, arguments: {card: R-312}}
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """The project and its recordings."""
    root = tmp_path_factory.mktemp("recorded")
    write(root, ORIGINAL)
    results = run(root, "record")
    assert (results.exit_code, len(list(results.cases))) == (0, 2), [case.error for case in results.cases]
    paths = [path for path in root.rglob("*") if path.suffix in (".json", ".yaml", ".md")]
    return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in paths}


def swapped(files: Files, *edits: tuple[str, str], path: str = EVAL) -> Files:
    """``files`` with texts of one of them replaced, each of which must be there."""
    text = files[path]
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return {**files, path: text}


def moved(files: Files, old: str, new: str) -> Files:
    return {(new if path == old else path): text for path, text in files.items()}


def each_cassette(files: Files, dump: Callable[[Any], str]) -> Files:
    return {path: dump(json.loads(text)) if path.endswith(".json") else text for path, text in files.items()}


# What is edited -> the file, and the texts that are replaced in it.
REPLACED: dict[str, tuple[str, list[tuple[str, str]]]] = {
    # layout
    "comments": (EVAL, [("cases:\n", "# two\ncases: # here\n"), ("name: loans\n", "name: loans  # n\n")]),
    "blank lines": (EVAL, [("\ncases:\n", "\n\n\ncases:\n\n")]),
    "the start of the document": (EVAL, [("name: loans\n", "---\nname: loans\n")]),
    "key order of a tool": (
        TOOLS,
        [("description: Look up a loan.\n", ""), ("[card]\n", "[card]\ndescription: Look up a loan.\n")],
    ),
    "key order of a schema": (
        TOOLS,
        [
            ("card: {type: string}\n    limit", "limit"),
            ("{type: integer, default: 1}\n", "{default: 1, type: integer}\n    card: {type: string}\n"),
        ],
    ),
    "key order of params": (
        EVAL,
        [("max_tokens: 512\n  temperature: 0", "temperature: 0\n  max_tokens: 512")],
    ),
    "key order of a result": (EVAL, [("{title: The Tin Drum, copies: 2", "{copies: 2, title: The Tin Drum")]),
    "key order of arguments": (EVAL, [("{card: R-311, limit: 1}", "{limit: 1, card: R-311}")]),
    "block style for flow style": (EVAL, [(FLOW_STYLE, BLOCK_STYLE)]),
    "quotes": (EVAL, [("The Tin Drum", '"The Tin Drum"'), ('"Renew a loan."', "'Renew a loan.'")]),
    "quoted keys": (EVAL, [("name: loans", "'name': loans"), ("  max_tokens:", '  "max_tokens":')]),
    "a folded text on one line": (EVAL, [(">-\n          And is it\n          open?", "And is it open?")]),
    "a literal text": (EVAL, [("content: Hello", "content: |-\n          Hello")]),
    "an escaped character": (EVAL, [("Renew a loan.", "Renew a lo\\u0061n.")]),
    "null spelt otherwise": (EVAL, [("due: null", "due: ~"), ("content: null", "content:")]),
    "a number spelt otherwise": (EVAL, [("max_tokens: 512", "max_tokens: 0x200")]),
    # sharing
    "a copy for an anchor": (EVAL, [("*empty", "{type: object, properties: {}}"), ("&empty", "")]),
    "another name for an anchor": (EVAL, [("&empty", "&none"), ("*empty", "*none")]),
    "a merge key": (EVAL, [("input_schema: *empty", "input_schema:\n      <<: *empty")]),
    "a merge key that is overridden": (
        EVAL,
        [
            (
                "{title: The Tin Drum, copies: 2, due: null}",
                "{<<: {title: Emma, copies: 2}, title: The Tin Drum, due: null}",
            )
        ],
    ),
    # where a text stands
    "the prompt in the suite": (
        EVAL,
        [("\n  $ref: ../prompts/desk.md", " |\n  You are the help desk.\n  Be brief. Café is open.")],
    ),
    "the tool in the suite": (
        EVAL,
        [("  - $ref: ../tools/find_loan.yaml\n", "  - " + TOOL.replace("\n", "\n    ").rstrip() + "\n")],
    ),
    "a setting that a case repeats": (EVAL, [("at once\n", "at once\n    model: scripted-1\n")]),
    # what never reaches the model
    "expectations": (EVAL, [("      - calls_tool: find_loan\n", "")]),
    "tags and description": (EVAL, [("[smoke]", "[slow, nightly]"), ("What the desk says", "Words")]),
    "max_turns": (EVAL, [("name: loans\n", "name: loans\nmax_turns: 7\n")]),
    "a mock that is never reached": (EVAL, [("no such card\n", "no such card\n    - return: never\n")]),
    "a mock that does not fit": (
        EVAL,
        [("    - when: {card: R-311}", "    - {when: {card: R-9}, return: x}\n    - when: {card: R-311}")],
    ),
    "other call ids": (EVAL, [("- id: a\n", "- id: call_7\n"), ("call_id: a\n", "call_id: call_7\n")]),
    "arguments as a map": (EVAL, [(AS_TEXT, "{limit: 1, card: R-1}")]),
    "arguments as other JSON text": (EVAL, [(AS_TEXT, """'{ "limit":1, "card":"R-1" }'""")]),
    "a raw payload": (EVAL, [("content: null\n", "content: null\n        raw: {id: msg_1}\n")]),
    "parameters of the transport": (EVAL, [("  max_tokens", "  timeout: 30\n  user: me\n  max_tokens")]),
    "a parameter that is not set": (EVAL, [("  max_tokens", "  top_p: null\n  max_tokens")]),
    "a description of null": (EVAL, [("name: notify\n", "name: notify\n    description: null\n")]),
}


def cases_turned(files: Files) -> Files:
    head, first, second = re.split(r"(?<=cases:\n)|(?=  - name: goes)", files[EVAL])
    return {**files, EVAL: head + second + first}


def suite_moved(files: Files) -> Files:
    rest = {path: text for path, text in files.items() if path != EVAL}
    return {**rest, "evals/deep/loans.eval.yaml": files[EVAL].replace("../", "../../")}


def tools_in_a_file(files: Files) -> Files:
    text = files[EVAL]
    listed = text[text.index("tools:\n") : text.index("mocks:\n")]
    tools = ["- " + TOOL.replace("\n", "\n  ").rstrip()]
    tools += ["- {name: renew, description: Renew a loan., input_schema: {type: object, properties: {}}}"]
    tools += ["- {name: notify, input_schema: {type: object, properties: {}}}"]
    found = swapped(files, (listed, "tools:\n  $ref: ../tools/all.yaml\n"))
    return {**found, "tools/all.yaml": "\n".join(tools) + "\n"}


def setting_in_the_defaults(files: Files) -> Files:
    found = swapped(files, ("  temperature: 0\n", ""))
    return swapped(found, ("scripted-1\n", "scripted-1\n  temperature: 0\n"), path="dryfire.yaml")


# Edits of more than one file, of line ends, and of the recordings themselves.
REARRANGED: dict[str, Callable[[Files], Files]] = {
    "the order of cases": cases_turned,
    "the suite in another folder": suite_moved,
    "the suite under another file name": lambda f: moved(f, EVAL, "evals/desk.eval.yaml"),
    "the prompt file renamed": lambda f: swapped(
        moved(f, "prompts/desk.md", "prompts/help.txt"), ("desk.md", "help.txt")
    ),
    "the tools in a file": tools_in_a_file,
    "a setting moved to the defaults": setting_in_the_defaults,
    "CRLF in the suite": lambda f: {**f, EVAL: f[EVAL].replace("\n", "\r\n")},
    "CRLF in the prompt file": lambda f: {**f, "prompts/desk.md": PROMPT.replace("\n", "\r\n")},
    "CRLF everywhere, recordings too": lambda f: {path: t.replace("\n", "\r\n") for path, t in f.items()},
    "a byte order mark everywhere": lambda f: {path: "\N{BYTE ORDER MARK}" + t for path, t in f.items()},
    "recordings on one line": lambda f: each_cassette(f, json.dumps),
    "recordings indented by four": lambda f: each_cassette(f, lambda value: json.dumps(value, indent=4)),
    "recordings unescaped": lambda f: each_cassette(f, lambda value: json.dumps(value, ensure_ascii=False)),
    "recordings with their keys turned round": lambda f: each_cassette(
        f, lambda value: json.dumps(shuffled(value))
    ),
}
NOTHING: dict[str, Callable[[Files], Files]] = {
    **{
        name: lambda f, path=path, edits=edits: swapped(f, *edits, path=path)  # type: ignore[misc]
        for name, (path, edits) in REPLACED.items()
    },
    **REARRANGED,
}


def test_the_table_is_as_long_as_it_must_be(recorded: Files) -> None:
    assert len(NOTHING) >= 20
    assert [name for name, edit in NOTHING.items() if edit(dict(recorded)) == recorded] == []


@pytest.mark.parametrize("edit", NOTHING.values(), ids=NOTHING)
def test_an_edit_that_changes_nothing_stays_green(
    edit: Callable[[Files], Files], recorded: Files, tmp_path: Path
) -> None:
    write(tmp_path, edit(dict(recorded)))
    results = run(tmp_path)
    assert outcomes(results) == [("passed", []), ("passed", [])], [case.error for case in results.cases]
    assert results.exit_code == 0
    assert all(case.unplayed == 0 for case in results.cases)


# The same edits, made where they do reach the model: so the table above can fail.
SOMETHING: dict[str, tuple[Callable[[Files], Files], str]] = {
    "a word of the prompt file": (
        lambda f: swapped(f, ("brief", "short"), path="prompts/desk.md"),
        "changed system",
    ),
    "a line end inside the prompt": (
        lambda f: swapped(f, ("desk.\n", "desk.\n\n"), path="prompts/desk.md"),
        "changed system",
    ),
    "a description": (
        lambda f: swapped(f, ("Look up a loan.", "Look a loan up."), path="tools/find_loan.yaml"),
        "changed tools[find_loan].description",
    ),
    "the order of a list in a schema": (
        lambda f: swapped(f, ("required: [card]", "required: [card, limit]"), path="tools/find_loan.yaml"),
        "changed tools[find_loan].input_schema",
    ),
    "a number of another type": (
        lambda f: swapped(f, ("default: 1}", "default: 1.0}"), path="tools/find_loan.yaml"),
        "changed tools[find_loan].input_schema",
    ),
    "a parameter": (
        lambda f: swapped(f, ("max_tokens: 512", "max_tokens: 513")),
        "changed params.max_tokens",
    ),
    "the model of the defaults": (
        lambda f: swapped(f, ("scripted-1", "scripted-2"), path="dryfire.yaml"),
        "changed model",
    ),
}


@pytest.mark.parametrize(("edit", "change"), SOMETHING.values(), ids=SOMETHING)
def test_an_edit_that_reaches_the_model_is_stale_and_named_in_every_turn(
    edit: Callable[[Files], Files], change: str, recorded: Files, tmp_path: Path
) -> None:
    write(tmp_path, edit(dict(recorded)))
    results = run(tmp_path)
    assert outcomes(results) == [("stale", [f"stale {change}"] * 3), ("stale", [f"stale {change}"])]
    assert results.exit_code == 3


def test_a_mocks_result_is_stale_from_the_turn_that_reads_it(recorded: Files, tmp_path: Path) -> None:
    write(tmp_path, swapped(recorded, ("copies: 2", "copies: 3")))
    first, second = outcomes(run(tmp_path))
    assert first == ("stale", ["stale changed messages[2].tool_results[0].content"] * 2)
    assert second == ("passed", [])


def test_recording_again_what_is_fresh_leaves_every_file_as_it_was(recorded: Files, tmp_path: Path) -> None:
    write(tmp_path, recorded)
    for mode in ("record", "auto"):
        assert run(tmp_path, mode).exit_code == 0
        assert {path: (tmp_path / path).read_bytes().decode() for path in recorded} == recorded
