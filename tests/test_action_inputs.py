"""The inputs of the action: defaults, what each takes, and errors that name the input."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dryfire_action.action_inputs import InputError, Inputs, default_key, read_inputs, variable

JOB = {
    "GITHUB_WORKFLOW_REF": "acme/demo/.github/workflows/evals.yml@refs/pull/7/merge",
    "GITHUB_JOB": "Evals",
}


def inputs(**given: str) -> Inputs:
    return read_inputs({variable(name.replace("_", "-")): text for name, text in given.items()})


def test_what_is_not_given_or_empty_is_the_default() -> None:
    empty = inputs(**dict.fromkeys(("suites", "mode", "fail_on", "show", "annotations", "key"), " \n "))
    assert empty == read_inputs({})
    assert (empty.mode, empty.show, empty.comment, empty.on_empty) == ("both", "prompts", "auto", "fail")
    assert empty.fail_on == {"stale", "failure"} and empty.annotations and empty.summary


def test_lists_are_lines() -> None:
    found = inputs(suites="\n a b.eval.yaml \n\n**/*.eval.yaml\r\n", results="one.json")
    assert found.suites == ("a b.eval.yaml", "**/*.eval.yaml")
    assert found.results == ("one.json",)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("stale", {"stale"}),
        ("stale,failure,shrink", {"stale", "failure", "shrink"}),
        (" shrink ,\n stale ", {"stale", "shrink"}),
        ("never", set()),
    ],
)
def test_several_things_may_fail_the_job(text: str, found: set[str]) -> None:
    assert inputs(fail_on=text.replace("\n", " ")).fail_on == found


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mode": "publich"}, "mode: 'publich' is none of check, publish, both; did you mean 'publish'?"),
        ({"show": "prompt"}, "show: 'prompt' is none of names, prompts, all; did you mean 'prompts'?"),
        ({"comment": "yes"}, "comment: 'yes' is none of auto, always, never"),
        ({"on_empty": "ok"}, "on-empty: 'ok' is none of fail, pass"),
        (
            {"fail_on": "staled"},
            "fail-on: 'staled' is none of stale, failure, shrink, never; did you mean 'stale'?",
        ),
        ({"fail_on": "never,stale"}, "fail-on: never stands alone"),
        ({"annotations": "1"}, "annotations: '1' is none of true, false"),
        ({"summary": "no"}, "summary: 'no' is none of true, false"),
        ({"key": "Evals"}, "key: 'Evals' is no key"),
        ({"key": "a" * 65}, f"key: '{'a' * 65}' is no key"),
        ({"key": "x --> y"}, "key: 'x --> y' is no key"),
        ({"junit_file": "a\nb"}, "junit-file: must stand on one line"),
        ({"working_directory": "a\0b"}, "working-directory: must stand on one line"),
        ({"suites": "a\n" * 501}, "suites: has more than 500 lines"),
        ({"suites": "a" * 50_001}, "suites: has more than 50,000 characters"),
        (
            {"mode": "publish", "junit_file": "x.xml"},
            "junit-file: there is nothing to write where the result comes",
        ),
    ],
)
def test_what_cannot_be_meant_is_named(given: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        inputs(**given)
    assert caught.value.message.startswith(message)


def test_a_value_that_hides_something_is_shown_as_it_is() -> None:
    with pytest.raises(InputError) as caught:
        inputs(mode="both\u202e")
    assert "\\u202e" in caught.value.message and "\u202e" not in caught.value.message


def key(suites: tuple[str, ...] = (), folder: str = ".", **environ: str) -> str:
    return default_key({**JOB, **environ}, suites, folder)


def test_the_key_stays_from_push_to_push() -> None:
    assert key() == key(GITHUB_WORKFLOW_REF=JOB["GITHUB_WORKFLOW_REF"].replace("7", "8"), GITHUB_RUN_ID="9")
    assert key(DRYFIRE_MATRIX='{"a": 1, "b": 2}') == key(DRYFIRE_MATRIX='{\n "b": 2, "a": 1}')


def test_no_two_jobs_or_legs_have_one_key() -> None:
    keys = [
        key(),
        key(GITHUB_JOB="other"),
        key(GITHUB_WORKFLOW_REF="acme/demo/.github/workflows/other.yml@refs/pull/7/merge"),
        key(DRYFIRE_MATRIX='{"package": "a"}'),
        key(DRYFIRE_MATRIX='{"package": "b"}'),
        key(suites=("a",)),
        key(folder="a"),
    ]
    assert len(set(keys)) == len(keys)


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_every_default_key_is_a_key_whatever_a_job_is_called(job: str, workflow: str, value: str) -> None:
    found = default_key(
        {"GITHUB_JOB": job, "GITHUB_WORKFLOW": workflow, "DRYFIRE_MATRIX": json.dumps({"x": value})},
        (value,),
        job,
    )
    assert re.fullmatch(r"[a-z0-9-]{1,64}", found)
