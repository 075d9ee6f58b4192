"""Suite files: everything a ``*.eval.yaml`` declares, read into ``suite.Suite`` with every problem of every file.

Nothing here runs what a suite names: ``impl`` is text, names are filled in only from ``env:`` of ``dryfire.yaml``, and
files are read only through the tree.
"""

from __future__ import annotations

from collections import ChainMap
from typing import TYPE_CHECKING

from dryfire_action.config_file import ConfigFile, Configs
from dryfire_action.config_sections import BUILT_IN_PROVIDERS
from dryfire_action.errors import Place, Problem, UsageError
from dryfire_action.fingerprint import quoted
from dryfire_action.globs import NothingMatched, matching, matching_any
from dryfire_action.node import Problems, did_you_mean, mapping, root_of, sequence, text, texts
from dryfire_action.references import Files, References, refuse_reference
from dryfire_action.suite import SCRIPTED_PROVIDER, Case, Config, Suite
from dryfire_action.suite_checks import Context, read_checks
from dryfire_action.suite_mocks import read_mocks
from dryfire_action.suite_parts import (
    read_input,
    read_output_schema,
    read_script,
    read_system,
    read_tools,
)
from dryfire_action.suite_settings import KEYS, Setting, Settings, read_settings
from dryfire_action.tree import CONFIG_NAME, TreeError, folder_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dryfire_action.messages import JsonObject, Message, ToolSpec
    from dryfire_action.node import Node
    from dryfire_action.suite import MockRule
    from dryfire_action.tree import Tree

_SUITE_KEYS = (
    *("name", "cases", "description", "tags", "provider", "system", "tools", "output_schema", "mocks"),
    *KEYS,
)
_CASE_KEYS = ("name", "input", "expect", "output_schema", "mocks", "script", *KEYS)
_MANY_WARNINGS = 200
_SUITE_ONLY = dict.fromkeys(
    ("provider", "system", "tools", "tags"), "It belongs to the suite, not to a case."
)
# What one run can look at in well under a minute. Who writes a pull request must not keep a machine busy for an hour.
MAX_CASES = 10_000
MAX_CASES_OF_ALL = 50_000

_CASE_ONLY = dict.fromkeys(("input", "expect", "script"), "It belongs into a case.")


class NoSuites(UsageError):
    """No suites are named, and there is no config that could name them."""


def load_suites(
    tree: Tree,
    patterns: Sequence[str],
    *,
    cwd: str = "",
    environ: Mapping[str, str] | None = None,
    model: str | None = None,
) -> tuple[Suite, ...]:
    """The suites that ``patterns`` name, sorted by file, each once.

    ``patterns`` are globs relative to the folder ``cwd`` of the tree. Without any, the suites of the config at or
    above ``cwd`` are meant, or, where there is none, of all configs below it. ``environ`` is given in mode ``off``
    only: it overrides the defaults of names declared under ``env:``. ``model`` replaces the model of every case.

    Raises ``SpecError`` with the problems of all files, ``UsageError`` where patterns name nothing (then
    ``NothingMatched``) or what cannot be, ``NoSuites`` where nothing names any.
    """
    problems = Problems()
    configs = Configs(tree, problems)
    paths = sorted(matching_any(tree, patterns, cwd) if patterns else _of_configs(tree, configs, cwd))
    loading = _Loading(Files(tree, problems), configs, environ, model)
    suites = [suite for path in paths if (suite := loading.suite(path)) is not None]
    if len(problems):
        problems.stop()
    return tuple(suites)


def _of_configs(tree: Tree, configs: Configs, cwd: str) -> set[str]:
    """The suites that configs name."""
    above = configs.path_above(cwd)
    paths = [above] if above else [path for path in tree.files(cwd) if _is_config(path)]
    if not paths:
        remedy = 'Name them: "evals/**/*.eval.yaml". dryfire init writes a small project to begin with.'
        raise NoSuites("no suites were named, and there is no dryfire.yaml", remedy=remedy)
    found: set[str] = set()
    named: list[str] = []
    for path in sorted(paths):
        file = configs.at(path)
        for pattern in file.config.suites if file else ():
            named.append(pattern)
            try:
                found.update(matching(tree, pattern, folder_of(path)))
            except NothingMatched:
                continue
            except (UsageError, TreeError) as error:
                configs.problems.note(
                    Problem(Place(path), f"suites: {error.message}", ("suites",), error.remedy)
                )
    if not found and not len(configs.problems):
        what = f"no file matches {', '.join(named)}" if named else "no globs stand under suites:"
        raise NothingMatched(f"{', '.join(sorted(paths))}: {what}")
    return found


