"""Taking over recordings of the public runner dryfire: they answer in the place of the provider, and nobody is asked.

What they answer goes through the recorder like any answer, so it is redacted and fingerprinted by our rules.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dryfire_action.errors import ImportMismatch
from dryfire_action.foreign_key import differences, key_of, reduced
from dryfire_action.providers import sealed_parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from dryfire_action.foreign_recordings import ForeignRecordings
    from dryfire_action.messages import Message, Request, Response
    from dryfire_action.suite import Case, Config

_MOST_NAMED = 5


class ImportingProvider:
    """Answers one run of ``case`` from ``recordings``. ``begin`` is called before each answer.

    The keys of those recordings are made of the answers as they came, with their own ids and secrets; the requests
    that come in hold what our recorder made of them. So each answer is remembered and put back before a key is made.
    """

    def __init__(
        self,
        recordings: ForeignRecordings,
        case: Case,
        config: Config,
        *,
        run: int = 0,
        begin: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = case.provider
        self.recorded_on = ""
        self._recordings = recordings
        self._case = case
        self._config = config
        self._run = run
        self._begin = begin
        self._given: list[Response] = []

    async def complete(self, request: Request) -> Response:
        """The recorded answer. Raises ``ImportMismatch``, which says what is recorded instead."""
        case = self._case
        asked = reduced(replace(request, messages=self._as_they_came(request.messages)))
        found = self._recordings.with_key(key_of(asked, self._run), case.suite, case.name)
        if found is None:
            raise self._mismatch(asked)
        self._begin()
        self.recorded_on = found.recorded
        self._given.append(found.response)
        parts = sealed_parts(self.name, found.response, self._config.providers)
        return replace(found.response, reasoning=parts)

    def _as_they_came(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        found = list(messages)
        ids: dict[str, str] = {}
        given = iter(self._given)
        for index in range(len(self._case.messages), len(messages)):
            message = messages[index]
            if message.role == "assistant":
                answer = next(given)
                ids = {
                    ours.id: theirs.id
                    for ours, theirs in zip(message.tool_calls, answer.tool_calls, strict=True)
                }
                found[index] = replace(message, content=answer.text, tool_calls=answer.tool_calls)
            else:
                results = (
                    replace(each, call_id=ids.get(each.call_id, each.call_id))
                    for each in message.tool_results
                )
                found[index] = replace(message, tool_results=tuple(results))
        return tuple(found)

    def _mismatch(self, asked: dict[str, object]) -> ImportMismatch:
        turn = len(self._given)
        where = f"run {self._run}, turn {turn}" if self._run else f"turn {turn}"
        there = self._recordings.at(self._case.suite, self._case.name, turn, self._run)
        if there is None:
            why = "nothing is recorded for it"
        else:
            fields = differences(there.request, asked)
            shown = ", ".join(fields[:_MOST_NAMED])
            more = f" and {len(fields) - _MOST_NAMED} more" if len(fields) > _MOST_NAMED else ""
            why = f"{there.path} answers another request; it differs in {shown or 'nothing that is shown'}{more}"
        return ImportMismatch(
            f"{self._case.id}, {where}: {why}",
            remedy="what matched is kept; --cassette-mode auto, without --from, asks the provider for the rest",
        )
