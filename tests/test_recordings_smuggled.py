"""Secrets in places where somebody who wanted to hide one would put it: each is found, or said not to be checked."""

from __future__ import annotations

import base64
import bz2
import codecs
import gzip
import io
import json
import lzma
import zipfile
import zlib
from typing import Any

import pytest
import zstandard

from dryfire_action.recordings.files import fix, look
from dryfire_action.redact import REVIEW_RULES
from tests.secret_values import B64U, body

KEY = "sk-" + "ant-api03-" + body(B64U, 93) + "AA"
BODY = json.dumps({"note": KEY, "text": "hi"})
# The same, but so that the key cannot be seen without reading the JSON.
HIDDEN = BODY.replace("-", "\\u002d")
YAML = f"interactions:\n- request:\n    headers:\n      x-api-key: [{KEY}]\n  response: {{body: {{string: ok}}}}\n"


def b64(data: str | bytes) -> str:
    return base64.b64encode(data if isinstance(data, bytes) else data.encode()).decode()


def in_json(value: Any) -> bytes:
    return json.dumps({"x": value}).encode()


def in_zip(data: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("docs/a.json", data)
    return stream.getvalue()


PNG = b"\x89PNG\r\n\x1a\n" + b"\xff\x00\x80" * 30

ENCODINGS = {
    "UTF-16": codecs.BOM_UTF16_LE + BODY.encode("utf-16-le"),
    "UTF-16, the other way round": codecs.BOM_UTF16_BE + BODY.encode("utf-16-be"),
    "UTF-16 without a mark": BODY.encode("utf-16-le"),
    "UTF-16 without a mark, the other way round": BODY.encode("utf-16-be"),
    "UTF-32": BODY.encode("utf-32"),
    "UTF-32 without a mark": BODY.encode("utf-32-be"),
    "UTF-8 with a mark": codecs.BOM_UTF8 + BODY.encode(),
    "half a character at the end of UTF-16": BODY.encode("utf-16-be") + b"\0",
    "a byte of Latin-1": b'{"n":"\xe9","x":"' + KEY.replace("-", "\\u002d").encode() + b'"}',
    "zero bytes": b"\0" + BODY.encode().replace(b"text", b"te\0xt"),
}
JSON = {
    "escapes": HIDDEN.encode(),
    "all escapes": ('{"a":"' + "".join(f"\\u{ord(c):04x}" for c in KEY) + '"}').encode(),
    "a name that stands twice": ('{"note":"' + KEY + '","note":"x"}').encode(),
    "a name that is the key": json.dumps({KEY: 1}).encode(),
    "comments": ('// c\n{"a": 1, /* ' + KEY + ' */ "b": 2,}').encode(),
    "two documents": b'{"a":1}' + HIDDEN.encode(),
    "a text that is the document": json.dumps(HIDDEN).encode(),
    "five thousand levels": b"[" * 5000 + BODY.encode() + b"]" * 5000,
    "eight hundred levels": b"[" * 800 + HIDDEN.encode() + b"]" * 800,
    "JSON in JSON in JSON": in_json(json.dumps({"y": HIDDEN})),
    "words around it": in_json(f"Result: {HIDDEN} end"),
    "a document of XML": in_json(f"<password><![CDATA[{KEY[20:60]}]]></password>"),
    "a page around it": in_json(f"<script>var x={HIDDEN}</script>"),
    "an event over several lines": in_json(f'data: {{"t":\ndata: "{HIDDEN[10:120]}"}}\n\ndata: x\n\n'),
    "an event that is no JSON": in_json("data: " + KEY.replace("-", "\\u002d") + "\n\ndata: x\n\n"),
    "a number list": in_json(list(HIDDEN.encode())),
    "a buffer of Node": in_json({"type": "Buffer", "data": list(gzip.compress(HIDDEN.encode()))}),
}
LINES = {
    "blank lines": b'\n\n{"a":1}\n\n\n' + HIDDEN.encode() + b"\n\n",
    "a line that is none": b'{"a":1}\nxx\n' + HIDDEN.encode() + b"\n",
    "a late line that is none": b'{"a":1}\n' * 5 + b"xx\n" + HIDDEN.encode() + b"\n",
    "one line": HIDDEN.encode() + b"\n",
    "record separators": b'\x1e{"a":1}\n\x1e' + HIDDEN.encode() + b"\n",
}
IN_YAML = {
    "CRLF": YAML.replace("\n", "\r\n").encode(),
    "CR": YAML.replace("\n", "\r").encode(),
    "UTF-16": YAML.encode("utf-16"),
    "a tag": f"a: !secret {KEY}\n".encode(),
    "a tag that makes objects": f"a: !!python/object/apply:os.system ['{KEY}']\n".encode(),
    "the name of a tag": f"a: !{KEY} x\n".encode(),
    "the prefix of tags": f"%TAG !e! tag:{KEY},2000:\n---\na: 1\n".encode(),
    "the name of an anchor": f"a: &{KEY} x\n".encode(),
    "an anchor": f"a: &x {KEY}\nb: *x\n".encode(),
    "a set": f"a: !!set {{ ? {KEY} }}\n".encode(),
    "a key that is a list": f"? [a, {{b: {KEY}}}]\n: 1\n".encode(),
    "a key that is a map": f"? {{b: {KEY}}}\n: 1\n".encode(),
    "a comment": f"a: 1 # {KEY}\n".encode(),
    "a key that stands twice": f"note: {KEY}\nnote: x\n".encode(),
    "escapes": ('a: "' + "".join(f"\\x{ord(c):02x}" for c in KEY) + '"\n').encode(),
    "a line end inside": f'a: "{KEY[:40]}\\\n  {KEY[40:]}"\n'.encode(),
    "behind the end of a document": f"a: 1\n...\n{KEY}\n".encode(),
    "a zero byte": b"a: \0\n" + YAML.encode(),
    "binary": f"b: !!binary |\n  {b64(gzip.compress(HIDDEN.encode()))}\n".encode(),
    "five thousand levels": b"[" * 5000 + BODY.encode() + b"]" * 5000,
    "JSON in it": f"body: '{HIDDEN}'\n".encode(),
}
PACKED = {
    "base64 of base64 of gzip": in_json(b64(b64(gzip.compress(HIDDEN.encode())))),
    "short base64 that ends in other letters": in_json(b64("AKIA" + "Q7LMNP2RSTUVWX4Z" + "é")),
    "base64 five times": in_json(b64(b64(b64(b64(b64(HIDDEN)))))),
    "base64 for addresses": in_json(base64.urlsafe_b64encode(HIDDEN.encode()).decode().rstrip("=")),
    "base64 among words": in_json(f"Here it is: {b64(HIDDEN)} as you asked."),
    "a data address": in_json(f"<a href='data:application/json;base64,{b64(HIDDEN)}'>"),
    "UTF-16 in base64": in_json(b64(BODY.encode("utf-16"))),
    "UTF-16 without a mark in base64": in_json(b64(BODY.encode("utf-16-be"))),
    "hexadecimal": in_json(HIDDEN.encode().hex().upper()),
    "gzip": gzip.compress(HIDDEN.encode()),
    "gzip of gzip": gzip.compress(gzip.compress(HIDDEN.encode())),
    "gzip in two parts": gzip.compress(b'{"a":1,') + gzip.compress(HIDDEN.encode()[1:]),
    "behind gzip": gzip.compress(b'{"a":1}\n') + BODY.encode(),
    "behind zstd": zstandard.ZstdCompressor().compress(b'{"a":1}\n' * 20) + BODY.encode(),
    "gzip that is cut off": gzip.compress(HIDDEN.encode() * 9)[:-30],
    "gzip that is damaged": b"\x1f\x8b\x08\x00" + b"\xff" * 40,
    "zstd that is damaged": b"\x28\xb5\x2f\xfd" + b"\xff" * 40,
    "bzip2": bz2.compress(HIDDEN.encode()),
    "xz": lzma.compress(HIDDEN.encode() * 50),
    "bzip2 in base64": in_json(b64(bz2.compress(HIDDEN.encode()))),
    "bare deflate in base64": in_json(b64(zlib.compress(HIDDEN.encode(), wbits=-15))),
    "zip": in_zip(HIDDEN),
    "zip in base64": json.dumps({"encoding": "base64", "body": b64(in_zip(HIDDEN))}).encode(),
    "zip that is damaged": in_zip(HIDDEN)[:60] + b"\xff" * 90,
    "what a picture says about itself": PNG + KEY.encode() + b"\xff\x00",
}
TABLES = {
    "json": ENCODINGS | JSON | PACKED,
    "jsonl": LINES,
    "yaml": IN_YAML,
    "txt": ENCODINGS | PACKED,
    "bin": {name: data for name, data in PACKED.items() if not data.startswith(b"{")},
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, table in TABLES.items() for name in table])
def test_nothing_passes_in_silence(kind: str, name: str) -> None:
    data = TABLES[kind][name]
    file = f"cassettes/a.{kind}"
    report = look(data, file, REVIEW_RULES)
    assert report.findings or report.not_checked
    assert KEY[:12] not in repr(report)
    fixed = fix(data, file, REVIEW_RULES)
    # Fixed for good, or said that it is not.
    again = look(fixed.data, file, REVIEW_RULES)
    assert (fixed.left.findings, fixed.left.not_checked) == (again.findings, again.not_checked)
    assert KEY.encode() not in fixed.data or fixed.left.findings


