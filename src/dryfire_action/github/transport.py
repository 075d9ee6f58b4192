"""One exchange of bytes with GitHub: bounded in size and time, and the token goes to one host only."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase
from urllib3.exceptions import HTTPError
from urllib3.util.retry import Retry

from dryfire_action.github.failures import GitHubError, plain
from dryfire_action.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dryfire_action.github.patience import Patience

MOST_REDIRECTS = 5
# A hundred comments of the greatest length, in UTF-8.
MOST_BYTES = 32 * 2**20
SECONDS_TO_CONNECT = 10.0
SECONDS_OF_SILENCE = 20.0
SECONDS_OF_AN_ANSWER = 30.0
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the status, the headers by name in lower case, and the body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _Bearer(AuthBase):
    """Shows the token, or nothing. Given with every call, as requests would else look into the user's `.netrc`."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._token:
            request.headers["Authorization"] = f"Bearer {self._token}"
        return request


class _Session(requests.Session):
    """A session that leaves redirects alone; even unfollowed ones would be looked into, and read without a bound."""

    def get_redirect_target(self, resp: requests.Response) -> str | None:  # noqa: ARG002
        return None


def origin(url: str) -> tuple[str, str, int]:
    """Scheme, host and port of an address; raises ``ValueError`` where it has none of ours."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("no address of a web server")
    return parts.scheme, parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)


def joined(url: str, relative: str) -> str:
    """An address as seen from another; "" where it is none."""
    try:
        return urljoin(url, relative)
    except ValueError:
        return ""


def _is_here(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def checked_address(api_url: str) -> str:
    """The address of an API without a slash at its end. Raises ``GitHubError`` where a token must not be sent there."""
    address = api_url.strip().rstrip("/")
    try:
        scheme, host, _ = origin(address)
    except ValueError:
        scheme, host = "", ""
    if (scheme != "https" and not _is_here(host)) or any(sign in address for sign in "@?#"):
        raise GitHubError("misused", f"not an https address of GitHub's API: {plain(host)!r}")
    return address


def checked_token(token: str) -> str:
    """The token without blanks around it. Raises ``GitHubError``, which does not quote it, where it cannot be one."""
    text = token.strip()
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise GitHubError("misused", "the token is empty or holds signs that no token has")
    return text


class Transport:
    """Sends requests to the API at ``api_url`` and follows where it points; see ``exchange``."""

    def __init__(self, api_url: str, token: str, patience: Patience) -> None:
        self.api_url = checked_address(api_url)
        self._token = checked_token(token)
        self._patience = patience
        self._session = _Session()
        # Connections that were never made are tried again at once; all that waits is decided by the client.
        retries = Retry(
            total=None, connect=2, read=False, redirect=False, status=0, other=0, backoff_factor=0
        )
        self._session.mount("https://", HTTPAdapter(max_retries=retries))
        self._session.mount("http://", HTTPAdapter(max_retries=retries))
        self._session.headers.update(
            {
                "Accept": "application/vnd.github+json",
                # As it is: nothing that unpacks into something larger.
                "Accept-Encoding": "identity",
                "User-Agent": f"dryfire-action/{__version__}",
                "X-GitHub-Api-Version": "2022-11-28",
            }
        )

    def __repr__(self) -> str:
        return f"Transport({self.api_url!r})"

    def is_ours(self, url: str) -> bool:
        """Whether an address is on the host of the API, which alone gets the token."""
        try:
            return origin(url) == origin(self.api_url)
        except ValueError:
            return False

    def exchange(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, str | int] | None = None,
        json: Any = None,
        most_bytes: int = MOST_BYTES,
    ) -> Answer:
        """Send a request and read the whole answer.

        Redirects are followed with the method they came with; to another host only a reading call is, without the
        token. Raises ``GitHubError`` "unreachable" where no whole answer came, "garbled" where it is larger than
        ``most_bytes`` or points somewhere it should not.
        """
        called = f"{method} {urlsplit(url).path}"
        for _ in range(MOST_REDIRECTS):
            answer = self._once(method, url, params, json, most_bytes, called)
            if answer.status not in REDIRECTS:
                return answer
            url, params = joined(url, answer.headers.get("location", "")), None
            if not self._may_go_to(method, url):
                raise GitHubError(
                    "garbled", f"{called} points to where nothing is sent", status=answer.status
                )
        raise GitHubError("garbled", f"{called} is redirected more than {MOST_REDIRECTS} times")

    def _may_go_to(self, method: str, url: str) -> bool:
        """Whether a redirect is followed: anywhere on our host, and to read over TLS anywhere."""
        if self.is_ours(url):
            return True
        try:
            scheme, host, _ = origin(url)
        except ValueError:
            return False
        # Files of a server on this machine lie on this machine; nobody else sends us here.
        both_here = _is_here(host) and _is_here(origin(self.api_url)[1])
        return method == "GET" and (scheme == "https" or both_here)

    def _once(
        self,
        method: str,
        url: str,
        params: Mapping[str, str | int] | None,
        json: Any,
        most_bytes: int,
        called: str,
    ) -> Answer:
        left = self._patience.left
        if left <= 0:
            raise GitHubError("out of time", f"no time is left for {called}")
        started = self._patience.clock()
        try:
            # Another host is shown neither the token nor what only the API understands.
            ours = self.is_ours(url)
            with self._session.request(
                method,
                url,
                params=params,
                json=json,
                headers=None if ours else {"Accept": "*/*", "X-GitHub-Api-Version": None},
                auth=_Bearer(self._token if ours else ""),
                timeout=(min(SECONDS_TO_CONNECT, left), min(SECONDS_OF_SILENCE, left)),
                allow_redirects=False,
                stream=True,
            ) as response:
                body = self._read(response, started + min(SECONDS_OF_AN_ANSWER, left), most_bytes, called)
                headers = {name.lower(): value for name, value in response.headers.items()}
                return Answer(response.status_code, headers, body)
        except (requests.RequestException, HTTPError, OSError) as error:
            # Only the name of the error: its text is made by others, and holds addresses with what was signed.
            failed = GitHubError("unreachable", f"{called} got no whole answer: {type(error).__name__}")
        finally:
            self._patience.spend_since(started)
        raise failed

    def _read(self, response: requests.Response, until: float, most_bytes: int, called: str) -> bytes:
        body = bytearray()
        # `read1` gives what is there: one that waits for a whole block has no end where bytes come one by one.
        while piece := response.raw.read1(65_536):
            body += piece
            if len(body) > most_bytes:
                raise GitHubError("garbled", f"{called} answers more than {most_bytes} bytes")
            if self._patience.clock() > until:
                raise GitHubError("unreachable", f"{called} answers too slowly")
        return bytes(body)
