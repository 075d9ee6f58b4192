"""Rekeying: new digests for old answers, where the rules changed and not the requests. No provider is ever made.

A recording is replayed under the rules it was made with: those of its fingerprint version, and the ignore rules in its
header. Where all of it replays fresh, each request is fingerprinted again under the rules in force, and the answers are
kept as they are. A recording that is stale stays stale.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from dryfire_action.ambient import ReplayClock, run_through
from dryfire_action.case_run import Script, Surroundings, run_agent
from dryfire_action.cassette import Cassette
from dryfire_action.cassette_file import SIZE_LIMIT
from dryfire_action.cassette_folder import recordings_of
from dryfire_action.cassette_store import check_names, read_cassette, write_cassette
from dryfire_action.errors import CassetteDamaged, DryfireError
from dryfire_action.fingerprint import FINGERPRINT_VERSION, Fingerprinter
from dryfire_action.ignore_rules import ignoring
from dryfire_action.patterns import PatternError, compile_pattern
from dryfire_action.playback import ReplayingProvider, RunTape
from dryfire_action.request_texts import pointed_to, pointer_to
from dryfire_action.retry import RetryPolicy
from dryfire_action.tree import FolderTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dryfire_action.cassette import Exchange
    from dryfire_action.ignore_rules import IgnoreRule, Masker
    from dryfire_action.messages import Request, Response
    from dryfire_action.suite import Case, Config, Suite

# How requests were fingerprinted, by fingerprint version. When the rules change, the class of the old ones stays here.
FINGERPRINTERS: dict[str, Callable[[Masker | None], Fingerprinter]] = {
    str(FINGERPRINT_VERSION): Fingerprinter,
}

RekeyOutcome = Literal["in force", "rekeyed", "stale", "not possible"]


@dataclass(frozen=True, slots=True)
class Rekeyed:
    """What became of a recording.

    ``in force``: it was made under the rules in force. ``rekeyed``: ``cassette`` is what should be written.
    ``stale``: it is stale under its own rules, ``why`` names the fields. ``not possible``: ``why`` says what stands in
    the way. ``dropped`` counts exchanges that nothing asks for any more: they have no request to be digested.
    """

    outcome: RekeyOutcome
    cassette: Cassette | None = None
    why: str = ""
    dropped: int = 0


def under_other_rules(cassette: Cassette, config: Config) -> bool:
    """Whether ``cassette`` was made under other rules than those in force."""
    return (
        cassette.header.ignore != config.ignore or _versions(cassette) - {str(FINGERPRINT_VERSION)} != set()
    )


def rekeyed(case: Case, config: Config, cassette: Cassette) -> Rekeyed:
    """``cassette``, the recording of ``case``, under the rules in force."""
    if not under_other_rules(cassette, config):
        return Rekeyed("in force")
    versions = _versions(cassette)
    unknown = sorted(versions - FINGERPRINTERS.keys())
    if unknown or len(versions) > 1:
        what = f"version {unknown[0]}" if unknown else "several versions"
        return Rekeyed("not possible", why=f"its requests are fingerprinted by {what} of the rules")
    if case.passthrough_rule is not None:
        return Rekeyed("not possible", why="the case runs real code now, so it is not replayed")
    try:
        return run_through(_rekeyed(case, config, cassette, FINGERPRINTERS[versions.pop()]))
    except DryfireError as error:
        return Rekeyed("not possible", why=error.message)
    except PatternError as error:
        return Rekeyed("not possible", why=f"an ignore rule in its header is no pattern: {error}")


def rekey(suite: Suite, case: Case, root: Path, *, write: bool = True) -> Iterator[tuple[str, Rekeyed]]:
    """Rekey all recordings of ``case`` below ``root``: the path of each, and what became of it.

    Without ``write`` no file is changed. A recording that cannot be read is ``not possible``.
    """
    tree = FolderTree(root, limit=SIZE_LIMIT)
    for path in recordings_of(tree, suite.config.cassettes, case.suite, case.name):
        try:
            cassette = read_cassette(tree, path)
            if cassette is None:
                continue
            check_names(cassette, path, case.suite, case.name)
        except CassetteDamaged as error:
            yield (
                path,
                Rekeyed(
                    "not possible", why=f"{error.what} (line {error.line})" if error.line else error.what
                ),
            )
            continue
        asked = replace(case, model=cassette.header.model) if "@" in path.rpartition("/")[2] else case
        found = rekeyed(asked, suite.config, cassette)
        if write and found.cassette is not None:
            write_cassette(root, path, found.cassette)
        yield path, found


async def _rekeyed(
    case: Case, config: Config, cassette: Cassette, fingerprinter: Callable[[Masker | None], Fingerprinter]
) -> Rekeyed:
    here = Path()
    around = Surroundings(tree=FolderTree(here), root=here, cwd=here, today="", retry=RetryPolicy())
    retries = max((exchange.attempt for exchange in cassette.exchanges), default=0)
    old, new = _mask(cassette.header.ignore), _mask(config.ignore)
    script = Script(case)
    found: list[Exchange] = []
    changed: dict[str, None] = {}
    for index in range(case.repeat):
        replaying = ReplayingProvider(cassette, run=index, diagnose=True, mask=old)
        replaying.tape = RunTape(index, old, fingerprinter(old))
        provider = _Rekeying(replaying, new)
        run, _ = await run_agent(case, around, script.before(provider), ReplayClock(), retries)
        if not replaying.tape.played:
            return Rekeyed("not possible", why=run.error)
        for miss in replaying.tape.misses:
            changed |= dict.fromkeys(f"{each.path} {each.change}" for each in miss.changes)
            if not miss.changes:
                changed[miss.sentence] = None
        if provider.lost:
            why = f"the answer of {provider.lost} takes a secret from text that is ignored now"
            return Rekeyed("not possible", why=why)
        found += provider.exchanges
    if changed:
        return Rekeyed("stale", why=", ".join(changed))
    header = replace(cassette.header, ignore=config.ignore)
    dropped = len(cassette.exchanges) - len(found)
    return Rekeyed("rekeyed", Cassette(header, tuple(found)), dropped=dropped)


class _Rekeying:
    """Hands requests on to a replay, and notes what answered them under the fingerprints of the rules in force.

    ``lost`` is the turn whose answer cannot be given back any more, because it takes a text from the request that
    ``mask`` touches: equal keys would no longer mean equal texts.
    """

    def __init__(self, replaying: ReplayingProvider, mask: Masker | None) -> None:
        self.name = replaying.name
        self.exchanges: list[Exchange] = []
        self.lost = ""
        self._replaying = replaying
        self._mask = mask
        self._fingerprinter = Fingerprinter(mask)

    async def complete(self, request: Request) -> Response:
        """The recorded answer; raises the recorded failure, or ``CassetteMissError``."""
        current = self._fingerprinter.fingerprint(request)
        tape = self._replaying.tape
        before = len(tape.played)
        try:
            return await self._replaying.complete(request)
        finally:
            for played in tape.played[before:]:
                if played.exchange is not None and played.miss is None:
                    pointers = self._pointers(played.exchange, request)
                    self.exchanges.append(
                        replace(played.exchange, fingerprint=current, from_request=pointers)
                    )

    def _pointers(self, exchange: Exchange, request: Request) -> Mapping[str, str]:
        found = {}
        for marker, pointer in exchange.from_request.items():
            text = pointed_to(pointer, request)
            moved = pointer_to(text, request, self._mask) if text else None
            if moved is None:
                self.lost = self.lost or f"turn {exchange.turn}"
                moved = pointer
            found[marker] = moved
        return found


def _mask(ignore: tuple[IgnoreRule, ...]) -> Masker | None:
    return ignoring((rule, compile_pattern(rule.pattern)) for rule in ignore)


def _versions(cassette: Cassette) -> set[str]:
    return {str(exchange.fingerprint.head.get("fingerprint_version")) for exchange in cassette.exchanges}
