"""`dryfire redact`: what is found, what is fixed, and what the exit code says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.commands import project
from tests.git_repository import Repository
from tests.secret_values import B62, B64U, body

if TYPE_CHECKING:
    from collections.abc import Callable

    Dryfire = Callable[..., project.Done]

KEY = "sk-" + "ant-api03-" + body(B64U, 93) + "AA"


def write(path: str, content: object) -> Path:
    """A file of the current folder, JSON unless it is a text."""
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return file


def test_clean_files_are_clean(dryfire: Dryfire) -> None:
    write("tests/cassettes/a.json", {"a": 1})
    assert dryfire("redact", "tests") == (0, "", "")


def test_findings_are_listed_and_fixed(dryfire: Dryfire) -> None:
    file = write("tests/cassettes/a b.json", {"interactions": [{"x-api-key": KEY}]})
    done = dryfire("redact", "tests")
    assert done.code == 1
    assert done.out.startswith("tests/cassettes/a b.json:1: interactions[0].x-api-key: anthropic-key: sk-a…")
    assert "docs/reference/redaction-rules.md#anthropic-key" in done.out
    assert KEY[:14] not in done.out + done.err
    assert dryfire("redact", "--fix", ".").code == 1
    assert json.loads(file.read_text(encoding="utf-8")) == {
        "interactions": [{"x-api-key": "[redacted:anthropic-key:1]"}]
    }
    assert dryfire("redact", ".").code == 0


def test_many_findings_are_counted_by_rule_and_by_value(dryfire: Dryfire) -> None:
    """One key in every recording is one thing to revoke, however often it is listed."""
    for number in range(5):
        write(
            f"cassettes/{number}.json", {"x-api-key": KEY, "set-cookie": f"session={number}" + body(B62, 30)}
        )
    done = dryfire("redact", "cassettes")
    last = done.out.partition("\n\n")[2]
    assert last.startswith("10 findings in 5 files:\n  anthropic-key, 5 times, 1 value: https://")
    assert "\n  cookie, 5 times, 5 values: https://" in last
    assert "\nRedact in place: dryfire redact --fix FILE." in last
    assert "pip install" not in last
    assert "10 findings in 5 files:\n" in dryfire("redact", "--fix", "cassettes").out


def test_files_of_one_commit_are_told_together(dryfire: Dryfire, tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    for number in range(2):
        write(f"cassettes/{number}.json", {"x-api-key": KEY})
    first = repository.commit("two")[:10]
    assert dryfire("redact", "cassettes").out.count(f"already in history, in {first}.") == 2
    for number in range(2, 6):
        write(f"cassettes/{number}.json", {"x-api-key": KEY})
    second = repository.commit("four more")[:10]
    rows = dryfire("redact", "cassettes").out.splitlines()
    told = [row[row.index("cassettes/") :] for row in rows if "already in history" in row]
    assert told == [
        f"cassettes/0.json: already in history, in {first}.",
        f"cassettes/1.json: already in history, in {first}.",
        f"cassettes/2.json and 3 more files: already in history, in {second}.",
    ]


def test_json_is_what_other_programs_read(dryfire: Dryfire) -> None:
    write("a.json", {"k": KEY})
    write("b.json", '{"k": ')
    done = dryfire("redact", "--format", "json", "a.json", "b.json")
    assert done.code == 1
    found = json.loads(done.out)
    assert found["findings"] == [
        {"file": "a.json", "line": 1, "path": "k", "rule": "anthropic-key", "mask": "sk-a…(108 characters)"}
    ]
    assert [(miss["file"], miss["rule"]) for miss in found["not_checked"]] == [("b.json", "unreadable")]
    assert dryfire("redact", "b.json").code == 2


def test_a_path_that_is_not_there_is_a_usage_error(dryfire: Dryfire) -> None:
    done = dryfire("redact", "nowhere")
    assert done.code == 2
    assert "there is no nowhere" in done.err


def test_links_are_not_followed(dryfire: Dryfire, tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text(json.dumps({"k": KEY}), encoding="utf-8")
    Path("link.json").symlink_to(outside)
    done = dryfire("redact", "link.json")
    assert done.code == 2 and "not-a-file" in done.out
    assert dryfire("redact", "--fix", "link.json").code == 2
    assert KEY in outside.read_text(encoding="utf-8")


ALLOWED = """\
version: 1
redact:
  rules:
    - {id: customer, pattern: 'C-[0-9]{5}'}
  allow:
    - {rule: anthropic-key, path: 'a/*', reason: revoked long ago, expires: %s}
