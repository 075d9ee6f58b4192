"""The verbs of the command ``dryfire``: one module a verb, with ``arguments(parser)`` and ``execute(args) -> int``."""

from __future__ import annotations
