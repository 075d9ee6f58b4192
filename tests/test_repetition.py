"""Repeated runs: when a case passes, and the interval that belongs to its rate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dryfire_action.repetition import case_passes, wilson_interval


@pytest.mark.parametrize(
    ("passed", "repeat", "rate", "expected"),
    [
        pytest.param(1, 1, 1.0, True, id="1.9 one of one"),
        pytest.param(0, 1, 1.0, False, id="1.9 none of one"),
        pytest.param(0, 1, 0.0, True, id="1.9 nothing required"),
        pytest.param(3, 4, 1.0, False, id="1.9 all required by default"),
        pytest.param(3, 4, 0.75, True, id="1.9 exactly reached"),
        pytest.param(7, 10, 0.7, True, id="1.9 exactly reached, not exact in binary"),
        pytest.param(3, 10, 0.3, True, id="1.9 exactly reached, not exact in binary (2)"),
        pytest.param(2, 3, 0.67, False, id="1.9 just missed"),
    ],
)
def test_1_9_a_case_passes_when_the_share_is_reached(
    passed: int, repeat: int, rate: float, expected: bool
) -> None:
    assert case_passes(passed, repeat, rate) is expected


@pytest.mark.parametrize(
    ("passed", "total", "low", "high"),
    [
        # Computed by hand from the formula with z = 1.959963984540054.
        pytest.param(1, 2, 0.0945, 0.9055, id="1.9 one of two"),
        pytest.param(3, 4, 0.3006, 0.9544, id="1.9 three of four"),
        pytest.param(8, 10, 0.4902, 0.9433, id="1.9 eight of ten"),
        pytest.param(0, 5, 0.0, 0.4345, id="1.9 none of five"),
        pytest.param(5, 5, 0.5655, 1.0, id="1.9 five of five"),
        pytest.param(0, 0, 0.0, 1.0, id="1.9 nothing ran"),
    ],
)
def test_1_9_the_wilson_interval(passed: int, total: int, low: float, high: float) -> None:
    assert wilson_interval(passed, total) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 500), st.data())
def test_1_9_the_interval_holds_the_rate_and_is_symmetric(total: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, total))
    low, high = wilson_interval(passed, total)
    assert 0.0 <= low <= passed / total <= high <= 1.0
    assert wilson_interval(total - passed, total) == pytest.approx((1 - high, 1 - low))
