"""Explaining one cause: what is said about the difference, and when nothing can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dryfire_action.causes import INCONSISTENT, Cause, Sighting
from dryfire_action.change_notes import DATE, LINE_ENDS, OTHER_ORDER, SAME_NUMBER, UNICODE_FORM
from dryfire_action.errors import Place
from dryfire_action.explanation import OTHER_VERSION, explained, with_explanations
from dryfire_action.fingerprint import digest
from dryfire_action.results import Results
from dryfire_action.suite_file import load_suites
from dryfire_action.tree import FolderTree
from tests.git_repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

    from dryfire_action.suite import Case

SUITE = """\
name: s
provider: fake
model: m
system: {{$ref: p.md}}
params: {params}
tools:
  - name: t
    description: Does it.
    input_schema: {schema}
cases:
  - {{name: c, input: Hello, script: [{{text: Hi.}}], expect: []}}
"""


def write(
    root: Path, prompt: str = "You are kind.\n", params: str = "{}", schema: str = "{type: object}"
) -> Case:
    """The project with these texts; its one case."""
    (root / "p.md").write_bytes(prompt.encode())
    (root / "s.eval.yaml").write_text(SUITE.format(params=params, schema=schema), encoding="utf-8")
    (suite,) = load_suites(FolderTree(root), ["s.eval.yaml"])
    return suite.cases[0]


def cause_of(path: str, old: object, new: object, case: Case, *where: Place, note: str = "") -> Cause:
    """A cause as it comes out of a replay: digests, and where it was first seen."""
    return Cause(
        path,
        "added" if old is None else "removed" if new is None else "changed",
        None if old is None else digest(old, path),
        None if new is None else digest(new, path),
        (case.id,),
        1,
        where,
        note,
        first=Sighting(case, ".dryfire/cassettes/s/c.json", path),
    )


def explain(repository: Repository, cause: Cause) -> tuple[Cause, str]:
    found = explained([cause], repository.root, FolderTree(repository.root))
    (one,) = found.causes
    return one, found.history


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "r")


@pytest.mark.parametrize(
    ("before", "after", "note"),
    [
        ("Call first.\n", "Ask first.\n", ""),
        ("Today is 2026-11-28.\n", "Today is 2026-11-29.\n", DATE),
        ("Caf\u00e9\n", "Cafe\u0301\n", UNICODE_FORM),
    ],
)
def test_a_note_says_what_kind_of_difference_it_is(
    before: str, after: str, note: str, repository: Repository
) -> None:
    old = write(repository.root, before).system
    repository.commit()
    case = write(repository.root, after)
    cause, history = explain(repository, cause_of("system", old, case.system, case))
    assert (cause.note, history, cause.old_found) == (note, "", True)
    assert [line.sign for line in cause.diff] == ["-", "+"]
    assert cause.revision == repository.git("rev-parse", "HEAD")


def test_a_note_is_added_to_the_one_that_is_there(repository: Repository) -> None:
    old = write(repository.root, "On 2026-11-28.").system
    repository.commit()
    case = write(repository.root, "On 2026-11-29.")
    cause, _ = explain(repository, cause_of("system", old, case.system, case, note="seen before"))
    assert cause.note == f"seen before; {DATE}"


SCHEMAS = [
    ("{required: [a, b]}", "{required: [b, a]}", OTHER_ORDER, "required reordered"),
    ("{maximum: 780}", "{maximum: 780.0}", SAME_NUMBER, "maximum changed"),
    ("{a: 1, b: 1}", "{a: 2, c: 1}", "", "a changed, b removed, c added"),
    (
        "{a: 1, b: 1, c: 1, d: 1}",
        "{a: 2, b: 2, c: 2, d: 2}",
        "",
        "a changed, b changed, c changed and 1 more",
    ),
]


@pytest.mark.parametrize(("before", "after", "note", "inner"), SCHEMAS)
def test_inside_a_json_value_the_place_is_named(
    before: str, after: str, note: str, inner: str, repository: Repository
) -> None:
    old = write(repository.root, schema=before).tools[0].input_schema
    repository.commit()
    case = write(repository.root, schema=after)
    path = "tools[t].input_schema"
    cause, _ = explain(repository, cause_of(path, old, case.tools[0].input_schema, case))
    assert (cause.note, cause.inner) == (note, inner)


def test_what_was_added_needs_no_history(tmp_path: Path) -> None:
    case = write(tmp_path, params="{seed: 7}")
    cause = cause_of("params.seed", None, 7, case)
    found = explained([cause], tmp_path, FolderTree(tmp_path))
    assert [(line.sign, line.text) for line in found.causes[0].diff] == [("+", "7")]
    assert found.history == ""


def test_what_was_removed_shows_its_old_text(repository: Repository) -> None:
    write(repository.root, params="{seed: 7}")
    repository.commit()
    cause, history = explain(repository, cause_of("params.seed", 7, None, write(repository.root)))
    assert [(line.sign, line.text) for line in cause.diff] == [("-", "7")]
    assert (history, cause.note) == ("", "")


@pytest.mark.parametrize(
    ("before", "after", "file", "line"),
    [
        ("a\nb\nc\n", "a\nB\nc\n", "p.md", 2),
        ("a\nb\nc\n", "a\nb\nc\nd\n", "p.md", 4),
        ("a\nb\nc\n", "a\nb\n", "p.md", 2),
        ("a\n", "b\n", "p.md", 1),
        ("a\nb\nc\n", "a\nB\nc\n", "s.eval.yaml", 1),
    ],
)
def test_a_text_in_a_file_of_its_own_is_placed_at_its_first_changed_line(
    before: str, after: str, file: str, line: int, repository: Repository
) -> None:
    old = write(repository.root, before).system
    repository.commit()
    case = write(repository.root, after)
    cause, _ = explain(repository, cause_of("system", old, case.system, case, Place(file)))
    assert cause.where == (Place(file, line),)


def test_a_text_that_no_commit_holds_stands_by_its_digests(repository: Repository) -> None:
    case = write(repository.root)
    repository.commit()
    cause, history = explain(repository, cause_of("system", "never written", case.system, case))
    assert (cause.diff, cause.old_found) == ((), False)
    assert history == "no commit in reach holds a text with this digest"


def test_an_answer_that_stands_in_no_suite_is_not_searched_for(repository: Repository) -> None:
    case = write(repository.root)
    repository.commit()
    lost = cause_of("messages[1].content", "what the model said", "otherwise", case, note=INCONSISTENT)
    assert explain(repository, lost) == (lost, "")


def test_the_new_text_of_real_code_is_not_known(repository: Repository) -> None:
    old = write(repository.root).system
    repository.commit()
    cause, history = explain(repository, cause_of("system", old, "from code", write(repository.root)))
    assert (cause.diff, cause.old_found, history) == ((), True, "")


def test_other_rules_for_fingerprints_are_no_edit(repository: Repository) -> None:
    case = write(repository.root)
    repository.commit()
    cause = Cause("fingerprint_version", "changed", "0", "1", (case.id,), 1)
    found, history = explain(repository, cause)
    assert (found.note, found.diff, history) == (OTHER_VERSION, (), "")


def test_without_causes_nothing_is_looked_at(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    results = Results(())
    assert with_explanations(results, nowhere, FolderTree(nowhere)) is results
    assert explained([], nowhere, FolderTree(nowhere)).causes == ()


def test_line_ends_inside_a_text_are_told(repository: Repository) -> None:
    quoted = '"a\\nb"'
    old = write(repository.root, params=f"{{stop: {quoted}}}").params["stop"]
    repository.commit()
    case = write(repository.root, params='{stop: "a\\r\\nb"}')
    cause, _ = explain(repository, cause_of("params.stop", old, case.params["stop"], case))
    assert cause.note == LINE_ENDS
