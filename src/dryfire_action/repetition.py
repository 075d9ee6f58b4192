"""Repeated runs of one case: when enough of them passed, and how sure that is."""

from __future__ import annotations

from math import sqrt

# The two-sided 95 % quantile of the normal distribution.
_Z = 1.959963984540054


def case_passes(passed_runs: int, repeat: int, require_pass_rate: float) -> bool:
    """Whether the share of runs that passed reaches the required one, between 0 and 1."""
    return passed_runs / repeat >= require_pass_rate


def wilson_interval(passed: int, total: int) -> tuple[float, float]:
    """The 95 % Wilson score interval of a pass rate, lower and upper end between 0 and 1.

    Without runs nothing is known: ``(0.0, 1.0)``. The formula is E. B. Wilson's of 1927, without continuity
    correction.
    """
    if not total:
        return 0.0, 1.0
    rate = passed / total
    spread = 1 + _Z**2 / total
    centre = (rate + _Z**2 / (2 * total)) / spread
    half = _Z / spread * sqrt(rate * (1 - rate) / total + _Z**2 / (4 * total**2))
    # Rounding must not leave the true ends 0 and 1, nor put the rate itself outside.
    return (0.0 if passed == 0 else centre - half), (1.0 if passed == total else centre + half)
