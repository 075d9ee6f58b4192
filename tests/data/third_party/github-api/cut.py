"""Cut GitHub's API description down to the operations that the action uses.

    python cut.py api.github.com.json > api.json

The input is `generated/api.github.com.json` of the npm package `@octokit/openapi`, which is far too large to keep here.
Whatever the kept operations refer to is kept with them; texts, examples and extensions are dropped.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

REPOSITORY = "/repos/{owner}/{repo}"
KEPT = {
    f"{REPOSITORY}/issues/{{issue_number}}/comments": ["get", "post"],
    f"{REPOSITORY}/issues/comments/{{comment_id}}": ["get", "patch", "delete"],
    f"{REPOSITORY}/pulls": ["get"],
    f"{REPOSITORY}/pulls/{{pull_number}}": ["get"],
    f"{REPOSITORY}/commits/{{commit_sha}}/pulls": ["get"],
    f"{REPOSITORY}/actions/runs/{{run_id}}": ["get"],
    f"{REPOSITORY}/actions/runs/{{run_id}}/artifacts": ["get"],
    f"{REPOSITORY}/actions/artifacts/{{artifact_id}}/{{archive_format}}": ["get"],
    "/user": ["get"],
}
DROPPED = {"description", "summary", "example", "examples", "externalDocs", "tags", "title"}


def lean(value: Any, *, names: bool = False) -> Any:
    """The value without texts and examples; ``names``: its keys are names of properties and all stay."""
    if isinstance(value, dict):
        return {
            key: lean(item, names=key in ("properties", "headers", "schemas", "responses", "parameters"))
            for key, item in value.items()
            if names or (key not in DROPPED and not key.startswith("x-"))
        }
    return [lean(item) for item in value] if isinstance(value, list) else value


def references(value: Any) -> set[str]:
    """Every `$ref` in a value."""
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*(references(item) for item in value.values()))
    return set().union(*(references(item) for item in value)) if isinstance(value, list) else set()


def looked_up(description: Any, reference: str) -> Any:
    """What a `$ref` such as "#/components/schemas/issue-comment" points to."""
    for part in reference.removeprefix("#/").split("/"):
        description = description[part.replace("~1", "/").replace("~0", "~")]
    return description


def cut(description: Any) -> Any:
    """The description with nothing but the kept operations and what they refer to."""
    kept: dict[str, Any] = {"openapi": description["openapi"], "servers": description["servers"]}
    kept["info"] = {"title": "GitHub's REST API, cut", "version": description["info"]["version"]}
    kept["paths"] = {
        path: lean({method: description["paths"][path][method] for method in methods})
        for path, methods in KEPT.items()
    }
    for operation in (item for path in kept["paths"].values() for item in path.values()):
        for response in operation["responses"].values():
            if "$ref" not in response:
                response.setdefault("description", "")
    components: dict[str, dict[str, Any]] = {}
    todo, seen = references(kept["paths"]), set[str]()
    while todo:
        reference = todo.pop()
        seen.add(reference)
        part = lean(looked_up(description, reference))
        _, kind, name = reference.removeprefix("#/").split("/")
        if kind == "responses":
            part.setdefault("description", "")
        components.setdefault(kind, {})[name] = part
        todo |= references(part) - seen
    return {**kept, "components": components}


if __name__ == "__main__":
    whole = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    json.dump(cut(whole), sys.stdout, indent=0, sort_keys=True, separators=(",", ":"))
    print()
