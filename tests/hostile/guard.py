"""Runs programs of ours and writes down what they did that a hostile project could have asked for.

    python -I guard.py REPORT PROJECT '[["PROGRAM", "ARGUMENT", ...], ...]'

An audit hook sees every open, connect, import and process start of the interpreter, whoever asks. Nothing is
prevented: the report tells, and a test that finds something in it fails. Of a child process only the start is seen.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from importlib.metadata import entry_points
from pathlib import Path

# Read by the interpreter and its libraries, never by the name of something in a project.
_SYSTEM = (
    "/usr/",
    "/etc/",
    "/lib",
    "/dev/null",
    "/dev/urandom",
    "/proc/self/",
    "/proc/cpuinfo",
    "/proc/stat",
    "/sys/",
)
_CHANGES = {
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "shutil.rmtree",
}

# A socket by itself reaches nobody: the event loop wakes itself up through a pair of them.
_NETWORK = {
    f"socket.{name}" for name in ("connect", "bind", "sendto", "sendmsg", "getaddrinfo", "gethostbyname")
}


def main() -> None:
    report, project, commands = sys.argv[1:]
    root = os.path.realpath(project)
    own = tuple(
        os.path.realpath(place) + os.sep
        for place in (*sys.path, sys.prefix, sys.base_prefix, Path(__file__).parents[2] / "src")
        if place
    )
    seen: set[tuple[str, str]] = set()
    busy = False

    def watch(event: str, args: tuple[object, ...]) -> None:
        nonlocal busy
        if busy:
            return
        busy = True
        try:
            note(event, args)
        finally:
            busy = False

    def note(event: str, args: tuple[object, ...]) -> None:
        if event == "open":
            path, _, flags = args
            if isinstance(path, str | bytes):
                opened(os.fsdecode(path), flags if isinstance(flags, int) else 0)
        elif event in _NETWORK:
            seen.add(("socket", event))
        elif event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"):
            started = args[1] if event == "subprocess.Popen" and args[1] else args[0]
            words = (
                [os.fsdecode(word) for word in started]
                if isinstance(started, list | tuple)
                else [str(started)]
            )
            if Path(words[0]).name != "git":
                seen.add(("process", " ".join(words)))
        elif event in _CHANGES:
            changed(os.fsdecode(args[0]) if isinstance(args[0], str | bytes) else str(args[0]))

    def opened(path: str, flags: int) -> None:
        where = os.path.realpath(path)
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND):
            changed(path)
        elif not (where + os.sep).startswith((root + os.sep, *own, *_SYSTEM)):
            seen.add(("read outside", where))

    def changed(path: str) -> None:
        if os.path.realpath(path) != "/dev/null":
            seen.add(("write", os.path.realpath(path)))

    scripts = {
        one.name: one.load()
        for one in entry_points(group="console_scripts")
        if one.name.startswith("dryfire")
    }
    sys.addaudithook(watch)
    codes = []
    for command in json.loads(commands):
        try:
            # With arguments of their own they return; as the program itself a hook would end the process.
            codes.append(scripts[command[0]](command[1:]) or 0)
        except SystemExit as ended:
            codes.append(ended.code or 0)
    busy = True
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and os.path.realpath(file).startswith(root + os.sep):
            seen.add(("import", name))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in KiB, macOS in bytes.
    megabytes = peak // (1024 if sys.platform != "darwin" else 1024 * 1024)
    told = {"codes": codes, "seen": sorted(seen), "peak": megabytes}
    Path(report).write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main()
