"""The token goes to one host; answers are bounded in size and time; redirects go nowhere they should not."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
import requests
from requests.adapters import HTTPAdapter

from dryfire_action.github.client import GitHub
from dryfire_action.github.failures import GitHubError
from dryfire_action.github.transport import checked_address, origin
from tests.github.talk import client
from tests.github_double import Fault, GitHubDouble

if TYPE_CHECKING:
    from pathlib import Path

    from tests.github.talk import Waiting

COMMENTS = "/repos/acme/demo/issues/7/comments"
PULL = "/repos/acme/demo/pulls/7"


@pytest.mark.parametrize(
    "address",
    [
        "http://github.example/api/v3",
        "http://127.0.0.2.example/api",
        "ftp://github.example",
        "github.example",
        "",
        "https://",
        "https://ada@github.example",
        "https://github.example?x=1",
        "https://github.example/#x",
        "https://[broken",
        "https://github.example:port",
    ],
)
def test_an_address_that_must_not_see_a_token_is_refused(address: str) -> None:
    with pytest.raises(GitHubError) as caught:
        checked_address(address)
    assert (caught.value.kind, "ada" in str(caught.value)) == ("misused", False)


@pytest.mark.parametrize(
    "address",
    [
        "https://api.github.com",
        "https://github.example:8443/api/v3/",
        "http://127.0.0.1:8080",
        "http://[::1]:80",
    ],
)
def test_an_address_of_github_is_taken(address: str) -> None:
    assert checked_address(f" {address}\n") == address.rstrip("/")


def test_an_origin_is_scheme_host_and_port() -> None:
    assert (
        origin("https://API.github.com/x")
        == origin("https://api.github.com:443")
        != origin("http://api.github.com")
    )


# redirects


def moved(to: str, status: int = 302) -> Fault:
    return Fault(status, b"", headers={"Location": to})


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_on_our_host_is_followed_with_the_token(
    github: GitHubDouble, waiting: Waiting, status: int
) -> None:
    github.fail_next(moved(PULL, status))
    assert client(github, waiting).get("/repos/acme/renamed/pulls/7")["number"] == 7
    assert [bool(call.headers.get("authorization")) for call in github.calls] == [True, True]


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirected_write_stays_the_write_it_was(
    github: GitHubDouble, waiting: Waiting, status: int
) -> None:
    github.fail_next(moved(COMMENTS, status), method="POST")
    client(github, waiting).create("/repos/acme/renamed/issues/7/comments", {"body": "x"}, found=lambda: None)
    assert [comment.body for comment in github.comments(7)] == ["x"]


def test_another_host_sees_neither_token_nor_parameters(github: GitHubDouble, waiting: Waiting) -> None:
    github.fail_next(moved(f"{github.storage}/artifacts/0.zip?sig=y"), path="/pulls")
    with pytest.raises(GitHubError):
        list(client(github, waiting).pages("/repos/acme/demo/pulls", {"head": "acme:topic"}))
    ours, theirs = github.calls
    assert ours.headers["authorization"] == f"Bearer {github.token.text}"
    assert theirs.host == urlsplit(github.storage).netloc != github.host
    assert "authorization" not in theirs.headers and "x-github-api-version" not in theirs.headers
    assert theirs.query == {"sig": "y"}
    assert github.token.text not in str(theirs)


def test_the_users_netrc_is_not_asked(
    github: GitHubDouble, waiting: Waiting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login ada password of-somebody-else\n", encoding="utf-8")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    github.fail_next(moved(f"{github.storage}/artifacts/0.zip"), path="/pulls/7")
    with pytest.raises(GitHubError):
        client(github, waiting).get(PULL)
    assert [call.headers.get("authorization") for call in github.calls] == [
        f"Bearer {github.token.text}",
        None,
    ]


@pytest.mark.parametrize(
    "to",
    [
        "http://github.invalid/x",
        "ftp://127.0.0.1/x",
        "file:///etc/hostname",
        "http://[broken",
        "//169.254.169.254/",
    ],
)
def test_a_redirect_to_where_nothing_is_read_is_not_followed(
    github: GitHubDouble, waiting: Waiting, to: str
) -> None:
    github.fail_next(moved(to), 100)
    with pytest.raises(GitHubError, match="points to where nothing is sent"):
        client(github, waiting).get(PULL)
    assert len(github.calls) == 1


def test_a_write_is_never_sent_to_another_host(github: GitHubDouble, waiting: Waiting) -> None:
    github.fail_next(moved(f"{github.storage}/x", 307), method="POST")
    with pytest.raises(GitHubError, match="points to where nothing is sent"):
        client(github, waiting).create(COMMENTS, {"body": "x"}, found=lambda: None)
    assert len(github.calls) == 1


def test_redirects_in_a_circle_end(github: GitHubDouble, waiting: Waiting) -> None:
    github.fail_next(moved(PULL), 100)
    with pytest.raises(GitHubError, match="redirected more than 5 times"):
        client(github, waiting).get(PULL)


# bounds


def test_an_answer_that_is_too_large_is_not_read_to_its_end(github: GitHubDouble, waiting: Waiting) -> None:
    github.fail_next(Fault(200, b"x" * 3_000_000), path="/zip")
    with pytest.raises(GitHubError, match="more than 1000 bytes"):
        client(github, waiting).download("/repos/acme/demo/actions/artifacts/1/zip", most_bytes=1000)
    assert len(github.calls) == 1


def test_an_answer_that_only_drips_is_left_after_half_a_minute(
    github: GitHubDouble, waiting: Waiting
) -> None:
    github.on_drip = waiting.drip
    github.fail_next("drips")
    assert client(github, waiting).get(PULL)["number"] == 7
    assert (len(github.calls), waiting.slept.count(1)) == (2, 1)
    assert waiting.waited < 60


def test_a_redirect_that_only_drips_is_left_too(github: GitHubDouble, waiting: Waiting) -> None:
    github.on_drip = waiting.drip
    github.fail_next(Fault(302, b"x" * 2000, headers={"Location": PULL}, drips=True))
    assert client(github, waiting).get(PULL)["number"] == 7
    assert (len(github.calls), waiting.waited < 60) == (2, True)


def test_what_is_sent_says_who_we_are_and_asks_for_nothing_packed(
    github: GitHubDouble, waiting: Waiting
) -> None:
    client(github, waiting).get(PULL)
    headers = github.calls[0].headers
    assert headers["user-agent"].startswith("dryfire-action/")
    assert (headers["accept-encoding"], headers["accept"]) == ("identity", "application/vnd.github+json")


def test_nobody_there_is_unreachable(github: GitHubDouble, waiting: Waiting) -> None:
    made = client(github, waiting)
    for server in github._servers:
        server.shutdown()
        server.server_close()
    with pytest.raises(GitHubError, match="got no whole answer: ConnectionError"):
        made.get(PULL)
    assert waiting.slept == [1, 2, 4, 8]


# proxies and certificates


def test_5e_a_proxy_of_the_environment_is_used(
    github: GitHubDouble, waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", f"http://{github.host}")
    # Nobody listens there: only the proxy can answer.
    made = GitHub("http://127.0.0.1:9", github.token.text, clock=waiting.clock, sleep=waiting.sleep)
    assert made.get(PULL)["number"] == 7
    assert [call.host for call in github.calls] == ["127.0.0.1:9"]


@pytest.mark.parametrize("bundle", [None, "/etc/ssl/company.pem"])
def test_5e_certificates_are_checked_with_the_environments_authorities(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch, bundle: str | None
) -> None:
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "https_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    if bundle:
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", bundle)
    seen: list[object] = []

    def send(
        adapter: HTTPAdapter, request: requests.PreparedRequest, **settings: object
    ) -> requests.Response:
        seen.append(settings["verify"])
        raise requests.ConnectionError("nothing is sent")

    monkeypatch.setattr(HTTPAdapter, "send", send)
    made = GitHub("https://github.invalid/api/v3", "ghs" + "_x", clock=waiting.clock, sleep=waiting.sleep)
    with pytest.raises(GitHubError, match="ConnectionError"):
        made.get(PULL)
    assert set(seen) == {bundle or True}
