"""The hooks in a config that somebody wrote: put where they belong, and nothing else touched."""

from __future__ import annotations

import difflib
import tomllib
from textwrap import dedent

import pytest
import yaml

from dryfire_action.errors import UsageError
from dryfire_action.hook_config import ADDRESS, HOOKS, REVISION, new_config, toml_entry, with_hooks

CLASSIC = """\
# See https://pre-commit.com for more information
repos:
-   repo: https://github.com/pre-commit/pre-commit-hooks
    rev: v3.2.0
    hooks:
    -   id: trailing-whitespace
    -   id: end-of-file-fixer
"""
CAREFUL = """\
---
default_language_version: {python: python3}   # the old machine

repos:
  # formatting
  - repo: 'https://github.com/psf/black'   # pinned
    rev: "24.1.0"
    hooks:
      - id: black
        args: [--line-length,
               '100']  # wide
      # - id: black-jupyter

  - repo: local
    hooks:
      - {id: types, name: types, entry: mypy, language: system}
    # more to come

# what CI leaves out
ci:
  skip: [types]
"""
OURS = """\
repos:
  - repo: git@github.com:acme/dryfire-action.git
    rev: v0.9.0   # held back
    hooks:
      - id: cassette-redact
        args: [--fix]
      # the others later
  - repo: https://example.com/other
    rev: v1
    hooks: [{id: other}]
"""

TABLE = {
    "as pre-commit writes it": (
        CLASSIC,
        [
            f"-   repo: {ADDRESS}",
            f"    rev: {REVISION}",
            "    hooks:",
            *(f"    -   id: {hook}" for hook in HOOKS),
        ],
    ),
    "with comments and keys behind": (
        CAREFUL,
        [
            f"  - repo: {ADDRESS}",
            f"    rev: {REVISION}",
            "    hooks:",
            *(f"      - id: {hook}" for hook in HOOKS),
        ],
    ),
    "with an entry of ours": (OURS, [f"      - id: {hook}" for hook in HOOKS[1:]]),
    "without a line end": (
        "repos:\n- repo: meta\n  hooks:\n  - id: identity",
        [
            f"- repo: {ADDRESS}",
            f"  rev: {REVISION}",
            "  hooks:",
            *(f"  - id: {hook}" for hook in HOOKS),
        ],
    ),
    "with nothing in its list": (
        "repos:   # none yet\nfail_fast: true\n",
        new_config(HOOKS).splitlines()[1:],
    ),
    "empty": ("# ours\n", new_config(HOOKS).splitlines()),
}


def added(before: str, after: str) -> list[str]:
    """The lines that are new. Fails where one is gone."""
    lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    assert not [line for line in lines if line.startswith("- ")]
    return [line[2:] for line in lines if line.startswith("+ ")]


@pytest.mark.parametrize("name", TABLE)
def test_only_these_lines_are_added(name: str) -> None:
    before, wanted = TABLE[name]
    made = with_hooks(before, HOOKS)
    assert added(before, made.text) == wanted
    assert made.text.startswith(before.rstrip("\n")[:20])
    listed = [hook["id"] for repo in yaml.safe_load(made.text)["repos"] for hook in repo["hooks"]]
    assert set(HOOKS) <= set(listed)


@pytest.mark.parametrize("name", TABLE)
def test_a_second_time_changes_nothing(name: str) -> None:
    once = with_hooks(TABLE[name][0], HOOKS).text
    assert with_hooks(once, HOOKS)[:2] == (once, ())


def test_a_comment_stays_with_the_entry_that_it_is_about() -> None:
    after = with_hooks(CAREFUL, HOOKS).text
    assert after.index("# more to come") < after.index(ADDRESS) < after.index("# what CI leaves out")
    after = with_hooks(OURS, HOOKS).text
    assert after.index("# the others later") < after.index("id: cassette-stale") < after.index("other}")


def test_an_empty_list_in_brackets_becomes_one_of_lines() -> None:
    made = with_hooks("repos: []  # none\nci: {}\n", HOOKS)
    assert made.text == "repos:  # none\n" + new_config(HOOKS).partition("\n")[2] + "ci: {}\n"


def test_line_ends_stay_as_they_are() -> None:
    made = with_hooks(CLASSIC.replace("\n", "\r\n"), HOOKS)
    assert made.text.replace("\r\n", "\n") == with_hooks(CLASSIC, HOOKS).text
    assert "\n" not in made.text.replace("\r\n", "")


def test_the_revision_that_is_there_is_told_and_kept() -> None:
    made = with_hooks(OURS, HOOKS)
    assert made.revision == "v0.9.0"
    assert "rev: v0.9.0   # held back" in made.text


def test_local_hooks_of_these_names_count() -> None:
    local = "repos:\n  - repo: local\n    hooks:\n" + "".join(f"      - id: {hook}\n" for hook in HOOKS)
    assert with_hooks(local, HOOKS).hooks == ()


@pytest.mark.parametrize(
    "text",
    [
        "repos: [{repo: meta, hooks: [{id: identity}]}]\n",
        "{repos: []}\n",
        "- repo: meta\n",
        "fail_fast: true\n",
        "repos: ~\n",
        "repos: none\n",
        "repos: &r []\n",
        "repos: {a: b}\n",
        "a: b\n---\nrepos: []\n",
        "repos:\n  - repo: a\nrepos:\n  - repo: b\n",
        "repos:\n\t- repo: a\n",
        "repos:\n  - repo: x/dryfire-action\n    rev: v1\n    hooks: [{id: cassette-redact}]\n",
        "repos:\n  - repo: x/dryfire-action\n    rev: v1\n",
        "a: &x\n  - repo: meta\nrepos: *x\n",
        "repos: !odd\n  - repo: meta\n",
        "just text\n",
        "[" * 3000,
    ],
)
def test_what_is_not_understood_is_refused_with_the_lines_to_paste(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        with_hooks(text, HOOKS)
    said = str(caught.value)
    assert ".pre-commit-config.yaml: " in said
    pasted = said.partition("by hand:\n\n")[2]
    assert yaml.safe_load(dedent(pasted)) == [
        {"repo": ADDRESS, "rev": REVISION, "hooks": [{"id": hook} for hook in HOOKS]}
    ]


@pytest.mark.parametrize(
    "tail",
    [
        "  # a comment at the end",
        "\n\n# far below\n",
        "ci:\n  x: |\n    - repo: no\n",
        "exclude: |\n  (?x)^(\n    a\n  )$\n",
    ],
)
@pytest.mark.parametrize("item", ["- id: a\n        exclude: |\n          x\n          y\n", "- id: a\n"])
def test_block_texts_and_comments_around_the_place(tail: str, item: str) -> None:
    before = f"repos:\n  - repo: x\n    rev: v1\n    hooks:\n      {item}{tail}"
    after = with_hooks(before, HOOKS).text
    assert added(before, after) == TABLE["with comments and keys behind"][1]
    assert yaml.safe_load(after)["repos"][0] == yaml.safe_load(before)["repos"][0]


def test_a_new_config_and_an_entry_for_prek() -> None:
    wanted = {"repo": ADDRESS, "rev": REVISION, "hooks": [{"id": hook} for hook in HOOKS]}
    assert yaml.safe_load(new_config(HOOKS)) == {"repos": [wanted]}
    assert tomllib.loads(toml_entry(HOOKS)) == {"repos": [wanted]}
