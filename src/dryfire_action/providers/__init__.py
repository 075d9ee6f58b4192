"""The model's providers, by the name that suites use.

A live provider is one module for its wire format and one row of ``endpoints.ENDPOINTS``. No vendor's SDK is loaded
before a live call is made.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from dryfire_action.errors import ProviderError, ProviderUnavailable, UsageError
from dryfire_action.providers.endpoints import endpoints
from dryfire_action.providers.scripted import ScriptedProvider

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dryfire_action.messages import JsonObject, Provider, Response
    from dryfire_action.providers.endpoints import Family
    from dryfire_action.providers.live import LiveModel
    from dryfire_action.suite import ProviderEntry

# Providers that need neither key nor address.
PROVIDERS: dict[str, Callable[[], Provider]] = {ScriptedProvider.name: ScriptedProvider}
_NOTHING: Mapping[str, str] = MappingProxyType({})
_NO_ENTRIES: Mapping[str, ProviderEntry] = MappingProxyType({})


def _no_file(path: str) -> None:
    """A repository without files."""


def make_provider(
    name: str,
    *,
    providers: Mapping[str, ProviderEntry] = _NO_ENTRIES,
    environ: Mapping[str, str] = _NOTHING,
    read: Callable[[str], bytes | None] = _no_file,
) -> Provider:
    """The provider that a suite calls ``name``, for live calls; a replay needs none.

    ``providers`` are the team's own endpoints, ``environ`` holds the keys, ``read`` gives the repository's files (for
    images). Raises ``UsageError`` for a name that is
    neither built in nor among ``providers``, ``ProviderUnavailable`` where its key variable or its SDK is missing.
    """
    if name in PROVIDERS:
        return PROVIDERS[name]()
    known = endpoints(providers)
    if name not in known:
        from difflib import get_close_matches

        near = get_close_matches(name, [*PROVIDERS, *known], n=1)
        raise UsageError(
            f"no provider is called {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""),
            remedy=f"there are {', '.join(sorted([*PROVIDERS, *known]))}; any other endpoint that speaks OpenAI's"
            " Chat Completions can be named in dryfire.yaml: providers: {NAME: {base_url: https://..., api_key_env:"
            " NAME_API_KEY}}",
        )
    endpoint = known[name]
    # A variable that is set and empty is what CI makes of a secret that does not exist.
    key = environ.get(endpoint.key, "").strip()
    if not key:
        raise ProviderUnavailable(
            f"a live call to {name} needs a key in the environment variable {endpoint.key}",
            remedy=f"export {endpoint.key}=... and run again; what is recorded replays without it",
        )
    return _model(endpoint.family)(endpoint, key, endpoint.address(environ), read)


def unset_key(name: str, providers: Mapping[str, ProviderEntry], environ: Mapping[str, str]) -> str:
    """The variable that a live call of the provider ``name`` needs and ``environ`` lacks; "" where it lacks none."""
    endpoint = endpoints(providers).get(name)
    return endpoint.key if endpoint and not environ.get(endpoint.key, "").strip() else ""


def sealed_parts(
    name: str, answer: Response, providers: Mapping[str, ProviderEntry] = _NO_ENTRIES
) -> tuple[JsonObject, ...]:
    """The thinking that goes back on the wire, in the payload that came with ``answer``; nothing where it has none.

    ``name`` says which wire format the payload is in.
    """
    endpoint = endpoints(providers).get(name)
    if endpoint is None or not answer.raw:
        return ()
    try:
        found = _from_wire(endpoint.family)(answer.raw)
    except (ProviderError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        return ()  # the payload is not what the API promises: the answer stands beside it all the same
    return found.reasoning


def _from_wire(family: Family) -> Callable[[JsonObject], Response]:
    if family == "messages":
        from dryfire_action.providers import anthropic as module
    elif family == "chat":
        from dryfire_action.providers import openai_chat as module  # type: ignore[no-redef]
    elif family == "responses":
        from dryfire_action.providers import openai_responses as module  # type: ignore[no-redef]
    else:
        from dryfire_action.providers import gemini as module  # type: ignore[no-redef]
    return module.from_wire


def _model(family: Family) -> type[LiveModel]:
    if family == "messages":
        from dryfire_action.providers.anthropic import AnthropicModel

        return AnthropicModel
    if family == "chat":
        from dryfire_action.providers.openai_chat import ChatModel

        return ChatModel
    if family == "responses":
        from dryfire_action.providers.openai_responses import ResponsesModel

        return ResponsesModel
    from dryfire_action.providers.gemini import GeminiModel

    return GeminiModel
