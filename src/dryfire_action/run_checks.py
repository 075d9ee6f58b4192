"""Assertions on a run as a whole: its turns, its end, its cost, its time.

A function here is one row of ``checks.CHECKS``; the maps it is given are described in ``suite_checks``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.findings import CheckError, Finding, plural

if TYPE_CHECKING:
    from dryfire_action.findings import Subject
    from dryfire_action.messages import JsonObject

_TOKENS_PER_PRICE = 1_000_000


def max_turns(arguments: JsonObject, subject: Subject) -> Finding:
    """At most ``limit`` turns were answered."""
    limit, made = arguments["limit"], len(subject.run.turns)
    message = "" if made <= limit else f"the run took {plural(made, 'turn')}, more than {limit}"
    return Finding(str(limit), message, limit, subject.trajectory)


def terminates(arguments: JsonObject, subject: Subject) -> Finding:
    """The run ended for this ``reason``."""
    reason, ended = arguments["reason"], subject.run.termination
    message = "" if ended == reason else f"the run ended with {ended}, not with {reason}"
    return Finding(reason, message, reason, subject.trajectory)


def latency_under_ms(arguments: JsonObject, subject: Subject) -> Finding:
    """The model's time in all turns, in a replay the recorded one, is less than ``limit`` milliseconds."""
    limit = arguments["limit"]
    took = sum(turn.response.latency_ms for turn in subject.run.turns)
    message = "" if took < limit else f"the model took {took} ms, not less than {limit} ms"
    return Finding(f"{limit} ms", message, limit, took)


def cost_under(arguments: JsonObject, subject: Subject) -> Finding:
    """All answered turns together cost less than ``limit`` USD.

    Raises ``CheckError`` where the model has no price: a limit that nothing is measured against is no
    assertion.
    """
    limit, spent = arguments["limit"], cost(subject)
    message = "" if spent < limit else f"the run cost {spent:.6f} USD, not less than {limit:g} USD"
    return Finding(f"{limit:g} USD", message, limit, spent)


def cost(subject: Subject) -> float:
    """What the answered turns cost, in USD. Raises ``CheckError`` for a model without a price.

    Tokens read from the provider's cache are part of the input tokens and cost ``cache_read`` instead; tokens
    written to it come on top and cost ``cache_write``. Each costs as much as ``input`` where it has no price
    of its own.
    """
    key = f"{subject.provider}:{subject.model}"
    price = subject.prices.get(key)
    if price is None or "input" not in price or "output" not in price:
        raise CheckError(
            f"there is no price for the model {key}",
            remedy="Put one into dryfire.yaml, in USD per million tokens: "
            f'prices: {{"{key}": {{input: ..., output: ...}}}}',
        )
    rates = {"cache_read": price["input"], "cache_write": price["input"], **price}
    usage = subject.run.usage
    spent: float = (
        max(usage.input_tokens - usage.cache_read_tokens, 0) * rates["input"]
        + usage.output_tokens * rates["output"]
        + usage.cache_read_tokens * rates["cache_read"]
        + usage.cache_write_tokens * rates["cache_write"]
    )
    return spent / _TOKENS_PER_PRICE
