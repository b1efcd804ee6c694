"""A Dockerfile without Docker: its steps, and what they do when they are taken in a plain folder."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from string import Template
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parents[2]
DOCKERFILE = PROJECT / "deploy" / "Dockerfile"


class Step(NamedTuple):
    word: str
    text: str


def steps(text: str) -> list[Step]:
    """Instructions of a Dockerfile, each on one line, without comments.

    >>> steps("# first\\nFROM a:1\\nRUN b \\\\\\n    && c\\n")
    [Step(word='FROM', text='a:1'), Step(word='RUN', text='b && c')]
    """
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    joined = re.sub(r"\s*\\\n\s*", " ", lines)
    return [Step(*line.split(maxsplit=1)) for line in joined.splitlines() if line.strip()]


class PlainFolder:
    """Takes the steps in a folder that stands for the root of the image; its base is this machine's Python."""

    def __init__(self, root: Path, python: str):
        self.root, self.at = root, root
        self.known: dict[str, str] = {}  # ARG and ENV
        self.environment = {"PATH": f"{root / 'base'}:/usr/bin:/bin", "TMPDIR": str(root / "tmp")}
        (root / "base").mkdir(parents=True)
        (root / "base" / "python").symlink_to(python)
        (root / "tmp").mkdir()
        (root / "tmp").chmod(0o1777)

    def inside(self, text: str) -> str:
        """The text with paths of the image as paths of the folder."""
        return re.sub(r"(?<![\w.])/(srv|tmp)\b", lambda path: str(self.root / path[1]), text)

    def take(self, step: Step) -> None:
        """Take a step; those that say how the image is run are for `command`."""
        word, text = step
        if word == "ARG":
            name, _, value = text.partition("=")
            self.known[name] = value
        elif word == "ENV":
            for pair in shlex.split(text):
                name, _, value = pair.partition("=")
                known = self.known | self.environment
                self.environment[name] = Template(self.inside(value)).safe_substitute(known)
        elif word == "WORKDIR":
            self.at = Path(self.inside(text))
            self.at.mkdir(parents=True, exist_ok=True)
        elif word == "COPY":
            self._copy(*text.split())
        elif word == "RUN":
            subprocess.run(self.inside(text), shell=True, check=True, cwd=self.at, env=self.everything())

    def everything(self) -> dict[str, str]:
        """The environment of a step, with what this machine's pip needs to find packages."""
        own = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))}
        return own | self.environment

    def _copy(self, *names: str) -> None:
        *sources, target = names
        for source in sources:
            path, to = PROJECT / source, self.at / target
            if path.is_dir():
                shutil.copytree(path, to, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(path, to)

    @property
    def megabytes(self) -> float:
        """What the steps have put down, in MB."""
        files = (path.lstat() for path in (self.root / "srv").rglob("*"))
        return sum(file.st_blocks * 512 for file in files) / 1e6


def command(step: Step) -> list[str]:
    """The words of CMD and HEALTHCHECK."""
    return json.loads(step.text[step.text.index("[") :])
