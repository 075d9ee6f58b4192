"""What the histories of tests begin with: a suite, its recording, and what is to be found of them later."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dryfire_action.cassette_names import cassette_path
from tests.git_repository import Repository

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

OLD = "Refund within 30 days."
NEW = "Refund within 14 days."
SUITE = f"""\
name: refunds
system: {OLD}
tools:
  - name: lookup
    description: Look an order up.
    input_schema: {{type: object}}
mocks:
  lookup:
    - when: {{id: 1}}
      return: {{status: sent}}
    - sequence:
        - error: busy
        - return: [1, 2.0]
cases:
  - name: late
    input: May I return it?
    expect: []
"""
FILE = "evals/refunds.eval.yaml"


def record(repository: Repository, suite: str = "refunds", case: str = "late", date: str = "1") -> None:
    repository.write(cassette_path(".dryfire/cassettes", suite, case), json.dumps({"date": date}))


def begun(root: Path, suite: str = SUITE, files: Mapping[str, str] | None = None) -> Repository:
    """A repository whose only commit holds the suite, its recording, and more files."""
    repository = Repository(root)
    repository.write(FILE, suite)
    for path, text in (files or {}).items():
        repository.write(path, text)
    record(repository)
    repository.commit()
    return repository


@dataclass
class Past:
    """A repository as a test leaves it: where the suite is now, what is looked for, and what is to be found.

    ``found`` is the value, or the sentence that says why there is none; ``at`` where it stands.
    """

    root: Path
    found: Any
    wanted: Any = OLD
    file: str = FILE
    at: str | None = None
    base: str | None = None
