"""The command `dryfire`: verbs, help, and what becomes of every kind of failure."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dryfire_action import cli
from dryfire_action.commands import run as run_command
from dryfire_action.commands import validate as validate_command
from dryfire_action.errors import CassetteDamaged, DryfireError, Place, Problem, SpecError, UsageError
from dryfire_action.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

WITHOUT_COLOUR_SETTINGS = {
    key: value
    for key, value in os.environ.items()
    if key not in ("NO_COLOR", "FORCE_COLOR", "DRYFIRE_DEBUG", "PYTHONIOENCODING", "PYTHONUTF8")
}


def dryfire(
    *words: str, cwd: Path | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Call the command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "dryfire_action", *words],
        cwd=cwd,
        env={**WITHOUT_COLOUR_SETTINGS, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_is_printed(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([flag]) == 0
    assert capsys.readouterr() == (f"dryfire {__version__}\n", "")


def test_the_version_costs_little_more_than_python_itself() -> None:
    script = "from dryfire_action.cli import main; main(['--version'])"
    loaded = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", script], capture_output=True, text=True, check=True
    ).stderr
    names = {row.rpartition("|")[2].strip() for row in loaded.splitlines()}
    assert "dryfire_action.cli" in names
    assert not names & {"argparse", "typing", "dataclasses", "inspect", "rich", "yaml", "pydantic", "asyncio"}

    def fastest(code: str) -> float:
        took = []
        for _ in range(7):
            begun = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=True)
            took.append(time.perf_counter() - begun)
        return min(took)

    assert fastest(script) < 3 * fastest("pass")


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"]])
def test_help_names_every_verb_and_exit_code(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words) == 0
    shown = capsys.readouterr().out
    assert all(f"\n  {verb} " in shown for verb in cli.VERBS)
    assert all(f"\n  {code} " in shown for code in (0, 1, 2, 3, 130))


@pytest.mark.parametrize("verb", cli.VERBS)
def test_every_verb_has_help_with_examples_and_exit_codes(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in ([verb, "--help"], ["help", verb]):
        assert cli.main(words) == 0
        shown = capsys.readouterr().out
        assert shown.startswith(f"usage: dryfire {verb} ")
        assert f"\n  dryfire {verb}" in shown.split("examples:")[1]
        assert "exit codes:" in shown


def test_without_a_verb_there_is_help_but_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("usage: dryfire VERB")


MISTAKES = {
    "a verb": (["rn"], "'rn' is no verb of dryfire; did you mean 'run'?"),
    "an option for a verb": (["--verion"], "did you mean '--version'?"),
    "an option": (["run", "--filtr", "x"], "unknown argument '--filtr'; did you mean '--filter'?"),
    "an option with a value": (
        ["run", "--jsonout=x"],
        "unknown argument '--jsonout'; did you mean '--json-out'?",
    ),
    "an abbreviated option": (["run", "--allow"], "unknown argument '--allow'"),
    "a mode": (["run", "--cassette-mode", "replya"], "did you mean 'replay'?"),
    "what to show": (["run", "--show", "everything"], "'everything' is none of names, prompts, all"),
    "passthrough": (["run", "--passthrough", "no"], "'no' is none of run, skip"),
    "no concurrency": (["run", "--concurrency", "0"], "0 is less than 1"),
    "negative concurrency": (["run", "--concurrency", "-1"], "-1 is less than 1"),
    "a word for a number": (["run", "--max-retries", "few"], "'few' is no whole number"),
    "negative retries": (["run", "--max-retries", "-1"], "-1 is less than 0"),
    "a value left out": (["run", "--filter"], "expected one argument"),
    "an argument for init": (["init", "here"], "unknown argument 'here'"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_in_one_line_with_what_was_meant(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words, told = MISTAKES[name]
    assert cli.main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    first, second = err.splitlines()
    assert first.startswith("dryfire: ")
    assert told in first
    assert "--help" in second


def raising(error: BaseException) -> Callable[..., int]:
    """A verb that fails."""

    def execute(_: object) -> int:
        raise error

    return execute


FAILURES: dict[str, tuple[BaseException, int, str]] = {
    "usage": (UsageError("no such thing", remedy="Do this."), 2, "dryfire: no such thing\n  Do this.\n"),
    "spec": (
        SpecError([Problem(Place("a.yaml", 3, 1), "wrong")]),
        2,
        "a.yaml:3:1: wrong\n\n1 problem in suites or config\n",
    ),
    "recording": (CassetteDamaged("c.json", "cut off", line=4), 3, "dryfire: c.json:4: cut off\n"),
    "hostile": (DryfireError("a\x1b[2J\n::error::x"), 2, "dryfire: a\\x1b[2J\n\\x3a:error::x\n"),
    "interrupt": (KeyboardInterrupt(), 130, "dryfire: interrupted\n"),
    "a fault of ours": (
        ZeroDivisionError("1/0"),
        2,
        "dryfire: internal error: ZeroDivisionError: 1/0\n"
        "  This is a fault of dryfire. Please report it, with what DRYFIRE_DEBUG=1 adds to this output.\n",
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_no_failure_is_a_traceback(
    name: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    error, code, told = FAILURES[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DRYFIRE_DEBUG", raising=False)
    monkeypatch.setattr(validate_command, "execute", raising(error))
    assert cli.main(["validate"]) == code
    assert capsys.readouterr() == ("", told)


def test_the_traceback_is_there_for_who_asks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRYFIRE_DEBUG", "1")
    monkeypatch.setattr(run_command, "execute", raising(ZeroDivisionError("1/0")))
    assert cli.main(["run"]) == 2
    assert "Traceback (most recent call last)" in capsys.readouterr().err


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scaffold, recorded, with a name beyond ASCII."""
    folder = tmp_path_factory.mktemp("project")
    assert dryfire("init", cwd=folder).returncode == 0
    suite = folder / "evals/support.eval.yaml"
    suite.write_text(
        suite.read_text(encoding="utf-8").replace("unknown order", "größe 退款"), encoding="utf-8"
    )
    assert dryfire("run", "--cassette-mode", "record", cwd=folder).returncode == 0
    return folder


