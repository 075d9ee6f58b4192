"""Replay recorded LLM answers and say which request fields made a recording stale.

Every public name can be imported from here. A name's module is loaded when the name is first asked for
(PEP 562), so `import dryfire_action` costs next to nothing: a hook or a test run that needs one function does
not pay for the rest.

To add a public name: put it in `_MODULES` and, for type checkers and editors, in the `TYPE_CHECKING` block.
"""

from __future__ import annotations

# Not `typing.TYPE_CHECKING`: importing typing alone takes as long as starting Python.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from dryfire_action.version import __version__ as __version__

# public name -> module below `dryfire_action` that defines it
_MODULES = {
    "__version__": "version",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    """Load the module that defines a public name; the value is kept, so each name is looked up once."""
    from importlib import import_module

    try:
        module = _MODULES[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    value: object = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Name what is public, loaded or not."""
    return sorted({*globals(), *_MODULES})
