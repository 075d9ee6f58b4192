"""Running the code that an ``impl:`` mock names.

This is the one place where a suite's code is imported, and only at the moment of a call: a replay never comes
here.
"""

from __future__ import annotations

import asyncio
import contextvars
import importlib
import inspect
import json
import sys
import threading
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dryfire_action.messages import ToolResult
from dryfire_action.mocks import as_content

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from dryfire_action.messages import JsonObject
    from dryfire_action.suite import Impl


async def run_impl(impl: Impl, arguments: JsonObject, *, folder: Path) -> ToolResult:
    """Call ``impl``'s function with ``arguments`` and answer as the model is to see it, without a call id.

    A plain function runs in a thread, a coroutine function in the running loop. ``folder`` is put first on
    the import path and stays there, because functions import late too. Whatever goes wrong (the import, an
    exception, more than ``impl.timeout_s`` seconds, a value that JSON cannot hold) is an error result, never
    an exception.
    """
    try:
        function = _imported(impl.target, folder)
    except (Exception, SystemExit) as error:  # a module may do anything while it is imported
        return _failed(f"cannot import {impl.target}: {_named(error)}")
    task = asyncio.ensure_future(_outcome(function, arguments))
    try:
        # Not wait_for: code that swallows its cancellation must not hold the run.
        done, _ = await asyncio.wait({task}, timeout=impl.timeout_s)
    finally:
        task.cancel()
    if not done:
        return _failed(f"{impl.target} took longer than {impl.timeout_s:g} s")
    if task.cancelled():
        return _failed(f"{impl.target} was cancelled")
    return task.result()


def _imported(target: str, folder: Path) -> Callable[[JsonObject], Any]:
    module_name, _, attribute = target.partition(":")
    path = str(folder.resolve())
    if path not in sys.path:
        sys.path.insert(0, path)
        importlib.invalidate_caches()
    module = importlib.import_module(module_name)
    _refuse_namesake(module_name.partition(".")[0], folder)
    function = attrgetter(attribute)(module)
    if not callable(function):
        raise TypeError(f"{attribute} is no function")
    return function  # type: ignore[no-any-return]


def _refuse_namesake(name: str, folder: Path) -> None:
    """Raise ``ImportError`` where ``folder`` has a module of this name and another one was loaded.

    Python keeps one module a name, so two projects of one run cannot both have a ``tools.py`` behind their
    mocks.
    """
    own = [path for path in (folder / f"{name}.py", folder / name / "__init__.py") if path.is_file()]
    loaded = getattr(sys.modules[name], "__file__", None)
    if own and loaded and Path(loaded).resolve() not in [path.resolve() for path in own]:
        raise ImportError(f"another module named {name} is loaded already, not {own[0].name} of this folder")


async def _outcome(function: Callable[[JsonObject], Any], arguments: JsonObject) -> ToolResult:
    try:
        if inspect.iscoroutinefunction(function):
            value = await function(arguments)
        else:
            value = await _in_thread(function, arguments)
            if inspect.isawaitable(value):
                value = await value
    except (Exception, SystemExit) as error:
        return _failed(_named(error))
    try:
        # There and back: what the model sees is exactly JSON, and the code keeps no hold on it.
        plain = json.loads(json.dumps(value, allow_nan=False))
        json.dumps(plain, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return _failed(f"the returned {type(value).__name__} cannot be written as JSON: {error}")
    return ToolResult("", as_content(plain))


def _in_thread(function: Callable[[JsonObject], Any], arguments: JsonObject) -> Awaitable[Any]:
    """Call ``function`` in a thread that nothing waits for: one that hangs must not hold the program."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def settle(value: object, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    def work() -> None:
        value: object = None
        failure: BaseException | None = None
        try:
            value = context.run(function, arguments)
        except StopIteration as error:  # a future refuses to carry it
            failure = RuntimeError(_named(error))
        except BaseException as error:
            failure = error
        with suppress(RuntimeError):  # the loop is closed: the call was given up long ago
            loop.call_soon_threadsafe(settle, value, failure)

    threading.Thread(target=work, name="impl", daemon=True).start()
    return future


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _failed(message: str) -> ToolResult:
    return ToolResult("", message, True)
