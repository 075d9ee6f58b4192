"""Nothing that git tracks names the machine it was made on or the index its packages came from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.house.repository import ROOT, tracked

if TYPE_CHECKING:
    from collections.abc import Iterator

# This file must not contain what it looks for: the patterns are put together from pieces.
# `/home/runner` is where GitHub's own machines work; a page about them may say so.
_START = r"(?<![\w.:/~}\-])"
MACHINE_PATHS = re.compile(
    "|".join(
        [
            _START + "/" + r"work/(?=\w)",
            _START + "/" + r"root/(?=[\w.])",
            _START + "/" + r"home/(?!runner\b)\w",
            _START + "/" + r"Users/\w",
            r"\b[A-Z]:\\+" + r"Users\\",
            r"file:" + r"//+(?:opt|usr|var|srv|mnt)\b",
        ]
    )
)
REGISTRY_HOSTS = re.compile(
    "|".join(
        r"(?:\b|\.)" + re.escape(".".join(labels)) + r"\b"
        for labels in [
            ("pypi", "org"),
            ("pythonhosted", "org"),
            ("registry", "npmjs", "org"),
            ("registry", "yarnpkg", "com"),
            ("deb", "debian", "org"),
            ("archive", "ubuntu", "com"),
            ("proxy", "golang", "org"),
            ("crates", "io"),
        ]
    )
    # a mirror: whatever stands after an option that names an index
    + r"|--(?:extra-)?"
    + r"(?:index-url|find-links)[ =]\S|(?:^|[ \t])"
    + r"resolved[\"']?:\s*[\"']?https?:",
    re.IGNORECASE | re.MULTILINE,
)


def findings(text: str) -> Iterator[str]:
    """What a text gives away, as "line: the place"."""
    for pattern in (MACHINE_PATHS, REGISTRY_HOSTS):
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{line}: {text[match.start() : match.start() + 40].splitlines()[0]!r}"


def test_no_tracked_file_names_a_machine_or_a_registry() -> None:
    files = tracked()
    assert ROOT / "pyproject.toml" in files, "git does not list the repository: the test proves nothing"
    found = [
        f"{path.relative_to(ROOT)}:{finding}"
        for path in files
        for finding in findings(path.read_bytes().decode("utf-8", "replace"))
    ]
    assert not found, "\n" + "\n".join(found)


def test_no_tracked_name_is_one_that_should_be_ignored() -> None:
    """What tools leave behind stays out, however it was added."""
    leftovers = re.compile(
        r"(?:^|/)(?:\.venv|__pycache__|\.hypothesis|dist|\.\w+_cache)/|\.(?:partial|lock\.tmp|pyc)$"
    )
    assert not [path for path in tracked() if leftovers.search(path.relative_to(ROOT).as_posix())]


GIVEN_AWAY = [
    "open('/" + "work/main/x')",
    "cd /" + "root/project",
    "x = '/" + "home/ada/x'",
    "/" + "Users/ada",
    "C:" + "\\Users\\ada",
    "file:" + "///opt/simple",
    "https://pypi" + ".org/simple",
    "https://files.python" + "hosted.org/packages",
    "http://registry." + "npmjs.org/left-pad",
    "--index" + "-url https://mirror.example/simple",
    "--extra-" + "index-url=https://mirror.example/simple",
    "first line\n" + "  resolved: " + "'https://mirror.example/x.tgz'",
]


@pytest.mark.parametrize("text", GIVEN_AWAY)
def test_a_planted_name_is_found(text: str) -> None:
    assert list(findings(text))


@pytest.mark.parametrize(
    "text",
    [
        "src/work/main.py",
        "https://example.com/work/main",
        "/home/" + "runner/work/repo",
        "~/wo" + "rk/repo",
        "pypi package",
        "--no-emit-index-url --no-emit-find-links",
        "the conflict was resolved: see https://example.com",
        "node_root/x",
    ],
)
def test_an_innocent_text_is_not_complained_about(text: str) -> None:
    assert not list(findings(text))
