"""The pytest plugin: the fixture ``cassette``, which records a test's calls of models and tools, or replays them.

This module is loaded whenever pytest starts, so it loads nothing but pytest. What does the work stands in
``pytest_cassettes`` and ``pytest_results`` and is loaded with the first test that asks for the fixture.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from dryfire_action.pytest_cassettes import RecordedTest
    from dryfire_action.replay_cassette import Cassette

MODES = ("record", "replay", "auto", "off")
_MARKER = (
    'cassette(path, mode="replay"|"lenient", requests="text"|"digests", ignore=[{"path": ..., "pattern": ...}], '
    "record_clients=False, allow_hosts=[], exceptions=[], serialisers={}, metadata={}): how the fixture cassette "
    "records and replays this test"
)

_RECORDING: pytest.StashKey[RecordedTest] = pytest.StashKey()
_PHASES: pytest.StashKey[dict[str, Any]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the options and settings."""
    _keep_as_it_is(pluginmanager)
    group = parser.getgroup("dryfire", "recorded answers of models (dryfire)")
    group.addoption(
        "--cassette-mode",
        choices=MODES,
        default="replay",
        help="replay (default): no call leaves the machine. record: call everything, replace the recordings. "
        "auto: call only what is not recorded. off: call everything, keep nothing.",
    )
    group.addoption(
        "--dryfire-result",
        metavar="FILE",
        help="write the result of the tests with a cassette to FILE, for the dryfire action and other programs",
    )
    group.addoption(
        "--dryfire-show",
        choices=("names", "prompts", "all"),
        default="prompts",
        help="how much text may stand in that file: names only, also prompts and descriptions (default), or all",
    )
    parser.addini(
        "cassette_record_clients", "let the fixture cassette see clients that frameworks build", "bool", False
    )
    parser.addini(
        "cassette_allow_hosts", "hosts that a replay may reach; localhost: this machine", "args", []
    )


def pytest_configure(config: pytest.Config) -> None:
    """Announce the marker, and note what happens in this session."""
    config.addinivalue_line("markers", _MARKER)
    config.pluginmanager.register(Session(config), "dryfire-session")


@pytest.fixture
def cassette(request: pytest.FixtureRequest) -> Iterator[Cassette]:
    """The recording of this test: wrap models and tools with it, or hand its ``http_transport()`` to an SDK's client.

    Under ``--cassette-mode replay``, the default, everything is answered from the file beside the test and the network
    is closed. ``record``, ``auto`` and ``off`` call for real.
    """
    from dryfire_action.pytest_cassettes import opened

    with opened(request.node, request.config.option.cassette_mode) as recording:
        request.node.stash[_RECORDING] = recording
        yield recording.cassette


class Session:
    """What happens in one run of pytest, or in one of its workers."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._is_worker = hasattr(config, "workerinput")
        self._items: list[pytest.Item] = []
        self._deselected = 0
        # Of a worker: what it tells the controller, which collects no tests itself.
        self._collected: dict[str, Any] = {"tests": [], "left_out": 0, "unused": []}
        self._parts: dict[str, dict[str, Any]] = {}
        self._not_collected: dict[str, None] = {}
        self._result: Path | None = None
        if config.option.dryfire_result and not self._is_worker:
            self._result = _checked(config.option.dryfire_result)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Note the tests that have a cassette, before any of them is deselected."""
        self._items = [item for item in items if _has_cassette(item)]

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Count the tests with a cassette that are left out."""
        self._deselected += sum(map(_has_cassette, items))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note what could not be collected: nobody knows which tests with a cassette would have been in it."""
        if report.failed:
            self._not_collected[report.nodeid] = None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Look for recordings that no test has any more, and for tests that would record over each other."""
        if not self._items:
            return
        from dryfire_action.pytest_files import refuse_shared_files, unused_files

        chosen = {item.nodeid for item in session.items}
        tests = [item.nodeid for item in self._items if item.nodeid in chosen]
        if self._config.option.cassette_mode in ("record", "auto"):
            refuse_shared_files(item for item in self._items if item.nodeid in chosen)
        unused = [] if any("::" in arg for arg in self._config.args) else unused_files(self._items)
        self._collected = {"tests": tests, "left_out": self._deselected, "unused": unused}
        if self._is_worker:
            self._config.workeroutput["dryfire"] = self._collected  # type: ignore[attr-defined]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a worker collected: all of them collect the same."""
        self._collected = getattr(node, "workeroutput", {}).get("dryfire", self._collected)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Fail the test whose recording is missing, stale or not played to its end, in the words of every report."""
        recording = item.stash.get(_RECORDING, None)
        if recording is None:
            return (yield)
        try:
            result = yield
        except BaseException as error:
            recording.failed(error)
            raise
        recording.passed()
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the explanation into the report of a test, and its result into the last report."""
        report = yield
        recording = item.stash.get(_RECORDING, None)
        if recording is None and not _has_cassette(item):
            return report
        from dryfire_action.pytest_outcomes import explain, told

        phases = item.stash.setdefault(_PHASES, {})
        phases[report.when] = report
        if recording is not None:
            explain(report, recording)
        if report.when == "teardown":
            # Goes with the report from a worker to the controller.
            report.dryfire = told(item, recording, phases)  # type: ignore[attr-defined]
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the result of a test; of one that was run again, the last."""
        part = getattr(report, "dryfire", None)
        if part is not None:
            self._parts[report.nodeid] = part

    def pytest_terminal_summary(self, terminalreporter: Any, exitstatus: int) -> None:
        """Say what was recorded, what went stale and what nobody asks for; write the result file."""
        if self._is_worker or not (self._parts or self._collected["tests"] or self._result):
            return
        from dryfire_action.pytest_results import summary, write_result

        collected = {**self._collected, "not_collected": [*self._not_collected]}
        results, lines = summary(self._config, self._parts, collected, exitstatus)
        if self._result is not None:
            option = self._config.option
            problem = write_result(self._result, results, self._config.rootpath, option.dryfire_show)
            lines.append(problem or f"result: {option.dryfire_result}")
        if lines:
            # As pytest does it: a line before the title, and none behind it.
            terminalreporter.write_sep("=", "cassettes")
            for line in lines:
                terminalreporter.write_line(line)


def _has_cassette(item: pytest.Item) -> bool:
    """Whether a test asks for our fixture, and not for one of its own that has the same name."""
    known = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {}).get("cassette")
    if not known:
        return False
    return known[-1].func.__module__ == __name__ or "cassette" in known[-1].argnames


def _keep_as_it_is(pluginmanager: Any) -> None:
    """Take this package out of those whose modules pytest parses and rewrites for their assertions.

    Every distribution with a plugin is among them, with all of its modules, which takes longer than most test runs.
    Where a future pytest keeps the list elsewhere, nothing is taken out, and all works as before.
    """
    marked = getattr(getattr(pluginmanager, "rewrite_hook", None), "_must_rewrite", None)
    if isinstance(marked, set):
        marked.discard("dryfire_action")


def _checked(name: str) -> Path:
    """The file to write, which must not be that of an earlier run should this one be killed."""
    path = Path(name).absolute()
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise pytest.UsageError(f"--dryfire-result: {name}: {what}")
    path.unlink(missing_ok=True)
    return path
