"""The library's cassette: put around a model's client and around tools, it records their calls or plays them back."""

from __future__ import annotations

import functools
import inspect
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from dryfire_action import call_cassette_file
from dryfire_action.call_cassette import CallHeader, Mode, RecordedCall, Requests
from dryfire_action.call_tape import REMEDY, AsyncTapedClient, CallTape, TapedClient
from dryfire_action.call_values import bound_arguments, failure_json, to_json
from dryfire_action.divergence import ReplayDivergence, tool_request
from dryfire_action.errors import DryfireError, UsageError
from dryfire_action.ignore_rules import IgnoreRule, ignoring
from dryfire_action.patterns import compile_pattern
from dryfire_action.redact import DEFAULT_RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Self

    from dryfire_action.call_tape import Asked
    from dryfire_action.call_values import Serialisers
    from dryfire_action.cassette import Exchange
    from dryfire_action.llm import AsyncLLMClient, LLMClient
    from dryfire_action.messages import JsonValue
    from dryfire_action.redact import Rules
    from dryfire_action.tracing import Trace

Tool = TypeVar("Tool", bound="Callable[..., Any]")
MODES = ("record", "strict", "lenient", "fallthrough")


class UnplayedCallsError(DryfireError):
    """A strict replay ended and some recorded calls never happened; ``calls`` are they."""

    slug = "unplayed"

    def __init__(self, calls: tuple[RecordedCall, ...], *, remedy: str = REMEDY) -> None:
        self.calls = calls
        super().__init__(_unplayed(calls), remedy=remedy)


class UnplayedCallsWarning(UserWarning):
    """A replay that is not strict ended and some recorded calls never happened."""


