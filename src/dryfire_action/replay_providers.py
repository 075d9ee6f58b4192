"""Recording and replaying a provider under an ``AgentRunner``: the library's face of the engine's two providers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action import playback, recorder
from dryfire_action.call_cassette import CallHeader
from dryfire_action.call_cassette_file import calls_of
from dryfire_action.cassette import Cassette as Exchanges
from dryfire_action.cassette import Header
from dryfire_action.redact import DEFAULT_RULES
from dryfire_action.replay_cassette import Cassette

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dryfire_action.cassette import Exchange
    from dryfire_action.ignore_rules import Masker
    from dryfire_action.messages import Hook, Provider, Request, Response
    from dryfire_action.redact import Rules


class RecordingProvider(recorder.RecordingProvider):
    """Passes requests on to ``inner`` and keeps what it answered, failures included; ``cassette`` is what it holds.

    ``provider`` and ``version`` say what is recorded against (default: the name of ``inner``, no version). The runner
    tells it of its hooks; ``hooks`` names those of a loop of your own.
    """

    def __init__(
        self,
        inner: Provider,
        *,
        provider: str | None = None,
        version: str = "",
        hooks: Iterable[Hook] = (),
        mask: Masker | None = None,
        rules: Rules = DEFAULT_RULES,
    ) -> None:
        super().__init__(inner, mask=mask, rules=rules)
        self.name = inner.name if provider is None else provider
        self._version = version
        self._hooks = tuple(hooks)
        self._model = ""

    @property
    def cassette(self) -> Cassette:
        """What was recorded so far, to be saved. It holds digests of the requests and never their text."""
        header = CallHeader(self.name, self._version, "digests")
        return Cassette(mode="strict", calls=calls_of(self.tape.exchanges, self._model), header=header)

    async def complete(self, request: Request) -> Response:
        """The answer of ``inner`` as a replay will give it; raises its ``ProviderError``."""
        self._model = self._model or request.model
        return await super().complete(_with_hooks(request, self._hooks))


class ReplayingProvider(playback.ReplayingProvider):
    """Answers one run from ``cassette`` and from nothing else; another run needs another one.

    ``expect_provider`` and ``expect_version`` refuse what was recorded against another (``UsageError``). A request that
    is not recorded raises ``CassetteMissError``, which ends a run as failed, naming the fields that changed.
    """

    def __init__(
        self,
        cassette: Cassette,
        *,
        expect_provider: str | None = None,
        expect_version: str | None = None,
        hooks: Iterable[Hook] = (),
        mask: Masker | None = None,
    ) -> None:
        known = cassette.header
        header = Header("", "", known.provider, "", sdk_version=known.version or None)
        super().__init__(
            Exchanges(header, cassette.exchanges),
            expect_provider=expect_provider,
            expect_version=expect_version,
            mask=mask,
        )
        self._hooks = tuple(hooks)

    @property
    def served(self) -> tuple[Exchange, ...]:
        """What was given out so far."""
        return self.tape.exchanges

    async def complete(self, request: Request) -> Response:
        """The recorded answer to ``request``; raises the recorded ``ProviderError``, or ``CassetteMissError``."""
        return await super().complete(_with_hooks(request, self._hooks))


def _with_hooks(request: Request, hooks: tuple[Hook, ...]) -> Request:
    from dataclasses import replace

    return replace(request, hooks=(*request.hooks, *hooks)) if hooks else request
