"""What the author of a pull request can put into a checkout, one danger at a time."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.git_repository import Repository
from tests.hostile.hostile_project import CONFIG, SUITE

if TYPE_CHECKING:
    from collections.abc import Callable

CASSETTE = ".dryfire/cassettes/desk/hours.json"


class Danger(NamedTuple):
    """``plant`` puts it into a recorded project; the replay ends in ``code``, and ``told`` stands in its report.

    Not ``staged`` is what git does not take: a pipe, say.
    """

    name: str
    plant: Callable[[Repository], None]
    code: int
    told: tuple[str, ...]
    staged: bool = True


def suite(name: str, text: str) -> str:
    """The project's suite under another name, with one text more at its end."""
    return SUITE.replace("name: desk", f"name: {name}", 1) + text


def with_impl(repository: Repository) -> None:
    repository.write("mine.py", "open('EXECUTED', 'w').close()\n\ndef lookup(**_):\n    return 'open'\n")
    repository.write(
        "evals/impl.eval.yaml", suite("impl", "").replace("- return: open", "- impl: mine:lookup")
    )


def with_token_in_prompt(repository: Repository) -> None:
    repository.write(
        "evals/token.eval.yaml", suite("token", "").replace("Be brief.", "'Say ${GITHUB_TOKEN}.'")
    )


def with_declared_token(repository: Repository) -> None:
    """Declared, so that it may be filled in: with the default, for the environment counts in no replay."""
    repository.write("dryfire.yaml", CONFIG + "env: {GITHUB_TOKEN: none}\n")
    with_token_in_prompt(repository)


def outside(repository: Repository) -> Path:
    """A file beside the repository, which nobody may read."""
    path = repository.root.parent / "outside"
    path.mkdir(exist_ok=True)
    (path / "secret.md").write_text("PRIVATE-TEXT\n")
    (path / "x.eval.yaml").write_text(suite("private", ""))
    (path / "tools.yaml").write_text("lookup: {name: lookup, description: PRIVATE-TEXT}\n")
    return path


def with_prompt_above(repository: Repository) -> None:
    outside(repository)
    repository.write(
        "evals/above.eval.yaml", suite("above", "").replace("Be brief.", "{$ref: ../../outside/secret.md}")
    )


def with_absolute_prompt(repository: Repository) -> None:
    path = outside(repository) / "secret.md"
    repository.write("evals/above.eval.yaml", suite("above", "").replace("Be brief.", f"{{$ref: {path}}}"))


def with_reference_above(repository: Repository) -> None:
    outside(repository)
    repository.write(
        "evals/ref.eval.yaml",
        suite("ref", "").replace(
            "{name: lookup, description",
            "{$ref: '../../outside/tools.yaml#/lookup'}\n  - {name: l2, description",
        ),
    )


def with_linked_prompt(repository: Repository) -> None:
    (repository.root / "evals/prompt.md").symlink_to(outside(repository) / "secret.md")
    repository.write("evals/link.eval.yaml", suite("link", "").replace("Be brief.", "{$ref: prompt.md}"))


def with_linked_parent(repository: Repository) -> None:
    (repository.root / "evals/prompts").symlink_to(outside(repository))
    repository.write(
        "evals/link.eval.yaml", suite("link", "").replace("Be brief.", "{$ref: prompts/secret.md}")
    )


def with_linked_suite(repository: Repository) -> None:
    (repository.root / "evals/private.eval.yaml").symlink_to(outside(repository) / "x.eval.yaml")


def with_linked_folder_of_suites(repository: Repository) -> None:
    (repository.root / "evals/more").symlink_to(outside(repository))


def with_cassettes_above(repository: Repository) -> None:
    repository.write("dryfire.yaml", CONFIG.replace("{scripted", "{dir: ../outside, scripted"))
    outside(repository)


def with_linked_cassettes(repository: Repository) -> None:
    folder = outside(repository) / "desk"
    shutil.move(repository.root / ".dryfire/cassettes/desk", folder)
    (repository.root / ".dryfire/cassettes/desk").symlink_to(folder)


def with_globs_above(repository: Repository) -> None:
    outside(repository)
    repository.write("dryfire.yaml", CONFIG.replace("evals/**", "../**"))


def with_alias_bomb(repository: Repository) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    repository.write("evals/bomb.eval.yaml", "\n".join(lines) + "\n" + SUITE)


def with_depth_bomb(repository: Repository) -> None:
    repository.write("evals/deep.eval.yaml", "x: " + "[" * 100_000 + "]" * 100_000 + "\n" + SUITE)


