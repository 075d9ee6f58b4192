"""The command ``dryfire``: finds the verb, and turns whatever it raises into a text and an exit code.

A verb is one module of ``commands`` with ``arguments(parser)`` and ``execute(args) -> int``, and one row of ``VERBS``.
Nothing but the verb that was asked for is loaded, so ``dryfire --version`` costs little more than Python itself.
"""

from __future__ import annotations

import os
import sys

# Not `typing.TYPE_CHECKING`: importing typing, dataclasses or argparse takes longer than starting Python.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# verb -> what it does, for `dryfire --help`
VERBS = {
    "init": "write a small project that runs without a key",
    "run": "replay suites, or record them",
    "validate": "check suites and config without running anything",
    "trace": "show one case turn by turn, from its recording",
    "explain": "say why recordings are stale: which edit, where, how it reads, what it costs",
    "status": "say of each suite how its recordings are: how old, of which models, what is stale",
    "diff": "compare the recordings with those of a commit: what the agent does otherwise",
    "redact": "look for secrets in recordings of any tool, or take them out",
    "rekey": "bring recordings in line with changed ignore rules, without any call",
    "resolve": "resolve merge conflicts in recordings",
    "prune": "tidy the recordings: find renamed ones, list what no case has any more",
}

_HELP = """\
usage: dryfire VERB [...]

Replays recorded LLM answers, and says which request fields made a recording stale.

{verbs}

  dryfire VERB --help    what a verb takes
  dryfire --version      the version

To begin: dryfire init, then dryfire run --cassette-mode record, then dryfire run.

{codes}
"""

EXIT_CODES = """\
exit codes:
  0    all passed
  1    an assertion failed
  2    a suite, the config or the command line is wrong, or nothing was checked
  3    a recording is stale, missing or damaged, a provider failed, or a limit on calls was reached
  130  interrupted
With several, the first of 2, 3, 1."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with ``argv`` (default: the process's own arguments); returns the exit code, never raises."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words in (["--version"], ["-V"]):
        from dryfire_action.version import __version__

        sys.stdout.write(f"dryfire {__version__}\n")
        return 0
    if argv is not None:
        return _guarded(words)
    import gc

    # The process is ours. Nearly all that a run makes is kept to its end: to look for garbage as often as Python does,
    # and through everything once more before it exits, takes a fifth of the time.
    gc.set_threshold(300_000)
    code = _guarded(words)
    gc.freeze()
    return code


def _guarded(words: list[str]) -> int:
    from dryfire_action import console
    from dryfire_action.errors import EXIT_INTERRUPTED, EXIT_PASSED, DryfireError, SpecError

    console.prepare()
    try:
        return _main(words)
    except SpecError as error:
        from dryfire_action.commands.selection import problem_report

        _say(problem_report(error))
        return error.exit_code
    except DryfireError as error:
        _say(f"dryfire: {error}")
        return error.exit_code
    except KeyboardInterrupt:
        _say("dryfire: interrupted")
        return EXIT_INTERRUPTED
    except SystemExit as exit_:  # argparse, after --help
        return exit_.code if isinstance(exit_.code, int) else EXIT_PASSED
    except Exception as error:
        return _internal(error)


def _main(words: list[str]) -> int:
    from dryfire_action import console
    from dryfire_action.errors import EXIT_PASSED, EXIT_USAGE, UsageError
    from dryfire_action.visible import closest, visible

    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    if not words:
        console.err(_help())
        return EXIT_USAGE
    verb, rest = words[0], words[1:]
    if verb in ("--help", "-h"):
        console.out(_help())
        return EXIT_PASSED
    if verb not in VERBS:
        what = "option" if verb.startswith("-") else "verb"
        raise UsageError(
            f"{visible(verb)!r} is no {what} of dryfire{closest(verb, [*VERBS, '--help', '--version'])}",
            remedy=f"Verbs are {', '.join(VERBS)}; see dryfire --help.",
        )
    return _execute(verb, rest)


def _execute(verb: str, rest: list[str]) -> int:
    from importlib import import_module

    from dryfire_action.commands.arguments import Parser

    command = import_module(f"dryfire_action.commands.{verb}")
    parser = Parser(prog=f"dryfire {verb}", description=command.__doc__)
    command.arguments(parser)
    code: int = command.execute(parser.parse(rest))
    return code


def _help() -> str:
    width = max(map(len, VERBS))
    verbs = "\n".join(f"  {verb:{width}}  {what}" for verb, what in VERBS.items())
    return _HELP.format(verbs=verbs, codes=EXIT_CODES)


def _internal(error: Exception) -> int:
    from dryfire_action import console
    from dryfire_action.errors import EXIT_USAGE
    from dryfire_action.visible import cut, visible

    if os.environ.get("DRYFIRE_DEBUG") == "1":
        import traceback

        console.err("".join(traceback.format_exception(error)))
    what = cut(visible(f"{type(error).__name__}: {error}"), 300)
    _say(
        f"dryfire: internal error: {what}\n"
        "  This is a fault of dryfire. Please report it, with what DRYFIRE_DEBUG=1 adds to this output."
    )
    return EXIT_USAGE


def _say(text: str) -> None:
    from dryfire_action import console
    from dryfire_action.visible import harmless, visible

    console.err("".join(f"{harmless(visible(row))}\n" for row in text.split("\n")))
