"""Links of a report lead to our server, whatever a path says."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dryfire_action.reports.links import Links
from tests.reports.made_comments import HEAD, LINKS, SERVER

BLOB = f"{SERVER}/acme/shop/blob/{HEAD}/"


@pytest.mark.parametrize(
    ("file", "line", "rest"),
    [
        ("evals/a.eval.yaml", 4, "evals/a.eval.yaml#L4"),
        ("evals/a.eval.yaml", None, "evals/a.eval.yaml"),
        ("prompts/support.md", 4, "prompts/support.md?plain=1#L4"),
        ("p/R.MD", 1, "p/R.MD?plain=1#L1"),
        ("a b/ü.yaml", 1, "a%20b/%C3%BC.yaml#L1"),
        ("01-x#2.json", 1, "01-x%232.json#L1"),
        ("a?b&c=d", 1, "a%3Fb%26c%3Dd#L1"),
        ("a)](https:x", 1, "a%29%5D%28https%3Ax#L1"),
        ("a%2e%2e", 1, "a%252e%252e#L1"),
        ("a\nb", 1, "a%0Ab#L1"),
    ],
)
def test_a_path_stands_encoded_behind_the_commit(file: str, line: int | None, rest: str) -> None:
    assert LINKS.blob(file, line) == BLOB + rest


@pytest.mark.parametrize(
    "file", ["", "/etc/passwd", "../x", "a/../b", "a//b", ".", "a/./b", "a/", "x\ud800", "x" * 2000]
)
def test_what_is_no_path_in_a_repository_is_no_link(file: str) -> None:
    assert LINKS.blob(file, 1) == ""
    assert LINKS.place(file, 1).startswith("`")


@given(st.text(max_size=60))
def test_no_path_leads_elsewhere(file: str) -> None:
    url = LINKS.blob(file, 3)
    if url:
        parts = urlsplit(url)
        assert (parts.scheme, parts.netloc) == ("https", "github.com")
        assert unquote(parts.path) == f"/acme/shop/blob/{HEAD}/{file}"
        assert not set(url) & set(" ()[]<>\"'`\\\n")


def test_a_place_is_code_in_a_link() -> None:
    assert LINKS.place("a.yaml", 3) == f"[`a.yaml:3`]({BLOB}a.yaml#L3)"
    assert LINKS.commit() == f"[`9b1d77c`]({SERVER}/acme/shop/commit/{HEAD})"
    assert LINKS.commit("@everyone") == "`@everyone`"
    assert LINKS.report() == f"[full report]({LINKS.run_url})"
    assert Links(SERVER, "acme/shop", HEAD).report() == ""


@pytest.mark.parametrize(
    "server",
    ["https://github.example.com", "https://ghe.example.com:8443", "http://127.0.0.1:8080", "https://a.b/x"],
)
def test_any_server_of_the_runner_is_one(server: str) -> None:
    links = Links(server, "acme/shop", HEAD, f"{server}/acme/shop/actions/runs/1/attempts/2")
    assert links.blob("a", 1) == f"{server}/acme/shop/blob/{HEAD}/a#L1"


@pytest.mark.parametrize(
    "wrong",
    [
        (f"{SERVER}/", "acme/shop", HEAD, ""),
        ("javascript:x", "acme/shop", HEAD, ""),
        (f"{SERVER}?x", "acme/shop", HEAD, ""),
        (SERVER, "acme", HEAD, ""),
        (SERVER, "acme/..", HEAD, ""),
        (SERVER, "acme/shop/x", HEAD, ""),
        (SERVER, "acme/shop", "main", ""),
        (SERVER, "acme/shop", HEAD, "https://evil.example/acme/shop/actions/runs/1"),
        (SERVER, "acme/shop", HEAD, f"{SERVER}/acme/shop/actions/runs/1)x"),
        (SERVER, "acme/shop", HEAD, f"{SERVER}/acme/shop"),
    ],
)
def test_what_cannot_be_a_server_a_repository_a_commit_or_a_run_is_refused(wrong: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="no links"):
        Links(*wrong)