class Cassette:
    """Records the calls of models and tools that are wrapped with it, or plays them back.

    ``mode`` is ``record`` (the default: everything is called for real and kept), ``strict`` (what is not recorded
    raises ``CassetteMissError``), ``lenient`` (the answer recorded at the same index is played for a changed request)
    or ``fallthrough`` (what is not recorded is called for real, and with ``record_new`` kept). ``requests="digests"``
    keeps no text of requests: a divergence then names fields only. ``serialisers`` turn types that JSON does not know
    into JSON and back; ``exceptions`` are classes to raise again on replay. ``rules`` are those of redaction,
    ``metadata`` stands in the file's header. ``ignore`` are rules for volatile text that does not count, each a
    ``{"path": ..., "pattern": ...}`` as in ``dryfire.yaml`` (default: those that a loaded recording was made under).
    """

    def __init__(
        self,
        *,
        mode: Mode = "record",
        calls: Iterable[RecordedCall] = (),
        record_new: bool = False,
        requests: Requests = "text",
        serialisers: Serialisers | None = None,
        exceptions: Iterable[type[Exception]] = (),
        rules: Rules = DEFAULT_RULES,
        metadata: Mapping[str, JsonValue] | None = None,
        ignore: Iterable[IgnoreRule | Mapping[str, str]] | None = None,
        header: CallHeader | None = None,
    ) -> None:
        if mode not in MODES:
            raise UsageError(f"no mode is called {mode!r}; there are {', '.join(MODES)}")
        if record_new and mode != "fallthrough":
            raise UsageError(f"record_new goes with mode='fallthrough', not with {mode!r}")
        if requests not in ("text", "digests"):
            raise UsageError(f"requests is 'text' or 'digests', not {requests!r}")
        known = header or CallHeader(requests=requests, metadata=dict(metadata or {}))
        if ignore is not None:
            known = replace(known, ignore=tuple(map(_rule, ignore)))
        self._options: dict[str, Any] = {
            "record_new": record_new,
            "mask": ignoring((rule, _pattern(rule)) for rule in known.ignore),
            "serialisers": dict(serialisers or {}),
            "exceptions": tuple(exceptions),
            "rules": rules,
        }
        # What happens to the calls; its attributes are no part of the library.
        self.tape = CallTape(mode, calls, known, **self._options)

    @classmethod
    def load(
        cls, path: str | Path, mode: Mode = "strict", *, record_new: bool = False, **options: Any
    ) -> Self:
        """The recording at ``path``, to be played back; ``options`` are those of ``Cassette``.

        JSON Lines and the form of suites are told apart by their content. Raises ``UsageError`` where there is no file,
        ``CassetteDamaged`` where it cannot be trusted.
        """
        header, calls = call_cassette_file.load(Path(path))
        return cls(mode=mode, calls=calls, record_new=record_new, header=header, **options)

    @classmethod
    def from_trace(cls, trace: Trace, *, mode: Mode = "strict", **options: Any) -> Self:
        """A cassette of the calls in ``trace``, as if they had been recorded; to be played or saved."""
        recorder = cls(**options)
        for span in trace.spans:
            if span.kind == "llm":
                asked = recorder.tape.ask("llm", span.request.model, span.request)
            elif span.kind == "tool":
                arguments = to_json(span.request, "arguments", recorder.tape.serialisers)
                asked = recorder.tape.ask("tool", span.name, tool_request(span.name, arguments))
            else:
                continue
            if isinstance(span.error, Exception):
                recorder.tape.keep(asked, error=failure_json(span.error))
            elif span.kind == "llm":
                recorder.tape.keep(asked, response=span.response)
            else:
                recorder.tape.keep(asked, value=to_json(span.response, "result", recorder.tape.serialisers))
        return cls(mode=mode, calls=recorder.calls, header=recorder.header, **options)

    @property
    def mode(self) -> Mode:
        """How it treats calls."""
        return self.tape.mode

    @property
    def header(self) -> CallHeader:
        """What its file says of itself: what it was recorded against, and whether requests keep their text."""
        return self.tape.header

    @property
    def calls(self) -> tuple[RecordedCall, ...]:
        """The calls it holds: those recorded, or those loaded. With ``record_new``, once something new was kept, those
        of this run, what was played among them.
        """
        if not self.tape.new and self.mode != "record":
            return self.tape.index.calls
        order = {"llm": 0, "tool": 1}
        found = [*self.tape.played, *self.tape.new]
        return tuple(sorted(found, key=lambda call: (order[call.kind], call.index)))

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """What the model answered, in order, with the fingerprints of its requests."""
        return tuple(call.exchange for call in self.calls if call.kind == "llm")

    @property
    def divergences(self) -> tuple[ReplayDivergence, ...]:
        """Where this replay departed from the recording, in the order met."""
        return tuple(self.tape.divergences)

    @property
    def first_divergence(self) -> ReplayDivergence | None:
        """The first of them; None for a clean replay."""
        return self.tape.divergences[0] if self.tape.divergences else None

    @property
    def unplayed(self) -> tuple[RecordedCall, ...]:
        """The recorded calls that did not happen so far."""
        return self.tape.index.unplayed

    def finish(self) -> None:
        """The run is over: raises ``UnplayedCallsError`` in strict mode where recorded calls never happened.

        In the other modes it warns of them. A ``with`` block around a replay does this at its end.
        """
        left = () if self.mode == "record" else self.unplayed
        if left and self.mode == "strict":
            raise UnplayedCallsError(left, remedy=self.tape.remedy)
        if left:
            warnings.warn(_unplayed(left), UnplayedCallsWarning, stacklevel=2)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.finish()

    def save(self, path: str | Path) -> None:
        """Write what it holds to ``path``: JSON Lines for ``.jsonl``, any other suffix the form of suites.

        The form of suites holds no calls of tools and no text of requests. Folders are made; the file is
        replaced in one step. Raises ``UsageError`` and ``RecordingError``.
        """
        call_cassette_file.save(Path(path), self.header, self.calls)

    @overload
    def wrap_llm(self, client: LLMClient | None = None) -> LLMClient: ...
    @overload
    def wrap_llm(self, client: AsyncLLMClient) -> AsyncLLMClient: ...
    def wrap_llm(self, client: Any = None) -> Any:
        """A client that records ``client``, or plays its recording back; without one it can only play.

        It is awaited where ``client`` is, and without one where the recorded one was.
        """
        is_async = self.header.is_async
        if client is not None:
            is_async = inspect.iscoroutinefunction(client.complete)
            if is_async and self.mode == "record":
                self.tape.header = replace(self.header, is_async=True)
        return AsyncTapedClient(self.tape, client) if is_async else TapedClient(self.tape, client)

    def http_transport(self, inner: Any = None) -> Any:
        """A transport for clients of ``httpx`` and ``httpx2``, sync and async: the layer that vendors' SDKs call by.

        Hand it to the SDK: ``OpenAI(http_client=httpx2.Client(transport=cassette.http_transport()))``. A call is
        fingerprinted by what its body says (provider, model, params, system, tools by name, messages), never by headers
        or address. ``inner`` makes the real calls (default: the library's own transport). A stream is read to its end
        before it is handed out, and is replayed event by event. Misses raise ``ReplayStopped``, which no retry and
        no ``except Exception`` takes for a failure of the provider. Warns with ``ServerStateWarning`` of what the
        provider looks up by an id.
        """
        from dryfire_action.http_transport import CassetteTransport

        return CassetteTransport(self.tape, inner)

    def wrap_tool(self, tool: Tool, *, name: str | None = None) -> Tool:
        """A function like ``tool`` whose calls are recorded, or played back without running its body.

        ``name`` is what it is recorded as. What it returns comes back as JSON has it (a tuple as a list), live and
        replayed alike. Raises ``FingerprintError`` naming an argument that JSON cannot hold.
        """
        if inspect.isgeneratorfunction(tool) or inspect.isasyncgenfunction(tool):
            raise UsageError(
                f"{tool.__name__} yields its results; only functions that return can be recorded"
            )
        known = str(name or getattr(tool, "__name__", type(tool).__name__))

        def ask(args: Any, kwargs: Any) -> Asked:
            arguments = to_json(bound_arguments(tool, args, kwargs), "arguments", self.tape.serialisers)
            return self.tape.ask("tool", known, tool_request(known, arguments))

        if inspect.iscoroutinefunction(tool):

            @functools.wraps(tool)
            async def played_async(*args: Any, **kwargs: Any) -> Any:
                asked = ask(args, kwargs)
                if asked.play:
                    return self.tape.value(asked.play, asked)
                try:
                    result = await tool(*args, **kwargs)
                except Exception as error:
                    raised = self.tape.failed(asked, error)
                    if raised is error:
                        raise
                    raise raised from None
                return self.tape.returned(asked, result)

            return cast("Tool", played_async)

        @functools.wraps(tool)
        def played(*args: Any, **kwargs: Any) -> Any:
            asked = ask(args, kwargs)
            if asked.play:
                return self.tape.value(asked.play, asked)
            try:
                result = tool(*args, **kwargs)
            except Exception as error:
                raised = self.tape.failed(asked, error)
                if raised is error:
                    raise
                raise raised from None
            return self.tape.returned(asked, result)

        return cast("Tool", played)


def _rule(rule: IgnoreRule | Mapping[str, str]) -> IgnoreRule:
    if isinstance(rule, IgnoreRule):
        return rule
    try:
        return IgnoreRule(rule["path"], rule["pattern"])
    except (KeyError, TypeError):
        raise UsageError(f"an ignore rule holds path and pattern, not {rule!r}") from None


def _pattern(rule: IgnoreRule) -> Any:
    try:
        return compile_pattern(rule.pattern)
    except ValueError as error:
        raise UsageError(f"the pattern of the ignore rule for {rule.path}: {error}") from None


def _unplayed(calls: tuple[RecordedCall, ...]) -> str:
    named = ", ".join(f"{call.kind} call #{call.index} ({call.name or 'model'})" for call in calls[:5])
    more = f" and {len(calls) - 5} more" if len(calls) > 5 else ""
    return f"recorded, but never asked for: {named}{more}"
