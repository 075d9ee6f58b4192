"""Requests as they stand on the wire, read back as provider-neutral ones: what is fingerprinted in the HTTP layer.

The four formats that ``endpoints`` knows are read field by field, the other way round than the provider modules write
them. Any other request is read too, as one field of its whole body. Headers never count: they hold keys, versions of
SDKs and numbers of attempts. The address does not count either, but for hosts that are a provider of their own.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from dryfire_action.messages import Message, Request, Response
from dryfire_action.providers.endpoints import ENDPOINTS
from dryfire_action.providers.wire import mapping

if TYPE_CHECKING:
    from collections.abc import Callable

    from dryfire_action.messages import JsonObject
    from dryfire_action.providers.endpoints import Family

# The end of the path tells the format, whatever stands before it (gateways, deployments, versions).
_PATHS: tuple[tuple[re.Pattern[str], Family], ...] = (
    (re.compile(r"/messages/?\Z"), "messages"),
    (re.compile(r"/chat/completions/?\Z"), "chat"),
    (re.compile(r"/responses/?\Z"), "responses"),
    (re.compile(r"/models/(?P<model>[^/]+):(?:streamG|g)enerateContent\Z"), "generate_content"),
)
_NAMES: dict[Family, str] = {
    "messages": "anthropic",
    "chat": "openai",
    "responses": "openai-responses",
    "generate_content": "gemini",
}
_OWN_HOSTS = {
    urlsplit(endpoint.base_url).hostname: endpoint.name for endpoint in ENDPOINTS if endpoint.base_url
}
# Query parameters by which keys travel.
_KEYS = frozenset({"key", "api_key", "apikey", "access_token", "token", "sig", "signature"})
# Hosts whose calls cost money: reaching one past a cassette is never meant.
PROVIDER_HOSTS = frozenset(
    {
        *("api.anthropic.com", "api.openai.com", "generativelanguage.googleapis.com"),
        *(
            "aiplatform.googleapis.com",
            "api.mistral.ai",
            "api.groq.com",
            "api.cohere.com",
            "api.together.xyz",
        ),
        *filter(None, _OWN_HOSTS),
    }
)
_PROVIDER_SUFFIXES = (".openai.azure.com", "-aiplatform.googleapis.com", ".services.ai.azure.com")
_BEDROCK = re.compile(r"bedrock[a-z-]*\.[a-z0-9-]+\.amazonaws\.com\Z")


@dataclass(frozen=True, slots=True)
class WireRequest:
    """A request that was read: provider-neutral, its format (None: unknown), and what it does not say in full.

    ``elsewhere`` names the fields by which the provider looks up a part of the request that it keeps itself.
    """

    request: Request
    family: Family | None
    elsewhere: tuple[str, ...] = ()


def is_provider_host(host: str) -> bool:
    """Whether ``host`` is known to answer for models, at a price."""
    host = host.lower().rstrip(".")
    return host in PROVIDER_HOSTS or host.endswith(_PROVIDER_SUFFIXES) or bool(_BEDROCK.match(host))


def family_of(method: str, url: str) -> Family | None:
    """The wire format of a call; None where it is none of the four."""
    if method.upper() != "POST":
        return None
    path = urlsplit(url).path
    return next((family for pattern, family in _PATHS if pattern.search(path)), None)


def read_request(method: str, url: str, body: bytes) -> WireRequest:
    """The request in an HTTP call. Raises nothing: what cannot be read by field is one field as a whole."""
    family = family_of(method, url)
    if family is not None:
        try:
            found = json.loads(body)
            if isinstance(found, dict):
                return _named(_read(family, found, url), url)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError):
            pass  # no request of that format, whatever its path says
    return WireRequest(_any_request(method, url, body), None)


def read_response(family: Family | None, body: Any, events: list[JsonObject] | None) -> Response | None:
    """What an answer says in provider-neutral words: tokens, the model that answered. None where it cannot be read."""
    if family is None:
        return None
    module = _answers(family)
    try:
        whole = module.from_events(events) if events is not None else body
        found: Response | None = module.from_wire(whole) if isinstance(whole, dict) else None
    except (
        Exception
    ):  # an error of the provider, or no answer at all: nobody is told by it but a count of tokens
        return None
    return found


def _read(family: Family, body: JsonObject, url: str) -> WireRequest:
    from dryfire_action.providers import anthropic_requests, gemini_requests, openai_requests

    if family == "messages":
        return anthropic_requests.from_request(body)
    if family == "chat":
        return openai_requests.from_chat(body)
    if family == "responses":
        return openai_requests.from_responses(body)
    found = next(pattern.search(urlsplit(url).path) for pattern, name in _PATHS if name == family)
    assert found is not None
    return gemini_requests.from_request(body, unquote(found["model"]))


def _answers(family: Family) -> Any:
    from dryfire_action.providers import anthropic, gemini, openai_chat, openai_responses

    modules = {
        "messages": anthropic,
        "chat": openai_chat,
        "responses": openai_responses,
        "generate_content": gemini,
    }
    return modules[family]


def _named(found: WireRequest, url: str) -> WireRequest:
    assert found.family is not None
    name = _NAMES[found.family]
    if found.family == "chat":
        name = _OWN_HOSTS.get(urlsplit(url).hostname, name)
    return replace(found, request=replace(found.request, provider=name))


def _any_request(method: str, url: str, body: bytes) -> Request:
    """A call of no known format: method and path stand for the model, the whole body for the message."""
    parts = urlsplit(url)
    query = [[name, value] for name, value in parse_qsl(parts.query) if name.lower() not in _KEYS]
    content: list[JsonObject] = []
    if body:
        try:
            content = [{"type": "json", "json": json.loads(body)}]
        except (ValueError, RecursionError):
            content = [{"type": "bytes", "sha256": sha256(body).hexdigest(), "length": len(body)}]
    return Request(
        "http",
        f"{method.upper()} {parts.path}",
        (Message("user", content),),
        params={"query": query} if query else {},
    )


def one_text(blocks: Any, types: frozenset[str], clean: Callable[[JsonObject], JsonObject] = dict) -> Any:
    """A message's content: text for text, and for a list that is one plain block of text; else the cleaned blocks.

    ``types`` are the names of blocks of text. An empty list is None.
    """
    if not isinstance(blocks, list):
        return blocks
    found = [clean(block) if isinstance(block, dict) else block for block in blocks]
    if len(found) == 1 and isinstance(found[0], dict):
        only = found[0]
        if only.get("type") in types and only.keys() == {"type", "text"}:
            return only["text"]
    return found or None


def without(value: JsonObject, *names: str) -> JsonObject:
    """The map without these names and without nulls."""
    return {name: item for name, item in value.items() if name not in names and item is not None}


def with_schema(params: JsonObject, path: tuple[str, ...]) -> JsonObject | None:
    """Take the output schema at ``path`` out of ``params`` (which is changed); None where there is none."""
    *outer, last = path
    spot = params
    for name in outer:
        inner = spot.get(name)
        if not isinstance(inner, dict):
            return None
        spot[name] = spot = dict(inner)
    schema = spot.pop(last, None)
    if not isinstance(schema, dict):
        if schema is not None:
            spot[last] = schema
        return None
    return mapping(schema)
