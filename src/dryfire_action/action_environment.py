"""The action's own environment, below the runner's temp folder: nothing of the caller's is used or changed.

The runner's Python runs this file by its path, before anything of ours can be imported: so it stands alone, on the
standard library. What it makes:

    dryfire-packages-<digest>/    the packages of requirements/run.txt, wheels checked against their hashes, and a copy
                                  of the action's own code, so that what Python compiles of it is written there too;
                                  a second step of the same job uses it again
    dryfire-<random>/             of this one step: an environment that knows them, and room for the files that the step
                                  writes
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[2]
_OWN = ("src/dryfire_action", "hooks/dryfire_hooks")
_MOST_SECONDS = 300
_MOST_SHOWN = 4_000
# Where pip would put things, or refuse to, by somebody else's wish. Indexes and proxies are the runner's own affair.
_NOT_FOR_PIP = (
    "PIP_TARGET",
    "PIP_PREFIX",
    "PIP_ROOT",
    "PIP_REQUIRE_VIRTUALENV",
    "PIP_CONSTRAINT",
    "PIP_REQUIREMENT",
)
_LOCKED = ("--require-hashes", "--only-binary", ":all:", "-r")
_VENV_REMEDY = (
    "The Python of this runner has no working venv or pip (on Debian and Ubuntu they are packages of their own, "
    "python3-venv and python3-pip). Install them, or run actions/setup-python before this action."
)
_INSTALL_REMEDY = (
    "They come from the index that pip is set up for: PIP_INDEX_URL, pip.conf and proxies count."
)


class Failed(Exception):
    """The environment cannot be made: why, and what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


def made(temp: Path, environ: Mapping[str, str]) -> tuple[Path, Path]:
    """Make the environment below ``temp``: its Python, and the folder of this step. Raises ``Failed``."""
    folder = Path(tempfile.mkdtemp(prefix="dryfire-", dir=temp))
    python = _environment(folder / "environment", with_pip=False)
    packages = temp / f"dryfire-packages-{_digest()}"
    if not packages.is_dir():
        _install(packages, folder, environ)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder / "environment")}))
    (site / "dryfire.pth").write_text(f"{packages}\n", encoding="utf-8")
    return python, folder


def _digest() -> str:
    """What the packages depend on: their list, the code beside them, and the Python that they are for."""
    found = hashlib.sha256(f"{sys.version} {sysconfig.get_platform()}".encode())
    for file in (ROOT / "requirements/run.txt", *sorted(_code())):
        content = file.read_bytes()
        found.update(f"{file.relative_to(ROOT).as_posix()} {len(content)}\n".encode() + content)
    return found.hexdigest()[:16]


def _code() -> Iterator[Path]:
    """Every file of the action's own code."""
    for package in _OWN:
        for file in (ROOT / package).rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                yield file


def _environment(place: Path, *, with_pip: bool) -> Path:
    try:
        venv.EnvBuilder(with_pip=with_pip, symlinks=os.name != "nt").create(place)
    except (OSError, subprocess.SubprocessError, SystemExit) as error:
        raise Failed(f"no environment could be made: {error}", _VENV_REMEDY) from None
    return place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _install(packages: Path, folder: Path, environ: Mapping[str, str]) -> None:
    """Put the packages into their folder, which is there only when it is whole."""
    clean = {name: value for name, value in environ.items() if name.upper() not in _NOT_FOR_PIP}
    # Beside the target, so that moving there is renaming.
    clean |= {"PIP_USER": "0", "TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder)}
    pip = [*_with_pip(folder, clean), "-I", "-X", "utf8", "-m", "pip"]
    target = folder / "packages"
    options = ("--quiet", "--no-input", "--disable-pip-version-check", "--no-deps", "--no-compile")
    done = _run(
        [*pip, "install", *options, *_LOCKED, str(ROOT / "requirements/run.txt"), "--target", str(target)],
        folder,
        clean,
    )
    if done.returncode:
        said = "\n".join(f"  {line}" for line in done.stdout[-_MOST_SHOWN:].splitlines())
        raise Failed(f"pip could not install the action's packages:\n{said}", _INSTALL_REMEDY)
    for package in _OWN:
        place = target / Path(package).name
        shutil.copytree(ROOT / package, place, ignore=shutil.ignore_patterns("__pycache__"))
    try:
        target.rename(packages)
    except OSError:
        if not packages.is_dir():  # else somebody was faster
            raise


def _with_pip(folder: Path, environ: Mapping[str, str]) -> list[str]:
    """A Python that has pip: the runner's own, else one that is made for it."""
    if _run([sys.executable, "-I", "-m", "pip", "--version"], folder, environ).returncode == 0:
        return [sys.executable]
    return [str(_environment(folder / "pip", with_pip=True))]


def _run(command: list[str], folder: Path, environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=_MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"pip took more than {_MOST_SECONDS} s", _INSTALL_REMEDY) from None


def main(environ: Mapping[str, str] = os.environ) -> int:
    """Make the environment and tell the steps after this one where it is; the exit code."""
    try:
        python, folder = made(Path(environ["RUNNER_TEMP"]), environ)
    except (Failed, OSError) as error:
        remedy = getattr(error, "remedy", "")
        text = f"dryfire: {error}\n{remedy}".strip()
        for old, new in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
            text = text.replace(old, new)
        sys.stdout.write(f"::error title=dryfire could not be set up::{text}\n")
        return 1
    with Path(environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8", newline="\n") as file:
        file.write(f"python={python}\nfolder={folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
