"""The quick walk through a tree, which only asks whether there is anything to find.

Most of a recording was in another one: the prompt, the tools, what was said before. What is known to be clean is left
out, and so is what shows no sign of a secret or of a layer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dryfire_action.named_texts import NamedText, Way, telling_texts
from dryfire_action.recordings import known_texts, layers
from dryfire_action.recordings.limits import MAX_LAYERS
from dryfire_action.recordings.plain_texts import is_plain
from dryfire_action.secret_names import KINDS_OF_FIELDS
from dryfire_action.secret_signs import shows_nothing

if TYPE_CHECKING:
    from dryfire_action.recordings.context import Context
    from dryfire_action.recordings.known_texts import KnownTexts
    from dryfire_action.recordings.scan import Scan
    from dryfire_action.secret_keys import KeyKind
    from dryfire_action.secret_rule_set import Plan


def search_tree(scan: Scan, tree: Any, context: Context, name: str | None) -> None:
    """Search the texts of a tree that may hold something. The scan ends the walk at the first find."""
    known = known_texts.of(scan.rules)
    before = scan.doubts()
    lists: list[tuple[list[Any], str]] = []

    def known_items(node: list[Any], way: Way, own: str | None, kind: KeyKind | None) -> int:
        count = 0
        # A YAML tree, which stands in no other text, has texts that look alike and are not.
        if own is not None and kind is None and context.depth and type(node[0]) is dict:
            count = known.clean_items(node, own, context.depth)
            if count == len(node):
                return count
            if type(node) is list:
                lists.append((node, own))
        scan.list_of(node, way, context, {})
        return count

    for named in telling_texts(tree, name, is_plain, known_items):
        if _is_clean(named, context.depth + 1, known, scan.rules.plan):
            continue
        leaf = scan.context_of(tree, named, context)
        if named.is_key:
            scan.flat(named.text, leaf, None, None)
        else:
            scan.text(named.text, leaf, named.name, named.kind)
    if before == scan.doubts():
        for node, own in lists:
            known.add_clean_list(node, own, context.depth)


def _is_clean(named: NamedText, depth: int, known: KnownTexts, plan: Plan) -> bool:
    """Whether a text is known to hold nothing, or shows no sign of anything; its name may be a sign."""
    text, name, kind = named.text, named.name, named.kind
    if known.is_clean(text, name, kind, depth):
        return True
    if (kind is not None and kind not in KINDS_OF_FIELDS) or depth > MAX_LAYERS:
        return False
    if not shows_nothing(text, plan):
        return False
    if named.is_key:
        return True
    if not layers.shows_none(text, name):
        return False
    known.add_clean(text, name, kind, depth)
    return True
