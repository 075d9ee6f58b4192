"""`dryfire diff`: what new recordings changed, against the commit that is meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dryfire_action.messages import Response, ToolCall
from tests import kept_project as kept
from tests.git_repository import Repository
from tests.made_cases import Told, live

if TYPE_CHECKING:
    from collections.abc import Callable

    from dryfire_action.messages import Request
    from tests.commands.project import Done

    Dryfire = Callable[..., Done]


@pytest.fixture
def made(dryfire: Dryfire) -> Repository:
    """The project in the current folder, recorded and committed to main."""
    repository = Repository(Path.cwd())
    kept.make(repository.root)
    kept.ask(repository.root, "record")
    repository.commit("recorded")
    return repository


def otherwise(request: Request) -> Response:
    """Looks up something else, and says it in other words."""
    if request.messages[-1].role == "tool":
        return Response("It is done.")
    return Response(tool_calls=(ToolCall("t", "lookup", {"q": "other"}),), stop_reason="tool_use")


def record_otherwise(made: Repository) -> None:
    with live(Told(by=otherwise)):
        kept.run(made.root, "record")


def test_where_nothing_changed_all_cases_are_counted(dryfire: Dryfire, made: Repository) -> None:
    head = made.git("rev-parse", "HEAD")
    done = dryfire("diff")
    assert done == (
        0,
        f"compared with {head[:12]}, the commit that is checked out\n\n3 cases: 3 unchanged\n",
        "",
    )


def test_by_default_a_branch_is_compared_with_where_it_left_main(dryfire: Dryfire, made: Repository) -> None:
    base = made.git("rev-parse", "HEAD")
    made.git("switch", "-q", "-c", "topic")
    record_otherwise(made)
    made.commit("other answers")
    assert dryfire("diff", "HEAD").out == "compared with HEAD\n\n3 cases: 3 unchanged\n"
    done = dryfire("diff", "evals/desk.eval.yaml")
    assert done.code == 0
    assert done.out == (
        f"compared with {base[:12]}, where this branch left the default branch\n\n"
        "other arguments   desk::hours  37 → 0 tokens\n"
        "    turn 0  arguments of lookup\n"
        '      - {"q": "it"}\n'
        '      + {"q": "other"}\n'
        "    turn 1  text\n"
        "      - About 'When are you open?': done.\n"
        "      + It is done.\n"
        "\n"
        "1 case: 1 other arguments\n"
    )


def test_new_gone_unrecorded_and_damaged_cases_are_told_apart(dryfire: Dryfire, made: Repository) -> None:
    (made.root / "evals/desk.eval.yaml").unlink()
    made.write(
        "evals/new.eval.yaml", kept.DESK.replace("name: desk", "name: new").replace("When", "Since when")
    )
    kept.ask(made.root)
    text = kept.SHOP + "  - {name: not yet, input: Hello, expect: []}\n"
    (made.root / "evals/shop.eval.yaml").write_text(text)
    next((made.root / kept.CASSETTES / "shop").glob("where*")).write_text("{")
    done = dryfire("diff")
    assert 'new               new::hours  37 tokens\n    calls ["lookup"]\n' in done.out
    assert "no longer replayed  desk::hours  " in done.out
    assert done.out.endswith("5 cases: 1 new, 1 no longer replayed, 1 unchanged, 1 not recorded, 1 damaged\n")


@pytest.mark.parametrize(("show", "shown"), [("names", False), ("prompts", False), ("all", True)])
def test_texts_and_arguments_are_in_the_document_only_where_that_is_asked_for(
    dryfire: Dryfire, made: Repository, show: str, shown: bool
) -> None:
    record_otherwise(made)
    done = dryfire("diff", "--json", "--show", show)
    found = json.loads(done.out)
    assert found["base"] == made.git("rev-parse", "HEAD")
    assert [change["kind"] for change in found["changes"]] == ["arguments"] * 3
    assert ("other" in json.dumps(found["changes"][0]["differences"])) is shown
    assert ("It is done." in done.out) is shown
    assert found["changes"][0]["calls_after"] == ["lookup"]


def test_a_file_that_is_new_may_be_named(dryfire: Dryfire, made: Repository) -> None:
    made.write("evals/new.eval.yaml", kept.DESK.replace("name: desk", "name: new"))
    assert dryfire("diff", "evals/new.eval.yaml").out.endswith("1 case: 1 not recorded\n")


def test_a_word_that_is_neither_a_commit_nor_a_file_is_an_error(dryfire: Dryfire, made: Repository) -> None:
    done = dryfire("diff", "nowhere")
    assert done.code == 2
    assert done.err == (
        "dryfire: nowhere is neither a commit nor a suite file\n  Name a commit: dryfire diff HEAD\n"
    )
    assert "no file matches nowhere" in dryfire("diff", "HEAD", "nowhere").err


def test_without_a_repository_or_a_commit_there_is_nothing_to_compare_with(dryfire: Dryfire) -> None:
    here = Path.cwd()
    kept.make(here)
    done = dryfire("diff")
    assert done.code == 2
    assert "nothing to compare with: no git repository" in done.err
    Repository(here)
    done = dryfire("diff")
    assert done.code == 2
    assert "nothing to compare with: the git repository has no commits yet" in done.err


def test_a_base_whose_suites_cannot_be_read_is_an_error(dryfire: Dryfire, made: Repository) -> None:
    made.write("evals/desk.eval.yaml", "name: [")
    made.commit("broken")
    made.write("evals/desk.eval.yaml", kept.DESK)
    done = dryfire("diff")
    assert done.code == 2
    assert "cannot be read: evals/desk.eval.yaml:" in done.err