QUIET = {
    "null.json": b"null\n",
    "number.json": b"12\n",
    "text.json": b'"a text"\n',
    "empty.json": b"",
    "empty list.json": b"[]",
    "empty map.yaml": b"{}",
    "code.txt": b'get("x?api_key=" + key1[40:80])',
    "more code.txt": b'"json?api_key="+K[40:80]])',
    "picture.png": PNG + b"Software: paint 1.0 by someone\0",
    "utf-16.txt": "Grüße an alle, die das lesen. ".encode("utf-16"),
    "numbers.json": in_json([3, 7, 255] * 40),
    "tokens.json": in_json([15496, 11, 995, 0] * 40),
    "letter.docx": in_zip(json.dumps({"text": "hello"})),
    "picture.json": in_json("data:image/png;base64," + b64(PNG)),
    "digest.json": in_json("sha512-" + b64(bytes(range(64))) + " and " + "0123456789abcdef" * 8),
    "names.yaml": b"a: &a-rather-long-name-of-an-anchor 1\nb: *a-rather-long-name-of-an-anchor\n",
}


@pytest.mark.parametrize("name", QUIET)
def test_what_only_looks_odd_is_clean(name: str) -> None:
    report = look(QUIET[name], f"cassettes/{name}", REVIEW_RULES)
    assert (report.findings, report.not_checked) == ((), ())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_an_encoding_stays_as_it_is(encoding: str, mark: str) -> None:
    text = json.dumps({"note": KEY, "other": "ä"}, ensure_ascii=False)
    found = fix(f"{mark}{text}".encode(encoding), "cassettes/a.json", REVIEW_RULES)
    assert found.data == f"{mark}{text.replace(KEY, '[redacted:anthropic-key:1]')}".encode(encoding)
