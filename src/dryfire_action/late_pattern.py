"""Patterns that are compiled when they are first used.

A hook runs on every commit and meets few of the texts that its patterns are for; to compile them all takes longer than
to start Python.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "split")

if TYPE_CHECKING:

    def late(pattern: str, flags: int = 0) -> re.Pattern[str]:
        """`re.compile`, when it is needed."""

    def late_bytes(pattern: bytes, flags: int = 0) -> re.Pattern[bytes]:
        """The same for a pattern of bytes."""

else:

    class late:
        """`re.compile`, when it is needed."""

        def __init__(self, pattern: str | bytes, flags: int = 0) -> None:
            self.pattern = pattern
            self.flags = flags

        def __getattr__(self, name: str) -> Any:
            if name not in _METHODS:
                raise AttributeError(name)
            compiled = re.compile(self.pattern, self.flags)
            for method in _METHODS:
                setattr(self, method, getattr(compiled, method))
            return getattr(compiled, name)

    late_bytes = late
