"""Markdown as GitHub shows it: rendered, cut down to what GitHub's sanitizer lets through, and as a page of its own.

The renderer reads GitHub's dialect, and the list of elements is that of GitHub's public html-pipeline. What GitHub
does after that (mentions, references to issues, links of commit ids) is not done: `tests/reports` looks for whatever
could become one.
"""

from __future__ import annotations

import re
from html import escape

import comrak
import nh3

ELEMENTS = frozenset(
    "h1 h2 h3 h4 h5 h6 br b i strong em a pre code img tt div ins del sup sub p picture ol ul table thead tbody tfoot"  # noqa: SIM905
    " blockquote dl dt dd kbd q samp var hr ruby rt rp li tr td th s strike summary details caption figure figcaption"
    " abbr mark small source span input".split()
)
_ANYWHERE = frozenset(
    "align alt checked class colspan rowspan disabled height width open start title type lang dir".split()  # noqa: SIM905
)
_ATTRIBUTES = {element: set(_ANYWHERE) for element in ELEMENTS}
_ATTRIBUTES["a"] |= {"href"}
_ATTRIBUTES["img"] |= {"src"}
_DIFF = re.compile(r'<pre lang="diff"><code>(.*?)</code></pre>', re.DOTALL)
_CLASSES = {"+": "pl-mi1", "-": "pl-md", "@": "pl-mdr"}

_EXTENSIONS = comrak.ExtensionOptions()
for _name in (
    "strikethrough",
    "tagfilter",
    "table",
    "autolink",
    "tasklist",
    "footnotes",
    "alerts",
    "shortcodes",
):
    setattr(_EXTENSIONS, _name, True)
_RENDERED = comrak.RenderOptions()
_RENDERED.github_pre_lang = True
_RENDERED.unsafe_ = True


def rendered(markdown: str) -> str:
    """``markdown`` as HTML, before GitHub's sanitizer has put it in order."""
    return comrak.render_markdown(markdown, extension_options=_EXTENSIONS, render_options=_RENDERED)


def html(markdown: str) -> str:
    """``markdown`` as the HTML that GitHub would show."""
    return nh3.clean(
        _DIFF.sub(_coloured, rendered(markdown)),
        tags=set(ELEMENTS),
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow",
    )


def page(body: str, style: str, *, dark: bool, width: int) -> str:
    """A page of a ``width`` that shows a comment with ``body``; ``style`` is GitHub's style sheet of that colour."""
    back, line = ("#0d1117", "#3d444d") if dark else ("#ffffff", "#d1d9e0")
    box = f"box-sizing:border-box;width:{width - 24}px;margin:12px;padding:16px;border:1px solid {line}"
    return (
        f"<!doctype html><meta charset=utf-8><style>{style}\nbody{{margin:0;background:{back}}}"
        f".markdown-body{{{box}}}</style><article class=markdown-body>{html(body)}</article>"
    )


def _coloured(block: re.Match[str]) -> str:
    rows = "\n".join(
        f'<span class="{escape(_CLASSES[row[:1]])}">{row}</span>' if row[:1] in _CLASSES else row
        for row in block[1].splitlines()
    )
    return f'<div class="highlight"><pre>{rows}</pre></div>'
