"""Reading the paths of fields: which part of a request a field belongs to, and what two fields have in common."""

from __future__ import annotations

import re

_INDEX = re.compile(r"\b(messages|tool_calls|tool_results|reasoning|script)\[\d+\]")
_END_OF_PART = re.compile(r"[.\[]")


def part_of(path: str) -> str:
    """The part of a request that the field at ``path`` belongs to: ``messages``, ``tools``, ``system``, ..."""
    return _END_OF_PART.split(path, maxsplit=1)[0]


def without_indices(path: str) -> str:
    """A field path with ``[*]`` for the indices of messages, calls, results, reasoning and script steps.

    By it the same edit is known in conversations of other lengths. Names of tools and hooks stay.
    """
    return _INDEX.sub(r"\1[*]", path)
