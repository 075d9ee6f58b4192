"""The pictures of the comment: the bodies beside them are what is written today, and what the README shows is there."""

from __future__ import annotations

import struct

import pytest

from docs.comment_pictures import PICTURES, ROOT, SHOWN, body
from docs.github_markdown import html


@pytest.mark.parametrize("scene", SHOWN)
def test_a_picture_shows_what_is_written_today(scene: str) -> None:
    # Where this fails, docs/comment_pictures.py takes the pictures anew.
    assert (PICTURES / f"{scene}.txt").read_text(encoding="utf-8") == body(scene)


@pytest.mark.parametrize("scene", SHOWN)
def test_a_picture_is_one_and_small(scene: str) -> None:
    content = (PICTURES / f"{scene}.png").read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    assert width == 880
    assert 200 < height < 1_200
    assert len(content) < 150_000


def test_the_readme_shows_them_with_words_for_who_cannot_see_them() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for scene in SHOWN:
        words = readme.partition(f"](docs/pictures/{scene}.png)")[0].rpartition("![")[2]
        assert len(words) > 40, scene


def test_every_file_of_pictures_is_shown() -> None:
    assert {path.stem for path in PICTURES.iterdir()} == set(SHOWN)


def test_markdown_is_rendered_as_github_does_it() -> None:
    shown = html(
        "<!-- gone -->\n\n```diff\n- a\n+ b\n```\n\n<script>x</script>\n\n"
        "<details><summary>s</summary>\n\n`c`\n\n</details>"
    )
    assert "gone" not in shown
    assert "<script" not in shown
    assert '<span class="pl-md">- a</span>' in shown
    assert "<summary>s</summary>" in shown
    assert "<code>c</code>" in shown
