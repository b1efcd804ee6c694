"""The lowest versions that pyproject.toml allows, as constraints for pip: `python .ci/lowest.py > lowest.txt`."""

import re
import tomllib
from pathlib import Path

BOUND = re.compile(r"([\w.-]+)(?:\[[^]]*\])?>=([\w.]+)")


def constraints(project: dict) -> list[str]:
    """A line `name==version` for each package that the app and its tests need."""
    wanted = project["dependencies"] + project["optional-dependencies"]["test"]
    return sorted({f"{name}=={version}" for name, version in (BOUND.match(line).groups() for line in wanted)})


if __name__ == "__main__":
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    print(*constraints(tomllib.loads(text)["project"]), sep="\n")
