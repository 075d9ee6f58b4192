"""Who may import whom: the tiers, and a walker over syntax trees that finds what breaks them.

A *unit* is a flat module of `dryfire_action` ("cassette"), one of its folders with all that is in it
("reports"), or all hooks together ("hooks"). A new unit needs a line in `TIERS`.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

WORDS, ENGINE, EDGE, ASSEMBLY, DOOR = range(5)

TIERS: dict[str, int] = {
    # words: what there is to talk about; no IO, no clock
    **dict.fromkeys(["errors", "messages", "fingerprint", "field_changes", "redact", "cassette"], WORDS),
    **dict.fromkeys(
        ["beginning", "canonical_json", "change_notes", "suite", "results", "version", "visible"], WORDS
    ),
    **dict.fromkeys(
        [
            "comment_marker",
            "document",
            "field_paths",
            "ignore_rules",
            "quick_init",
            "likeness",
            "problems_text",
            "suite_status",
        ],
        WORDS,
    ),
    **dict.fromkeys(
        ["json_leaves", "late_pattern", "patterns", "placeholders", "repetition", "source_text"], WORDS
    ),
    **dict.fromkeys(["secret_checksums", "secret_keys", "secret_names", "secret_placeholders"], WORDS),
    **dict.fromkeys(
        ["named_texts", "secret_allowances", "secret_assignments", "secret_platform_tokens"], WORDS
    ),
    **dict.fromkeys(
        ["secret_provider_tokens", "secret_rule", "secret_rule_set", "secret_rules", "secret_search"], WORDS
    ),
    **dict.fromkeys(
        ["redaction_settings", "secret_baseline", "secret_shapes", "secret_signs", "text_diff"], WORDS
    ),
    # engine: what happens; everything ambient is handed in
    **dict.fromkeys(
        ["ambient", "behaviour", "mocks", "checks", "playback", "retry", "agent", "causes", "spending"],
        ENGINE,
    ),
    **dict.fromkeys(
        ["call_cassette", "call_values", "case_values", "divergence", "fake_tools", "http_answers"], ENGINE
    ),
    # edges: each knows one outside thing
    **dict.fromkeys(["tree", "yaml_io", "cassette_file", "suite_file", "passthrough"], EDGE),
    **dict.fromkeys(["expected_calls", "foreign_key", "progress", "recording_facts"], WORDS),
    "foreign_recordings": EDGE,
    **dict.fromkeys(["providers", "recordings", "reports", "github", "git_tree", "hook_config"], EDGE),
    # assembly: engine and edges put together; the library's public face
    **dict.fromkeys(["runner", "case_run", "llm", "replay", "tracing", "pytest_plugin"], ASSEMBLY),
    **dict.fromkeys(["network_block", "request_fields"], ASSEMBLY),
    **dict.fromkeys(
        ["base", "comparison", "explanation", "old_text", "run_comparison", "forecast", "importing"], ASSEMBLY
    ),
    **dict.fromkeys(["before_recording", "housekeeping", "rehearsal", "rehoming", "rekey"], ASSEMBLY),
    **dict.fromkeys(["merge_conflicts", "result_merge", "sharding", "suite_survey"], ASSEMBLY),
    **dict.fromkeys(
        ["cassette_redaction", "secret_history", "secret_review", "staged", "staged_passthrough"], ASSEMBLY
    ),
    # front doors: parse, call, print, return a number
    **dict.fromkeys(["cli", "commands", "console", "action", "__main__", "hooks"], DOOR),
    **dict.fromkeys(["action_check", "action_environment", "action_inputs", "action_publish"], DOOR),
    **dict.fromkeys(["action_replay", "action_result", "action_verdict", "workflow_commands"], DOOR),
}

# Files that are one unit together with another: the same edge, the same family.
PART_OF = {
    "call_cassette_file": "cassette_file",
    "call_checks": "checks",
    "call_tape": "replay",
    "findings": "checks",
    "run_checks": "checks",
    "text_checks": "checks",
    "case_recording": "case_run",
    "shelf": "case_run",
    "cassette_document": "cassette_file",
    "cassette_folder": "cassette_file",
    "cassette_names": "cassette_file",
    "cassette_partial": "cassette_file",
    "cassette_store": "cassette_file",
    "cassette_text": "cassette_file",
    "config_file": "suite_file",
    "config_sections": "suite_file",
    "http_transport": "replay",
    "git_log": "git_tree",
    "git_objects": "git_tree",
    "git_process": "git_tree",
    "globs": "tree",
    "line_alignment": "text_diff",
    "live_provider": "case_run",
    "merged_causes": "result_merge",
    "merged_command": "result_merge",
    "merged_shards": "result_merge",
    "merged_suites": "result_merge",
    "result_file": "result_merge",
    "named_characters": "text_diff",
    "known_suites": "suite_file",
    "node": "yaml_io",
    "patched_clients": "replay",
    "pytest_cassettes": "pytest_plugin",
    "pytest_files": "pytest_plugin",
    "pytest_outcomes": "pytest_plugin",
    "pytest_results": "pytest_plugin",
    "recorder": "playback",
    "review_files": "secret_review",
    "review_report": "secret_review",
    "review_workers": "secret_review",
    "references": "suite_file",
    "replay_cassette": "replay",
    "replay_providers": "replay",
    "request_texts": "placeholders",
    "rerecording": "runner",
    "suite_checks": "suite_file",
    "suite_images": "suite_file",
    "suite_mocks": "suite_file",
    "suite_parts": "suite_file",
    "suite_settings": "suite_file",
    "together": "ambient",
    "yaml_scalars": "yaml_io",
}

# Edges do not know each other, but for the two that other edges read through.
SHARED_EDGES = {"tree", "yaml_io"}

# Types that a lower unit names in annotations only. Each line needs a reason.
TYPES_ONLY: dict[str, set[str]] = {
    # CassetteMissError carries the Miss that playback made, and where a wrapped call departed
    "errors": {"divergence", "messages", "playback"},
    # a row of a report shows the Run it is about, a report its causes and what the base replays
    "results": {"agent", "behaviour", "causes"},
}

# Hooks run on every commit: nothing they load may load these.
TOO_HEAVY_FOR_HOOKS = {"requests", "rich"}

# Third-party modules that words and engine may load inside a function, at the moment they are needed.
LAZY_BELOW_EDGES = {"jsonschema", "referencing", "regex"}

# The optional extras: loaded inside a function, by providers only.
PROVIDER_SDKS = {"anthropic", "openai", "google"}

# Import name of every third-party module we use, and the distribution that must be declared for it.
DISTRIBUTIONS = {
    "anthropic": "anthropic",
    "brotli": "brotli",
    "filelock": "filelock",
    "google": "google-genai",
    "jsonschema": "jsonschema",
    "junitparser": "junitparser",
    "openai": "openai",
    "pydantic": "pydantic",
    "pydantic_core": "pydantic",
    "pytest": "pytest",  # the plugin: whoever loads it has pytest
    "referencing": "referencing",
    "regex": "regex",
    "requests": "requests",
    "rich": "rich",
    "ruamel": "ruamel.yaml",
    "urllib3": "urllib3",
    "yaml": "pyyaml",
    "zstandard": "zstandard",
}

# What words and engine must be handed instead of reaching for it: files, clock, chance, network, environment.
AMBIENT_MODULES = {
    *("asyncio", "getpass", "glob", "http", "io", "os", "pathlib", "random", "secrets", "shutil", "socket"),
    *("ssl", "subprocess", "tempfile", "time", "urllib.request", "uuid"),
}
PURE_AFTER_ALL = {"pathlib.PurePath", "pathlib.PurePosixPath", "pathlib.PureWindowsPath", "random.Random"}
# The one engine module that makes what the others are handed: the real clock, waiting, new ids.
MAKES_AMBIENT = {"ambient"}
AMBIENT_CALLS = {"open", "print", "input", "datetime.now", "datetime.utcnow", "date.today"}

OURS = ("dryfire_action", "dryfire_hooks")

When = Literal["at import", "in a function", "for types"]


@dataclass(frozen=True, slots=True)
class Import:
    """One import: the module, the name asked of it (`import a.b` asks for none), the line, and when."""

    module: str
    name: str | None
    line: int
    when: When


def imports(source: str) -> Iterator[Import]:
    """Every import in the text of a module, in order."""
    yield from _imports(ast.parse(source), "at import")


def _imports(node: ast.AST, when: When) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        yield from (Import(alias.name, None, node.lineno, when) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        yield from (Import(module, alias.name, node.lineno, when) for alias in node.names)
    elif isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
        for child in node.body:
            yield from _imports(child, "for types")
        for child in node.orelse:
            yield from _imports(child, when)
    else:
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            yield from _imports(child, "in a function" if inside and when == "at import" else when)


def unit_of(module: str) -> str:
    """The unit a module of ours belongs to; "" is the package `dryfire_action` itself."""
    package, *rest = module.split(".")
    if package == "dryfire_hooks":
        return "hooks"
    return PART_OF.get(rest[0], rest[0]) if rest else ""


def problems(sources: Mapping[str, str]) -> list[str]:
    """Everything in `{"dryfire_action.cli": source, ...}` that breaks a rule: "module:line: what and why"."""
    found: list[str] = []
    loads: dict[str, set[str]] = {}
    for module, source in sources.items():
        unit = unit_of(module)
        if unit and unit not in TIERS:
            found.append(
                f"{module}: unknown unit {unit!r}: give it a tier in TIERS, tests/house/import_rules.py"
            )
            continue
        at_import: set[str] = set()
        for item in imports(source):
            target = _target(item, sources)
            if item.when == "at import":
                at_import.add(target)
            why = _why_not(module, target, item.when)
            if why:
                found.append(f"{module}:{item.line}: imports {target} {item.when}: {why}")
        loads[module] = at_import
        if _is_pure(unit):
            found += [f"{module}:{line}: calls {name}(): have it handed in" for line, name in _calls(source)]
    # `from a import b, c` is two imports and one complaint
    return [*dict.fromkeys(found), *_cycles(loads), *_heavy_hooks(loads)]


def _target(item: Import, sources: Mapping[str, str]) -> str:
    """The module that an import loads; of other people's modules, where only names tell, with the name."""
    full = f"{item.module}.{item.name}" if item.name else item.module
    if item.module.split(".")[0] not in OURS or full in sources:
        return full
    return full if item.module == "dryfire_action" and item.name in TIERS else item.module


