"""Code that an ``impl:`` mock names runs only when it is called, in bounds, and can only answer."""

from __future__ import annotations

import asyncio
import importlib
import subprocess
import sys
import textwrap
import time
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.errors import Place
from dryfire_action.mocks import MockedTools
from dryfire_action.passthrough import run_impl
from dryfire_action.suite import Impl, MockRule
from tests.made_runs import call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dryfire_action.messages import ToolResult

    Project = Callable[..., Path]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Makes folders with modules; what they did to the import system is undone."""
    path, modules = list(sys.path), set(sys.modules)

    def make(source: str, *, module: str = "dryfire_sample", folder: str = "shop") -> Path:
        made = tmp_path / folder
        file = made.joinpath(*module.split(".")).with_suffix(".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(source), encoding="utf-8")
        return made

    yield make
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def run(target: str, folder: Path, arguments: dict[str, Any] | None = None, timeout_s: float = 30.0) -> Any:
    return asyncio.run(run_impl(Impl(target, timeout_s), arguments or {}, folder=folder))


def outcome(result: ToolResult) -> tuple[object, bool]:
    return result.content, result.is_error


VALUES: dict[str, tuple[str, tuple[object, bool]]] = {
    "1.6 a map": ('{"n": arguments["n"]}', ({"n": 2}, False)),
    "1.6 a text": ('"é"', ("é", False)),
    "1.6 null": ("None", (None, False)),
    "1.6 a list is JSON text": ('[1, "é"]', ('[1, "é"]', False)),
    "1.6 a number is JSON text": ("arguments['n'] / 4", ("0.5", False)),
    "1.6 a boolean is JSON text": ("True", ("true", False)),
    "a tuple is a list": ('{"pair": (1, 2)}', ({"pair": [1, 2]}, False)),
    "keys that are no texts become texts": ("{1: 2}", ({"1": 2}, False)),
}


@pytest.mark.parametrize("kind", ["def", "async def"], ids=["sync", "async"])
@pytest.mark.parametrize(("value", "expected"), VALUES.values(), ids=VALUES.keys())
def test_1_6_a_returned_value_is_the_result(
    project: Project, kind: str, value: str, expected: tuple[object, bool]
) -> None:
    folder = project(f"{kind} tool(arguments):\n    return {value}\n")
    assert outcome(run("dryfire_sample:tool", folder, {"n": 2})) == expected


UNWRITABLE = {
    "a set": ("{1}", "the returned set cannot be written as JSON"),
    "an object": ("object()", "the returned object cannot be written as JSON"),
    "not a number": ('{"x": float("nan")}', "the returned dict cannot be written as JSON"),
    "half of a character": (r'"\ud800"', "the returned str cannot be written as JSON"),
    "a circle": ("circle", "the returned list cannot be written as JSON"),
}


@pytest.mark.parametrize(("value", "message"), UNWRITABLE.values(), ids=UNWRITABLE.keys())
def test_a_value_that_json_cannot_hold_is_an_error_result(project: Project, value: str, message: str) -> None:
    folder = project(
        f"circle = []\ncircle.append(circle)\ndef tool(arguments):\n    return {value}\n",
    )
    content, is_error = outcome(run("dryfire_sample:tool", folder))
    assert is_error
    assert str(content).startswith(message)


@pytest.mark.parametrize("kind", ["def", "async def"], ids=["sync", "async"])
@pytest.mark.parametrize(
    ("statement", "content"),
    [
        ('raise KeyError("id")', "KeyError: 'id'"),
        ('raise RuntimeError("no such order")', "RuntimeError: no such order"),
        ("raise StopIteration(1)", "RuntimeError: "),
        ("raise SystemExit(3)", "SystemExit: 3"),
    ],
)
def test_1_6_an_exception_is_an_error_result_with_its_type(
    project: Project, kind: str, statement: str, content: str
) -> None:
    folder = project(f"{kind} tool(arguments):\n    {statement}\n")
    found, is_error = outcome(run("dryfire_sample:tool", folder))
    assert is_error
    assert str(found).startswith(content)


FAILING_IMPORTS = {
    "no such module": ("dryfire_nowhere:tool", "ModuleNotFoundError: No module named 'dryfire_nowhere'"),
    "no such function": ("dryfire_sample:other", "AttributeError: "),
    "no function": ("dryfire_sample:NUMBER", "TypeError: NUMBER is no function"),
    "no function named": ("dryfire_sample", "AttributeError: "),
    "the module raises": ("dryfire_broken:tool", "ZeroDivisionError: division by zero"),
    "the module exits": ("dryfire_exits:tool", "SystemExit: 3"),
    "a module of the standard library has the name": (
        "colorsys:tool",
        "ImportError: another module named colorsys is loaded already, not colorsys.py of this folder",
    ),
}


@pytest.mark.parametrize(("target", "why"), FAILING_IMPORTS.values(), ids=FAILING_IMPORTS.keys())
def test_an_import_that_fails_is_an_error_result_that_names_the_target(
    project: Project, target: str, why: str
) -> None:
    importlib.import_module("colorsys")  # the one of the standard library is loaded first
    folder = project("NUMBER = 1\ndef tool(arguments):\n    return None\n")
    project("1 / 0\n", module="dryfire_broken")
    project("raise SystemExit(3)\n", module="dryfire_exits")
    project("def tool(arguments):\n    return None\n", module="colorsys")
    content, is_error = outcome(run(target, folder))
    assert is_error
    assert str(content).startswith(f"cannot import {target}: {why}")


def test_two_folders_with_a_module_of_one_name_are_not_mixed_up(project: Project) -> None:
    first = project("def tool(arguments):\n    return 'first'\n", folder="first")
    second = project("def tool(arguments):\n    return 'second'\n", folder="second")
    assert outcome(run("dryfire_sample:tool", first)) == ("first", False)
    content, is_error = outcome(run("dryfire_sample:tool", second))
    assert is_error
    assert "another module named dryfire_sample is loaded already" in str(content)


def test_1_6_functions_in_packages_and_methods_are_found_and_may_import_late(project: Project) -> None:
    folder = project(
        """
        class Tools:
            @staticmethod
            def look(arguments):
                import dryfire_late
                return dryfire_late.NAME
        """,
        module="dryfire_package.tools",
    )
    project("NAME = 'late'\n", module="dryfire_late")
    assert outcome(run("dryfire_package.tools:Tools.look", folder)) == ("late", False)


SLOW = {
    "a function that waits": "import time\ndef tool(arguments):\n    time.sleep(5)\n",
    "a coroutine that waits": "import asyncio\nasync def tool(arguments):\n    await asyncio.sleep(5)\n",
    "a coroutine that will not be cancelled": """
