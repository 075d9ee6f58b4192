"""`dryfire.yaml`: what it may say, which one counts, and what it may not do."""

from __future__ import annotations

from textwrap import dedent

import pytest

from dryfire_action.config_file import Configs, load_config, read_config
from dryfire_action.errors import Place, Problem, SpecError
from dryfire_action.ignore_rules import IgnoreRule
from dryfire_action.node import Problems
from dryfire_action.suite import Config, ProviderEntry
from dryfire_action.tree import folder_of
from tests.memory_tree import MemoryTree


def config_of(text: str, path: str = "dryfire.yaml", **files: str) -> Config:
    return load_config(MemoryTree({path: dedent(text), **files}), path)


def problems_of(text: str, files: dict[str, str] | None = None, path: str = "dryfire.yaml") -> list[Problem]:
    with pytest.raises(SpecError) as caught:
        load_config(MemoryTree({path: dedent(text), **(files or {})}), path)
    return list(caught.value.problems)


def test_1_4_the_smallest_config() -> None:
    assert config_of("version: 1") == Config(folder="", file="dryfire.yaml")


@pytest.mark.parametrize("version", ["1", "2", "-7", '"3"', "1.0"])
def test_1_4_any_whole_version_is_accepted(version: str) -> None:
    assert config_of(f"version: {version}").file == "dryfire.yaml"


def test_1_4_everything_a_config_may_say() -> None:
    found = config_of(
        r"""
        version: 1
        suites: ["evals/**/*.eval.yaml", redteam/*.yaml]
        defaults: {provider: openai, model: m, max_turns: 3}
        cassettes:
          dir: recordings/llm
          mode: auto
          scripted: true
          expect: {provider: openai, version: "1.50"}
        providers:
          local: {base_url: "http://localhost:8000/v1", api_key_env: LOCAL_KEY}
        env: {PRODUCT: Acme}
        fingerprint:
          ignore:
            - {path: system, pattern: 'Today is \d{4}'}
        redact:
          rules: [{id: ticket, pattern: 'T-(?P<v>\d+)', group: v}, {id: pin, keys: [pin], group: "0"}]
          allow: [{rule: jwt, reason: made up, expires: 2027-01-31}]
        prices:
          "openai:m": {input: 1, output: 2.5, cache_read: "0.1", cache_write: null}
        """,
        path="pkg/dryfire.yaml",
    )
    assert found == Config(
        folder="pkg",
        file="pkg/dryfire.yaml",
        suites=("evals/**/*.eval.yaml", "redteam/*.yaml"),
        cassette_dir="recordings/llm",
        mode="auto",
        scripted=True,
        expect_provider="openai",
        expect_version="1.50",
        providers={"local": ProviderEntry("http://localhost:8000/v1", "LOCAL_KEY")},
        env={"PRODUCT": "Acme"},
        ignore=(IgnoreRule("system", r"Today is \d{4}"),),
        redact=(
            {"rule": {"id": "ticket", "pattern": r"T-(?P<v>\d+)", "group": "v"}},
            {"rule": {"id": "pin", "keys": ["pin"], "group": 0}},
            {"allow": {"rule": "jwt", "reason": "made up", "expires": "2027-01-31"}},
        ),
        prices={"openai:m": {"input": 1.0, "output": 2.5, "cache_read": 0.1}},
    )


def test_1_4_null_counts_as_not_set() -> None:
    keys = (
        "defaults",
        "suites",
        "cassettes",
        "providers",
        "env",
        "fingerprint",
        "redact",
        "prices",
        "pricing_file",
    )
    assert config_of("version: 1\n" + "".join(f"{key}:\n" for key in keys)) == Config(file="dryfire.yaml")
    assert config_of("version: 1\ncassettes: {dir: ~, mode: ~, scripted: ~, expect: ~}") == Config(
        file="dryfire.yaml"
    )


def test_1_4_defaults_know_where_they_are_written() -> None:
    text = "version: 1\ndefaults:\n  model: m\n  temperature: 0\n  params: {max_tokens: 5}\n  allow_unfinished: yes\n"
    defaults = read_config(MemoryTree({"dryfire.yaml": text}), "dryfire.yaml").defaults
    assert (defaults["model"], defaults["allow_unfinished"], defaults["repeat"]) == ("m", True, 1)
    assert defaults.request_params == {"temperature": 0.0, "max_tokens": 5}
    assert defaults.places == {
        "model": Place("dryfire.yaml", 3, 3),
        "params.temperature": Place("dryfire.yaml", 4, 3),
        "params.max_tokens": Place("dryfire.yaml", 5, 12),
    }


