"""GitHub's own description of its API: what a request may ask, what an answer must hold, and answers made from it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from openapi_core import OpenAPI
from openapi_core.testing import MockRequest, MockResponse

DESCRIPTION = Path(__file__).parents[1] / "data" / "third_party" / "github-api" / "api.json"
# The description knows this server only; where the double really listens is nobody's business.
HOST = "https://api.github.com"
SAMPLES = {
    "uri": "https://github.invalid/x",
    "date-time": "2026-01-01T00:00:00Z",
    "email": "x@github.invalid",
}


@cache
def description() -> Any:
    """The cut description, parsed."""
    return json.loads(DESCRIPTION.read_text(encoding="utf-8"))


@cache
def _api() -> OpenAPI:
    return OpenAPI.from_dict(description())


@dataclass(frozen=True)
class Asked:
    """A request as the description sees it: the query as pairs, the content type without parameters."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...]
    body: bytes | None
    kind: str

    @property
    def request(self) -> MockRequest:
        """What the checker takes."""
        # The double reads JSON whatever its content type says, as GitHub does; the description names JSON only.
        kind = self.kind or "application/json"
        return MockRequest(
            HOST, self.method.lower(), self.path, args=dict(self.query), data=self.body, content_type=kind
        )


def _why(error: Exception) -> str:
    details = [item.message[:200] for item in getattr(error.__cause__, "schema_errors", ())]
    return " ".join([type(error).__name__, *details])


# Tests ask the same again and again; what was right once is right.
@lru_cache(maxsize=2048)
def wrong_with_request(asked: Asked) -> str:
    """What GitHub's description forbids about a request, "" where it is right."""
    size = dict(asked.query).get("per_page", "1")
    if size.isdecimal() and not 1 <= int(size) <= 100:
        return "per_page is not from 1 to 100"
    try:
        _api().validate_request(asked.request)
    except Exception as error:  # openapi-core has no common base class for what it raises
        return _why(error)
    return ""


@lru_cache(maxsize=2048)
def wrong_with_answer(asked: Asked, status: int, data: bytes, headers: tuple[tuple[str, str], ...]) -> str:
    """What GitHub's description forbids about an answer to a request, "" where it is right."""
    data = json.dumps(_undeleted(json.loads(data))).encode() if data else data
    answer = MockResponse(data, status_code=status, headers=dict(headers), content_type="application/json")
    try:
        _api().validate_response(asked.request, answer)
    except Exception as error:  # as above
        return _why(error)
    return ""


def _undeleted(value: Any) -> Any:
    """The value with a repository where there is none: the description does not know that forks get deleted."""
    if isinstance(value, list):
        return [_undeleted(item) for item in value]
    if not isinstance(value, dict):
        return value
    deleted = {"repo": "repository", "head_repository": "minimal-repository"}
    return {
        key: filled(deleted[key], {}) if item is None and key in deleted else _undeleted(item)
        for key, item in value.items()
    }


def filled(name: str, known: dict[str, Any]) -> Any:
    """A value that a schema of the description allows: ``known``, and samples for whatever else is required."""
    return _fill({"$ref": f"#/components/schemas/{name}"}, known)


def _fill(schema: dict[str, Any], known: Any = None) -> Any:
    if "$ref" in schema:
        return _fill(description()["components"]["schemas"][schema["$ref"].split("/")[-1]], known)
    if known is not None and not isinstance(known, dict):
        return known
    if known is None and schema.get("nullable"):
        return None
    for several in ("allOf", "anyOf", "oneOf"):
        if several in schema:
            return _fill(schema[several][0], known)
    if "properties" in schema:
        given = known or {}
        properties = schema["properties"]
        wanted = dict.fromkeys([*schema.get("required", ()), *given])
        return {
            key: given[key]
            if key in given and (given[key] is None or key not in properties)
            else _fill(properties.get(key, {}), given.get(key))
            for key in wanted
        }
    return known if known is not None else _sample(schema)


def _sample(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    samples: dict[Any, Any] = {"integer": 1, "number": 1, "boolean": False, "array": [], "object": {}}
    return samples.get(kind, SAMPLES.get(schema.get("format", ""), "x"))