"""


@pytest.mark.parametrize(("until", "code"), [("2999-01-01", 0), ("2020-01-01", 1)])
def test_the_nearest_config_counts(dryfire: Dryfire, until: str, code: int) -> None:
    write("dryfire.yaml", ALLOWED % until)
    write("a/x.json", {"k": KEY})
    write("b/dryfire.yaml", "version: 1\n")
    write("b/x.json", {"k": "C-12345"})
    assert dryfire("redact", "a").code == code
    assert dryfire("redact", "b").code == 0
    write("a/x.json", {"k": "C-12345"})
    assert "customer" in dryfire("redact", "a").out


SECRETIVE = """\
  - name: tells
    input: Give me the code of order 7.
    mocks: {lookup: [{return: {code: 7}}]}
    script:
      - tool_call: {name: lookup, arguments: {token: "%(secret)s", n: 7}}
      - text: It is %(secret)s, keep it.
    expect: [{calls_tool: lookup}]
"""


def test_a_cassette_of_ours_replays_after_the_fix(dryfire: Dryfire, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recorded when nobody called it secret; now the team has a rule for it, and it is in two turns."""
    secret = "ACME-" + body(B62, 12)
    project.make(Path.cwd(), SECRETIVE % {"secret": secret})
    assert dryfire("run", "--cassette-mode", "record").code == 0
    assert [path for path in Path(".dryfire").rglob("*.json") if secret in path.read_text(encoding="utf-8")]
    config = Path("dryfire.yaml")
    rule = "redact: {rules: [{id: code, pattern: 'ACME-[A-Za-z0-9]{12}'}]}\n"
    config.write_text(config.read_text(encoding="utf-8") + rule, encoding="utf-8")
    assert dryfire("redact", ".dryfire").code == 1
    done = dryfire("redact", "--fix", ".dryfire")
    assert done.code == 1
    assert "re-record" not in done.out + done.err
    assert not [
        path for path in Path(".dryfire").rglob("*.json") if secret in path.read_text(encoding="utf-8")
    ]
    assert dryfire("run").code == 0
    assert dryfire("redact", ".dryfire").code == 0


def test_a_cassette_that_is_stale_loses_its_secrets_and_says_re_record(dryfire: Dryfire) -> None:
    secret = "ACME-" + body(B62, 12)
    project.make(Path.cwd(), SECRETIVE % {"secret": secret})
    assert dryfire("run", "--cassette-mode", "record").code == 0
    Path("evals/prompt.md").write_text("Another prompt.\n", encoding="utf-8")
    config = Path("dryfire.yaml")
    rule = "redact: {rules: [{id: code, pattern: 'ACME-[A-Za-z0-9]{12}'}]}\n"
    config.write_text(config.read_text(encoding="utf-8") + rule, encoding="utf-8")
    done = dryfire("redact", "--fix", ".dryfire")
    assert done.code == 1
    assert "re-record this case" in done.err
    assert not [
        path for path in Path(".dryfire").rglob("*.json") if secret in path.read_text(encoding="utf-8")
    ]
    assert "damaged" not in dryfire("run").out


