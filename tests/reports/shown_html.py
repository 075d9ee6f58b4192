"""What GitHub makes of a comment: its elements, its links, and the words that stand outside of code."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from docs.github_markdown import ELEMENTS, html, rendered

# Elements that need no end.
_EMPTY = {"br", "hr", "img", "input", "source"}
# What a comment of ours is made of.
OURS = {
    *("h3", "p", "strong", "code", "pre", "details", "summary", "a", "sub", "ul", "li", "br"),
    *("table", "thead", "tbody", "tr", "th", "td", "div", "span"),
}
# What GitHub would make a link, a ping or a picture of.
MADE = re.compile(
    r"@[\w-]|#\d|\bGH-\d|[\w.-]+/[\w.-]+[#@]|https?:|www\.|\b[0-9a-f]{7,64}\b|:[a-z0-9_+-]+:|\w@\w",
    re.IGNORECASE,
)


@dataclass
class Shown:
    """The elements in their order, the addresses of links, and the text outside of code and links."""

    elements: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    unbalanced: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.shown = Shown()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.shown.elements.append(tag)
        if tag not in _EMPTY:
            self.open.append(tag)
        self.shown.links += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_endtag(self, tag: str) -> None:
        if tag in _EMPTY:
            return
        if not self.open or self.open.pop() != tag:
            self.shown.unbalanced.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not {"code", "pre", "a"} & set(self.open):
            self.shown.prose.append(data)

    def handle_comment(self, data: str) -> None:
        self.shown.comments.append(data)


def read(markup: str) -> Shown:
    """What stands in a piece of HTML."""
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    reader.shown.unbalanced += reader.open
    return reader.shown


def complaints(markdown: str, server: str, *, marked: bool = True) -> list[str]:
    """What is wrong with a comment as GitHub shows it, or with its markup before GitHub puts that in order."""
    raw, shown = read(rendered(markdown)), read(html(markdown))
    found = [f"unbalanced: {one}" for one in raw.unbalanced]
    found += [f"element: {one}" for one in sorted({*raw.elements, *shown.elements} - OURS)]
    found += [f"link: {one}" for one in shown.links if not one.startswith(f"{server}/acme/shop/")]
    found += [f"made of prose: {one!r}" for one in shown.prose if MADE.search(one)]
    found += [f"no marker: {one}" for one in raw.comments[1 if marked else 0 :]]
    found += [] if set(shown.elements) <= ELEMENTS else ["an element that GitHub drops"]
    if shown.elements.count("h3") > 1:
        found.append("a second headline")
    return found