def _why_not(module: str, target: str, when: When) -> str:
    top = target.split(".")[0]
    if target.startswith("."):
        return "relative; write the full name"
    if top in OURS:
        return _why_not_ours(module, target, when)
    if top in sys.stdlib_module_names:
        return _why_not_ambient(module, target, when)
    return _why_not_third_party(module, top, when)


def _why_not_ours(module: str, target: str, when: When) -> str:
    unit, other = unit_of(module), unit_of(target)
    if unit == other:
        return "a hook does not know another hook" if unit == "hooks" and target != "dryfire_hooks" else ""
    if not unit:
        return "the package loads its names when they are asked for" if when == "at import" else ""
    if not other:
        return "the package is for users; import from the module that defines the name"
    if other not in TIERS:
        return "unknown unit: give it a tier in TIERS, tests/house/import_rules.py"
    if when == "for types" and other in TYPES_ONLY.get(unit, ()):
        return ""
    if TIERS[other] > TIERS[unit]:
        return f"upwards, from tier {TIERS[unit]} to tier {TIERS[other]}"
    if TIERS[other] == TIERS[unit] == EDGE and other not in SHARED_EDGES:
        return "an edge does not know its siblings"
    return ""


def _is_pure(unit: str) -> bool:
    """Whether a unit is handed its clock, files and chance, instead of reaching for them."""
    return TIERS.get(unit, DOOR) <= ENGINE and unit not in MAKES_AMBIENT