class TestBaseline:
    """Findings that were there before anybody looked."""

    def test_what_is_known_does_not_block_and_what_is_new_does(self, dryfire: Dryfire) -> None:
        file = write("tests/cassettes/old.json", {"x-api-key": KEY})
        done = dryfire("redact", "--write-baseline", "tests")
        assert (done.code, done.err) == (0, "")
        assert ".dryfire/baseline.txt: 1 known finding in 1 file" in done.out
        assert KEY not in Path(".dryfire/baseline.txt").read_text(encoding="utf-8")
        assert Path(".dryfire/.gitattributes").read_text(encoding="utf-8") == "baseline.txt merge=union\n"
        assert dryfire("redact", ".") == (0, "", "")
        assert dryfire("redact", "--no-baseline", ".").code == 1
        write("tests/cassettes/new.json", {"x-api-key": KEY})
        done = dryfire("redact", ".")
        assert done.code == 1 and "new.json" in done.out and "old.json" not in done.out
        # What is known is not redacted, unless that is asked for.
        assert dryfire("redact", "--fix", ".").code == 1
        assert KEY in file.read_text(encoding="utf-8")
        assert dryfire("redact", "--fix", "--no-baseline", ".").code == 1
        assert KEY not in file.read_text(encoding="utf-8")

    def test_it_holds_what_could_not_be_checked_too(self, dryfire: Dryfire) -> None:
        write("a.json", '{"k": ')
        assert dryfire("redact", "a.json").code == 2
        dryfire("redact", "--write-baseline", "a.json")
        assert dryfire("redact", ".") == (0, "", "")

    def test_entries_that_are_over_are_told_and_taken_out(self, dryfire: Dryfire) -> None:
        write("a/one.json", {"x-api-key": KEY})
        write("a/two.json", {"x-api-key": KEY})
        write("b/three.json", {"x-api-key": KEY})
        dryfire("redact", "--write-baseline", ".")
        write("a/one.json", {"x-api-key": "none"})
        Path("a/two.json").unlink()
        done = dryfire("redact", "a")
        assert done.code == 0
        assert ".dryfire/baseline.txt: 2 no longer needed (a/one.json, a/two.json): " in done.err
        dryfire("redact", "--write-baseline", "a")
        assert dryfire("redact", ".") == (0, "", "")
        assert "b/three.json" in Path(".dryfire/baseline.txt").read_text(encoding="utf-8")

    def test_a_rename_is_recognized(self, dryfire: Dryfire) -> None:
        file = write("a/one.json", {"x-api-key": KEY})
        dryfire("redact", "--write-baseline", ".")
        file.rename("a/uno.json")
        done = dryfire("redact", "a")
        assert done.code == 1
        assert "a/uno.json: known as a/one.json: dryfire redact --write-baseline a/uno.json" in done.err
        dryfire("redact", "--write-baseline", "a/uno.json")
        assert dryfire("redact", ".") == (0, "", "")

    def test_the_key_of_the_digests_has_the_name_that_the_config_gives(
        self, dryfire: Dryfire, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write("dryfire.yaml", "version: 1\nredact: {digest_key_env: ACME_DIGEST_KEY}\n")
        write("a/one.json", {"x-api-key": KEY})
        monkeypatch.setenv("ACME_DIGEST_KEY", "the key of all of us")
        dryfire("redact", "--write-baseline", ".")
        assert dryfire("redact", ".") == (0, "", "")
        monkeypatch.delenv("ACME_DIGEST_KEY")
        done = dryfire("redact", ".")
        assert done.code == 1
        assert ".dryfire/baseline.txt: made with a key that is not set here: ACME_DIGEST_KEY" in done.err

    def test_it_goes_with_no_fix(self, dryfire: Dryfire) -> None:
        assert dryfire("redact", "--fix", "--write-baseline", ".").code == 2

    def test_it_is_not_written_through_a_link(self, dryfire: Dryfire, tmp_path: Path) -> None:
        write("a/one.json", {"x-api-key": KEY})
        outside = tmp_path / "outside"
        outside.mkdir()
        Path(".dryfire").symlink_to(outside)
        assert dryfire("redact", "--write-baseline", "a").code != 0
        assert list(outside.iterdir()) == []

    def test_nothing_found_is_no_baseline(self, dryfire: Dryfire) -> None:
        write("a/one.json", {"a": 1})
        assert dryfire("redact", "--write-baseline", ".").code == 0
        assert not Path(".dryfire").exists()


class TestAllowEntries:
    """`--format allow` writes what can be pasted."""

    def test_pasted_with_reasons_they_let_the_findings_pass(self, dryfire: Dryfire) -> None:
        write("tests/cassettes/a [1].json", {"x-api-key": KEY, "twice": KEY})
        write("tests/cassettes/b.json", '{"k": ')
        done = dryfire("redact", "--format", "allow", "tests")
        assert done.code == 1
        assert KEY not in done.out
        assert done.out.startswith("# dryfire.yaml, which is not there yet: fill in each reason.")
        write("dryfire.yaml", done.out)
        assert "reason" in dryfire("redact", "tests").err
        write("dryfire.yaml", done.out.replace("reason: }", "reason: revoked in May}"))
        assert dryfire("redact", "tests") == (0, "", "")
        write("tests/cassettes/a [1].json", {"x-api-key": KEY[:-4] + "zzzz"})
        assert dryfire("redact", "tests").code == 1

    def test_each_goes_to_its_config(self, dryfire: Dryfire) -> None:
        write("dryfire.yaml", "version: 1\n")
        write("p/dryfire.yaml", "version: 1\n")
        write("a.json", {"x-api-key": KEY})
        write("p/a.json", {"x-api-key": KEY})
        done = dryfire("redact", "--format", "allow", ".")
        assert [line.split(":")[0] for line in done.out.splitlines() if line.startswith("#")] == [
            "# dryfire.yaml",
            "# p/dryfire.yaml",
        ]


class TestNamesOfFiles:
    """Test tools make names of files of the arguments of a test."""

    SECRET = "a1" + body(B62, 38)

    @pytest.mark.parametrize("name", ["test_call[{}={}].yaml", "test[x?{}={}-POST].json"])
    def test_a_secret_in_one_is_found_and_not_shown(self, dryfire: Dryfire, name: str) -> None:
        write("cassettes/" + name.format("api_key", self.SECRET), "{}")
        for words in (["."], ["--format", "json", "."], ["--fix", "."]):
            done = dryfire("redact", *words)
            assert done.code == 1
            assert self.SECRET[4:] not in done.out + done.err
            assert "(file name)" in done.out and "credential-key" in done.out
        assert "in the name of the file: rename it" in done.err
        dryfire("redact", "--write-baseline", ".")
        assert dryfire("redact", ".").code == 0

    @pytest.mark.parametrize(
        "name",
        ["test_login[password=wrong].yaml", "test_a[token=None].yaml", "a-rather-long-name-of-a-test.yaml"],
    )
    def test_what_only_names_one_is_none(self, dryfire: Dryfire, name: str) -> None:
        write(f"cassettes/{name}", "{}")
        assert dryfire("redact", ".") == (0, "", "")


def test_source_code_is_reported_and_not_rewritten(dryfire: Dryfire) -> None:
    file = write("tests/test_a.py", f"KEY = {KEY!r}\n")
    done = dryfire("redact", "--fix", "tests")
    assert done.code == 1
    assert "tests/test_a.py: source code is not rewritten: take it out by hand" in done.err
    assert KEY in file.read_text(encoding="utf-8")


def test_a_rule_of_the_teams_own_is_explained_as_such(dryfire: Dryfire) -> None:
    write("dryfire.yaml", "version: 1\nredact: {rules: [{id: customer, pattern: 'C-[0-9]{5}'}]}\n")
    write("cassettes/a.json", {"body": "C-12345"})
    assert "  customer: a rule of yours, under redact: rules: in dryfire.yaml\n" in dryfire("redact", ".").out


def test_what_a_team_calls_secret_is_not_recorded(dryfire: Dryfire) -> None:
    """The rule is there before the recording, and the recording replays."""
    secret = "ACME-" + body(B62, 12)
    project.make(Path.cwd(), SECRETIVE % {"secret": secret})
    config = Path("dryfire.yaml")
    rule = "redact: {rules: [{id: code, pattern: 'ACME-[A-Za-z0-9]{12}'}]}\n"
    config.write_text(config.read_text(encoding="utf-8") + rule, encoding="utf-8")
    assert dryfire("run", "--cassette-mode", "record").code == 0
    recordings = [path.read_text(encoding="utf-8") for path in Path(".dryfire").rglob("*.json")]
    assert recordings and not [text for text in recordings if secret in text]
    assert any("+ code" in text for text in recordings)
    assert dryfire("run").code == 0
    assert dryfire("redact", ".dryfire").code == 0