import asyncio
async def tool(arguments):
    try:
        await asyncio.sleep(5)
    except asyncio.CancelledError:
        await asyncio.sleep(0.05)
""",
}


@pytest.mark.parametrize("source", SLOW.values(), ids=SLOW.keys())
def test_1_6_code_is_given_up_after_its_time(project: Project, source: str) -> None:
    folder = project(source)
    started = time.monotonic()
    result = run("dryfire_sample:tool", folder, timeout_s=0.05)
    assert outcome(result) == ("dryfire_sample:tool took longer than 0.05 s", True)
    assert time.monotonic() - started < 4, "the end of the loop waited for the code"


def test_the_program_can_end_while_code_hangs(project: Project) -> None:
    folder = project("import time\ndef tool(arguments):\n    time.sleep(30)\n")
    program = (
        "import asyncio, pathlib, sys\n"
        "from dryfire_action.passthrough import run_impl\n"
        "from dryfire_action.suite import Impl\n"
        "impl = Impl('dryfire_sample:tool', 0.05)\n"
        "print(asyncio.run(run_impl(impl, {}, folder=pathlib.Path(sys.argv[1]))).content)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)], capture_output=True, text=True, timeout=20, check=True
    )
    assert done.stdout == "dryfire_sample:tool took longer than 0.05 s\n"


def test_a_function_that_cancels_itself_is_an_error_result(project: Project) -> None:
    folder = project("import asyncio\nasync def tool(arguments):\n    raise asyncio.CancelledError\n")
    assert outcome(run("dryfire_sample:tool", folder)) == ("dryfire_sample:tool was cancelled", True)


def test_1_6_a_plain_function_does_not_hold_the_loop(project: Project) -> None:
    folder = project(
        """
        import threading
        GATE = threading.Event()
        def wait(arguments):
            return GATE.wait(5)
        async def open_it(arguments):
            GATE.set()
        """
    )

    async def both() -> list[ToolResult]:
        waiting = run_impl(Impl("dryfire_sample:wait"), {}, folder=folder)
        opening = run_impl(Impl("dryfire_sample:open_it"), {}, folder=folder)
        return await asyncio.gather(waiting, opening)

    assert [outcome(result) for result in asyncio.run(both())] == [("true", False), (None, False)]


def test_a_callable_that_returns_something_to_await_is_awaited(project: Project) -> None:
    folder = project(
        """
        async def real(arguments):
            return arguments["n"]
        tool = lambda arguments: real(arguments)
        """
    )
    assert outcome(run("dryfire_sample:tool", folder, {"n": 2})) == ("2", False)


def test_nothing_is_imported_before_a_call(project: Project) -> None:
    folder = project("def tool(arguments):\n    return 'ran'\n")

    async def run_code(impl: Impl, arguments: dict[str, Any]) -> ToolResult:
        return await run_impl(impl, arguments, folder=folder)

    mocks = {"look": (MockRule(Impl("dryfire_sample:tool"), None, Place("s.eval.yaml")),)}
    tools = MockedTools(mocks, run_code=run_code)
    assert "dryfire_sample" not in sys.modules
    result = asyncio.run(tools.answer(call("look", id="c7")))
    assert (result.call_id, result.content) == ("c7", "ran")
    assert "dryfire_sample" in sys.modules
