"""What a look at a recording finds, as values that hold no secret when they are shown."""

from __future__ import annotations

from typing import NamedTuple

from dryfire_action.late_pattern import late
from dryfire_action.secret_placeholders import mask

Path = tuple[str | int, ...]
"""Keys, indices and, for an opened layer, a `Layer`."""

_PLAIN_STEP = late(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_LONGEST_STEP = 60


class Layer(str):
    """The step into a layer: `gzip`, `base64`, `json`, `stream`."""

    __slots__ = ()


class Finding(NamedTuple):
    """A secret in a file: the line it stands on, the path of its text in the document, the rule, and the value.

    The value is for comparing and replacing; `mask` is what may be shown.
    """

    file: str
    line: int
    path: str
    rule: str
    value: str

    def __repr__(self) -> str:
        return f"Finding({self.file!r}, {self.line}, {self.path!r}, {self.rule!r}, {self.mask!r})"

    @property
    def mask(self) -> str:
        """At most four characters of the value."""
        return mask(self.value)


class NotChecked(NamedTuple):
    """Something in a file that was not looked at, by what rule of `limits.RULES`, and why in words."""

    file: str
    line: int
    path: str
    rule: str
    reason: str


class Report(NamedTuple):
    """What one file holds, in the order of its lines. `format` is what the file was read as."""

    findings: tuple[Finding, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()
    format: str = ""

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing to say."""
        return not self.findings and not self.not_checked


def shown_path(path: Path) -> str:
    """A path for people: `interactions[0].response.body » gzip » choices[0].text`. Secrets in keys are masked."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, Layer):
            parts.append(f" » {step} » ")
        elif isinstance(step, int):
            parts.append(f"[{step}]")
        elif _PLAIN_STEP.fullmatch(step):
            parts.append(f".{step}" if parts and not parts[-1].endswith("» ") else str(step))
        else:
            parts.append(f'["{_masked(step)}"]')
    return "".join(parts).removesuffix(" » ").removeprefix(" » ").replace(" »  » ", " » ") or "(text)"


def _masked(step: str) -> str:
    from dryfire_action.secret_rule_set import REVIEW_RULES
    from dryfire_action.secret_search import search
    from dryfire_action.visible import visible

    parts: list[str] = []
    at = 0
    for start, end, _ in search(step, REVIEW_RULES):
        parts += [step[at:start], "…"]
        at = end
    shown = visible("".join((*parts, step[at:]))).replace('"', '\\"')
    return shown if len(shown) <= _LONGEST_STEP else shown[:_LONGEST_STEP] + "…"
