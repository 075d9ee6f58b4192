"""The provider of a case as a run asks it: made at the first call, counted, and waited for only where it is live."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.ambient import SystemClock
from dryfire_action.errors import ProviderError
from dryfire_action.providers import make_provider
from dryfire_action.spending import Spending

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dryfire_action.messages import Provider, Request, Response
    from dryfire_action.playback import RunTape
    from dryfire_action.suite import Config
    from dryfire_action.tree import Tree


class LiveProvider:
    """The provider of a case, made at the first call: until then nobody needs a key. ``begin`` is called before each.

    ``config`` names the team's own endpoints, ``environ`` holds the keys, ``tree`` the images, ``spending`` counts
    what ``case`` takes.
    Raises ``ProviderUnavailable`` where the provider cannot be asked at all, ``UsageError`` where there is none of that
    name, ``LimitReached`` where no further call may be made.
    """

    def __init__(
        self,
        name: str,
        config: Config,
        environ: Mapping[str, str],
        tree: Tree,
        begin: Callable[[], None] = lambda: None,
        spending: Spending | None = None,
        case: str = "",
    ) -> None:
        self.name = name
        self._case = case
        self._config = config
        self._environ = environ
        self._tree = tree
        self._begin = begin
        self._spending = spending or Spending()
        self._provider: Provider | None = None

    @property
    def sdk(self) -> str | None:
        """The client library it calls through, None where it has none."""
        return getattr(self._provider, "sdk", None)

    @property
    def sdk_version(self) -> str | None:
        """The version of that library."""
        return getattr(self._provider, "sdk_version", None)

    @property
    def origin(self) -> str:
        """``loopback`` where what answers is on this machine, else ""."""
        return "loopback" if getattr(self._provider, "loopback", False) else ""

    async def complete(self, request: Request) -> Response:
        """The provider's answer."""
        if self._provider is None:
            self._provider = make_provider(
                self.name, providers=self._config.providers, environ=self._environ, read=self._tree.read
            )
        if check := getattr(self._provider, "check", None):
            check(request)  # what cannot be sent begins no recording
        self._spending.check()
        self._begin()
        self._spending.asked(self._case)
        try:
            response = await self._provider.complete(request)
        except ProviderError as error:
            self._spending.failed(error, self._case)
            raise
        self._spending.paid(response.usage, self._case)
        return response


class LiveClock(SystemClock):
    """Waits for real, and tells ``spending`` that ``case`` does."""

    def __init__(self, spending: Spending, case: str) -> None:
        self._spending = spending
        self._case = case

    async def sleep(self, seconds: float) -> None:
        """Wait ``seconds``."""
        self._spending.waits(seconds, self._case)
        await super().sleep(seconds)


class RecordingClock(LiveClock):
    """Waits only after failures that just happened: one that is served from a recording has been waited for."""

    def __init__(self, tape: RunTape, spending: Spending, case: str) -> None:
        super().__init__(spending, case)
        self._tape = tape

    async def sleep(self, seconds: float) -> None:
        """Wait ``seconds``, or not at all."""
        if self._tape.played and self._tape.played[-1].outcome == "recorded":
            await super().sleep(seconds)
