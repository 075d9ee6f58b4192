"""The comment on a pull request and the summary of a job: when there is something to say, and how much of it fits.

Both are made from a result's document, which whoever publishes it has not made: every text in it is redacted once more,
and is shown and does nothing. Too long a report gets shorter block by block, each of which is closed, so that no size
breaks its markup; what is left out is said in numbers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from dryfire_action.reports import comment_words
from dryfire_action.reports.markdown import Block, blocks, command_block, fix_block, foot, joined, tally
from dryfire_action.reports.markdown_view import Size, View, folded
from dryfire_action.reports.redaction import redacted
from dryfire_action.reports.wording import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from dryfire_action.comment_marker import Marker
    from dryfire_action.reports.links import Links

Speak = Literal["auto", "always", "never"]

# GitHub takes 65,536 characters, which it counts as JavaScript does, and keeps 262,144 bytes.
MOST_UNITS = 60_000
MOST_BYTES = 240_000
# Of a summary, 1,048,576 bytes; what is larger is dropped as a whole.
MOST_SUMMARY_BYTES = 1_000_000

_FEW = Size(suites=20, names=10, rows=40, turns=100, characters=400)
_CHANGED = replace(_FEW, only_changed=True)
LADDER = (
    Size(characters=1_000),
    _FEW,
    _CHANGED,
    replace(_CHANGED, causes=20, suites=10, rows=10, turns=20, lines=6, characters=160),
)
_WHOLE = Size(turns=5_000, lines=60, characters=4_000)
_MOST_COMMAND = 4_000
_MOST_OPEN = 5


def comment(
    document: Mapping[str, Any],
    marker: Marker,
    *,
    previous: Marker | None,
    links: Links,
    speak: Speak = "auto",
) -> str | None:
    """The body of the comment about ``document``, which begins with ``marker``; None where there is no need of one.

    ``previous`` is the marker of the comment that stands there, None without one. With ``speak`` ``auto`` it speaks of
    what is stale, missing, damaged, failing, not checked or gone, of recordings that differ from the base's, and where
    it has spoken before.
    """
    if speak == "never" or (speak == "auto" and previous is None and not has_something_to_say(document)):
        return None
    document = redacted(document)
    first = marker.text()
    for size in LADDER:
        body = f"{first}\n{_body(document, View(links, size), previous)}\n"
        if _fits(body):
            return body
    return f"{first}\n{_shortest(document, View(links, LADDER[-1]), previous)}\n"


def job_summary(document: Mapping[str, Any], links: Links, *, budget_bytes: int = MOST_SUMMARY_BYTES) -> str:
    """The report for the page of the workflow run, of at most ``budget_bytes`` in UTF-8.

    What the step wrote into its summary before is to be taken from the budget. "" where nothing fits.
    """
    document = redacted(document)
    view = View(replace(links, run_url=""))
    makers: list[Callable[[], str]] = [
        lambda size=size: _body(document, replace(view, size=size), None, whole=True)  # type: ignore[misc]
        for size in (_WHOLE, *LADDER)
    ]
    makers += [lambda: _shortest(document, view, None), lambda: _headline(document, view, None)]
    for make in makers:
        body = make() + "\n"
        if len(body.encode()) <= min(budget_bytes, MOST_SUMMARY_BYTES):
            return body
    return ""


def has_something_to_say(document: Mapping[str, Any]) -> bool:
    """Whether a pull request that nothing was said about yet needs a comment."""
    return (
        document["state"] != "clear"
        or bool(document["problems"])
        or bool(document["behaviour"])
        or bool(document["no_longer_replayed"])
    )


def _fits(body: str) -> bool:
    return len(body.encode("utf-16-le")) // 2 <= MOST_UNITS and len(body.encode()) <= MOST_BYTES


def _body(document: Mapping[str, Any], view: View, previous: Marker | None, *, whole: bool = False) -> str:
    if not has_something_to_say(document) and not whole:
        return _all_clear(document, view, previous)
    # A headline that says how recordings changed needs no title that says it again.
    said = {"headline", "behaviour title"} if document["state"] == "clear" else {"headline"}
    found = [
        Block("headline", _headline(document, view, previous)),
        Block("list", comment_words.meaning(document, tally(document))),
        *(block for block in blocks(document, view) if block.kind not in said),
    ]
    return joined(_rest_folded(found))


def _rest_folded(found: Iterable[Block]) -> Iterator[Block]:
    """``found`` with all causes but the first ones in a block that is opened by a click."""
    rest = []
    for block in found:
        if block.number > _MOST_OPEN:
            rest.append(block)
            continue
        if rest:
            number = len({one.number for one in rest})
            yield Block("list", folded(count(number, "more change"), joined(rest)))
            rest = []
        yield block


def _headline(document: Mapping[str, Any], view: View, previous: Marker | None) -> str:
    words = comment_words.headline(document, tally(document), _was(document, view, previous))
    return f"### {comment_words.mark(document)} {words}"


def _all_clear(document: Mapping[str, Any], view: View, previous: Marker | None) -> str:
    """One line: what is there to be read by now."""
    at = f" at {view.links.commit()}" if view.links else ""
    words = comment_words.headline(document, tally(document), f"{at}{_was(document, view, previous)}")
    report = f" · {view.links.report()}" if view.links and view.links.run_url else ""
    line = f"{comment_words.mark(document)} {words}{report}"
    return joined([Block("headline", line), *fix_block(document)])


def _was(document: Mapping[str, Any], view: View, previous: Marker | None) -> str:
    """What the comment said before, where all is well now."""
    if previous is None or document["state"] != "clear":
        return ""
    words = comment_words.before(previous)
    head = view.links.commit(previous.head) if view.links else ""
    return f" (was: {words} at {head})" if words else ""


def _shortest(document: Mapping[str, Any], view: View, previous: Marker | None) -> str:
    """What always fits: the result, what to do about it, and where the rest is."""
    found = [
        Block("headline", _headline(document, view, previous)),
        Block("list", comment_words.meaning(document, tally(document))),
        Block("list", comment_words.left_out(document)),
        *_short_command(document),
        *fix_block(document),
        Block("foot", foot({**document, "not_compared": None}, view)),
    ]
    return joined(block for block in found if block.text)


def _short_command(document: Mapping[str, Any]) -> Iterator[Block]:
    """The command, and where it is too long one that names no suites: `auto` leaves alone what is not stale."""
    found = list(command_block(document))
    if sum(len(block.text) for block in found) <= _MOST_COMMAND:
        yield from found
        return
    if " --cassette-mode auto" in document["rerecord"]["command"]:
        shorter = {**document["rerecord"], "command": "dryfire run --cassette-mode auto"}
        yield from command_block({**document, "rerecord": shorter, "suites": []}, numbers=tally(document))