def _is_config(path: str) -> bool:
    return path.rpartition("/")[2] == CONFIG_NAME and "node_modules" not in path.split("/")


class _Loading:
    """The state of one load: what is shared by the suites of one config, and the names in use."""

    def __init__(
        self, files: Files, configs: Configs, environ: Mapping[str, str] | None, model: str | None
    ) -> None:
        self.files = files
        self.problems = files.problems
        self.configs = configs
        self.environ = environ
        self.model = model
        self.cases = 0
        self._references: dict[str | None, References] = {}
        self._names: dict[tuple[str | None, str], Place] = {}

    def suite(self, path: str) -> Suite | None:
        """The suite at ``path``; None where it could not be read, which is noted."""
        file = self.configs.nearest(folder_of(path))
        references = self._references_of(path, file)
        try:
            document = references.suite(path)
        except TreeError as error:
            self.problems.note(Problem(Place(path), error.reason, hint=error.remedy))
            return None
        if document is None:
            return None
        return _SuiteReading(root_of(document), references, file or ConfigFile(Config()), self).suite()

    def claim(self, node: Node, name: str) -> None:
        """Note a suite's name, which must be its own under one config."""
        config = self.configs.path_above(folder_of(node.document.file))
        other = self._names.setdefault((config, name), node.place)
        if other != node.place:
            self.problems.add(node, f"a second suite called {name!r}; the other is at {other}")

    def _references_of(self, path: str, file: ConfigFile | None) -> References:
        key = self.configs.path_above(folder_of(path))
        if key not in self._references:
            env = dict(file.config.env) if file else None
            if env is not None and self.environ is not None:
                env |= {name: self.environ[name] for name in env if name in self.environ}
            self._references[key] = References(self.files, env)
        return self._references[key]


