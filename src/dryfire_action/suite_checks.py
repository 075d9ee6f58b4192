"""The assertions of a suite file, read into the argument maps that ``checks.CHECKS`` is given.

``Check.arguments`` is always a map with *all* the keys of its row (``match`` in ``tool_result`` is the one exception):

| kind | written | arguments |
| --- | --- | --- |
| ``calls_tool`` | ``name`` or ``{tool, count}`` | ``{tool: str, count: int or None}``; None: at least once |
| ``not_calls_tool`` | ``name`` | ``{tool: str}`` |
| ``min_tool_calls`` | ``{tool, count}`` | ``{tool: str, count: int}`` |
| ``tool_args`` | ``{tool, match, index? / call? / any?}`` | ``{tool: str, match: dict, SELECTION}`` |
| ``tool_result`` | ``{tool, match?, contains?, is_error?, index? / call? / any?}`` | ``{tool: str, contains: list[str], is_error: bool or None, SELECTION}``, and ``match`` (any JSON value, null included) only where it is written; at least one of the three is |
| ``no_tool_calls`` | ``true`` (or nothing, or ``{}``) | ``{}`` |
| ``parallel_calls`` | ``true``, ``false``, a number, or ``[name, ...]`` | ``{tools: list[str], at_least: int, never: bool}``; ``true``: at_least 2; a number n: at_least n; names: one turn calls all of them (a name twice: twice), at_least = their number; ``false``: never True, at_least 2 |
| ``call_order`` | ``[name, ...]`` | ``{tools: list[str]}`` |
| ``max_turns`` | int | ``{limit: int}`` |
| ``final_contains`` | text or list of texts | ``{texts: list[str]}`` |
| ``final_not_contains`` | text or list of texts | ``{texts: list[str]}`` |
| ``final_matches`` | regex | ``{pattern: str}``; it compiles with ``patterns.compile_pattern`` |
| ``final_json`` | ``{required?, fields?, schema?}`` | ``{required: list[str], fields: dict[str, str], schema: dict or None}``; types are ``str int float number bool object array any`` |
| ``terminates`` | reason | ``{reason: str}``: ``end_turn``, ``max_turns_exceeded``, ``max_tokens`` or ``refusal`` |
| ``cost_under`` | number | ``{limit: float}`` in USD |
| ``latency_under_ms`` | int | ``{limit: int}`` |

SELECTION is ``index: int or None, call: int or None, any: bool``, of which exactly one is set: ``index`` is the n-th call
*of that tool*, from 0, a negative one counts from the end (``index: 0`` where nothing is written); ``call`` is the n-th
call *of the run*, all tools counted, from 0, and it must be a call of ``tool``; ``any``: it is enough that one call of
that tool fits. A schema's ``$ref`` values all begin with ``#``: there is nothing to fetch.
"""
