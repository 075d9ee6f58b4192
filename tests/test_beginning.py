"""The beginning of a growing list is, in every way but its cost, a tuple of its first items."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dryfire_action.beginning import Beginning


@given(st.lists(st.integers(0, 3), max_size=8), st.data())
def test_it_is_what_a_tuple_would_be(items: list[int], data: st.DataObject) -> None:
    count = data.draw(st.integers(0, len(items)))
    found, copied = Beginning(items, count), tuple(items[:count])
    items.append(9)
    assert (len(found), tuple(found), list(reversed(found))) == (count, copied, list(reversed(copied)))
    part = data.draw(st.slices(9))
    assert found[part] == copied[part]
    assert repr(found) == repr(copied)
    assert found == copied
    assert copied == found
    assert found == Beginning(list(copied), count)
    assert (found == Beginning(items, count + 1)) is False
    assert found != list(copied)
    assert (2 in found) == (2 in copied)


@pytest.mark.parametrize("index", [2, -3])
def test_there_is_nothing_beyond_its_end(index: int) -> None:
    with pytest.raises(IndexError):
        Beginning(["a", "b", "c"], 2)[index]
