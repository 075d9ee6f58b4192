"""The quick walk through a tree, which only asks whether there is anything to find.

Most of a recording was in another one: the prompt, the tools, what was said before. What is known to be clean is left
out, and so is what shows no sign of a secret or of a layer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dryfire_action.json_leaves import may_be_json
from dryfire_action.named_texts import NamedText, Way, telling_texts
from dryfire_action.recordings import known_texts, layers
from dryfire_action.recordings.limits import MAX_LAYERS
from dryfire_action.recordings.plain_texts import is_plain
from dryfire_action.secret_names import KINDS_OF_FIELDS
from dryfire_action.secret_signs import shows_nothing

if TYPE_CHECKING:
    from collections.abc import Callable

    from dryfire_action.recordings.context import Context
    from dryfire_action.recordings.known_texts import KnownTexts
    from dryfire_action.recordings.scan import Scan
    from dryfire_action.secret_keys import KeyKind
    from dryfire_action.secret_rule_set import Plan

# Texts of so many characters are looked at together, so many at once: what there is to do is mostly to begin with one.
_SHORT = 200
_AT_ONCE = 200
_NUMBERS = (int, float, bool)


def search_tree(scan: Scan, tree: Any, context: Context, name: str | None, *, keeps_lists: bool) -> None:
    """Search the texts of a tree that may hold something, and with `keeps_lists` remember its lists. The scan ends the
    walk at the first find."""
    known, plan = known_texts.of(scan.rules), scan.rules.plan
    before = scan.doubts()
    lists: list[tuple[list[Any], str]] = []
    has_fractions = False

    def known_items(node: list[Any], way: Way, own: str | None, kind: KeyKind | None) -> int:
        nonlocal has_fractions
        count = 0
        if type(node[0]) in _NUMBERS and float in map(type, node):
            # Such a list equals one of whole numbers, which may be the bytes of a text.
            has_fractions = True
        # A YAML tree, which stands in no other text, has texts that look alike and are not.
        if own is not None and kind is None and context.depth and type(node[0]) is dict:
            count = known.clean_items(node, own, context.depth)
            if count == len(node):
                return count
            if keeps_lists and type(node) is list:
                lists.append((node, own))
        scan.list_of(node, way, context, {})
        return count

    def search(named: NamedText) -> None:
        leaf = scan.context_of(tree, named, context)
        if named.is_key:
            scan.flat(named.text, leaf, None, None)
        else:
            scan.text(named.text, leaf, named.name, named.kind)

    depth = context.depth + 1
    short: list[NamedText] = []
    for named in telling_texts(tree, name, is_plain, known_items):
        text, kind = named.text, named.kind
        if known.is_clean(text, named.name, kind, depth):
            continue
        if (kind is not None and kind not in KINDS_OF_FIELDS) or depth > MAX_LAYERS or may_be_json(text):
            search(named)
        elif len(text) > _SHORT:
            if not (scan.shows_nothing(text) and _has_no_layer(named, depth, known)):
                search(named)
        else:
            short.append(named)
            if len(short) == _AT_ONCE:
                _search_short(short, depth, known, plan, search)
                short = []
    if short:
        _search_short(short, depth, known, plan, search)
    if before == scan.doubts() and not has_fractions:
        for node, own in lists:
            known.add_clean_list(node, own, context.depth)


def _search_short(
    texts: list[NamedText], depth: int, known: KnownTexts, plan: Plan, search: Callable[[NamedText], None]
) -> None:
    """Search some short texts, if there is a sign of anything in them. Together they show every sign that one of them
    shows, unless it is JSON or one piece of base64."""
    together = "\n".join([named.text for named in texts])
    show_nothing, show_mark = shows_nothing(together, plan), layers.shows_mark(together)
    hold_words = layers.holds_word(together)
    for named in texts:
        text = named.text
        if not (show_nothing or shows_nothing(text, plan)):
            search(named)
        elif named.is_key:
            continue
        elif (
            (show_mark and layers.shows_mark(text))
            or (hold_words and layers.holds_word(text))
            or not layers.stands_for_itself(text, named.name)
        ):
            search(named)
        else:
            known.add_clean(text, named.name, named.kind, depth)


def _has_no_layer(named: NamedText, depth: int, known: KnownTexts) -> bool:
    """Whether a text without a sign shows none of a layer either. Then it is known."""
    if named.is_key:
        return True
    if not layers.shows_none(named.text, named.name):
        return False
    known.add_clean(named.text, named.name, named.kind, depth)
    return True