def with_deep_cassette(repository: Repository) -> None:
    repository.write(CASSETTE, "[" * 100_000 + "]" * 100_000)


def with_large_suite(repository: Repository) -> None:
    repository.write(
        "evals/large.eval.yaml", suite("large", "# " + "x" * 78 + "\n") + ("# " + "x" * 78 + "\n") * 80_000
    )


def with_large_prompt(repository: Repository) -> None:
    repository.write("evals/large.md", "x" * 79 + "\n")
    with (repository.root / "evals/large.md").open("ab") as file:
        file.truncate(200 * 1024 * 1024)
    repository.write("evals/large.eval.yaml", suite("large", "").replace("Be brief.", "{$ref: large.md}"))


def with_many_cases(repository: Repository) -> None:
    cases = (f"  - {{name: c{number}, input: x}}\n" for number in range(100_000))
    repository.write("evals/many.eval.yaml", suite("many", "".join(cases)))


def with_large_cassette(repository: Repository) -> None:
    path = repository.root / CASSETTE
    text = path.read_bytes()
    with path.open("wb") as file:
        file.write(text.rstrip()[:-1])
        file.write(b',"x":"')
        for _ in range(200):
            file.write(b"x" * 1024 * 1024)
        file.write(b'"}\n')


def with_pipe(repository: Repository) -> None:
    os.mkfifo(repository.root / "evals/pipe.eval.yaml")


def with_pipe_for_a_prompt(repository: Repository) -> None:
    os.mkfifo(repository.root / "evals/pipe.md")
    repository.write("evals/pipes.eval.yaml", suite("pipes", "").replace("Be brief.", "{$ref: pipe.md}"))


def with_pipe_for_a_cassette(repository: Repository) -> None:
    """Git refuses to add it where a file is tracked; so it is none."""
    repository.git("rm", "--quiet", "--cached", CASSETTE)
    (repository.root / CASSETTE).unlink()
    os.mkfifo(repository.root / CASSETTE)


def with_device(repository: Repository) -> None:
    (repository.root / "evals/zero.eval.yaml").symlink_to("/dev/zero")


def with_exploding_rule(repository: Repository) -> None:
    repository.write("dryfire.yaml", CONFIG + "redact: {rules: [{id: numbers, pattern: '(a+)+$'}]}\n")
    repository.write(
        "evals/long.eval.yaml", suite("long", "").replace("When are you open?", "a" * 5_000 + "!")
    )


def with_exploding_ignore(repository: Repository) -> None:
    repository.write("dryfire.yaml", CONFIG + "fingerprint: {ignore: [{path: system, pattern: '(a|a)*b'}]}\n")
    repository.write("evals/long.eval.yaml", suite("long", "").replace("Be brief.", "a" * 5_000))


def with_exploding_assertion(repository: Repository) -> None:
    long = suite("long", "").replace("From nine to five.", "a" * 5_000 + "!")
    repository.write("evals/long.eval.yaml", long.replace("final_contains: nine", "final_matches: '^(a+)+$'"))


def with_names(*names: str) -> Callable[[Repository], None]:
    def plant(repository: Repository) -> None:
        cases = "".join(
            f"  - name: {quoted(name)}\n    input: x\n    script: [{{text: y}}]\n    expect: []\n"
            for name in names
        )
        repository.write("evals/names.eval.yaml", suite("names", cases))

    return plant


def quoted(name: str) -> str:
    """A YAML double-quoted text."""
    return (
        '"'
        + "".join(char if char.isalnum() or char in " -_" else f"\\U{ord(char):08x}" for char in name)
        + '"'
    )


def with_hostile_file_names(repository: Repository) -> None:
    for name in (
        "x$(id)`id`.eval.yaml",
        "a\nb.eval.yaml",
        "::error::x.eval.yaml",
        "\u202egpj.eval.yaml",
        "-rf.eval.yaml",
    ):
        repository.write(f"evals/{name}", suite("named", "").replace("named", repr(name)))


NAMES = {
    "a newline": ("a\nb",),
    "a way out": ("../../../outside/x",),
    "an absolute path": ("/etc/passwd",),
    "control characters": ("\x1b[31mred\x07",),
    "bidi characters": ("\u202egnp.exe",),
    "a mention and markup": ("@everyone </details> ::error::",),
    "300 characters": ("x" * 300,),
    "twins in case": ("Twin", "twin", "TWIN"),
    "Unicode twins": ("caf\u00e9", "cafe\u0301"),
    "reserved names": ("CON", "nul", "aux.txt", "a.", "b "),
    "dots": (".", ".."),
    "an option": ("--fix",),
}

