"""Histories that differ in what was edited, renamed or moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.fingerprint import digest
from dryfire_action.old_text import NOT_FOUND
from tests.git_repository import Repository
from tests.pasts import FILE, NEW, OLD, SUITE, Past, begun, record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def an_edit_that_is_not_committed(tmp: Path) -> Past:
    repository = begun(tmp)
    repository.replace(FILE, OLD, NEW)
    return Past(tmp, OLD, at=f"{FILE}:2:1")


def an_edit_that_is_staged(tmp: Path) -> Past:
    repository = begun(tmp)
    repository.replace(FILE, OLD, NEW)
    repository.git("add", "-A")
    return Past(tmp, OLD)


def a_renamed_suite_file(tmp: Path) -> Past:
    repository = begun(tmp)
    repository.git("mv", FILE, "evals/money.eval.yaml")
    repository.commit()
    repository.replace("evals/money.eval.yaml", OLD, NEW)
    repository.commit()
    return Past(tmp, OLD, file="evals/money.eval.yaml")


def a_suite_file_that_is_renamed_and_edited_at_once(tmp: Path) -> Past:
    repository = begun(tmp)
    repository.git("mv", FILE, "evals/money.eval.yaml")
    repository.replace("evals/money.eval.yaml", OLD, NEW)
    repository.commit()
    return Past(tmp, OLD, file="evals/money.eval.yaml", at=f"{FILE}:2:1")


def a_suite_file_that_is_renamed_and_not_committed(tmp: Path) -> Past:
    repository = begun(tmp)
    (tmp / FILE).rename(tmp / "evals/money.eval.yaml")
    repository.replace("evals/money.eval.yaml", OLD, NEW)
    return Past(tmp, OLD, file="evals/money.eval.yaml", at=f"{FILE}:2:1")


def a_suite_with_an_unusual_name_that_was_moved(tmp: Path) -> Past:
    repository = Repository(tmp)
    repository.write("evals/refunds.yaml", SUITE)
    repository.commit()
    (tmp / "tests").mkdir()
    repository.git("mv", "evals/refunds.yaml", "tests/refunds.yaml")
    repository.replace("tests/refunds.yaml", OLD, NEW)
    return Past(tmp, OLD, file="tests/refunds.yaml")


def a_moved_folder_of_suites(tmp: Path) -> Past:
    repository = begun(
        tmp, SUITE.replace(OLD, "{$ref: prompts/support.md}"), {"evals/prompts/support.md": OLD}
    )
    repository.git("mv", "evals", "quality")
    repository.commit()
    repository.write("quality/prompts/support.md", NEW)
    return Past(tmp, OLD, file="quality/refunds.eval.yaml", at="evals/prompts/support.md:1:1")


def a_case_that_moved_to_another_file(tmp: Path) -> Past:
    repository = begun(tmp)
    repository.write("evals/later.eval.yaml", SUITE.replace("late\n", "later\n").replace(OLD, NEW))
    (tmp / FILE).unlink()
    return Past(tmp, OLD, file="evals/later.eval.yaml")


def a_changed_tool_file(tmp: Path) -> Past:
    tool = "name: find\ndescription: Find it.\ninput_schema: {type: object}\n"
    suite = SUITE.replace("tools:\n", "tools:\n  - $ref: tools/find.yaml\n")
    repository = begun(tmp, suite, {"evals/tools/find.yaml": tool})
    repository.replace("evals/tools/find.yaml", "Find it.", "Find it, then stop.")
    repository.commit()
    return Past(tmp, "Find it.", wanted="Find it.", at="evals/tools/find.yaml:2:1")


def a_changed_prompt_file(tmp: Path) -> Past:
    prompt = f"You are helpful.\n{OLD}\n"
    suite = SUITE.replace(OLD, "{$ref: ../prompts/support.md}")
    repository = begun(tmp, suite, {"prompts/support.md": prompt})
    repository.write("prompts/support.md", prompt.replace(OLD, NEW))
    repository.commit()
    repository.write("prompts/support.md", "Something else.\n")
    return Past(tmp, prompt, wanted=prompt, at="prompts/support.md:1:1")


def a_renamed_prompt_file(tmp: Path) -> Past:
    prompt = f"You are helpful.\n{OLD}\n"
    suite = SUITE.replace(OLD, "{$ref: ../prompts/support.md}")
    repository = begun(tmp, suite, {"prompts/support.md": prompt})
    repository.git("mv", "prompts/support.md", "prompts/refunds.md")
    repository.replace(FILE, "support.md", "refunds.md")
    repository.replace("prompts/refunds.md", OLD, NEW)
    repository.commit()
    record(repository, date="2")
    repository.commit()
    return Past(tmp, prompt, wanted=prompt, at="prompts/support.md:1:1")


def a_prompt_that_stood_in_another_file_and_was_edited_there_first(tmp: Path) -> Past:
    """What a suite refers to today does not say which file it referred to when the text was there."""
    repository = begun(tmp, SUITE.replace(OLD, "{$ref: a.md}"), {"evals/a.md": "Refund never."})
    for text in (OLD, "Refund at will."):
        repository.write("evals/a.md", text)
        repository.commit()
    repository.replace(FILE, "a.md", "b.md")
    repository.write("evals/b.md", NEW)
    record(repository, date="2")
    repository.commit()
    return Past(tmp, OLD, at="evals/a.md:1:1")


def a_prompt_that_stood_in_another_file_until_the_suite_changed(tmp: Path) -> Past:
    """Only the commit before the change shows the other file as it was last."""
    repository = begun(tmp, SUITE.replace(OLD, "{$ref: a.md}"), {"evals/a.md": "Refund never."})
    repository.write("evals/a.md", OLD)
    repository.commit()
    repository.replace(FILE, "a.md", "b.md")
    repository.write("evals/b.md", NEW)
    repository.commit()
    for number in range(3):
        record(repository, date=str(number))
        repository.commit()
    return Past(tmp, OLD, at="evals/a.md:1:1")


def a_changed_default_of_the_config(tmp: Path) -> Past:
    config = "version: 1\ndefaults:\n  model: claude-old\n"
    repository = begun(tmp, files={"dryfire.yaml": config})
    repository.replace("dryfire.yaml", "claude-old", "claude-new")
    repository.commit()
    repository.write("README.md", "x")
    repository.commit()
    return Past(tmp, "claude-old", wanted="claude-old", at="dryfire.yaml:3:3")


def a_config_that_was_taken_away(tmp: Path) -> Past:
    repository = begun(tmp, files={"evals/dryfire.yaml": "version: 1\ndefaults: {model: claude-old}\n"})
    (tmp / "evals/dryfire.yaml").unlink()
    record(repository, date="2")
    repository.commit()
    return Past(tmp, "claude-old", wanted="claude-old")


def a_suite_that_cannot_be_read_in_between(tmp: Path) -> Past:
    repository = begun(tmp)
    repository.write(FILE, "name: [")
    record(repository, date="2")
    repository.commit()
    repository.write(FILE, SUITE.replace(OLD, NEW))
    repository.commit()
    return Past(tmp, OLD)


def a_config_that_could_not_be_read_in_between(tmp: Path) -> Past:
    repository = begun(tmp)
    repository.write("dryfire.yaml", "no: version")
    record(repository, date="2")
    repository.commit()
    (tmp / "dryfire.yaml").unlink()
    repository.replace(FILE, OLD, NEW)
    repository.commit()
    return Past(tmp, OLD)


def a_changed_mock(tmp: Path) -> Past:
    repository = begun(tmp)
    repository.replace(FILE, "status: sent", "status: lost")
    repository.commit()
    return Past(tmp, {"status": "sent"}, wanted={"status": "sent"}, at=f"{FILE}:9:7")


def a_changed_step_of_a_sequence(tmp: Path) -> Past:
    """The model gets a list as JSON text, and that is what its digest is of."""
    repository = begun(tmp)
    repository.replace(FILE, "[1, 2.0]", "[1, 2]")
    return Past(tmp, "[1, 2.0]", wanted="[1, 2.0]", at=f"{FILE}:11:7")


def a_changed_error_of_a_mock(tmp: Path) -> Past:
    repository = begun(tmp)
    repository.replace(FILE, "error: busy", "error: gone")
    return Past(tmp, "busy", wanted="busy")


def a_changed_input(tmp: Path) -> Past:
    repository = begun(tmp)
    repository.replace(FILE, "May I return it?", "Can I return it?")
    repository.commit()
    return Past(tmp, "May I return it?", wanted="May I return it?", at=f"{FILE}:16:5")


def a_removed_tool(tmp: Path) -> Past:
    tool = {"description": "Look an order up.", "input_schema": {"type": "object"}}
    digests = {f"tools[lookup].{name}": digest(value) for name, value in tool.items()}
    repository = begun(tmp)
    repository.write(FILE, "name: refunds\ncases: [{name: late, input: hi, expect: []}]\n")
    return Past(tmp, tool, wanted=digests, at=f"{FILE}:4:5")


def a_suite_with_another_name(tmp: Path) -> Past:
    repository = begun(tmp)
    repository.replace(FILE, "name: refunds", "name: money")
    repository.replace(FILE, OLD, NEW)
    repository.commit()
    return Past(tmp, OLD)


def a_case_with_another_name(tmp: Path) -> Past:
    repository = begun(tmp)
    repository.replace(FILE, "name: late", "name: too_late")
    repository.replace(FILE, "May I", "Can I")
    repository.commit()
    return Past(tmp, "May I return it?", wanted="May I return it?")


def a_new_suite_in_place_of_another(tmp: Path) -> Past:
    repository = Repository(tmp)
    repository.write("evals/other.eval.yaml", "name: other\ncases: [{name: a, input: b, expect: []}]\n")
    repository.commit()
    (tmp / "evals/other.eval.yaml").unlink()
    repository.write(FILE, SUITE.replace(OLD, NEW))
    return Past(tmp, NOT_FOUND)


def a_path_with_spaces_and_letters_of_all_kinds(tmp: Path) -> Past:
    file = 'evals/größe "x" 退款 [1].eval.yaml'
    repository = Repository(tmp)
    repository.write(file, SUITE)
    repository.commit()
    repository.replace(file, OLD, NEW)
    repository.commit()
    return Past(tmp, OLD, file=file)


def a_file_that_was_replaced_by_a_link(tmp: Path) -> Past:
    repository = begun(tmp)
    (tmp / FILE).unlink()
    (tmp / FILE).symlink_to("elsewhere.yaml")
    record(repository, date="2")
    repository.commit()
    (tmp / FILE).unlink()
    repository.write(FILE, SUITE.replace(OLD, NEW))
    repository.commit()
    return Past(tmp, OLD)


def text_read_with_windows_line_ends(tmp: Path) -> Past:
    prompt = f"You are helpful.\n{OLD}\n"
    suite = SUITE.replace(OLD, "{$ref: p.md}")
    repository = begun(tmp, suite, {"evals/p.md": prompt.replace("\n", "\r\n")})
    repository.write("evals/p.md", NEW)
    return Past(tmp, prompt, wanted=prompt)


EDITS: tuple[Callable[[Path], Past], ...] = (
    an_edit_that_is_not_committed,
    an_edit_that_is_staged,
    a_renamed_suite_file,
    a_suite_file_that_is_renamed_and_edited_at_once,
    a_suite_file_that_is_renamed_and_not_committed,
    a_suite_with_an_unusual_name_that_was_moved,
    a_moved_folder_of_suites,
    a_case_that_moved_to_another_file,
    a_changed_tool_file,
    a_changed_prompt_file,
    a_renamed_prompt_file,
    a_prompt_that_stood_in_another_file_and_was_edited_there_first,
    a_prompt_that_stood_in_another_file_until_the_suite_changed,
    a_changed_default_of_the_config,
    a_config_that_was_taken_away,
    a_suite_that_cannot_be_read_in_between,
    a_config_that_could_not_be_read_in_between,
    a_changed_mock,
    a_changed_step_of_a_sequence,
    a_changed_error_of_a_mock,
    a_changed_input,
    a_removed_tool,
    a_suite_with_another_name,
    a_case_with_another_name,
    a_new_suite_in_place_of_another,
    a_path_with_spaces_and_letters_of_all_kinds,
    a_file_that_was_replaced_by_a_link,
    text_read_with_windows_line_ends,
)
