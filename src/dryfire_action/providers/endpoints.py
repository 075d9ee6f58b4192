"""Where each provider is reached: its wire format, the variable of its key, its address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dryfire_action.suite import ProviderEntry

Family = Literal["messages", "chat", "responses", "generate_content"]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A provider: its name in suites, its wire format, and where its key and its address come from.

    ``base_url`` None is the SDK's own address. ``base_url_env`` names the variable that replaces the address, as the
    vendor's SDK documents it.
    """

    name: str
    family: Family
    key: str
    base_url: str | None = None
    base_url_env: str | None = None

    def address(self, environ: Mapping[str, str]) -> str | None:
        """The address to call; None for the SDK's own."""
        moved = environ.get(self.base_url_env, "").strip() if self.base_url_env else ""
        return moved or self.base_url


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint("anthropic", "messages", "ANTHROPIC_API_KEY", None, "ANTHROPIC_BASE_URL"),
    Endpoint("openai", "chat", "OPENAI_API_KEY", None, "OPENAI_BASE_URL"),
    Endpoint("openai-responses", "responses", "OPENAI_API_KEY", None, "OPENAI_BASE_URL"),
    Endpoint("gemini", "generate_content", "GEMINI_API_KEY", None, "GOOGLE_GEMINI_BASE_URL"),
    Endpoint("deepseek", "chat", "DEEPSEEK_API_KEY", "https://api.deepseek.com"),
    Endpoint("moonshot", "chat", "MOONSHOT_API_KEY", "https://api.moonshot.ai/v1"),
    Endpoint("openrouter", "chat", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"),
    Endpoint("xai", "chat", "XAI_API_KEY", "https://api.x.ai/v1"),
    Endpoint("zhipu", "chat", "ZHIPUAI_API_KEY", "https://api.z.ai/api/paas/v4"),
)


def endpoints(providers: Mapping[str, ProviderEntry]) -> dict[str, Endpoint]:
    """All endpoints by name: the team's own from ``providers:``, and the built-in ones, which nothing replaces."""
    own = {
        name: Endpoint(name, "chat", entry.api_key_env, entry.base_url) for name, entry in providers.items()
    }
    return own | {endpoint.name: endpoint for endpoint in ENDPOINTS}
