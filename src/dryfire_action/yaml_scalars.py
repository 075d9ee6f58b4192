"""What a YAML scalar without quotes means: YAML 1.2's core schema, and ``1_000`` is a number.

So ``010`` is ten, and ``yes``, ``12:30:45`` and dates are text.
"""

from __future__ import annotations

import re
from typing import Any

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]+(?:_[0-9]+)*\Z")
_BASED = re.compile(r"0(?:o[0-7]+|x[0-9a-fA-F]+)\Z")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+(?:_[0-9]+)*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z")
_SPECIAL = re.compile(r"[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z")
# Python refuses to print longer integers, because it would take too long.
_MAX_DIGITS = 4000

# With any other first character a scalar is text, and with a letter if it is none of the words above.
_NOT_TEXT = frozenset("-+.0123456789~nNtTfF")
_LETTERS = frozenset("nNtTfF")
# Not values: the text does not fit its tag; the number has thousands of digits.
WRONG = object()
TOO_LONG = object()


def is_text(text: str) -> bool:
    """Whether a scalar that has neither quotes nor a tag is text at first sight; most are."""
    if not text:
        return False
    if (first := text[0]) in _NOT_TEXT:
        return first in _LETTERS and text not in _NULL and text not in _BOOL
    return True


def plain_value(text: str) -> Any:
    """The value of a scalar that has neither quotes nor a tag, or ``TOO_LONG``."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.match(text) or _BASED.match(text):
        digits = text.replace("_", "")
        if len(digits) > _MAX_DIGITS:
            return TOO_LONG
        return int(digits, 0) if digits[:2] in ("0o", "0x") else int(digits)
    if _FLOAT.match(text):
        return float(text.replace("_", ""))
    if _SPECIAL.match(text):
        return float(text.replace(".", ""))
    return text


def tagged_value(name: str, text: str) -> Any:
    """The value of a scalar that has a core tag, or ``WRONG``, or ``TOO_LONG``."""
    value = plain_value(text)
    if name == "float" and type(value) is int:
        try:
            return float(value)
        except OverflowError:
            return TOO_LONG
    wanted = {"int": int, "float": float, "bool": bool, "null": type(None)}[name]
    return value if value is TOO_LONG or type(value) is wanted else WRONG


def kind_of(value: Any) -> str:
    """What a value is, as a sentence says it."""
    if value is None:
        return "null"
    names: dict[type, str] = {
        bool: "a boolean",
        int: "a number",
        float: "a number",
        str: "text",
        dict: "a map",
        list: "a list",
    }
    return names[type(value)]
