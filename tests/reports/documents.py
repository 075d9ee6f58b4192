"""Any document that fits the schema of the result file, whoever made it: what a publisher may have to render."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from dryfire_action.reports.result_json import schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hypothesis.strategies import SearchStrategy

# What does harm in a report: it pings, links, draws, ends what stands around it, hides, or is taken for our own mark.
HOSTILE = (
    *("@everyone", "@acme/team", "#1", "GH-1", "acme/shop#2", "9b1d77c49b1d77c4", "https://evil.example/x"),
    *("www.evil.example", "me@evil.example", "![x](https://evil.example/x.png)", "[x](https://evil.example)"),
    *(
        "</details>",
        "</summary>",
        "<details>",
        "<img src=x>",
        "<script>",
        "<!-- dryfire-action:v1 -->",
        "-->",
    ),
    *(
        "`",
        "```",
        "````",
        "~~~",
        "|",
        "\\|",
        "\\",
        "*",
        "**",
        "__",
        "~~",
        "# ",
        "> ",
        "- ",
        "1. ",
        "1) ",
        "---",
    ),
    *(
        "===",
        "[^1]",
        "[^1]: x",
        "- [x] ",
        "> [!WARNING]",
        ":tada:",
        "::error::",
        "##[error]",
        "&lt;",
        "&#64;me",
    ),
    *(
        "\n",
        "\r\n",
        "\n\n",
        "\t",
        "    ",
        " ",
        "  ",
        "\u202e",
        "\u200b",
        "\u2028",
        "\x1b[31m",
        "\x00",
        "é",
        "退款",
    ),
    *("\ud800", "::", "suite", "a b", "x" * 300, "../../etc/passwd", "evals/a.eval.yaml", "fetch-depth: 2"),
)
texts = st.lists(st.sampled_from(HOSTILE), max_size=5).map("".join)
commands = st.one_of(
    st.just(""),
    texts,
    st.just("dryfire run evals/a.eval.yaml --cassette-mode auto"),
    st.lists(texts, min_size=1, max_size=2).map(
        lambda parts: " && ".join(f"dryfire run {part} --cassette-mode auto" for part in parts)
    ),
)


def documents() -> SearchStrategy[dict[str, Any]]:
    """Documents that fit the schema, small ones with the worst of texts."""
    return _of(schema(), ())


def _of(part: Mapping[str, Any], path: tuple[str, ...]) -> SearchStrategy[Any]:
    if part is True:
        return st.recursive(
            st.one_of(st.none(), st.booleans(), st.integers(-9, 9), texts),
            lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(texts, inner, max_size=2)),
            max_leaves=4,
        )
    if "$ref" in part:
        return _of(schema()["$defs"][part["$ref"].rsplit("/", 1)[1]], path)
    if "const" in part:
        return st.just(part["const"])
    if "enum" in part:
        return st.sampled_from(part["enum"])
    if "anyOf" in part:
        return st.one_of([_of(one, path) for one in part["anyOf"]])
    return _of_type(part, path)


def _of_type(part: Mapping[str, Any], path: tuple[str, ...]) -> SearchStrategy[Any]:
    kind = part["type"]
    if kind == "object":
        fields = {name: _of(one, (*path, name)) for name, one in part["properties"].items()}
        return st.fixed_dictionaries(fields)
    if kind == "array":
        return st.lists(_of(part["items"], path), max_size=2)
    if kind == "string":
        if path == ("rerecord", "command"):
            return commands
        if "pattern" in part:
            return st.from_regex(part["pattern"], fullmatch=True)
        return texts.map(lambda text: text[: part.get("maxLength", 1000)])
    if kind == "integer":
        return st.integers(part.get("minimum", 0), part.get("maximum", 10_000))
    if kind == "number":
        return st.floats(part.get("minimum", 0), part.get("maximum", 1))
    return {"boolean": st.booleans(), "null": st.none()}[kind]
