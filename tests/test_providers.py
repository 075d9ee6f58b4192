"""Providers are made by the name a suite uses; what cannot be called says so."""

from __future__ import annotations

import pytest

from dryfire_action.errors import UsageError
from dryfire_action.providers import PROVIDERS, make_provider
from dryfire_action.providers.scripted import ScriptedProvider


def test_1_7_the_scripted_provider_is_called_fake() -> None:
    assert isinstance(make_provider("fake"), ScriptedProvider)


@pytest.mark.parametrize("name", sorted(PROVIDERS))
def test_every_provider_has_the_name_it_is_made_by(name: str) -> None:
    assert make_provider(name).name == name


@pytest.mark.parametrize("name", ["anthropic", "openai", "our-own", ""])
def test_a_provider_without_a_row_is_refused_with_a_way_on(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_provider(name)
    assert repr(name) in caught.value.message
    assert "not part of this version" in caught.value.message
    assert "`provider: fake` and a `script`" in caught.value.remedy