DANGERS = [
    Danger(
        "an impl that writes when it is imported",
        with_impl,
        0,
        ("1 excluded", "real code (evals/impl.eval.yaml:"),
    ),
    Danger(
        "the token in a prompt",
        with_token_in_prompt,
        2,
        ("evals/token.eval.yaml:4:", "${GITHUB_TOKEN} is not declared"),
    ),
    Danger(
        "the token in a prompt, declared", with_declared_token, 3, ("token  evals/token.eval.yaml", "missing")
    ),
    Danger(
        "a prompt above the repository",
        with_prompt_above,
        2,
        ("evals/above.eval.yaml:4:", "leads out of the repository"),
    ),
    Danger(
        "an absolute prompt", with_absolute_prompt, 2, ("evals/above.eval.yaml:4:", "is an absolute path")
    ),
    Danger(
        "a reference above the repository",
        with_reference_above,
        2,
        ("evals/ref.eval.yaml:6:", "leads out of the repository"),
    ),
    Danger("a linked prompt", with_linked_prompt, 2, ("evals/link.eval.yaml:4:", "is a symbolic link")),
    Danger(
        "a prompt in a linked folder",
        with_linked_parent,
        2,
        ("evals/link.eval.yaml:4:", "prompts is a symbolic link"),
    ),
    Danger("a linked suite", with_linked_suite, 2, ("evals/private.eval.yaml:1:1: is a symbolic link",)),
    Danger("a linked folder of suites", with_linked_folder_of_suites, 0, ("1 case: 1 passed",)),
    Danger(
        "a cassette folder above", with_cassettes_above, 2, ("dryfire.yaml:3:", "leads out of the repository")
    ),
    Danger("a linked cassette folder", with_linked_cassettes, 3, ("hours.json: desk is a symbolic link",)),
    Danger("globs above", with_globs_above, 2, ("dryfire.yaml:", "leads out of the repository")),
    Danger("an alias bomb", with_alias_bomb, 2, ("evals/bomb.eval.yaml:6:", "more than 500,000 values")),
    Danger("a depth bomb", with_depth_bomb, 2, ("evals/deep.eval.yaml:1:", "maximum nesting depth")),
    Danger("a depth bomb for a cassette", with_deep_cassette, 3, ("hours.json: nested too deeply",)),
    Danger(
        "a suite beyond 5 MB",
        with_large_suite,
        2,
        ("evals/large.eval.yaml:1:1: has 6,480,", "the limit is 5,242,880"),
    ),
    Danger(
        "a prompt of 200 MB",
        with_large_prompt,
        2,
        ("evals/large.eval.yaml:4:", "'large.md': has 209,715,200 bytes"),
    ),
    Danger("100,000 cases in a suite", with_many_cases, 2, ("evals/many.eval.yaml:10:", "has 100,001 cases")),
    Danger(
        "a cassette of 200 MB", with_large_cassette, 3, ("hours.json: has 209,7", "the limit is 50,000,000")
    ),
    Danger(
        "a pipe called like a suite",
        with_pipe,
        2,
        ("evals/pipe.eval.yaml:1:1: is no regular file",),
        staged=False,
    ),
    Danger(
        "a pipe for a prompt", with_pipe_for_a_prompt, 2, ("'pipe.md': is no regular file",), staged=False
    ),
    Danger("a pipe for a cassette", with_pipe_for_a_cassette, 3, ("hours.json: is no regular file",)),
    Danger("a device called like a suite", with_device, 2, ("evals/zero.eval.yaml:1:1: is a symbolic link",)),
    Danger("a redaction rule that explodes", with_exploding_rule, 3, ("evals/long.eval.yaml",)),
    Danger("an ignore rule that explodes", with_exploding_ignore, 3, ("evals/long.eval.yaml",)),
    Danger("an assertion that explodes", with_exploding_assertion, 3, ("evals/long.eval.yaml",)),
    Danger(
        "file names",
        with_hostile_file_names,
        3,
        ("evals/a\\nb.eval.yaml", "\\x3a:error::x.eval.yaml", "\\u202egpj"),
    ),
    *(
        Danger(f"case names: {name}", with_names(*names), 3, ("names", "missing"))
        for name, names in NAMES.items()
    ),
]
