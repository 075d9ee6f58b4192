"""Settings of defaults, suites and cases: what wins, and how numbers may be written."""

from __future__ import annotations

import pytest

from dryfire_action.errors import Place
from tests.memory_tree import CONFIG, SUITE, load_case, problem_of, problems_of, with_case


def test_1_2_the_built_in_settings() -> None:
    case = load_case("")
    assert (case.provider, case.model) == ("anthropic", "claude-sonnet-4-6")
    assert (case.max_turns, case.repeat, case.require_pass_rate) == (10, 1, 1.0)
    assert (case.on_unmocked, case.allow_unfinished) == ("error", False)
    assert case.params == {}  # what is not set is not sent


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("model", ["a", "b", "c"]),
        ("max_turns", [3, 4, 5]),
        ("on_unmocked", ["passthrough", "error", "null"]),
        ("repeat", [2, 3, 4]),
        ("require_pass_rate", [0.25, 0.5, 0.75]),
        ("allow_unfinished", [True, False, True]),
    ],
)
def test_1_4_case_over_suite_over_defaults(key: str, values: list[object]) -> None:
    def line(value: object) -> str:
        return f"{key}: {str(value).lower()}"

    config = {CONFIG: f"version: 1\ndefaults: {{{line(values[0])}}}"}
    assert getattr(load_case("", "", config), key) == values[0]
    assert getattr(load_case("", line(values[1]), config), key) == values[1]
    assert getattr(load_case(line(values[2]), line(values[1]), config), key) == values[2]


@pytest.mark.parametrize(
    "key", ["model", "max_turns", "repeat", "require_pass_rate", "allow_unfinished", "temperature"]
)
def test_1_4_null_counts_as_not_set(key: str) -> None:
    config = {CONFIG: "version: 1\ndefaults: {model: m, max_turns: 7, temperature: 0.5}"}
    case = load_case(f"{key}: null", f"{key}:", config)
    assert (case.model, case.max_turns, case.params) == ("m", 7, {"temperature": 0.5})
    assert (case.repeat, case.require_pass_rate, case.allow_unfinished) == (1, 1.0, False)


def test_1_4_the_provider_is_set_in_the_suite_or_in_defaults() -> None:
    config = {CONFIG: "version: 1\ndefaults: {provider: openai}"}
    assert load_case("", "", config).provider == "openai"
    assert load_case("", "provider: gemini", config).provider == "gemini"
    found = problem_of(with_case("provider: gemini"))
    assert found.message == "unknown key 'provider' in a case"
    assert found.hint == "It belongs to the suite, not to a case."


@pytest.mark.parametrize(
    ("written", "key", "value"),
    [
        ('max_turns: "3"', "max_turns", 3),
        ("max_turns: 3.0", "max_turns", 3),
        ("max_turns: -1", "max_turns", -1),
        ("max_turns: 0", "max_turns", 0),
        ("repeat: 2.0", "repeat", 2),
        ('repeat: "2"', "repeat", 2),
        ('require_pass_rate: "0.5"', "require_pass_rate", 0.5),
        ("require_pass_rate: 1", "require_pass_rate", 1.0),
        ("require_pass_rate: 0", "require_pass_rate", 0.0),
        ("allow_unfinished: yes", "allow_unfinished", True),
        ('allow_unfinished: "false"', "allow_unfinished", False),
    ],
)
def test_1_1_numbers_are_read_leniently(written: str, key: str, value: object) -> None:
    found = getattr(load_case(written), key)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("max_turns: many", "max_turns must be a whole number, not 'many'"),
        ("max_turns: 2.5", "max_turns must be a whole number, not 2.5"),
        ("max_turns: true", "max_turns must be a whole number, not true"),
        ("max_turns: [1]", "max_turns must be a whole number, not a list"),
        ("repeat: 0", "repeat must be at least 1, not 0"),
        ("repeat: -3", "repeat must be at least 1, not -3"),
        ("require_pass_rate: 1.5", "require_pass_rate must be between 0 and 1, not 1.5"),
        ("require_pass_rate: -0.1", "require_pass_rate must be between 0 and 1, not -0.1"),
        ('require_pass_rate: "nan"', "require_pass_rate must be a number, not 'nan'"),
        ("temperature: hot", "temperature must be a number, not 'hot'"),
        ("temperature: {}", "temperature must be a number, not a map"),
        ("on_unmocked: eror", "on_unmocked cannot be 'eror'"),
        ("on_unmocked: true", "on_unmocked must be text, not a boolean"),
        ("allow_unfinished: perhaps", "allow_unfinished must be true or false, not 'perhaps'"),
        ("model: 4", "model must be text, not a number"),
        ('model: ""', "model must not be empty"),
        ("params: [1]", "params must be a map, not a list"),
    ],
)
def test_1_2_what_does_not_fit_is_an_error(written: str, message: str) -> None:
    found = problem_of(with_case(written))
    assert found.message == message
    assert found.place.line == 8
    assert found.path[:2] == ("cases", 0)


