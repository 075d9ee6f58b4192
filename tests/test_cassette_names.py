"""Names of cassette files stay apart and are safe, on every file system."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dryfire_action.cassette_names import LONGEST, cassette_path, partial_path, safe_name

FOLDER = ".dryfire/cassettes"


@pytest.mark.parametrize("name", ["refund", "refund_2", "a", "9", "_x", "late-refund.v2", "x" * LONGEST])
def test_a_plain_name_is_its_own_file_name(name: str) -> None:
    assert safe_name(name) == name


ODD = """
.. ../../etc/passwd a/b a\\b C: ~ a. .hidden .partial con CON nul.txt com1 lpt9.log aux a@b Refund é e\u0301 İ straße
refund-0123456789
"""


@pytest.mark.parametrize(
    "name",
    [
        *ODD.split(),
        *("", ".", "-rf x", " ", "a ", "a\nb", "a\0b", "\x1b[31m", "\u202egnp", "\ud800"),
        *("x" * 300, "\N{PILE OF POO}" * 120),
    ],
)
def test_any_other_name_is_cleaned_and_gets_a_hash(name: str) -> None:
    found = safe_name(name)
    assert re.fullmatch(r"[a-z0-9_][a-z0-9_-]*-[0-9a-f]{10}", found), found
    assert len(found) <= 60
    assert not PureWindowsPath(found + ".json").is_reserved()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Refund", "refund"),
        ("\u00e9t\u00e9", "e\u0301te\u0301"),
        ("Straße", "STRASSE"),
        ("a b", "a  b"),
        ("x" * 300, "x" * 301),
        ("con", "con."),
        ("a", "a "),
        ("\u0130", "i\u0307"),
    ],
)
def test_twins_stay_apart(first: str, second: str) -> None:
    assert safe_name(first) != safe_name(second)


def test_nobody_can_take_the_file_of_a_hashed_name() -> None:
    assert safe_name(safe_name("Refund")) != safe_name("Refund")


def test_the_case_of_a_model_override_lies_beside_and_cannot_be_meant_by_a_name() -> None:
    assert cassette_path(FOLDER, "shop", "refund", "gpt-5") == f"{FOLDER}/shop/refund@gpt-5.json"
    assert cassette_path(FOLDER, "shop", "refund@gpt-5") != cassette_path(FOLDER, "shop", "refund", "gpt-5")


def test_the_partial_file_lies_in_its_own_folder() -> None:
    path = cassette_path(FOLDER, "shop", "refund")
    assert partial_path(FOLDER, path) == f"{FOLDER}/.partial/shop/refund.jsonl"
    assert partial_path("", cassette_path("", "shop", "refund")) == ".partial/shop/refund.jsonl"


NAMES = st.text(st.characters(exclude_categories=()), max_size=12) | st.text(
    st.sampled_from("aAbé\u0301e.-_@/ 0"), max_size=6
)


@given(NAMES, NAMES)
def test_other_names_have_other_paths_whatever_the_file_system_makes_of_them(first: str, second: str) -> None:
    def on_disk(name: str) -> str:
        return unicodedata.normalize("NFC", safe_name(name)).casefold().rstrip(". ")

    assert (on_disk(first) == on_disk(second)) == (first == second)


@given(NAMES, NAMES, st.none() | NAMES)
def test_a_path_never_leaves_its_folder_and_is_short(suite: str, case: str, model: str | None) -> None:
    folder, suite_part, file = cassette_path("cassettes", suite, case, model).split("/")
    assert (folder, suite_part in ("", ".", "..", ".partial")) == ("cassettes", False)
    assert len(file.encode()) < 200
    assert partial_path("cassettes", f"{folder}/{suite_part}/{file}").startswith("cassettes/.partial/")
