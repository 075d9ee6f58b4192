"""Every kind of secret in every format and every hiding place, among look-alikes."""

from __future__ import annotations

import re
from typing import Any

import pytest

from dryfire_action.recordings.files import fix, look
from dryfire_action.redact import REVIEW_RULES
from tests.corpus import places, writers
from tests.corpus.places import PLACES
from tests.corpus.writers import WRITERS


def matched(value: str, found: list[str]) -> bool:
    """Whether a planted secret is among what was found, whole, with whatever runs on behind it."""
    return any(value in other for other in found)


@pytest.mark.parametrize("format_", WRITERS)
@pytest.mark.parametrize("place", PLACES)
def test_every_secret_is_found_and_nothing_else(format_: str, place: str) -> None:
    file, write = WRITERS[format_]
    turn = list(WRITERS).index(format_) + list(PLACES).index(place)
    planted = places.exchanges(place)[turn % 2 :: 2]
    data = write([exchange for _, exchange in planted])
    report = look(data, file, REVIEW_RULES)
    found = [finding.value for finding in report.findings]
    assert not report.not_checked
    assert [secret for secret, _ in planted if not matched(secret.value, found)] == []
    values = [secret.value for secret, _ in planted]
    assert [f for f in report.findings if not any(v in f.value or f.value in v for v in values)] == []


@pytest.mark.parametrize("format_", WRITERS)
def test_a_clean_recording_is_clean(format_: str) -> None:
    file, write = WRITERS[format_]
    report = look(write(places.clean(count=20)), file, REVIEW_RULES)
    assert report.findings == () and report.not_checked == ()


@pytest.mark.parametrize("format_", WRITERS)
@pytest.mark.parametrize("place", PLACES)
def test_a_fixed_recording_holds_no_secret_and_is_otherwise_the_same(format_: str, place: str) -> None:
    file, write = WRITERS[format_]
    # Of every place and format some kinds, other ones each time: together all of them, several times.
    turn = list(WRITERS).index(format_) + list(PLACES).index(place)
    planted = places.exchanges(place)[turn % 4 :: 4]
    data = write([exchange for _, exchange in planted])
    fixed = fix(data, file, REVIEW_RULES)
    assert fixed.left.findings == () and fixed.left.not_checked == ()
    assert skeleton(writers.parsed(file, fixed.data)) == skeleton(writers.parsed(file, data))
    values = [secret.value for secret, _ in planted]
    assert not [value for value in values if value.encode() in fixed.data]
    if not file.endswith(".gz") and "stream" not in place:
        assert not unexplained(data, fixed.data)


def test_a_file_without_secrets_is_fixed_to_itself() -> None:
    for file, write in WRITERS.values():
        data = write(places.clean())
        assert fix(data, file, REVIEW_RULES).data == data


def skeleton(tree: Any) -> Any:
    """A tree without its texts: the names, the lengths of lists, the kinds of what is in it."""
    if isinstance(tree, dict):
        return {name: skeleton(value) for name, value in tree.items()}
    if isinstance(tree, list):
        return [skeleton(value) for value in tree]
    return type(tree).__name__


# A length, alone or as the value of a field; a piece of a layer in base64 or hexadecimal.
_LENGTH_FIELD = r""""?(?:value|Content-Length|size|bodySize|content_length)"?: """
_LENGTH_OR_LAYER = re.compile(
    rf"""\s*(?:- )?(?:{_LENGTH_FIELD})?["']?(?:[0-9]+|[A-Za-z0-9+/]+=*)["']?,?""", re.IGNORECASE
)
# A marker, a longer piece of a layer, or a piece of a streamed text that is empty now.
_TOLD = re.compile(r"""redacted|[A-Za-z0-9+/]{40}|: \\?"\\?"|\\?"\\$""")


def unexplained(before: bytes, after: bytes) -> list[str]:
    """New lines with neither a marker nor an opened layer nor a length on them: none."""
    known = set(before.decode().splitlines())
    return [
        line
        for line in after.decode().splitlines()
        if line not in known and not _TOLD.search(line) and not _LENGTH_OR_LAYER.fullmatch(line)
    ]
