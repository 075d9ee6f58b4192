"""The page of the library's public names, from their signatures and docstrings. `docs/build.py` writes it."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import dryfire_action

PAGE = Path(__file__).resolve().parent / "reference/api.md"

_HEAD = """# Python library

Written by `docs/build.py` from signatures and docstrings; do not edit. How the parts go together is
told in [how to test an agent in plain Python](../how-to/test-an-agent-in-plain-python.md), [with
pytest](../how-to/test-with-pytest.md) and [with real clients](../how-to/record-real-clients.md).

Every name can be imported from `dryfire_action`, which loads a name's module when it is asked for it.
`dryfire_action.llm` holds what requests and answers are made of, `dryfire_action.replay` what records, replays and
compares.
"""

# heading -> names, in the order of the page
GROUPS: dict[str, tuple[str, ...]] = {
    "Cassettes": (
        *("Cassette", "RecordedCall", "ReplayDivergence", "CassetteMissError", "UnplayedCallsError"),
        *("UnplayedCallsWarning", "RecordedError", "ReplayStopped", "ServerStateWarning"),
    ),
    "Models": ("LLMRequest", "LLMResponse", "LLMClient", "AsyncLLMClient", "MockLLM", "AsyncMockLLM"),
    "Traces": (
        *("run", "wrap_llm", "wrap_tool", "span", "current_trace", "current_span", "Trace", "Span"),
        "find_divergence",
    ),
    "Runs": (
        *(
            "AgentRunner",
            "RecordingProvider",
            "ReplayingProvider",
            "Provider",
            "ProviderError",
            "RetryPolicy",
        ),
        *("FakeClock", "SequentialIds", "FakeToolRegistry", "ToolExecutionError", "Run", "Event"),
        "assert_same_run",
    ),
    "Fingerprints": ("fingerprint_of", "RunFingerprint", "FieldChange"),
    "Messages": (
        *("Request", "Response", "Message", "ToolSpec", "ToolCall", "ToolResult", "Usage", "Hook"),
        *("DryfireError", "__version__"),
    ),
}


def page() -> str:
    """The Markdown text of the page."""
    parts = [_HEAD]
    for heading, names in GROUPS.items():
        parts.append(f"\n## {heading}\n")
        parts += [_section(name) for name in names]
    return "".join(parts)


def _section(name: str) -> str:
    module = import_module(f"dryfire_action.{dryfire_action._MODULES[name]}")
    value = getattr(module, name)
    if not callable(value):
        return f"\n### {name}\n\nThe version of the package, as text.\n"
    shown = _signature(name, value)
    parts = [f"\n### {name}\n\n```text\n{shown}\n```\n\n{_prose(value)}\n"]
    if inspect.isclass(value):
        rows = [_row(member, found) for member, found in _members(value)]
        if rows:
            parts.append("\n| member | meaning |\n| --- | --- |\n" + "".join(rows))
    return "".join(parts)


def _members(found: type) -> list[tuple[str, Any]]:
    """Public methods and properties of a class and of its bases of ours, in the order they are defined."""
    members: dict[str, Any] = {}
    for base in reversed(found.__mro__):
        if base.__module__.startswith("dryfire_action"):
            members.update(vars(base))
    return [
        (name, each)
        for name, each in members.items()
        if not name.startswith("_")
        and (inspect.isfunction(each) or isinstance(each, property | classmethod))
        and each.__doc__
    ]


def _row(name: str, member: Any) -> str:
    function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
    shown = name if isinstance(member, property) else _signature(name, function)
    cells = (f"`{shown}`".replace("|", r"\|"), _prose(member).replace("\n", " ").replace("|", r"\|"))
    return f"| {cells[0]} | {cells[1]} |\n"


def _signature(name: str, value: Any) -> str:
    if inspect.isclass(value) and issubclass(value, BaseException) and "__init__" not in vars(value):
        return name
    if getattr(value, "_is_protocol", False):
        return name
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return name
    own = [_shown(each) for each in found.parameters.values() if each.name not in ("self", "cls")]
    text = str(found.replace(parameters=own)).replace("= Ellipsis", "= ...")
    # Annotations are texts, and shown in quotes.
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)
    async_ = "async " if inspect.iscoroutinefunction(value) else ""
    return f"{async_}{name}{text}"


def _shown(parameter: inspect.Parameter) -> inspect.Parameter:
    """A parameter whose default is shown if it is plain; anything else may hang on the machine, and is "..."."""
    plain = (type(None), bool, int, float, str)
    default = parameter.default
    if default is inspect.Parameter.empty or isinstance(default, plain) or default == ():
        return parameter
    return parameter.replace(default=...)


def _prose(value: Any) -> str:
    return inspect.cleandoc(value.__doc__ or "").replace("``", "`")