class _SuiteReading:
    """One suite file while it is read."""

    def __init__(self, root: Node, references: References, file: ConfigFile, loading: _Loading) -> None:
        self.root = root
        self.references = references
        self.problems = references.problems
        self.file = file
        self.loading = loading
        self.warnings: list[str] = list(file.warnings)
        self.places: dict[str, Place] = {}
        self.tools: tuple[ToolSpec, ...] | None = ()
        self.system: str | None = None
        self.output_schema: JsonObject | None = None
        self.mocks: dict[str, tuple[MockRule, ...]] = {}
        self.mock_places: dict[str, Place] = {}
        self.names: frozenset[str] | None = frozenset()
        self.name = ""
        self.settings = Settings()
        self.params: JsonObject = {}

    def suite(self) -> Suite:
        keys = mapping(
            self.root,
            self.problems,
            _SUITE_KEYS,
            required=("name", "cases"),
            what="a suite",
            hints=_CASE_ONLY,
        )
        if "name" in keys:
            self.name = text(keys["name"], self.problems, "name")
            self.loading.claim(keys["name"], self.name)
        self.settings = self.file.defaults.under(read_settings(keys, self.problems))
        self.params = self.settings.request_params
        self._check_provider()
        self.system = read_system(keys.get("system"), self.references, self.places)
        self.tools = read_tools(keys.get("tools"), self.references, self.places)
        self.output_schema = read_output_schema(keys.get("output_schema"), self.references, self.places)
        self.mocks = read_mocks(keys.get("mocks"), self.references, self.mock_places, self.warnings)
        self._check_mocked(keys.get("mocks"))
        if self.tools is not None:
            self.names = frozenset({tool.name for tool in self.tools} | self.mocks.keys())
        else:
            self.names = None
        cases = self._cases(keys["cases"]) if "cases" in keys else ()
        tags, description = keys.get("tags"), keys.get("description")
        return Suite(
            name=self.name,
            file=self.root.document.file,
            config=self.file.config,
            cases=cases,
            tags=tuple(texts(tags, self.problems, "tags")) if tags and tags.value is not None else (),
            description=text(description, self.problems, "description")
            if description and description.value is not None
            else None,
            warnings=tuple(dict.fromkeys(self.warnings)),
        )

    def _cases(self, node: Node) -> tuple[Case, ...]:
        items = sequence(node, self.problems, "cases")
        self.loading.cases += len(items)
        if len(items) > MAX_CASES:
            what = f"the suite has {len(items):,} cases, and the limit is {MAX_CASES:,}"
            self.problems.add(node, what, "Split it.", at=node.home)
            return ()
        if self.loading.cases > MAX_CASES_OF_ALL:
            what = f"with this suite there are more than {MAX_CASES_OF_ALL:,} cases"
            self.problems.add(node, what, "Name fewer suites at once.", at=node.home)
            return ()
        names: dict[str, Place] = {}
        return tuple(self._case(item, names) for item in items)

    def _case(self, node: Node, names: dict[str, Place]) -> Case:
        problems = self.problems
        required = ("name", "input", "expect")
        keys: dict[str, Node] = {}
        if not refuse_reference(node, problems):
            keys = mapping(node, problems, _CASE_KEYS, required=required, what="a case", hints=_SUITE_ONLY)
        name = text(keys["name"], problems, "name") if "name" in keys else ""
        if "name" in keys and isinstance(keys["name"].value, str):
            other = names.setdefault(name, keys["name"].place)
            if other != keys["name"].place:
                problems.add(keys["name"], f"a second case called {name!r}; the other is at {other}")
        settings = self.settings.under(read_settings(keys, problems))
        self._warn_of_passthrough(settings)
        places: dict[str, Place] = {}
        own_mocks = read_mocks(keys.get("mocks"), self.references, places, self.warnings)
        mocks = {**self.mocks, **own_mocks} if own_mocks else self.mocks
        self._check_mocked(keys.get("mocks"))
        messages: tuple[Message, ...] = ()
        if "input" in keys:
            messages = read_input(keys["input"], self.references, places)
        known = self.names if self.names is None or not own_mocks else self.names | own_mocks.keys()
        checks = read_checks(keys["expect"], Context(self.references, known)) if "expect" in keys else ()
        return Case(
            suite=self.name,
            name=name,
            file=self.root.document.file,
            place=node.place,
            provider=settings["provider"],
            model=self.loading.model or settings["model"],
            messages=messages,
            checks=checks,
            system=self.system,
            tools=self.tools or (),
            # The same map for all cases that set none of their own.
            params=self.params if settings is self.settings else settings.request_params,
            output_schema=read_output_schema(keys["output_schema"], self.references, places)
            if "output_schema" in keys
            else self.output_schema,
            mocks=mocks,
            on_unmocked=settings["on_unmocked"],
            script=self._script(node, keys.get("script"), settings, places),
            max_turns=settings["max_turns"],
            repeat=settings["repeat"],
            require_pass_rate=settings["require_pass_rate"],
            allow_unfinished=settings["allow_unfinished"],
            places=self._places(settings, places, own_mocks),
        )

    def _warn_of_passthrough(self, settings: Settings) -> None:
        """The word promises real code, and the public runner answers with empty text all the same."""
        if settings["on_unmocked"] == "passthrough":
            place = settings.values["on_unmocked"].place
            self.warnings.append(
                f"{place}: `on_unmocked: passthrough` answers with empty text, as `null` does; no code is run."
            )

    def _places(
        self, settings: Settings, of_case: dict[str, Place], own_mocks: Mapping[str, object]
    ) -> Mapping[str, Place]:
        of_mocks = self.mock_places
        if replaced := own_mocks.keys() & self.mocks.keys():
            # The case's list replaces the suite's, also where it is shorter.
            gone = tuple(f"mocks[{quoted(tool)}][" for tool in replaced)
            of_mocks = {path: place for path, place in of_mocks.items() if not path.startswith(gone)}
        of_settings = settings.places
        if self.loading.model is not None:
            of_settings.pop("model", None)
        return ChainMap(of_case, of_settings, of_mocks, self.places)

    def _script(
        self, case: Node, node: Node | None, settings: Settings, places: dict[str, Place]
    ) -> tuple[dict[str, object], ...]:
        if settings["provider"] != SCRIPTED_PROVIDER:
            return ()  # a script that stays in a suite which has moved on to a real model is no mistake
        if node is None or node.value is None:
            if isinstance(case.value, dict):
                hint = "Write the answers under script:, one step for each call of the model."
                self.problems.add(case, f"a case of the provider {SCRIPTED_PROVIDER} needs a script", hint)
            return ()
        return read_script(node, self.problems, places)

    def _check_provider(self) -> None:
        setting: Setting | None = self.settings.values.get("provider")
        known = {*BUILT_IN_PROVIDERS, *self.file.config.providers}
        if setting is not None and setting.value and setting.value not in known:
            hint = did_you_mean(setting.value, known)
            self.warnings.append(
                f"{setting.place}: the provider {setting.value!r} is not known. {hint}".rstrip()
            )

    def _check_mocked(self, node: Node | None) -> None:
        if self.tools is None or node is None or not isinstance(node.value, dict):
            return
        declared = {tool.name for tool in self.tools}
        for name in node.value:
            if name not in declared:
                hint = (
                    did_you_mean(name, declared) if declared and len(self.warnings) < _MANY_WARNINGS else ""
                )
                place = node.child(name).home
                self.warnings.append(f"{place}: the mocked tool {name!r} is not declared. {hint}".rstrip())
