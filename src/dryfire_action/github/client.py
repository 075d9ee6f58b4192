"""The client: calls that keep trying as long as it makes sense, and never say what the token is."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from dryfire_action.github.failures import GitHubError, Kind, plain
from dryfire_action.github.patience import (
    MOST_TRIES,
    Patience,
    seconds_after_a_failure,
    seconds_asked_for,
    seconds_of_a_limit,
)
from dryfire_action.github.transport import MOST_BYTES, Answer, Transport, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    # Whether a JSON value is what a call answers.
    Fits = Callable[[Any], bool]
    Params = Mapping[str, str | int]

PER_PAGE = 100
MOST_PAGES = 100
MOST_WAITING = 90.0
KINDS: dict[int, Kind] = {401: "unauthorized", 403: "denied", 404: "missing", 410: "gone"}

Made = TypeVar("Made")


class GitHub:
    """GitHub's API for one token.

    ``api_url`` is what the runner says in `GITHUB_API_URL`. ``clock`` gives seconds since 1970 and ``sleep`` waits; all
    calls together take no longer than ``most_waiting`` seconds, waiting included. Every method raises ``GitHubError``.
    """

    def __init__(
        self,
        api_url: str,
        token: str,
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
        most_waiting: float = MOST_WAITING,
    ) -> None:
        self._patience = Patience(clock, sleep, most_waiting)
        self._transport = Transport(api_url, token, self._patience)
        self._token = token.strip()

    def __repr__(self) -> str:
        return f"GitHub({self._transport.api_url!r})"

    def get(self, path: str, params: Params | None = None) -> dict[str, Any]:
        """The object at ``path``, which begins with a slash."""
        value: dict[str, Any] = self._ask("GET", self._url(path), _is_thing, params=params)[0]
        return value

    def pages(self, path: str, params: Params | None = None, *, key: str = "") -> Iterator[dict[str, Any]]:
        """Every item of a list, to its last page; ``key`` names the list where it stands inside an object."""
        url, query = self._url(path), {"per_page": PER_PAGE, **(params or {})}
        for _ in range(MOST_PAGES):
            page, answer = self._ask("GET", url, lambda value: _items(value, key) is not None, params=query)
            yield from _items(page, key) or ()
            following = _next_page(answer.headers.get("link", ""))
            if not following:
                return
            url, query = joined(url, following), {}
            if not self._transport.is_ours(url):
                raise GitHubError("garbled", f"GET {path} goes on at another host")
        raise GitHubError("garbled", f"GET {path} has more than {MOST_PAGES} pages")

    def create(
        self, path: str, body: dict[str, Any], *, found: Callable[[], Made | None]
    ) -> dict[str, Any] | Made:
        """Make something, once: what GitHub answers, or what ``found`` gives.

        Whenever an answer leaves open whether the thing was made, ``found`` looks for it before anything is sent again.
        """
        for tries in range(1, MOST_TRIES + 1):
            try:
                return self._try("POST", self._url(path), _is_thing, tries, json=body)[0]  # type: ignore[no-any-return]
            except _Again as again:
                self._patience.wait(again.seconds, again.error)
                if again.ambiguous:
                    made = found()
                    if made is not None:
                        return made
                last = again.error
        raise last

    def update(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Change what is at ``path``; doing it twice does no harm."""
        value: dict[str, Any] = self._ask("PATCH", self._url(path), _is_thing, json=body)[0]
        return value

    def delete(self, path: str) -> None:
        """Take away what is at ``path``; that it is gone already is as good."""
        try:
            self._ask("DELETE", self._url(path), _is_anything)
        except GitHubError as error:
            if error.kind not in ("missing", "gone"):
                raise

    def query(self, text: str, variables: dict[str, Any]) -> dict[str, Any]:
        """The `data` of a GraphQL query. Raises where it has none; what is null in it is for the caller to see.

        The address follows from that of the API: `/api/graphql` beside `/api/v3` on an enterprise server.
        """
        url = re.sub(r"/api/v3\Z", "/api", self._transport.api_url) + "/graphql"
        value = self._ask("POST", url, _is_object, json={"query": text, "variables": variables})[0]
        if not isinstance(value.get("data"), dict):
            raise GitHubError("denied", f"GraphQL has no answer: {self._said(value)}")
        data: dict[str, Any] = value["data"]
        return data

    def download(self, path: str, *, most_bytes: int) -> bytes:
        """The file that ``path`` points to, on whatever host; raises where it is larger than ``most_bytes``."""
        return self._ask("GET", self._url(path), _is_anything, most_bytes=most_bytes)[1].body

    def pause(self, seconds: float) -> None:
        """Wait, as part of the time that is allowed."""
        self._patience.wait(seconds, GitHubError("out of time", "no time is left to see what others wrote"))

    def _url(self, path: str) -> str:
        return self._transport.api_url + path

    def _ask(self, method: str, url: str, fits: Fits, **more: Any) -> tuple[Any, Answer]:
        """The answer to a call that may be repeated, as JSON that fits and as it came."""
        for tries in range(1, MOST_TRIES + 1):
            try:
                return self._try(method, url, fits, tries, **more)
            except _Again as again:
                last = again.error
                if tries < MOST_TRIES:
                    self._patience.wait(again.seconds, again.error)
        raise last

    def _try(self, method: str, url: str, fits: Fits, tries: int, **more: Any) -> tuple[Any, Answer]:
        """One try. Raises ``_Again`` where another may do better, ``GitHubError`` where none will."""
        called = f"{method} {urlsplit(url).path}"
        writes = method != "GET" and not url.endswith("/graphql")
        if writes:
            self._patience.before_a_write()
        try:
            answer = self._transport.exchange(method, url, **({"most_bytes": MOST_BYTES} | more))
        except GitHubError as error:
            if error.kind != "unreachable":
                raise
            raise _Again(error, seconds_after_a_failure(tries), ambiguous=True) from None
        finally:
            if writes:
                self._patience.wrote()
        value = _parsed(answer.body)
        if 200 <= answer.status < 300:
            # What was deleted has nothing more to say: who says something was not GitHub.
            if answer.status == 204 if method == "DELETE" else fits(value):
                return value, answer
            garbled = GitHubError("garbled", f"{called} answers what it never answers", status=answer.status)
            raise _Again(garbled, seconds_after_a_failure(tries), ambiguous=True)
        raise self._refusal(called, answer, value, tries) from None

    def _refusal(self, called: str, answer: Answer, value: Any, tries: int) -> Exception:
        """What an answer outside 200 to 299 comes to."""
        status, said = answer.status, self._said(value)
        message = f"{called}: {status} {said}".rstrip()
        now = self._patience.clock()
        limit = seconds_of_a_limit(status, answer.headers, said, tries, now)
        if limit is not None:
            return _Again(GitHubError("rate-limited", message, status=status), limit, ambiguous=False)
        if status >= 500 or status in (408, 425):
            seconds = seconds_asked_for(answer.headers, now)
            error = GitHubError("unreachable", message, status=status)
            return _Again(
                error, seconds_after_a_failure(tries) if seconds is None else seconds, ambiguous=True
            )
        if status == 403 and "locked" in said.casefold():
            return GitHubError("locked", message, status=status)
        return GitHubError(KINDS.get(status, "invalid"), message, status=status)

    def _said(self, value: Any) -> str:
        """GitHub's own words in an answer, short, without the token."""
        errors = value.get("errors") if isinstance(value, dict) else None
        texts = [value.get("message", "")] if isinstance(value, dict) else []
        texts += [error.get("message", "") for error in errors or () if isinstance(error, dict)]
        text = "; ".join(text for text in texts if isinstance(text, str) and text)
        return plain(text.replace(self._token, "***"))


class _Again(Exception):
    """A try that failed as another may not: the error it comes to, how long to wait, and whether it may have worked."""

    def __init__(self, error: GitHubError, seconds: float, *, ambiguous: bool) -> None:
        super().__init__(str(error))
        self.error = error
        self.seconds = seconds
        self.ambiguous = ambiguous


def _parsed(body: bytes) -> Any:
    """The JSON value of a body; None where it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _is_anything(value: Any) -> bool:  # noqa: ARG001
    """Every answer."""
    return True


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_thing(value: Any) -> bool:
    """Whether a value is one of GitHub's things: all that we read alone or write have a number."""
    return isinstance(value, dict) and isinstance(value.get("id"), int)


def _items(value: Any, key: str) -> list[dict[str, Any]] | None:
    """The objects of a list, which may stand under a key; None where it is no list of objects."""
    items = value.get(key) if key and isinstance(value, dict) else value
    return items if isinstance(items, list) and all(map(_is_object, items)) else None


def _next_page(link: str) -> str:
    """The address of the next page in a `Link` header, "" on the last page."""
    found = re.search(r'<([^<>]*)>\s*;[^,<]*\brel="?next"?', link)
    return found[1] if found else ""
