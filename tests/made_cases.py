"""Cases built by hand, and a provider that answers what a test tells it to, handed in where live ones are made."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dryfire_action import providers
from dryfire_action.errors import Place, ProviderError
from dryfire_action.messages import Message, Response, ToolCall, ToolSpec
from dryfire_action.runner import RunOptions, run_suites
from dryfire_action.suite import Case, Check, Config, Impl, MockRule, Return, Suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from dryfire_action.messages import Request
    from dryfire_action.results import CaseResult, Results

FILE = "evals/s.eval.yaml"
PLACE = Place(FILE, 3)
TODAY = "2026-11-29"
LOOKUP = ToolSpec("lookup", {"type": "object"}, "Looks an order up.")

Answer = Response | BaseException


def says(text: str, **facts: Any) -> Response:
    """An answer that ends the run."""
    return Response(text=text, **facts)


def asks(*arguments: dict[str, Any], tool: str = "lookup", **facts: Any) -> Response:
    """An answer that calls a tool once for each mapping of arguments."""
    calls = tuple(ToolCall(f"toolu_{number}", tool, each) for number, each in enumerate(arguments))
    return Response(tool_calls=calls, stop_reason="tool_use", **facts)


def fails(status: int, message: str = "busy", *, retry_after: float | None = 0) -> ProviderError:
    """A failure of the provider."""
    return ProviderError(message, kind="Overloaded", status=status, retry_after=retry_after)


class Told:
    """A provider that gives ``answers`` one after the other (or what a function makes of each request)."""

    name = "told"

    def __init__(self, *answers: Answer, by: Callable[[Request], Answer] | None = None) -> None:
        self._answers = iter(answers)
        self._by = by
        self.requests: list[Request] = []

    @property
    def calls(self) -> int:
        """How often it was asked, which is what costs money."""
        return len(self.requests)

    async def complete(self, request: Request) -> Response:
        """The next answer; ``AssertionError`` where nobody should have asked."""
        self.requests.append(request)
        answer = self._by(request) if self._by else next(self._answers, None)
        assert answer is not None, "the provider was asked more often than the test allows"
        if isinstance(answer, BaseException):
            raise answer
        return answer


def by_turn(*answers: Answer) -> Told:
    """A provider whose answer depends on the turn of the conversation alone, however often it is asked."""
    return Told(by=lambda request: answers[sum(m.role == "assistant" for m in request.messages)])


@contextmanager
def live(provider: Any) -> Iterator[None]:
    """Make ``provider`` the one that cases of its name call."""
    before = dict(providers.PROVIDERS)
    providers.PROVIDERS[provider.name] = lambda: provider
    try:
        yield
    finally:
        providers.PROVIDERS.clear()
        providers.PROVIDERS.update(before)


def a_case(name: str = "refund", **settings: Any) -> Case:
    """A case with one user message, the tool ``lookup`` and the provider ``told``."""
    found: dict[str, Any] = {
        "suite": "shop",
        "name": name,
        "file": FILE,
        "place": PLACE,
        "provider": "told",
        "model": "m-1",
        "messages": (Message("user", "Where is my order?"),),
        "checks": (),
        "system": "Be kind.",
        "tools": (LOOKUP,),
        "mocks": {"lookup": (MockRule(Return({"status": "sent"}), None, PLACE),)},
        "max_turns": 300,
    }
    return Case(**found | settings)


def scripted(name: str = "refund", *steps: dict[str, Any], **settings: Any) -> Case:
    """A case that answers itself from ``steps``."""
    return a_case(name, provider="fake", script=steps or ({"text": "Hello"},), **settings)


def passthrough(name: str = "refund", target: str = "tools:lookup", **settings: Any) -> Case:
    """A case with an ``impl:`` mock."""
    return a_case(name, mocks={"lookup": (MockRule(Impl(target), None, PLACE),)}, **settings)


def a_suite(
    *cases: Case, config: Config | None = None, file: str = FILE, name: str = "shop", **rest: Any
) -> Suite:
    """A suite of ``cases``."""
    return Suite(name, file, config or Config(scripted=True), cases, **rest)


def contains(text: str) -> Check:
    """The assertion that the final text holds ``text``."""
    return Check("final_contains", {"texts": [text]}, PLACE)


def run(
    root: Path, *what: Case | Suite, mode: str | None = None, today: str = TODAY, **options: Any
) -> Results:
    """Run cases (as one suite) or suites."""
    cases = [each for each in what if isinstance(each, Case)]
    suites: Sequence[Suite] = [each for each in what if isinstance(each, Suite)]
    if cases:
        suites = [a_suite(*cases), *suites]
    return run_suites(
        suites,
        RunOptions(mode=mode, **options),
        root=root,
        today=today,
        environ={},  # type: ignore[arg-type]
    )


def run_one(root: Path, what: Case | Suite, **options: Any) -> CaseResult:
    """The result of the only case of ``what``."""
    (result,) = run(root, what, **options).cases
    return result


def cassette_of(root: Path, stem: str = "refund", suite: str = "shop") -> Path:
    """Where a case's cassette lies on disk."""
    return root / ".dryfire" / "cassettes" / suite / f"{stem}.json"


def partial_of(root: Path, stem: str = "refund", suite: str = "shop") -> Path:
    """Where an unfinished recording lies on disk."""
    return root / ".dryfire" / "cassettes" / ".partial" / suite / f"{stem}.jsonl"


def record(root: Path, case: Case, *answers: Any, mode: str = "record", **options: Any) -> CaseResult:
    """The result of a case that is recorded, with a provider that gives just these answers."""
    with live(told := Told(*answers)):
        result = run_one(root, case, mode=mode, **options)
    assert next(told._answers, None) is None, "the provider was asked less often than the test expects"
    return result


def outcomes(result: CaseResult) -> list[list[str]]:
    """The outcomes of all turns, run by run."""
    return [[turn.outcome for turn in run.turns] for run in result.runs]


def changes(result: CaseResult) -> list[list[str]]:
    """The paths of the fields that changed, turn by turn."""
    return [[change.path for change in turn.changes] for run in result.runs for turn in run.turns]
