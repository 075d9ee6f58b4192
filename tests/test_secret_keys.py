"""Which names stand for a credential, and which only sound like one."""

from __future__ import annotations

import pytest

from dryfire_action.secret_keys import is_opaque_key, is_taste_cookie, key_kind, plain_name

KINDS = {
    "credential": """
        api_key apiKey API-KEY x-api-key X-Goog-Api-Key xi-api-key openai_api_key OPENAI_API_KEY api_keys password
        passwd Password db_password passphrase client_secret clientSecret CLIENT-SECRET secret secrets webhook_secret
        access_token accessToken refresh_token id_token auth_token x-auth-token X-Amz-Security-Token sessionToken
        aws_secret_access_key secretAccessKey secret-access-key private_key privateKey signing_key AccountKey
        SharedAccessKey Ocp-Apim-Subscription-Key x-functions-key X-CSRF-Token user[password] login.password
        github_token HF_TOKEN bot_token botToken cvv pwd code_verifier client_assertion http.headers.x-api-key
    """,
    "authorization": "authorization Authorization Proxy-Authorization HTTP_AUTHORIZATION request.headers.authorization",
    "cookie": "cookie Cookie COOKIE",
    "set-cookie": "set-cookie Set-Cookie set_cookie",
    "cookies": "cookies",
    "weak": "token auth credentials jwt",
    "query": "key sig signature session sid",
    "account": "openai-organization OpenAI-Project",
    None: """
        max_tokens maxTokens token_type tokenType token_count tokens total_tokens tokenizer next_page_token
        nextPageToken pageToken continuation_token cursor author authority authors authored_by id key_id keyId kid
        public_key publicKey publishable_key publishable_api_key idempotency-key primary_key sort_key cache_key
        secretary secret_name secret_arn password_hint password_reset_url keyboard monkey eos_token pad_token stop_token
        input_token outputToken new_token_count content-type user model nextToken sync_token thinking_budget_token
    """,
}


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for kind, names in KINDS.items() for name in names.split()]
)
def test_a_name_says_what_stands_under_it(name: str, kind: str | None) -> None:
    assert key_kind(name) == kind


def test_a_name_longer_than_any_name_says_nothing() -> None:
    assert key_kind("x" * 300 + "password") is None


def test_names_are_compared_without_case_and_marks() -> None:
    assert plain_name("AWS_SECRET_ACCESS_KEY") == plain_name("secretAccessKey".join(("aws-", "")))


@pytest.mark.parametrize(
    "name", ["signature", "thoughtSignature", "encrypted_content", "embedding", "b64_json"]
)
def test_sealed_text_is_known_by_its_name(name: str) -> None:
    assert is_opaque_key(name)
    assert not is_opaque_key("text")


def test_cookies_of_taste_are_told_from_the_rest() -> None:
    assert is_taste_cookie("Cookie-Consent")
    assert not is_taste_cookie("sid")
