"""An image by path counts by its bytes, and a replay needs none of them."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from dryfire_action.errors import SpecError
from dryfire_action.suite_file import load_suites
from tests.memory_tree import MemoryTree

PNG = b"\x89PNG\r\n\x1a\n" + b"picture"
POINTER = (
    f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256(PNG).hexdigest()}\nsize 15\n".encode()
)
SUITE = """\
name: shop
provider: anthropic
cases:
  - name: receipt
    input:
      - role: user
        content:
          - {type: text, text: What is on it?}
          - %s
    expect: []
"""


def blocks(block: str, files: dict[str, bytes]) -> list[dict[str, Any]]:
    tree = MemoryTree({"evals/s.eval.yaml": (SUITE % block).encode(), **files})
    (suite,) = load_suites(tree, ["evals/s.eval.yaml"], environ={})
    content = suite.cases[0].messages[0].content
    assert isinstance(content, list)
    return content


@pytest.mark.parametrize("data", [PNG, POINTER], ids=["the image", "its git LFS pointer"])
def test_an_image_by_path_counts_by_its_bytes(data: bytes) -> None:
    found = blocks("{type: image, path: ../img/receipt.png}", {"img/receipt.png": data})
    assert found[1] == {"type": "image", "path": "img/receipt.png", "sha256": sha256(PNG).hexdigest()}


def test_a_block_in_a_file_of_its_own_names_its_image_relative_to_that() -> None:
    block = b"{type: image, path: receipt.png}"
    found = blocks("$ref: ../img/receipt.yaml", {"img/receipt.yaml": block, "img/receipt.png": PNG})
    assert (found[1]["path"], "sha256" in found[1]) == ("img/receipt.png", True)


def test_a_block_of_a_providers_own_is_left_alone() -> None:
    found = blocks("{type: image, source: {type: url, url: 'https://example.com/x.png'}}", {})
    assert found[1] == {"type": "image", "source": {"type": "url", "url": "https://example.com/x.png"}}


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("{type: image, path: nowhere.png}", "image 'nowhere.png': there is no such file"),
        ("{type: image, path: ../../x.png}", "image '../../x.png'"),
        ("{type: image, path: /etc/passwd}", "image '/etc/passwd'"),
        ("{type: image, path: 5}", "path must be the path of an image"),
        ("{type: image, path: a.png, sha256: abc}", "an image by path has no 'sha256'"),
    ],
)
def test_a_path_that_leads_to_no_image_is_an_error_with_its_place(block: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        blocks(block, {"evals/a.png": PNG})
    (problem,) = caught.value.problems
    assert message in problem.message
    assert problem.place.line == 9
