"""Providers are made by the name a suite uses; what cannot be called says so before anything is sent."""

from __future__ import annotations

import sys

import pytest

from dryfire_action.config_sections import BUILT_IN_PROVIDERS
from dryfire_action.errors import ProviderUnavailable, UsageError
from dryfire_action.providers import PROVIDERS, make_provider
from dryfire_action.providers.endpoints import ENDPOINTS, Endpoint, endpoints
from dryfire_action.providers.scripted import ScriptedProvider
from dryfire_action.suite import ProviderEntry

OWN = {"our-gateway": ProviderEntry("https://llm.example/v1", "OUR_KEY")}


def test_1_7_the_scripted_provider_is_called_fake() -> None:
    assert isinstance(make_provider("fake"), ScriptedProvider)


@pytest.mark.parametrize("name", sorted(PROVIDERS))
def test_every_provider_without_a_key_has_the_name_it_is_made_by(name: str) -> None:
    assert make_provider(name).name == name


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_every_live_provider_has_the_name_it_is_made_by_and_tells_its_sdk(endpoint: Endpoint) -> None:
    made = make_provider(endpoint.name, environ={endpoint.key: "k"})
    assert made.name == endpoint.name
    assert made.sdk in ("anthropic", "openai", "google-genai")  # type: ignore[attr-defined]
    assert made.sdk_version[0].isdigit()  # type: ignore[attr-defined]


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
@pytest.mark.parametrize("environ", [{}, {"": "k"}, "empty", "blank"])
def test_a_missing_key_names_its_variable(endpoint: Endpoint, environ: dict[str, str] | str) -> None:
    found = {endpoint.key: "" if environ == "empty" else " \n"} if isinstance(environ, str) else environ
    with pytest.raises(ProviderUnavailable, match=endpoint.key) as caught:
        make_provider(endpoint.name, environ=found)
    assert f"export {endpoint.key}=" in caught.value.remedy


@pytest.mark.parametrize(
    ("name", "module", "command"),
    [
        ("anthropic", "anthropic", 'pip install "dryfire-action[anthropic]"'),
        ("openai", "openai", 'pip install "dryfire-action[openai]"'),
        ("openai-responses", "openai", 'pip install "dryfire-action[openai]"'),
        ("deepseek", "openai", 'pip install "dryfire-action[openai]"'),
        ("gemini", "google.genai", 'pip install "dryfire-action[gemini]"'),
        ("our-gateway", "openai", 'pip install "dryfire-action[openai]"'),
    ],
)
def test_a_missing_sdk_names_the_command_that_installs_it(
    name: str, module: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    keys = {endpoint.key: "k" for endpoint in ENDPOINTS} | {"OUR_KEY": "k"}
    with pytest.raises(ProviderUnavailable) as caught:
        make_provider(name, providers=OWN, environ=keys)
    assert caught.value.remedy == command
    assert "is not installed" in caught.value.message


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("antropic", "did you mean 'anthropic'?"),
        ("our-gatway", "did you mean 'our-gateway'?"),
        ("", ""),
        ("zz", ""),
    ],
)
def test_an_unknown_name_is_refused_with_a_way_on(name: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_provider(name, providers=OWN)
    assert repr(name) in caught.value.message
    assert hint in caught.value.message
    assert "in dryfire.yaml: providers: {NAME: {base_url: " in caught.value.remedy
    assert "openai-responses" in caught.value.remedy


def test_1_4_a_built_in_name_is_never_overridden() -> None:
    theirs = {"openai": ProviderEntry("https://elsewhere.example/v1", "OTHER_KEY")}
    assert endpoints(theirs)["openai"].key == "OPENAI_API_KEY"
    assert endpoints(OWN)["our-gateway"] == Endpoint(
        "our-gateway", "chat", "OUR_KEY", "https://llm.example/v1"
    )


def test_the_config_knows_the_built_in_names() -> None:
    assert sorted({*PROVIDERS, *(endpoint.name for endpoint in ENDPOINTS)}) == sorted(BUILT_IN_PROVIDERS)


@pytest.mark.parametrize(
    ("endpoint", "environ", "address"),
    [
        (endpoints({})["openai"], {}, None),
        (endpoints({})["openai"], {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, "http://127.0.0.1:1/v1"),
        (endpoints({})["xai"], {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, "https://api.x.ai/v1"),
        (endpoints({})["anthropic"], {"ANTHROPIC_BASE_URL": " "}, None),
    ],
)
def test_only_a_vendors_own_variable_moves_its_address(
    endpoint: Endpoint, environ: dict[str, str], address: str | None
) -> None:
    assert endpoint.address(environ) == address
