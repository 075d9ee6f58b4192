"""Images by repository file, read for a live call: the bytes that the recorded digest stands for."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from dryfire_action.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from dryfire_action.messages import JsonObject, Message, Request

    Read = Callable[[str], bytes | None]

_LFS = b"version https://git-lfs.github.com/spec/"
_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


def with_images(request: Request, read: Read) -> Request:
    """``request`` with the content of every image by path: ``{type: image, media_type, data}``, data in base64.

    ``read`` gives a file of the repository by its path from the root, None where there is none. Raises ``UsageError``
    for a file that is not there, is a git LFS pointer or no image, or is not the one the request was made with.
    """
    if not any(_by_path(block) for message in request.messages for block in _blocks(message)):
        return request
    return replace(request, messages=tuple(_filled(message, read) for message in request.messages))


def data_url(block: JsonObject) -> str:
    """The image of a block that has its content, as a URL."""
    return f"data:{block['media_type']};base64,{block['data']}"


def is_image(block: JsonObject) -> bool:
    """Whether a block is an image with its content, in no provider's own spelling."""
    return block.get("type") == "image" and "media_type" in block


def _blocks(message: Message) -> list[JsonObject]:
    return message.content if isinstance(message.content, list) else []


def _by_path(block: JsonObject) -> bool:
    return block.get("type") == "image" and isinstance(block.get("path"), str)


def _filled(message: Message, read: Read) -> Message:
    if not any(map(_by_path, _blocks(message))):
        return message
    return replace(
        message,
        content=[_with_content(block, read) if _by_path(block) else block for block in _blocks(message)],
    )


def _with_content(block: JsonObject, read: Read) -> JsonObject:
    path = block["path"]
    data = read(path)
    if data is None:
        raise UsageError(f"{path}: there is no such image")
    if data.startswith(_LFS):
        raise UsageError(
            f"{path}: is a git LFS pointer, not an image",
            remedy=f"git lfs pull --include {path}",
        )
    if sha256(data).hexdigest() != block.get("sha256", sha256(data).hexdigest()):
        raise UsageError(f"{path}: the image changed while the suite was running", remedy="run again")
    kind = next((kind for beginning, kind in _BEGINNINGS.items() if data.startswith(beginning)), None)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        kind = "image/webp"
    if kind is None:
        raise UsageError(f"{path}: is no PNG, JPEG, GIF or WebP image")
    rest = {key: value for key, value in block.items() if key not in ("path", "sha256")}
    return {**rest, "media_type": kind, "data": b64encode(data).decode()}
