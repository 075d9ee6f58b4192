"""The one place that holds the version: the build, the command and the reports read it from here."""

from __future__ import annotations

__version__ = "1.0.0"
