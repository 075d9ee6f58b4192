"""The least that a replay could do: read and parse the same files with the same parsers, and hash their bytes once.

    python benchmarks/floor.py FOLDER

It imports nothing of ours. What a replay takes beyond it is what it does for the verdict.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import yaml


def main(folder: Path) -> None:
    digest = hashlib.sha256()
    for path in sorted(folder.glob("evals/*.eval.yaml")):
        data = path.read_bytes()
        digest.update(data)
        yaml.load(data, Loader=yaml.CSafeLoader)
    for path in sorted(folder.glob(".dryfire/cassettes/**/*.json")):
        data = path.read_bytes()
        digest.update(data)
        json.loads(data)
    print(digest.hexdigest())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
