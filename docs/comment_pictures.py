"""The pictures of the comment: `.venv/bin/python docs/comment_pictures.py STYLES [FOLDER]`.

Plays pull requests (`comment_scenes`), has the comment on each written, and takes pictures of it as GitHub would show
it. STYLES is a folder with the style sheets of the npm package `github-markdown-css`; a `chromium` takes the pictures.
Without FOLDER those in the README are made again, each beside the body it shows; with FOLDER all scenes, light and
dark, wide and as on a phone. A test compares the bodies with what is written today.
"""

from __future__ import annotations

import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs/pictures"
SHOWN = ("one-stale-cause", "new-recordings")

_SERVER, _REPOSITORY = "https://github.com", "acme/shop"
_HEAD, _BASE, _OLD_HEAD = "9b1d77c4" * 5, "5c2a91e0" * 5, "3f9c2e1b" * 5
_RUN = 18240551
_TALLEST = 16_000
_MARGIN, _FRAME = 12, 200


def body(scene: str) -> str:
    """The comment on a scene's pull request."""
    from docs.comment_scenes import SCENES
    from dryfire_action.comment_marker import Marker
    from dryfire_action.reports.comment import comment
    from dryfire_action.reports.links import Links

    with tempfile.TemporaryDirectory(prefix="dryfire-scene-") as name:
        folder = Path(name) / "project"
        folder.mkdir()
        document = SCENES[scene](folder)
    # The ids of commits say how this machine's copy came about, and nothing about the comment.
    base = _HEAD if document["base"] == document["commit"] else _BASE
    document |= {"commit": _HEAD, "base": document["base"] and base}
    links = Links(_SERVER, _REPOSITORY, _HEAD, f"{_SERVER}/{_REPOSITORY}/actions/runs/{_RUN}")
    numbers = document["counts"]
    stale = numbers["stale"] + numbers["missing"] + numbers["damaged"]
    state = "changed" if document["state"] == "clear" and document["behaviour"] else document["state"]
    marker = Marker("evals", _HEAD, _RUN, 1, state.replace("_", "-"), stale)
    before = Marker("evals", _OLD_HEAD, _RUN - 1, 1, "stale", 15) if scene == "all-clear" else None
    written = comment(document, marker, previous=before, links=links)
    if written is None:
        raise ValueError(f"there is no comment on {scene}")
    return written


def picture(markdown: str, style: str, target: Path, *, dark: bool, width: int) -> None:
    """Write a picture of a comment, as tall as it is."""
    from docs.github_markdown import page

    with tempfile.TemporaryDirectory(prefix="dryfire-picture-") as name:
        source = Path(name) / "comment.html"
        text = page(markdown, style, dark=dark, width=width)
        # What the page says of its own height is printed with it, as its title.
        script = "<script>document.title = Math.ceil(document.querySelector('article').getBoundingClientRect().bottom)"
        source.write_text(f"{text}{script}</script>", encoding="utf-8")
        printed = _chromium(source, name, f"--window-size={width},600", "--dump-dom")
        height = min(int(printed.partition("<title>")[2].partition("</title>")[0]) + _MARGIN, _TALLEST)
        # A part of a window is not page: it is taken larger, and cut.
        _chromium(source, name, f"--window-size={width},{height + _FRAME}", f"--screenshot={target}")
        target.write_bytes(_cut(target.read_bytes(), height))


def _cut(png: bytes, height: int) -> bytes:
    """The first ``height`` rows of a picture: rows are stored one after the other, each by those above it."""
    header, chunks = bytearray(), []
    packed = b""
    at = 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += 12 + length
        if kind == b"IHDR":
            header = bytearray(data)
        elif kind == b"IDAT":
            packed += data
        elif kind == b"PLTE":
            chunks.append((kind, data))
    width, tall, depth, colours = struct.unpack(">IIBB", header[:10])
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colours]
    row = 1 + (width * depth * channels + 7) // 8
    height = min(height, tall)
    header[4:8] = struct.pack(">I", height)
    rows = zlib.decompress(packed)[: row * height]
    parts = [(b"IHDR", bytes(header)), *chunks, (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    return png[:8] + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )


def _chromium(source: Path, name: str, *options: str) -> str:
    quiet = (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--no-first-run",
        "--disable-sync",
    )
    more = ("--disable-background-networking", "--disable-component-update", "--force-device-scale-factor=1")
    done = subprocess.run(
        ["chromium", *quiet, *more, f"--user-data-dir={name}/profile", *options, source.as_uri()],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )
    return done.stdout


def main(styles: str, folder: str | None = None, *only: str) -> int:
    """Make the pictures of the README, or in a folder all of them, or those of ``only``."""
    from docs.comment_scenes import SCENES

    light, dark = (
        (Path(styles) / f"github-markdown-{colour}.css").read_text(encoding="utf-8")
        for colour in ("light", "dark")
    )
    for scene in only or (SCENES if folder else SHOWN):
        written = body(scene)
        target = Path(folder) if folder else PICTURES
        target.mkdir(parents=True, exist_ok=True)
        (target / f"{scene}.txt").write_text(written, encoding="utf-8", newline="\n")
        picture(written, light, target / f"{scene}.png", dark=False, width=880)
        if folder:
            picture(written, dark, target / f"{scene}-dark.png", dark=True, width=880)
            picture(written, light, target / f"{scene}-phone.png", dark=False, width=390)
            picture(written, dark, target / f"{scene}-phone-dark.png", dark=True, width=390)
        print(f"{scene}: {len(written):,} characters")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main(*sys.argv[1:]))
