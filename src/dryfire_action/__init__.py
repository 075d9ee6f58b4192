"""Replay recorded LLM answers and say which request fields made a recording stale.

Every public name can be imported from here. A name's module is loaded when the name is first asked for
(PEP 562), so `import dryfire_action` costs next to nothing: a hook or a test run that needs one function does
not pay for the rest.

To add a public name: put it in `_MODULES` and, for type checkers and editors, in the `TYPE_CHECKING` block.
"""

from __future__ import annotations

# Not `typing.TYPE_CHECKING`: importing typing alone takes as long as starting Python.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from dryfire_action.agent import AgentRunner as AgentRunner
    from dryfire_action.agent import Event as Event
    from dryfire_action.agent import Run as Run
    from dryfire_action.ambient import FakeClock as FakeClock
    from dryfire_action.ambient import SequentialIds as SequentialIds
    from dryfire_action.call_cassette import RecordedCall as RecordedCall
    from dryfire_action.call_values import RecordedError as RecordedError
    from dryfire_action.divergence import ReplayDivergence as ReplayDivergence
    from dryfire_action.errors import CassetteMissError as CassetteMissError
    from dryfire_action.errors import DryfireError as DryfireError
    from dryfire_action.errors import ProviderError as ProviderError
    from dryfire_action.fake_tools import FakeToolRegistry as FakeToolRegistry
    from dryfire_action.fake_tools import ToolExecutionError as ToolExecutionError
    from dryfire_action.field_changes import FieldChange as FieldChange
    from dryfire_action.fingerprint import RunFingerprint as RunFingerprint
    from dryfire_action.fingerprint import fingerprint_of as fingerprint_of
    from dryfire_action.http_transport import ReplayStopped as ReplayStopped
    from dryfire_action.http_transport import ServerStateWarning as ServerStateWarning
    from dryfire_action.llm import AsyncLLMClient as AsyncLLMClient
    from dryfire_action.llm import AsyncMockLLM as AsyncMockLLM
    from dryfire_action.llm import LLMClient as LLMClient
    from dryfire_action.llm import LLMRequest as LLMRequest
    from dryfire_action.llm import LLMResponse as LLMResponse
    from dryfire_action.llm import MockLLM as MockLLM
    from dryfire_action.messages import Hook as Hook
    from dryfire_action.messages import Message as Message
    from dryfire_action.messages import Provider as Provider
    from dryfire_action.messages import Request as Request
    from dryfire_action.messages import Response as Response
    from dryfire_action.messages import ToolCall as ToolCall
    from dryfire_action.messages import ToolResult as ToolResult
    from dryfire_action.messages import ToolSpec as ToolSpec
    from dryfire_action.messages import Usage as Usage
    from dryfire_action.replay_cassette import Cassette as Cassette
    from dryfire_action.replay_cassette import UnplayedCallsError as UnplayedCallsError
    from dryfire_action.replay_cassette import UnplayedCallsWarning as UnplayedCallsWarning
    from dryfire_action.replay_providers import RecordingProvider as RecordingProvider
    from dryfire_action.replay_providers import ReplayingProvider as ReplayingProvider
    from dryfire_action.retry import RetryPolicy as RetryPolicy
    from dryfire_action.run_comparison import assert_same_run as assert_same_run
    from dryfire_action.run_comparison import find_divergence as find_divergence
    from dryfire_action.tracing import Span as Span
    from dryfire_action.tracing import Trace as Trace
    from dryfire_action.tracing import current_span as current_span
    from dryfire_action.tracing import current_trace as current_trace
    from dryfire_action.tracing import run as run
    from dryfire_action.tracing import span as span
    from dryfire_action.tracing import wrap_llm as wrap_llm
    from dryfire_action.tracing import wrap_tool as wrap_tool
    from dryfire_action.version import __version__ as __version__

# public name -> module below `dryfire_action` that defines it
_MODULES = {
    "__version__": "version",
    "AgentRunner": "agent",
    "Event": "agent",
    "Run": "agent",
    "FakeClock": "ambient",
    "SequentialIds": "ambient",
    "RecordedCall": "call_cassette",
    "RecordedError": "call_values",
    "ReplayDivergence": "divergence",
    "CassetteMissError": "errors",
    "DryfireError": "errors",
    "ProviderError": "errors",
    "FakeToolRegistry": "fake_tools",
    "ToolExecutionError": "fake_tools",
    "FieldChange": "field_changes",
    "RunFingerprint": "fingerprint",
    "fingerprint_of": "fingerprint",
    "ReplayStopped": "http_transport",
    "ServerStateWarning": "http_transport",
    "AsyncLLMClient": "llm",
    "AsyncMockLLM": "llm",
    "LLMClient": "llm",
    "LLMRequest": "llm",
    "LLMResponse": "llm",
    "MockLLM": "llm",
    "Hook": "messages",
    "Message": "messages",
    "Provider": "messages",
    "Request": "messages",
    "Response": "messages",
    "ToolCall": "messages",
    "ToolResult": "messages",
    "ToolSpec": "messages",
    "Usage": "messages",
    "Cassette": "replay_cassette",
    "UnplayedCallsError": "replay_cassette",
    "UnplayedCallsWarning": "replay_cassette",
    "RecordingProvider": "replay_providers",
    "ReplayingProvider": "replay_providers",
    "RetryPolicy": "retry",
    "assert_same_run": "run_comparison",
    "find_divergence": "run_comparison",
    "Span": "tracing",
    "Trace": "tracing",
    "current_span": "tracing",
    "current_trace": "tracing",
    "run": "tracing",
    "span": "tracing",
    "wrap_llm": "tracing",
    "wrap_tool": "tracing",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    """Load the module that defines a public name; the value is kept, so each name is looked up once."""
    from importlib import import_module

    try:
        module = _MODULES[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    value: object = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Name what is public, loaded or not."""
    return sorted({*globals(), *_MODULES})