@pytest.mark.parametrize("written", ["null", "'null'", '"null"', "~", ""])
def test_0_on_unmocked_null_means_null_with_and_without_quotes(written: str) -> None:
    assert load_case(f"on_unmocked: {written}", "on_unmocked: error").on_unmocked == "null"
    assert load_case("", f"on_unmocked: {written}").on_unmocked == "null"
    config = {CONFIG: f"version: 1\ndefaults: {{on_unmocked: {written}}}"}
    assert load_case("", "", config).on_unmocked == "null"


CONFIG_TEXT = """
version: 1
defaults:
  params: {max_tokens: 100, top_p: 0.9, seed: 1}
  temperature: 0.1
"""


def test_0_params_are_merged_key_by_key_and_keep_their_places() -> None:
    suite = "params: {top_p: 0.5, stop: [x, {y: 1}], 'a.b': 1}"
    case = load_case("params: {seed: null, max_tokens: 7}\ntemperature: 1", suite, {CONFIG: CONFIG_TEXT})
    assert case.params == {
        "max_tokens": 7,
        "top_p": 0.5,
        "stop": [{"y": 1}, "x"][::-1],
        "a.b": 1,
        "temperature": 1.0,
    }
    assert isinstance(case.params["temperature"], float)
    places = {path: place for path, place in case.places.items() if path.startswith("params")}
    assert places == {
        "params.top_p": Place(SUITE, 2, 10),
        "params.stop": Place(SUITE, 2, 22),
        'params["a.b"]': Place(SUITE, 2, 41),
        "params.max_tokens": Place(SUITE, 8, 26),
        "params.temperature": Place(SUITE, 9, 5),
    }


def test_0_a_default_of_the_config_stands_in_the_config() -> None:
    case = load_case("", "", {CONFIG: CONFIG_TEXT + "  model: m\n"})
    assert case.places["params.max_tokens"] == Place(CONFIG, 4, 12)
    assert case.places["params.temperature"] == Place(CONFIG, 5, 3)
    assert case.places["model"] == Place(CONFIG, 6, 3)


@pytest.mark.parametrize(
    "written", ["temperature: 0", "temperature: 0.0", "params: {temperature: 0}", 'temperature: "0"']
)
def test_0_temperature_is_one_number_however_it_is_written(written: str) -> None:
    case = load_case(written)
    assert repr(case.params) == "{'temperature': 0.0}"


def test_0_a_null_param_takes_an_inherited_temperature_away() -> None:
    case = load_case("params: {temperature: null}", "temperature: 0.2", {CONFIG: CONFIG_TEXT})
    assert "temperature" not in case.params
    assert "params.temperature" not in case.places
    assert load_case("temperature: 1", "params: {temperature: null}").params == {"temperature": 1.0}


@pytest.mark.parametrize("level", ["suite", "case", "defaults"])
def test_0_temperature_twice_at_one_level_is_an_error(level: str) -> None:
    twice = "temperature: 1\nparams: {temperature: 1}"
    config = (
        {CONFIG: f"version: 1\ndefaults:\n  {twice.replace(chr(10), chr(10) + '  ')}"}
        if level == "defaults"
        else {}
    )
    text = with_case(twice if level == "case" else "", twice if level == "suite" else "")
    found = problem_of(text, config)
    assert found.message == "temperature is written twice: here and under params"
    assert found.place.file == (CONFIG if level == "defaults" else SUITE)


@pytest.mark.parametrize("name", ["model", "messages", "system", "tools"])
def test_0_what_has_a_key_of_its_own_is_no_parameter(name: str) -> None:
    found = problem_of(with_case(f"params: {{{name}: x}}"))
    assert found.message == f"{name!r} is no parameter"
    assert found.hint


def test_the_model_of_the_command_line_replaces_every_model() -> None:
    case = load_case("model: c", "model: s", {CONFIG: "version: 1\ndefaults: {model: d}"}, model="override")
    assert case.model == "override"
    assert "model" not in case.places


def test_infinite_numbers_are_refused() -> None:
    assert problems_of(with_case("temperature: .inf"))[0].message == ".inf is no number that JSON can hold"
