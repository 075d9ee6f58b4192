"""Any conversation, recorded and replayed: the same bytes, the same run, and nothing secret in the file."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dryfire_action import redact
from dryfire_action.errors import ProviderError
from dryfire_action.ignore_rules import IgnoreRule
from dryfire_action.messages import Message, Response, ToolCall, Usage
from dryfire_action.suite import Config, Fail, MockRule, Return
from tests.made_cases import PLACE, Told, a_case, a_suite, cassette_of, live, run_one

HELD = ("ann" + "@" + "corp.io", "gh" + "p_" + "q7R2" * 9, "sk-" + "ant-api03-" + "q7" * 46)
"""Secrets that may stand anywhere."""
NEVER_HELD = ("bob" + "@" + "corp.io", "gh" + "p_" + "Z9x4" * 9)
"""Secrets that only answers hold."""
ODD = (
    "[redacted:email:1]",
    "[redacted:github-token:1]",
    "[redacted:",
    'é e\u0301 \u2028 \\ "',
    "call_0",
    "",
    "\0",
)

SUITE_TEXTS = st.lists(st.sampled_from(HELD + ODD), max_size=4).map(" ".join)
ANSWER_TEXTS = st.lists(st.sampled_from(HELD + NEVER_HELD + ODD), max_size=4).map(" ".join)


def values(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """JSON values whose texts, keys and inner JSON texts may hold secrets."""
    inner = texts | texts.map(lambda text: json.dumps({"password": text, "n": [text]}))
    keys = st.sampled_from(["password", "a", "authorization", "n.n"]) | texts
    return st.recursive(
        inner
        | st.none()
        | st.booleans()
        | st.integers(-3, 2**70)
        | st.floats(allow_nan=False, allow_infinity=False),
        lambda child: st.lists(child, max_size=2) | st.dictionaries(keys, child, max_size=2),
        max_leaves=4,
    )


def calls(pairs: list[tuple[str, Any]]) -> Response:
    made = tuple(
        ToolCall(f"toolu_{number}", tool, {} if isinstance(value, str) else {"v": value}, malformed)
        for number, (tool, value) in enumerate(pairs)
        for malformed in [value if isinstance(value, str) else None]
    )
    return Response(tool_calls=made, stop_reason="tool_use")


THINKING = st.lists(
    st.fixed_dictionaries(
        {"type": st.just("thinking"), "thinking": ANSWER_TEXTS, "signature": st.just("c2lnbmVk")}
    ),
    max_size=1,
).map(tuple)
TURNS = st.builds(
    replace,
    st.lists(
        st.tuples(st.sampled_from(["lookup", "refund"]), values(ANSWER_TEXTS)), min_size=1, max_size=3
    ).map(calls),
    text=st.none() | ANSWER_TEXTS,
    reasoning=THINKING,
)
LAST = st.builds(
    Response,
    text=ANSWER_TEXTS | values(ANSWER_TEXTS).map(json.dumps),
    reasoning=THINKING,
    stop_reason=st.sampled_from(["end_turn", "max_tokens", "refusal"]),
    usage=st.builds(Usage, st.integers(0, 9), st.integers(0, 9)),
    latency_ms=st.integers(0, 50),
    chunks=st.sampled_from([(), ("a", "b")]),
)
FAILURES = st.lists(
    st.builds(
        ProviderError,
        ANSWER_TEXTS,
        kind=st.sampled_from(["Overloaded", "RateLimited"]),
        status=st.sampled_from([429, 503, None]),
        retry_after=st.sampled_from([0, 0.0]),
        retryable=st.just(True),
    ),
    max_size=2,
)
ANSWERS = st.lists(st.tuples(FAILURES, TURNS), max_size=4)
RESULTS = st.builds(Return, values(SUITE_TEXTS)) | st.builds(Fail, SUITE_TEXTS)


@settings(max_examples=80)
@given(ANSWERS, FAILURES, LAST, SUITE_TEXTS, SUITE_TEXTS, RESULTS, RESULTS, st.booleans())
def test_a_conversation_replays_as_it_was_recorded(
    turns: Any,
    failures: Any,
    last: Response,
    system: str,
    asked: str,
    found: Any,
    refunded: Any,
    ignoring: bool,
) -> None:
    answers = [each for before, turn in turns for each in (*before, turn)] + [*failures, last]
    case = a_case(
        system=f"Today is 1. {system}",
        messages=(Message("user", asked),),
        mocks={"lookup": (MockRule(found, None, PLACE),), "refund": (MockRule(refunded, None, PLACE),)},
        allow_unfinished=True,
    )
    config = Config(ignore=(IgnoreRule("system", "Today is [0-9]"),) if ignoring else ())
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        recorded = recording(root, a_suite(case, config=config), answers, "record", "2026-01-01")
        written = cassette_of(root).read_bytes()
        again = recording(root, a_suite(case, config=config), answers, "record", "2026-12-31")
        assert cassette_of(root).read_bytes() == written
        played = run_one(root, a_suite(case, config=config))
        assert cassette_of(root).read_bytes() == written
    assert timeless(recorded) == timeless(again) == timeless(played)
    assert recorded.outcome == played.outcome
    assert [turn.current for turn in recorded.runs[0].turns] == [
        turn.current for turn in played.runs[0].turns
    ]
    text = written.decode()
    # The digest of an escaped text is a digest: what JSON would escape is compared as it is written.
    assert not [secret for secret in HELD + NEVER_HELD if secret in text or json.dumps(secret)[1:-1] in text]
    document = json.loads(text)
    for exchange in document["exchanges"]:
        assert list(redact.find(exchange.get("answer") or exchange.get("error"))) == []
        pointers = exchange.get("from_request", {}).values()
        assert not ignoring or not [pointer for pointer in pointers if pointer.startswith("system[")]


def recording(root: Path, suite: Any, answers: list[Any], mode: str, today: str) -> Any:
    with live(told := Told(*answers)):
        result = run_one(root, suite, mode=mode, today=today)
    assert told.calls == len(answers)
    assert result.outcome == "passed"
    return result


def timeless(result: Any) -> Any:
    """The run without its clock: what must not differ between a recording and its replay."""
    trace = result.runs[0].trace
    events = tuple(event._replace(at=0.0) for event in trace.events)
    return replace(trace, events=events, started_at=0.0, ended_at=0.0)
