"""Links of a report: to a line of a file at the commit it speaks of, to the commit, to the run that made it.

The host comes from the runner's environment and never from content; what comes from content is a path, and stands
percent-encoded behind ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

from dryfire_action.reports.markdown_text import code

_SERVER = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:/[A-Za-z0-9._-]+)*")
_REPOSITORY = re.compile(r"[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}")
_HEAD = re.compile(r"[0-9a-f]{7,64}")
_RUN = re.compile(r"/actions/runs/[0-9]+(?:/(?:attempts|job)/[0-9]+)?(?:\?pr=[0-9]+)?")
# GitHub shows these as pages, where no line can be pointed at, unless it is asked for the plain text.
_RENDERED = re.compile(
    r"\.(?:md|mkd|mkdn|mdown|mdx|markdown|rst|adoc|asciidoc|asc|org|textile|rdoc|pod|mediawiki|wiki|creole)\Z",
    re.IGNORECASE,
)
_SHORT_HEAD = 7
_MOST_CHARACTERS = 1000


@dataclass(frozen=True, slots=True)
class Links:
    """Where links lead: ``server_url`` as ``https://github.com``, ``repository`` as ``owner/name``, ``head`` a commit.

    ``run_url`` is the page of the workflow run, "" where there is none. Raises ``ValueError`` for what cannot be one.
    """

    server_url: str
    repository: str
    head: str
    run_url: str = ""

    def __post_init__(self) -> None:
        run = self.run_url.removeprefix(f"{self.server_url}/{self.repository}")
        if (
            not _SERVER.fullmatch(self.server_url)
            or not _REPOSITORY.fullmatch(self.repository)
            or set(self.repository.split("/")) & {".", ".."}
            or not _HEAD.fullmatch(self.head)
            or (self.run_url and (run == self.run_url or not _RUN.fullmatch(run)))
        ):
            raise ValueError(f"these make no links: {self}")

    def place(self, file: str, line: int | None) -> str:
        """``file:line`` as code, linked to that line; not linked where ``file`` is no path in a repository."""
        shown = code(f"{file}:{line}" if line else file)
        url = self.blob(file, line)
        return f"[{shown}]({url})" if url else shown

    def blob(self, file: str, line: int | None = None) -> str:
        """The page of a file at the commit; "" where ``file`` is no path in a repository."""
        parts = file.split("/")
        if not file or len(file) > _MOST_CHARACTERS or any(part in ("", ".", "..") for part in parts):
            return ""
        try:
            path = quote(file, safe="/")
        except UnicodeEncodeError:
            return ""
        plain = "?plain=1" if _RENDERED.search(file) else ""
        return f"{self._here}/blob/{self.head}/{path}{plain}{f'#L{line}' if line else ''}"

    def commit(self, oid: str = "") -> str:
        """A commit (by default the one it is about) by the first letters of its id, linked to its page."""
        oid = oid or self.head
        return (
            f"[{code(oid[:_SHORT_HEAD])}]({self._here}/commit/{oid})" if _HEAD.fullmatch(oid) else code(oid)
        )

    def report(self, words: str = "full report") -> str:
        """A link to the run that says ``words``; "" without a run."""
        return f"[{words}]({self.run_url})" if self.run_url else ""

    @property
    def _here(self) -> str:
        return f"{self.server_url}/{self.repository}"
