"""Sizes of bodies after a fix: a server that reads a recording back must be able to trust them."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import pytest
import yaml

from dryfire_action.recordings.files import fix
from dryfire_action.redact import REVIEW_RULES
from tests.corpus.places import Exchange
from tests.corpus.writers import WRITERS
from tests.secret_values import B64U, body

KEY = "sk-" + "ant-api03-" + body(B64U, 93) + "AA"
BODY = json.dumps({"note": KEY, "more": "é" * 9}, ensure_ascii=False)
SIZE = len(BODY.encode())
PACKED = gzip.compress(BODY.encode(), mtime=0)


def fixed(data: str | bytes, name: str) -> str:
    found = fix(data if isinstance(data, bytes) else data.encode(), f"cassettes/{name}", REVIEW_RULES)
    assert found.left.is_clean and found.found.findings
    return found.data.decode()


def har(response: dict[str, Any], request: dict[str, Any] | None = None) -> dict[str, Any]:
    entry = {"request": request or {}, "response": response, "time": SIZE}
    return {"log": {"version": "1.2", "entries": [entry]}}


def test_har() -> None:
    content = {"size": SIZE, "mimeType": "application/json", "text": BODY}
    headers = [{"name": "Content-Length", "value": str(SIZE)}, {"name": "Age", "value": str(SIZE)}]
    answer = {"status": 200, "headers": headers, "content": content, "bodySize": SIZE, "headersSize": -1}
    posted = {"bodySize": len(BODY), "postData": {"mimeType": "x", "text": BODY}}
    after = json.loads(fixed(json.dumps(har(answer, posted), indent=2), "a.har"))["log"]["entries"][0]
    size = len(after["response"]["content"]["text"].encode())
    assert size != SIZE
    assert after["response"]["content"]["size"] == after["response"]["bodySize"] == size
    assert [header["value"] for header in after["response"]["headers"]] == [str(size), str(SIZE)]
    assert after["request"]["bodySize"] == len(after["request"]["postData"]["text"])
    assert (after["time"], after["response"]["headersSize"]) == (SIZE, -1)


def test_har_of_base64_counts_what_it_stands_for() -> None:
    text = base64.b64encode(BODY.encode()).decode()
    content = {"size": SIZE, "text": text, "encoding": "base64"}
    after = json.loads(fixed(json.dumps(har({"content": content, "bodySize": 17})), "a.har"))
    response = after["log"]["entries"][0]["response"]
    assert response["content"]["size"] == len(base64.b64decode(response["content"]["text"])) != SIZE
    assert response["bodySize"] == 17


def test_har_of_a_compressed_body() -> None:
    text = base64.b64encode(PACKED).decode()
    content = {"size": SIZE, "text": text, "encoding": "base64"}
    after = json.loads(fixed(json.dumps(har({"content": content, "bodySize": len(PACKED)})), "a.har"))
    response = after["log"]["entries"][0]["response"]
    packed = base64.b64decode(response["content"]["text"])
    assert response["bodySize"] == len(packed) != len(PACKED)
    assert response["content"]["size"] == len(gzip.decompress(packed)) != SIZE


@pytest.mark.parametrize("style", ["'", '"', None, "|"])
def test_go_vcr(style: str | None) -> None:
    written = yaml.safe_dump({"body": BODY}, default_style=style, allow_unicode=True, width=10**6)
    lines = "".join(f"    {line}\n" for line in written.splitlines() if line != "{}")
    text = f"interactions:\n- response:\n    content_length: {SIZE}  # as sent\n{lines}    status: 200\n"
    if style == '"' or style == "'":
        text = text.replace(f"{style}body{style}:", "body:")
    response = yaml.safe_load(fixed(text, "a.yaml"))["interactions"][0]["response"]
    assert response["content_length"] == len(response["body"].encode()) != SIZE
    assert response["status"] == 200


@pytest.mark.parametrize("written", ["{size}", "'{size}'", '"{size}"', "[{size}]", "['{size}']"])
def test_vcr_yaml(written: str) -> None:
    headers = f"content-length: {written.format(size=SIZE)}"
    text = f"interactions:\n- response:\n    body: {{string: {json.dumps(BODY)}}}\n    headers:\n      {headers}\n"
    response = yaml.safe_load(fixed(text, "a.yaml"))["interactions"][0]["response"]
    told = response["headers"]["content-length"]
    told = told[0] if isinstance(told, list) else told
    assert int(told) == len(response["body"]["string"].encode()) != SIZE


def test_each_line_of_json_lines() -> None:
    line = json.dumps({"response": {"headers": {"content-length": SIZE}, "body": BODY}})
    for written in fixed(f"{line}\n{line}\n", "a.jsonl").splitlines():
        response = json.loads(written)["response"]
        assert response["headers"]["content-length"] == len(response["body"].encode()) != SIZE


def test_numbers_that_are_no_sizes_stay() -> None:
    answer = {"body": BODY, "count": SIZE, "size": SIZE + 1, "other": {"size": SIZE}, "status": SIZE}
    after = json.loads(fixed(json.dumps({"response": answer}), "a.json"))["response"]
    assert {**after, "body": BODY} == answer


# Formats of nobody, whose bodies and headers have no names; and bodies whose serializer counts them when it writes.
UNNAMED = {"JSON", "JSONL", "compressed JSON"}
WITHOUT_HEADERS = {"parsed bodies", "dryfire 0"}


def _told(tree: Any) -> list[int]:
    """Every content-length in a tree."""
    if isinstance(tree, list):
        if len(tree) == 2 and str(tree[0]).lower() == "content-length":
            return [int(tree[1])]
        return [found for item in tree for found in _told(item)]
    if not isinstance(tree, dict):
        return []
    if str(tree.get("name")).lower() == "content-length":
        return [int(tree["value"])]
    found = []
    for name, value in tree.items():
        if str(name).lower() == "content-length":
            found.append(int(value[0] if isinstance(value, list) else value))
        else:
            found += _told(value)
    return found


@pytest.mark.parametrize("packs", [False, True])
@pytest.mark.parametrize("format_", sorted(WRITERS.keys() - UNNAMED))
def test_the_content_length_of_every_format(format_: str, packs: bool) -> None:
    file, write = WRITERS[format_]
    sent: str | bytes = PACKED if packs else BODY
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(PACKED) if packs else SIZE))]
    if packs:
        headers.append(("Content-Encoding", "gzip"))
    data = write([Exchange(response_headers=headers, response=sent)])
    read = yaml.safe_load if file.endswith((".yaml", ".yml")) else json.loads
    unpacked = gzip.decompress if file.endswith(".gz") else bytes

    def documents(content: bytes) -> list[Any]:
        text = unpacked(content).decode().replace(" !binary", " !!binary")
        return [read(line) for line in text.splitlines()] if "jsonl" in file else [read(text)]

    found = fix(data, file, REVIEW_RULES)
    assert found.left.is_clean and found.found.findings
    before, after = _told(documents(data)), _told(documents(found.data))
    assert len(before) == len(after)
    if format_ not in WITHOUT_HEADERS:
        assert before and before != after