def test_1_4_a_built_in_provider_is_never_overridden() -> None:
    text = "version: 1\nproviders:\n  openai: {base_url: https://evil.example/v1, api_key_env: X}\n"
    found = read_config(MemoryTree({"dryfire.yaml": text}), "dryfire.yaml")
    assert found.config.providers == {}
    assert found.warnings == ("dryfire.yaml:3:3: openai is built in, so this entry has no effect",)


def test_2_21_the_pricing_file_is_read() -> None:
    files = {"pkg/prices.json": '{"a:m": {"input": 1, "output": 2}, "a:n": {"input": 3, "output": 4}}'}
    text = 'version: 1\npricing_file: prices.json\nprices: {"a:n": {input: 5, output: 6}}'
    assert config_of(text, "pkg/dryfire.yaml", **files).prices == {
        "a:m": {"input": 1.0, "output": 2.0},
        "a:n": {"input": 5.0, "output": 6.0},
    }


@pytest.mark.parametrize(
    ("text", "place", "message", "hint"),
    [
        ("{}", "1:1", "dryfire.yaml needs the key 'version'", ""),
        ("[]", "1:1", "dryfire.yaml must be a map, not a list", ""),
        ("version: one", "1:10", "version must be a whole number, not 'one'", ""),
        ("version: 1\nsuits: [a]", "2:1", "unknown key 'suits' in dryfire.yaml", "Did you mean 'suites'?"),
        ("version: 1\nx-y: 1", "2:1", "unknown key 'x-y' in dryfire.yaml", ""),
        ("version: 1\nsuites: a.yaml", "2:9", "suites must be a list, not text", "Put a dash"),
        ("version: 1\nsuites: [1]", "2:10", "each item of suites must be text, not a number", "quotes"),
        ("version: 1\ndefaults: {sytem: x}", "2:12", "unknown key 'sytem' in defaults", ""),
        ("version: 1\ndefaults: {tools: []}", "2:12", "unknown key 'tools' in defaults", "It stands in the suite."),
        ("version: 1\ndefaults: {repeat: 0}", "2:20", "repeat must be at least 1, not 0", ""),
        ("version: 1\ncassettes: {mode: reply}", "2:19", "mode cannot be 'reply'", "Did you mean 'replay'?"),
        ("version: 1\ncassettes: {dir: ../up}", "2:18", "dir '../up' leads out of the repository", "committed"),
        ("version: 1\ncassettes: {dir: /tmp}", "2:18", "dir '/tmp' is an absolute path", "committed"),
        ("version: 1\ncassettes: {dir: .git/x}", "2:18", "dir '.git/x' is git's own folder", "committed"),
        ("version: 1\ncassettes: {expect: {version: 1.5}}", "2:31", "version must be text, not a number", "quotes"),
        ("version: 1\nproviders: {p: {base_url: x}}", "2:13", "provider 'p' needs the key 'api_key_env'", ""),
        (
            "version: 1\nproviders: {p: {base_url: 'https://u:" + "p@h/v1', api_key_env: K}}",
            "2:27",
            "base_url 'https://u:" + "p@h/v1' is no address of an API",
            "neither user name",
        ),
        (
            "version: 1\nproviders: {p: {base_url: 'https://h', api_key_env: sk-12345}}",
            "2:53",
            "api_key_env is no name of an environment variable",
            "never the key",
        ),
        ("version: 1\nenv: {A: }", "2:7", "A has no default", "only in mode off"),
        ("version: 1\nenv: {A: 1}", "2:10", "the default of A must be text, not a number", "quotes"),
        ("version: 1\nenv: {A-B: x}", "2:7", "'A-B' is no name for ${...}", "letters"),
        ("version: 1\nenv: [A]", "2:6", "env must be a map, not a list", ""),
        ("version: 1\nfingerprint: {ignore: [{path: system}]}", "2:24", "an ignore rule needs the key 'pattern'", ""),
        (
            "version: 1\nfingerprint: {ignore: [{path: system, pattern: '('}]}",
            "2:48",
            "pattern: not a regular expression: missing ), unterminated subpattern (character 1 of the pattern)",
            "",
        ),
        ("version: 1\nfingerprint: {ignore: [{path: s, pattern: ''}]}", "2:43", "pattern must not be empty", ""),
        ("version: 1\nredact: {rules: [{id: a}]}", "2:18", "a redaction rule needs a pattern, or keys", ""),
        ("version: 1\nredact: {rules: [{keys: [a]}]}", "2:18", "a redaction rule needs the key 'id'", ""),
        ("version: 1\nredact: {rules: [{id: a, pattern: x, group: 1}]}", "2:45", "the pattern has no group 1", ""),
        ("version: 1\nredact: {rules: [{id: a, pattern: x, group: v}]}", "2:45", "the pattern has no group 'v'", ""),
        ("version: 1\nredact: {allow: [{rule: a}]}", "2:18", "an exception needs the key 'reason'", ""),
        ("version: 1\nredact: {allow: [{rule: a, reason: x, expires: soon}]}", "2:48", "expires must be a day", "2027"),
        ("version: 1\nredact: {allow: [{digest: X, reason: x}]}", "2:27", "digest must be 32 hexadecimal", ""),
        ("version: 1\nredact: {rules: [{id: a, pattern: '['}]}", "2:35", "pattern: not a regular expression", ""),
        ("version: 1\nredact: {allow: [{reason: x}]}", "2:18", "an exception must name what it allows", ""),
        ("version: 1\nprices: {m: {input: 1, output: 1}}", "2:10", "'m' must be written provider:model", "anthropic:m"),
        ("version: 1\nprices: {'a:m': {input: 1}}", "2:10", "the price of 'a:m' needs the key 'output'", ""),
        ("version: 1\nprices: {'a:m': {input: -1, output: 1}}", "2:25", "input must not be negative", "USD"),
        ("version: 1\npricing_file: p.json", "2:15", "pricing_file 'p.json': there is no such file", ""),
        ("version: 1\npricing_file: ../p.json", "2:15", "pricing_file '../p.json': leads out", ""),
        ("version: 1\nversion: 1", "2:1", "the key 'version' stands twice", "Remove"),
        ("version: [", "1:11", "not valid YAML", ""),
    ],
)  # fmt: skip
def test_1_4_what_is_wrong_has_a_place_and_a_hint(text: str, place: str, message: str, hint: str) -> None:
    found = problems_of(text)[0]
    assert found.message.startswith(message)
    assert f"{found.place.line}:{found.place.column}" == place or "not valid YAML" in message
    assert hint in found.hint


