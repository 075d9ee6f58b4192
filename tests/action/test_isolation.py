"""A pull request is hostile: what it can reach from a run of the action, shown by real runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.action.act_run import ActRun
from tests.action.scene import BASIC, basic
from tests.secret_values import B62, body

if TYPE_CHECKING:
    from pathlib import Path

    from tests.action.scene import Scene

SECRET = "sk-" + "ant-api03-" + "q7" * 48

# Something has put the pull request's own programs in front of all others. Which step starts one is noted.
TRAPS = """\
      - run: |
          echo "$GITHUB_WORKSPACE/bin" >> "$GITHUB_PATH"
          printf 'PYTHONPATH=%s\\nPYTHONSTARTUP=json.py\\n' "$GITHUB_WORKSPACE" >> "$GITHUB_ENV"
"""
PROOF = """\
      - id: proof
        if: always()
        run: python3
"""


def variables(file: Path) -> dict[str, str]:
    """What `env` printed into a file, but for what the runner says of the step itself."""
    found = dict(row.partition("=")[::2] for row in file.read_text().splitlines() if "=" in row)
    return {name: value for name, value in found.items() if name not in ("GITHUB_ACTION", "GITHUB_JOB", "_")}


def test_the_job_around_the_action_is_as_it_was(installed: Path) -> None:
    left = installed / "left"
    assert variables(left / "before.txt") == variables(left / "after.txt")
    assert (left / "workspace.txt").read_text() == "", "something was written into the workspace"
    assert (left / "files.txt").read_text() == "", "something was written to GITHUB_PATH or GITHUB_ENV"


def test_the_check_sees_neither_the_token_nor_secrets_nor_the_files_of_the_runner(
    scene: Scene, tmp_path: Path
) -> None:
    seen, programs = tmp_path / "seen", tmp_path / "programs"
    seen.mkdir()
    programs.mkdir()
    # Every program that the check starts is one of these.
    (programs / "git").write_text(f'#!/bin/sh\nenv > {seen}/$$.txt\nexec /usr/bin/git "$@"\n')
    (programs / "git").chmod(0o755)
    workflow = BASIC.replace("jobs:\n", f"env: {{OPENAI_API_KEY: {SECRET}}}\njobs:\n")
    path = scene.runner.environment()["PATH"]
    run = scene.run(
        workflow.replace("jobs:\n  evals:\n", f"jobs:\n  evals:\n    env: {{PATH: '{programs}:{path}'}}\n")
    )
    assert run.passed, run.log
    texts = [file.read_text() for file in seen.iterdir()]
    assert texts, "git was not started"
    for text in texts:
        names = {row.partition("=")[0] for row in text.splitlines()}
        assert "HOME" in names
        assert scene.token not in text and SECRET not in text
        assert not {name for name in names if name.startswith(("ACTIONS_", "DRYFIRE_TOKEN", "INPUT_"))}
        assert not names & {
            "GITHUB_OUTPUT",
            "GITHUB_ENV",
            "GITHUB_PATH",
            "GITHUB_STEP_SUMMARY",
            "GITHUB_STATE",
        }


def test_programs_and_modules_that_lie_in_the_workspace_are_not_run(scene: Scene, tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    for name in ("python3", "python", "py", "git", "pip", "dirname", "basename", "env"):
        scene.origin.write(f"bin/{name}", f'#!/bin/sh\necho "$GITHUB_ACTION" >> {trap}\n')
        (scene.origin.root / "bin" / name).chmod(0o755)
    for name in ("json", "pip", "venv", "dryfire_action", "sitecustomize", "usercustomize"):
        scene.origin.write(f"{name}.py", f"open({str(trap)!r}, 'a').write({name!r})\n")
    scene.make_stale()
    run = scene.run(BASIC.replace("      - id: dryfire\n", f"{TRAPS}      - id: dryfire\n") + PROOF)
    assert run.outputs()["result"] == "stale", run.log
    assert trap.read_text().split() == ["proof"], "the traps are there, and the action springs none"


def test_code_that_a_suite_names_is_not_run(scene: Scene, tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    scene.origin.write("trap.py", f"open({str(trap)!r}, 'w')\ndef answer(**_): return 1\n")
    scene.edit("evals/shop.eval.yaml", "    - return: {status: sent}", '    - impl: "trap:answer"')
    run = scene.run()
    assert run.outputs()["excluded-count"] == "2" and run.outputs()["result"] == "changed", run.log
    assert not trap.exists()
    assert "no longer replayed" in scene.bodies[0]


def test_nothing_secret_gets_out(scene: Scene) -> None:
    hidden = body(B62, 24)
    scene.edit("evals/shop.eval.yaml", "Be kind.", f"Be kind. The key is {SECRET}.")
    scene.edit("evals/desk.eval.yaml", "When are you open?", f"When are you open, {hidden}?")
    run = scene.run(environ={"GITHUB_SECRET_OF_THE_JOB": hidden})
    assert run.outputs()["stale-count"] == "3"
    said = "\n".join(
        (run.log, run.summary, *scene.bodies, *map(str, run.outputs().values()), str(run.annotations()))
    )
    assert "system" in said
    assert SECRET not in said and SECRET[:20] not in said
    assert hidden not in said, "what is said to the model is shown under show: all only"
    assert scene.token not in said


def test_names_only_shows_no_word_of_a_prompt(scene: Scene) -> None:
    scene.make_stale("Be cruel to be kind.")
    run = scene.run(basic(show="names"))
    said = "\n".join((run.log, run.summary, *scene.bodies, str(run.annotations())))
    assert "`system` **changed**" in said and "cruel" not in said


def test_hostile_names_command_nothing(scene: Scene, tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    name = "@everyone </details> ::error::forged %0A::set-output name=result::clear"
    suite = (scene.origin.root / "evals/desk.eval.yaml").read_text()
    scene.origin.write(
        f"evals/x$(touch {trap.name})`id`.eval.yaml", suite.replace("name: desk", "name: '::warning::x'")
    )
    scene.edit("evals/shop.eval.yaml", "where is it", f'"{name}"')
    run = scene.run()
    assert run.outputs()["result"] == "stale" and run.outputs()["missing-count"] == "2", run.log
    assert not trap.exists()
    forged = [one for one in run.annotations() if one["message"].startswith(("forged", "x"))]
    assert forged == []
    (body,) = scene.bodies
    assert "touch" not in body.split("```sh")[1].split("```")[0]


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"mode": "publsh"}, "mode: 'publsh' is none of check, publish, both; did you mean 'publish'?"),
        ({"fail_on": "never, stale"}, "fail-on: never stands alone"),
        ({"key": "Not A Key"}, "key: 'Not A Key' is no key"),
    ],
)
def test_an_input_that_cannot_be_meant_is_named(scene: Scene, inputs: dict[str, str], said: str) -> None:
    run = scene.run(basic(**inputs))
    assert not run.passed and run.outputs()["result"] == "error"
    assert run.annotations("error")[0]["message"].startswith(said)


def test_the_installation_is_told_apart_from_a_log_of_it(installed: Path) -> None:
    run = ActRun.load(installed / "log.json")
    assert run.steps == dict.fromkeys(("environment", "check", "publish"), "success")
