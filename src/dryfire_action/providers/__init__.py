"""The model's providers, by the name that suites use.

A provider of its own is one module in this folder and one row of ``PROVIDERS``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.errors import UsageError
from dryfire_action.providers.scripted import ScriptedProvider

if TYPE_CHECKING:
    from collections.abc import Callable

    from dryfire_action.messages import Provider

PROVIDERS: dict[str, Callable[[], Provider]] = {ScriptedProvider.name: ScriptedProvider}


def make_provider(name: str) -> Provider:
    """The provider that a suite calls ``name``, for live calls; a replay needs none.

    Raises ``UsageError`` for a name without a row in ``PROVIDERS``.
    """
    if name not in PROVIDERS:
        raise UsageError(
            f"live calls to the provider {name!r} are not part of this version: it replays recordings of any"
            f" provider, and calls only {', '.join(PROVIDERS)}",
            remedy=f"With `provider: {ScriptedProvider.name}` and a `script` a suite needs no key and no network.",
        )
    return PROVIDERS[name]()
