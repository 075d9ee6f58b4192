"""Where the suite format is held: every decision in which ours differs from the public runner's has its tests.

The left side is the decision, the right side names tests that fail if it is given up. This test keeps the names honest:
each of them exists.
"""

from __future__ import annotations

import re

import pytest

from tests.house.repository import ROOT

DECISIONS = {
    "scalars are YAML 1.2's, dates stay strings, merge keys work": (
        "test_1_1_scalars_are_those_of_yaml_1_2",
        "test_a_merge_key_and_aliases_work_in_suites",
    ),
    "syntax errors, duplicate keys and second documents have places": (
        "test_0_what_is_wrong_is_a_positioned_problem",
    ),
    "two kinds in an assertion, empty steps and unknown keys are errors": (
        "test_0_an_entry_with_two_kinds_is_an_error_at_the_second",
        "test_1_6_what_is_no_rule_is_an_error",
        "test_1_2_what_is_wrong_with_a_suite",
    ),
    "return takes any JSON value": ("test_1_6_answers",),
    "on_unmocked: null means null": ("test_0_on_unmocked_null_means_null_with_and_without_quotes",),
    "timeout_s works on impl": ("test_1_6_answers",),
    "$ref stands where it may, also for prompt files": (
        "test_0_tools_and_schemas_may_stand_in_files",
        "test_0_a_messages_content_may_stand_in_files",
        "test_0_a_mocks_return_may_stand_in_files_at_any_depth",
        "test_0_md_and_txt_are_raw_text_whose_line_ends_are_lf",
        "test_0_json_schemas_own_references_are_left_alone",
        "test_0_siblings_of_a_reference_are_an_error",
        "test_0_a_reference_that_cannot_be_followed_is_a_positioned_error",
        "test_0_causes_point_into_the_file",
    ),
    "${NAME} only as declared in the config": (
        "test_0_names_are_filled_in_from_the_config",
        "test_0_the_environment_counts_only_where_it_is_given",
    ),
    "params is an open mapping at three levels": (
        "test_0_params_are_merged_key_by_key_and_keep_their_places",
        "test_0_temperature_twice_at_one_level_is_an_error",
        "test_0_a_null_param_takes_an_inherited_temperature_away",
    ),
    "cases that did not finish fail": (
        "test_0_a_run_that_did_not_finish_fails_unless_the_case_wants_that",
        "test_0_every_termination_is_decided",
    ),
    "nothing checked is exit 2": (
        "test_a_choice_of_nothing_is_no_green",
        "test_an_empty_run_is_green_only_where_that_is_said",
        "test_only_excluded_cases_are_no_green",
    ),
    "tool names in assertions are checked": (
        "test_0_an_undeclared_name_is_an_error_with_the_line_it_stands_on",
        "test_0_a_mock_for_an_undeclared_tool_is_a_warning",
    ),
    "overlapping globs run a suite once": ("test_0_overlapping_patterns_load_each_suite_once_and_sorted",),
    "the default mode is replay": ("test_the_flag_counts_before_the_config_and_replay_is_the_default",),
    "scripted cases are told, and recorded only where that is asked": (
        "test_a_scripted_case_touches_no_cassette_unless_it_is_asked_for",
        "test_a_scripted_case_is_recorded_where_the_config_asks_for_it_and_goes_stale_with_its_script",
    ),
    "the nearest config counts, several in one run": (
        "test_0_the_nearest_config_above_a_suite_counts",
        "test_0_several_packages_in_one_run_each_under_its_own_config",
    ),
    "--model records beside": ("test_a_model_of_the_command_line_is_recorded_beside",),
    "names are unique": (
        "test_0_two_cases_of_one_name_are_an_error_that_names_the_other",
        "test_0_two_suites_of_one_name_under_one_config_are_an_error",
    ),
    "recordings are looked up in the case's own cassette, in order": ("test_other_cases_do_not_answer",),
    "no key is asked for until a live call is needed": (
        "test_auto_with_everything_recorded_needs_no_provider_and_touches_no_file",
    ),
    "final_json has JSON's types and may hold a schema": (
        "test_0_final_json_has_jsons_own_types",
        "test_0_final_json_takes_a_json_schema",
    ),
    "cost_under with an unpriced model is an error with the place for a price": (
        "test_0_cost_under_an_unpriced_model_is_an_error_that_says_where_to_put_a_price",
    ),
    "there are more assertions, in an open table": (
        "test_0_the_table_is_open",
        "test_1_8_assertions_and_their_arguments",
    ),
    "llm_judge is not supported yet": ("test_1_8_what_is_wrong_is_an_error_on_its_line",),
    "report files are always written": ("test_every_report_is_written_whatever_happens",),
    "an interrupted run keeps what finished, exit 130": (
        "test_an_interrupt_ends_with_130_and_keeps_what_was_answered",
    ),
}
SECTIONS = ("1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8", "1.9")


@pytest.fixture(scope="module")
def sources() -> str:
    """All tests but this one, as one text."""
    files = sorted(
        path for path in (ROOT / "tests").rglob("test_*.py") if path.name != "test_format_decisions.py"
    )
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


@pytest.mark.parametrize("decision", DECISIONS)
def test_every_decision_has_tests_that_exist(decision: str, sources: str) -> None:
    missing = [name for name in DECISIONS[decision] if f"def {name}(" not in sources]
    assert not missing


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_of_the_format_has_tests_by_its_number(section: str, sources: str) -> None:
    number = section.replace(".", "_")
    assert re.search(rf'def test_{number}_|"{re.escape(section)} ', sources)
