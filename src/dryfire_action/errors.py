"""Every error a user can meet, and where in a file something stands.

    DryfireError                    expected: printed as text, never as a traceback
    ├── UsageError            (2)   the command line asks for something that cannot be
    ├── SpecError             (2)   suites or config are wrong; holds every problem found
    ├── FingerprintError      (2)   a request holds a value that has no fingerprint
    ├── ProviderUnavailable   (2)   a live call cannot be made: no key, no SDK
    ├── RecordingError        (3)   a recording cannot be written (busy, disk, folder)
    ├── LimitReached          (3)   a live call would be one more than the command line allows
    ├── ImportMismatch        (3)   recordings of another runner do not answer a request
    ├── CassetteDamaged       (3)   a recording cannot be trusted
    ├── CassetteMissError     (3)   a replay was asked for something that is not recorded
    └── ProviderError         (3)   the model's provider refused or failed

The number is the exit code of ``dryfire run`` when nothing worse happened. ``slug`` is the anchor of the error's
section in ``docs/reference/messages.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dryfire_action.quick_init import quick_init

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dryfire_action.divergence import ReplayDivergence
    from dryfire_action.messages import JsonObject
    from dryfire_action.playback import Miss

EXIT_PASSED = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_RECORDING = 3
EXIT_INTERRUPTED = 130

# Statuses after which the same request may succeed: too many requests, timeouts, conflicts and server errors.
RETRYABLE_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


@quick_init
@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: a file path as shown to people, with line and column counted from 1."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a suite or config file.

    ``path`` is the path of keys from the document's root (``("cases", 0, "expect", 1)``), ``source_line`` the text of
    the line the place points to, ``hint`` what to do about it.
    """

    place: Place
    message: str
    path: tuple[str | int, ...] = ()
    hint: str = ""
    source_line: str = ""
    slug: str = "spec"


class DryfireError(Exception):
    """An expected error: what is wrong, and in ``remedy`` what to do next."""

    slug = "dryfire"
    exit_code = EXIT_USAGE

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}\n  {self.remedy}" if self.remedy else self.message


class UsageError(DryfireError):
    """The command line or the library was asked for something that cannot be."""

    slug = "usage"


class SpecError(DryfireError):
    """Suites or config are wrong. ``problems`` holds all of them, in the order of their places."""

    slug = "spec"

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        count = len(self.problems)
        super().__init__(f"{count} problem{'s' if count != 1 else ''} in suites or config")


class FingerprintError(DryfireError):
    """A request holds a value that JSON cannot express exactly (NaN, a lone surrogate, a set, an object).

    ``path`` is the field path of the value, as in ``messages[0].content``, ``reason`` what is wrong with it.
    """

    slug = "fingerprint"

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        self.reason = reason
        super().__init__(f"{path}: {reason}")


class ProviderUnavailable(DryfireError):
    """A live call cannot be made at all: its key variable or its SDK is missing. The case is skipped."""

    slug = "provider-unavailable"


class RecordingError(DryfireError):
    """A recording could not be written: another process records the same case, or the disk refuses."""

    slug = "recording"
    exit_code = EXIT_RECORDING


class LimitReached(DryfireError):
    """A live call would be one more than the command line allows: the run stops, and keeps what it has."""

    slug = "limit"
    exit_code = EXIT_RECORDING


class ImportMismatch(DryfireError):
    """Recordings of another runner, which are taken over, do not answer a request."""

    slug = "import-mismatch"
    exit_code = EXIT_RECORDING


class CassetteDamaged(DryfireError):
    """A cassette file that cannot be trusted; it is never read as empty and never overwritten by ``auto``.

    ``file`` is the path as shown to people, ``line`` counts from 1 (0: unknown).
    """

    slug = "damaged"
    exit_code = EXIT_RECORDING

    def __init__(self, file: str, what: str, *, line: int = 0, remedy: str = "") -> None:
        self.file = file
        self.line = line
        self.what = what
        super().__init__(f"{file}:{line}: {what}" if line else f"{file}: {what}", remedy=remedy)


class CassetteMissError(DryfireError):
    """A replay was asked for a request that is not recorded. ``miss`` says what was recorded instead.

    Where a call was wrapped by the library, ``divergence`` says where the replay departed from the recording.
    """

    slug = "miss"
    exit_code = EXIT_RECORDING

    def __init__(self, miss: Miss, divergence: ReplayDivergence | None = None, *, remedy: str = "") -> None:
        self.miss = miss
        self.divergence = divergence
        super().__init__(str(divergence) if divergence else miss.sentence, remedy=remedy)

    @property
    def recorded(self) -> JsonObject | None:
        """The redacted request that is recorded at this index; None where there is none or its text is not kept."""
        return self.divergence.recorded if self.divergence else None

    @property
    def actual(self) -> JsonObject | None:
        """The redacted request that was asked for; None where only digests are at hand."""
        return self.divergence.actual if self.divergence else None


class ProviderError(DryfireError):
    """The model's provider refused or failed; recorded and replayed like an answer.

    ``kind`` is the provider's class of error as text, ``status`` the HTTP status if there was one, ``retry_after`` the
    seconds the provider asked to wait, ``chunks`` the pieces of text that had arrived where a stream died midway.
    """

    slug = "provider"
    exit_code = EXIT_RECORDING

    def __init__(
        self,
        message: str,
        *,
        kind: str = "ProviderError",
        status: int | None = None,
        retry_after: float | None = None,
        retryable: bool | None = None,
        chunks: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status
        self.retry_after = retry_after
        self.chunks = chunks
        self.retryable = status in RETRYABLE_STATUSES if retryable is None else retryable
