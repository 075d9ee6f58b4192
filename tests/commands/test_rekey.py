"""`dryfire rekey`: what happened to each recording, without any call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import kept_project as kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.commands.project import Done

    Dryfire = Callable[..., Done]

IGNORING = 'fingerprint:\n  ignore:\n    - {path: system, pattern: "Today is [0-9-]+"}\n'


@pytest.fixture
def root(dryfire: Dryfire) -> Path:
    """The project in the current folder, recorded; then an ignore rule is added and one case edited."""
    here = Path.cwd()
    (here / ".git").mkdir()
    kept.make(here)
    kept.ask(here, "record")
    (here / "dryfire.yaml").write_text(kept.CONFIG + IGNORING)
    kept.edit(here, "evals/shop.eval.yaml", "I send order 2 back.", "I send order 3 back.")
    return here


def test_fresh_ones_are_rekeyed_and_stale_ones_are_named(dryfire: Dryfire, root: Path) -> None:
    done = dryfire("rekey")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "rekeyed       desk::hours\n"
        "rekeyed       shop::where is it\n"
        "stale         shop::send it back\n"
        "              messages[0].content changed\n"
        "2 rekeyed; 1 stale: record again, or undo the edit\n"
    )
    outcomes = kept.outcomes(kept.run(root))
    assert outcomes == {
        "desk::hours": "passed",
        "shop::where is it": "passed",
        "shop::send it back": "stale",
    }
    again = dryfire("rekey")
    assert again.out.endswith("1 stale: record again, or undo the edit; 2 already under the rules in force\n")


def test_check_says_what_there_is_to_do_and_does_nothing(dryfire: Dryfire, root: Path) -> None:
    before = kept.recordings(root)
    done = dryfire("rekey", "--check")
    assert done.code == 1
    assert "to rekey      desk::hours\n" in done.out
    assert kept.recordings(root) == before
    dryfire("rekey")
    assert dryfire("rekey", "--check").code == 0


def test_paths_narrow_it(dryfire: Dryfire, root: Path) -> None:
    assert dryfire("rekey", "evals/desk.eval.yaml").out == "rekeyed       desk::hours\n1 rekeyed\n"


def test_without_recordings_that_is_said(dryfire: Dryfire) -> None:
    here = Path.cwd()
    (here / ".git").mkdir()
    kept.make(here)
    assert dryfire("rekey") == (0, "there are no recordings\n", "")