ENCODINGS = {
    "utf-8": ("  ✓ passed    größe 退款", {"PYTHONIOENCODING": "utf-8"}),
    "ascii": ("  + passed    gr\\xf6\\xdfe \\u9000\\u6b3e", {"PYTHONIOENCODING": "ascii"}),
    "latin-1": ("  + passed    größe \\u9000\\u6b3e", {"PYTHONIOENCODING": "latin-1"}),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_of_the_output_will_do(project: Path, encoding: str) -> None:
    shown, env = ENCODINGS[encoding]
    done = dryfire("run", cwd=project, env=env)
    assert done.returncode == 0
    assert done.stderr == b""
    assert shown in done.stdout.decode(encoding)


@pytest.mark.parametrize(
    ("env", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": ""}, False),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"NO_COLOR": "", "FORCE_COLOR": "1"}, True),
    ],
)
def test_colours_come_only_where_they_are_wanted(project: Path, env: dict[str, str], coloured: bool) -> None:
    done = dryfire("run", cwd=project, env=env)
    assert done.returncode == 0
    assert (b"\x1b[" in done.stdout) is coloured
    assert done.stderr == b""


@pytest.mark.skipif(os.name == "nt", reason="pipes and shells of POSIX")
@pytest.mark.parametrize(
    "words", ["run", "run -v", "trace 'größe 退款'", "trace 'größe 退款' --json", "--help"]
)
def test_a_pipe_that_closes_early_is_no_error(project: Path, words: str) -> None:
    script = f'"$0" -m dryfire_action {words}; echo "exit $?" >&2'
    with subprocess.Popen(
        ["sh", "-c", f"({script}) | true", sys.executable],
        cwd=project,
        env={**WITHOUT_COLOUR_SETTINGS, "PYTHONIOENCODING": "utf-8"},
        stderr=subprocess.PIPE,
    ) as process:
        _, err = process.communicate(timeout=60)
    assert err == b"exit 0\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_behind_the_output_is_told(project: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "dryfire_action", "run"],
            cwd=project,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == b"dryfire: the output cannot be written: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="shells of POSIX")
def test_closed_streams_are_no_error(project: Path) -> None:
    script = '"$0" -m dryfire_action run >&- 2>&-'
    assert subprocess.run(["sh", "-c", script, sys.executable], cwd=project, check=False).returncode == 0


def test_a_replay_needs_nothing_of_the_environment(project: Path) -> None:
    env = {key: os.environ[key] for key in ("SYSTEMROOT",) if key in os.environ}
    done = subprocess.run(
        [sys.executable, "-m", "dryfire_action", "run"],
        cwd=project,
        env=env,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
