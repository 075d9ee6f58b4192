"""Images in messages: ``{type: image, path: ...}`` names a file of the repository.

The file's digest joins the block, so that another picture makes a recording stale. The bytes are read again only for
a live call. Of a file that git LFS keeps, the pointer tells the digest: a replay needs no more.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING

from dryfire_action.tree import TreeError, folder_of, inside

if TYPE_CHECKING:
    from dryfire_action.messages import JsonObject
    from dryfire_action.node import Node
    from dryfire_action.references import References

_POINTER = re.compile(rb"version https://git-lfs\.github\.com/spec/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\n")
_KEYS = frozenset({"type", "path", "cache_control"})


def with_digests(blocks: list[JsonObject], node: Node, references: References) -> list[JsonObject]:
    """``blocks`` of the list ``node``, where an image by path has its path from the root and its ``sha256``."""
    return [
        # A block may stand in a file of its own, and its path is relative to that.
        _digested(block, references.resolved(item) or item, references)
        if block.get("type") == "image" and "path" in block
        else block
        for block, item in zip(blocks, node.children(), strict=True)
    ]


def _digested(block: JsonObject, node: Node, references: References) -> JsonObject:
    problems = references.problems
    if extra := block.keys() - _KEYS:
        problems.add(node, f"an image by path has no {min(extra)!r}", "It has type and path.")
        return block
    at, named = node.child("path"), block["path"]
    if not isinstance(named, str) or not named:
        problems.add(at, "path must be the path of an image, relative to this file")
        return block
    try:
        path = inside(named, folder_of(node.document.file))
        data = references.files.tree.read(path)
        if data is None:
            raise TreeError(path, "there is no such file")
    except TreeError as error:
        problems.add(at, f"image {named!r}: {error.reason}", error.remedy)
        return block
    pointer = _POINTER.match(data)
    digest = pointer[1].decode() if pointer else sha256(data).hexdigest()
    return {**block, "path": path, "sha256": digest}
