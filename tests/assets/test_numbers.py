"""The browser writes numbers as Python does."""

import json
import subprocess

import numpy as np

from espalier.display.components import COMPONENTS
from espalier.display.theme import number, rounded_to
from espalier.language import speaking
from tests.tools.node import node

SCRIPT = """
import { readFileSync } from "node:fs";
import { number, roundedTo } from "%s";
const { groups, language } = JSON.parse(readFileSync(0, "utf-8"));
globalThis.document = { documentElement: { lang: language } };
console.log(JSON.stringify(groups.map((values) => [values.map((x) => number(x)), values.map(roundedTo(values))])));
"""


def compared(rng):
    """Numbers that are compared, none of them close to the end of a float's digits; many end halfway."""
    if rng.random() < 0.5:
        return (rng.integers(-4_000, 400_000, 6) / rng.choice([1, 2, 4, 8, 10, 20, 40, 100])).tolist()
    spread = rng.uniform(-9, 9)
    offset = rng.choice([-1.0, 0.0, 1.0]) * 10.0 ** rng.uniform(-9, min(9.0, spread + 8))
    return (offset + 10**spread * rng.random(6)).tolist()


def test_the_browser_rounds_numbers_that_are_compared_as_python_does():
    rng = np.random.default_rng(0)
    groups = [compared(rng) for _ in range(2_000)]
    for language in ("en", "de"):
        command = [node(), "--input-type=module", "--eval", SCRIPT % (COMPONENTS / "shared/numbers.js").as_uri()]
        given = json.dumps({"groups": groups, "language": language})
        ran = subprocess.run(command, input=given, capture_output=True, text=True, timeout=60)
        assert ran.returncode == 0, ran.stderr
        with speaking(language):
            texts = [[[number(x) for x in group], [rounded_to(group)(x) for x in group]] for group in groups]
        assert json.loads(ran.stdout) == texts