def _why_not_ambient(module: str, target: str, when: When) -> str:
    if not _is_pure(unit_of(module)) or when == "for types" or target in PURE_AFTER_ALL:
        return ""
    parts = target.split(".")
    if any(".".join(parts[:length]) in AMBIENT_MODULES for length in range(1, len(parts) + 1)):
        return "words and engine do no IO and have no clock; have it handed in"
    return ""


def _why_not_third_party(module: str, top: str, when: When) -> str:
    if top not in DISTRIBUTIONS:
        return "unknown third party: declare it in pyproject.toml and in DISTRIBUTIONS, import_rules.py"
    unit = unit_of(module)
    if top in PROVIDER_SDKS:
        return (
            ""
            if unit == "providers" and when != "at import"
            else "an optional extra; only providers, in a function"
        )
    if TIERS.get(unit, DOOR) <= ENGINE and when != "for types":
        if top not in LAZY_BELOW_EDGES:
            return "words and engine use the standard library"
        return "" if when == "in a function" else "heavy; import it in the function that needs it"
    return ""


def _calls(source: str) -> Iterator[tuple[int, str]]:
    """Calls that reach for the world without an import: `open(...)`, `datetime.now()`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = ".".join(ast.unparse(node.func).split(".")[-2:])
            if name in AMBIENT_CALLS:
                yield node.lineno, name


def _cycles(loads: Mapping[str, set[str]]) -> list[str]:
    """Modules that need each other at import time."""
    try:
        TopologicalSorter(
            {module: targets & loads.keys() - {module} for module, targets in loads.items()}
        ).prepare()
    except CycleError as error:
        return ["a circle of imports: " + " -> ".join(error.args[1])]
    return []


def _heavy_hooks(loads: Mapping[str, set[str]]) -> list[str]:
    """Hooks that load, through whatever they import, something that makes every commit slow."""
    found = []
    for hook in loads:
        if unit_of(hook) != "hooks":
            continue
        seen: set[str] = set()
        queue = [hook]
        while queue:
            module = queue.pop()
            if module not in seen:
                seen.add(module)
                queue += loads.get(module, ())
        heavy = sorted({name.split(".")[0] for name in seen} & TOO_HEAVY_FOR_HOOKS)
        if heavy:
            found.append(f"{hook}: loads {', '.join(heavy)} at import: too heavy for every commit")
    return found