def test_a_key_that_was_written_in_place_of_its_name_is_not_repeated() -> None:
    written = "sk-" + "ant-" + "q7" * 20
    [found] = problems_of(f"version: 1\nproviders: {{p: {{base_url: 'https://h', api_key_env: {written}}}}}")
    assert written not in found.message + found.hint


def test_every_problem_of_a_config_comes_at_once() -> None:
    found = problems_of("suits: 1\ncassettes: {mode: x}\nenv: {A: }\nprices: {m: 1}\n")
    assert [problem.place.line for problem in found] == [1, 1, 2, 3, 4, 4]


def test_errors_of_a_pricing_file_point_into_it() -> None:
    [found] = problems_of("version: 1\npricing_file: p.yaml", {"p.yaml": "'a:m': {input: x, output: 1}"})
    assert found.place == Place("p.yaml", 1, 16)


def test_a_config_that_is_not_there() -> None:
    with pytest.raises(SpecError) as caught:
        load_config(MemoryTree({}), "dryfire.yaml")
    assert caught.value.problems[0].message == "there is no such file"


def nearest(tree: MemoryTree, folder: str) -> Config:
    found = Configs(tree, Problems()).nearest(folder)
    assert found is not None
    return found.config


@pytest.mark.parametrize(
    ("suite", "file"),
    [
        ("a.eval.yaml", "dryfire.yaml"),
        ("packages/a.eval.yaml", "dryfire.yaml"),
        ("packages/one/evals/deep/a.eval.yaml", "packages/one/dryfire.yaml"),
        ("packages/one/a.eval.yaml", "packages/one/dryfire.yaml"),
        ("packages/two/a.eval.yaml", "dryfire.yaml"),
    ],
)
def test_0_the_nearest_config_above_a_suite_counts(suite: str, file: str) -> None:
    tree = MemoryTree({"dryfire.yaml": "version: 1", "packages/one/dryfire.yaml": "version: 1"})
    assert nearest(tree, folder_of(suite)).file == file


def test_0_without_a_config_the_built_in_settings_count() -> None:
    assert nearest(MemoryTree({"x/dryfire.yaml": "version: 1"}), "evals") == Config()


def test_a_suite_in_a_very_deep_folder_has_a_config_too() -> None:
    assert nearest(MemoryTree({"dryfire.yaml": "version: 1"}), "a/" * 3000 + "a").file == "dryfire.yaml"
