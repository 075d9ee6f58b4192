"""Results as something to read: one module a form."""

from __future__ import annotations
