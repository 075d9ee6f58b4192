"""What a run would ask of providers, as lines: case by case, and the sum at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.reports.lines import columns, line, padded
from dryfire_action.reports.wording import count
from dryfire_action.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dryfire_action.expected_calls import CaseForecast, Forecast
    from dryfire_action.reports.lines import Line

_MOST_NAME = 56


def render(
    forecast: Forecast, *, unset: Mapping[str, str], shown_path: Callable[[str], str] = str
) -> Iterator[Line]:
    """The whole report. ``unset`` names the key variable that is not set, by provider, where one is needed."""
    width = min(max((columns(visible(one.case.name)) for one in forecast.cases), default=0), _MOST_NAME)
    file = ""
    for one in forecast.cases:
        if one.case.file != file:
            file = one.case.file
            yield line((visible(one.case.suite), "strong"), (f"  {visible(shown_path(file))}", "dim"))
        yield line(f"{padded(visible(one.case.name), width)}  ", _facts(one), indent=2)
    yield line()
    calls = _calls(forecast.calls, at_least=forecast.at_least)
    tokens = f", about {forecast.usage.total:,} tokens" if forecast.usage.total else ""
    yield line((f"{count(len(forecast.cases), 'case')}: {calls}{tokens}", "strong"))
    if forecast.scripted:
        yield line(f"{forecast.scripted:,} of them only ask a script, and cost nothing")
    if forecast.at_least:
        yield line("what was never recorded counts as one call a run, and its tokens are not known")
    for provider, variable in unset.items():
        yield line(
            ("note: ", "warn"), f"{variable} is not set: cases that call {visible(provider)} would be skipped"
        )
    yield line(("nothing was asked, and nothing was written", "dim"))


def _facts(one: CaseForecast) -> str:
    if one.why:
        return f"no call ({visible(one.why)})"
    if not one.calls:
        return "no call"
    words = _calls(one.calls, at_least=one.at_least)
    if one.usage.total:
        words += f", about {one.usage.total:,} tokens"
    return f"{words}, scripted" if one.case.scripted else words


def _calls(number: int, *, at_least: bool) -> str:
    return f"{'at least ' * at_least}{count(number, 'call')}"
