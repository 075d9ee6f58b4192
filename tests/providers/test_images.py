"""Images by path become the bytes that were recorded, or an error."""

from __future__ import annotations

from hashlib import sha256

import pytest

from dryfire_action.errors import UsageError
from dryfire_action.messages import Message, Request
from dryfire_action.providers.images import with_images

KINDS = {
    "image/png": b"\x89PNG\r\n\x1a\n....",
    "image/jpeg": b"\xff\xd8\xff\xe0....",
    "image/gif": b"GIF89a....",
    "image/webp": b"RIFF\x00\x00\x00\x00WEBPVP8 ",
}


def asked(data: bytes) -> Request:
    block = {
        "type": "image",
        "path": "a.img",
        "sha256": sha256(data).hexdigest(),
        "cache_control": {"type": "x"},
    }
    return Request(
        "anthropic", "m", (Message("user", "x"), Message("user", [{"type": "text", "text": "y"}, block]))
    )


@pytest.mark.parametrize("kind", KINDS)
def test_an_image_is_known_by_its_first_bytes(kind: str) -> None:
    request = asked(KINDS[kind])
    found = with_images(request, {"a.img": KINDS[kind]}.get).messages[1].content
    assert isinstance(found, list)
    assert (found[1]["media_type"], found[1]["cache_control"]) == (kind, {"type": "x"})
    assert found[1].keys() == {"type", "media_type", "data", "cache_control"}
    assert "path" in request.messages[1].content[1], "the request itself is left as it is"  # type: ignore[index]


def test_a_request_without_images_reads_nothing() -> None:
    request = Request("anthropic", "m", (Message("user", [{"type": "image", "source": {"type": "url"}}]),))
    assert with_images(request, {}.__getitem__) is request


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (None, "there is no such image"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "is a git LFS pointer"),
        (KINDS["image/gif"], "the image changed while"),
    ],
)
def test_another_file_than_the_recorded_one_is_an_error(data: bytes | None, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        with_images(asked(KINDS["image/png"]), lambda _: data)


def test_a_file_that_is_no_image_is_an_error() -> None:
    with pytest.raises(UsageError, match="is no PNG, JPEG, GIF or WebP image"):
        with_images(asked(b"hello"), lambda _: b"hello")
