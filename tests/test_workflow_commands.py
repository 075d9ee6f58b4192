"""What is said to the runner, read as the runner reads it: nothing in a text takes effect."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dryfire_action.workflow_commands import annotation, command, mask, outputs, quoted

HOSTILE = [
    "::error::x",
    "a\n::set-output name=result::clear",
    "%0A::error::x",
    "x\r::debug::y",
    "##[error]x",
    "a,b:c=d",
]
texts = st.one_of(st.text(), st.sampled_from(HOSTILE), st.lists(st.sampled_from(HOSTILE)).map("\n".join))
_COMMAND = re.compile(r"::([a-z-]+)(?: ([^:]*(?:%3A[^:]*)*))?::(.*)")


def commands(log: str) -> list[tuple[str, dict[str, str], str]]:
    """The commands that a runner finds in a log: name, properties, value."""
    found = []
    stopped = ""
    for row in re.split(r"\r\n|\r|\n", log):
        match = _COMMAND.match(row.lstrip())
        if stopped:
            stopped = "" if row.strip() == f"::{stopped}::" else stopped
        elif match and match[1] == "stop-commands":
            stopped = match[3]
        elif match:
            named = dict(one.partition("=")[::2] for one in (match[2] or "").split(",") if one)
            found.append(
                (match[1], {key: unescaped(value) for key, value in named.items()}, unescaped(match[3]))
            )
    return found


def unescaped(text: str) -> str:
    """Undo what the runner undoes."""
    for code, sign in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, sign)
    return text


def read_outputs(text: str) -> dict[str, str]:
    """A file of outputs, as the runner reads it."""
    found = {}
    rows = iter(text.split("\n"))
    for row in rows:
        name, heredoc, word = row.partition("<<")
        if not heredoc:
            assert row == ""
            continue
        value = []
        for line in rows:
            if line == word:
                break
            value.append(line)
        found[name] = "\n".join(value)
    return found


@given(texts, texts)
def test_a_command_says_what_it_was_given_and_is_one(value: str, title: str) -> None:
    found = commands(command("error", value, title=title, line=3, file=None))
    assert found == [("error", {"title": title, "line": "3"} if title else {"line": "3"}, value)]


@given(texts, texts, texts)
def test_an_annotation_is_one_command_whatever_is_in_it(title: str, message: str, file: str) -> None:
    (found,) = commands(annotation("warning", title, message, file=file, line=7))
    assert found[0] == "warning"
    assert found[1].keys() <= {"title", "file", "line"}


def test_an_annotation_shows_what_cannot_be_seen_and_is_cut() -> None:
    (found,) = commands(annotation("error", "a\u202eb", "c\x1b[1md\n" + "x" * 5_000, file="e\nf", line=1))
    assert found[1] == {"title": "a\\u202eb", "file": "e\\nf", "line": "1"}
    assert found[2].startswith("c\\x1b[1md\nxxx") and len(found[2]) < 3_100


@given(texts)
def test_quoted_text_commands_nothing_and_commands_work_again_behind_it(text: str) -> None:
    assert commands(quoted(text) + command("notice", "after")) == [("notice", {}, "after")]


def test_the_word_that_ends_a_quotation_cannot_be_guessed() -> None:
    words = {quoted("x").split("\n")[0] for _ in range(50)}
    assert len(words) == 50 and all(len(word) == len("::stop-commands::") + 32 for word in words)


@given(
    st.dictionaries(
        st.from_regex(r"\A[a-z]+(-[a-z]+)*\Z"), st.text(alphabet=st.characters(blacklist_characters="\r"))
    )
)
def test_outputs_come_out_as_they_went_in(values: dict[str, str]) -> None:
    assert read_outputs(outputs(values)) == values


def test_text_cannot_forge_an_output(monkeypatch: pytest.MonkeyPatch) -> None:
    words = iter(["guess", "guess", "better"])
    monkeypatch.setattr("dryfire_action.workflow_commands.secrets.token_hex", lambda _: next(words))
    forged = outputs({"result": "stale\nguess\nresult<<guess\nclear"})
    assert read_outputs(forged) == {"result": "stale\nguess\nresult<<guess\nclear"}
    assert forged.startswith("result<<better\n")


@pytest.mark.parametrize("name", ["a b", "a\nb", "a=b", ""])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no name of an output"):
        outputs({name: "x"})


def test_every_line_of_a_secret_is_masked() -> None:
    token = "ghs" + "_" + "0" * 36
    assert commands(mask(token)) == [("add-mask", {}, token)]
    assert commands(mask("one\n\ntwo\n")) == [("add-mask", {}, "one"), ("add-mask", {}, "two")]
    assert mask("") == ""
