"""The scripts of the browser components: their tests in node, their files, and that they do as Python does."""

import base64
import collections
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from espalier import predict
from espalier.approximation.fidelity import r2
from espalier.data import HeldOut, held_out, samples
from espalier.display.boundaries.plane import STEPS, rulers_of, typical
from espalier.display.boundaries.surface import fold, lost, prices_by_depth, soft_fold, surface
from espalier.display.components import COMPONENTS, add_texts, join_modules
from espalier.display.theme import number, percent, rounded_to
from espalier.display.tree.cards import cards
from espalier.kernels.cultivated import fractions as gate
from espalier.language import say, speaking
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, CultivatedRegressor
from espalier.learners.pruning import prune, pruning_path
from espalier.predict import samples_over, shares
from espalier.tree.modules import kept_by_level, stops
from espalier.trees import depths, prune_to
from tests.tools.node import node

TESTS = sorted(Path(__file__).parent.glob("*.test.js"))
SCRIPTS = sorted(COMPONENTS.rglob("*.js"))
ENTRIES = [path.relative_to(COMPONENTS).as_posix() for path in SCRIPTS if path.name == "main.js"]


def run(*arguments):
    """Run node; what it says is shown if it fails."""
    ran = subprocess.run([node(), *map(str, arguments)], capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_the_scripts_do_what_their_tests_in_node_say():
    run("--test", *TESTS)


def test_every_component_is_one_module_with_one_function(tmp_path):
    for entry in ENTRIES:
        (tmp_path / entry).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / entry).with_suffix(".mjs").write_text(join_modules(entry), encoding="utf-8")
    files = {entry: (tmp_path / entry).with_suffix(".mjs").as_uri() for entry in ENTRIES}
    print_exports = "console.log(name, Object.keys(all).join(), typeof all.default)"
    code = f"for (const [name, file] of Object.entries({files})) import(file).then((all) => {print_exports})"
    assert sorted(run("--eval", code).splitlines()) == sorted(f"{entry} default function" for entry in ENTRIES)


def test_a_component_speaks_the_language_of_its_page(tmp_path):
    script = f"{add_texts(join_modules('tree/main.js'))}\nexport const sayHere = $shared$language$spoken.spoken;"
    (tmp_path / "tree.mjs").write_text(script, encoding="utf-8")
    code = f"""
    const {{ sayHere: speak }} = await import("{(tmp_path / "tree.mjs").as_uri()}");
    for (const lang of ["en", "de", "de-x"]) {{
      globalThis.document = {{ documentElement: {{ lang }} }};
      console.log(speak("and {{n}} more", {{ n: 3 }}), speak("nobody says this"));
    }}"""
    said = run("--input-type=module", "--eval", code).splitlines()
    with speaking("de"):
        german = say("and {n} more", n=3)
    assert said == [f"{text} nobody says this" for text in ("and 3 more", german, "and 3 more")]


def test_every_script_is_part_of_a_component():
    texts = "\n".join(join_modules(entry) for entry in ENTRIES)
    names = {path.relative_to(COMPONENTS).as_posix() for path in SCRIPTS}
    assert len(ENTRIES) == 15
    assert not {name for name in names if f"// {name}\n" not in texts}


def test_scripts_are_short_files_of_short_lines_in_small_folders():
    for path in [*SCRIPTS, *TESTS]:
        lines = path.read_text(encoding="utf-8").split("\n")
        assert len(lines) < 400, path
        assert max(map(len, lines)) <= 120, path
    folders = collections.Counter(path.parent for path in SCRIPTS)
    assert not {folder: n for folder, n in folders.items() if n > 16}


# ---- The browser writes numbers as Python does


def in_node(script, code, **given):
    """What an expression is in node, over what is given and all that a script of the components exports."""
    lines = [
        'import { readFileSync } from "node:fs";',
        f'import * as script from "{(COMPONENTS / script).as_uri()}";',
        'const given = JSON.parse(readFileSync(0, "utf-8"));',
        f"console.log(JSON.stringify({code}));",
    ]
    command = [node(), "--input-type=module", "--eval", "\n".join(lines)]
    ran = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


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
        speaks = f"(globalThis.document = {{ documentElement: {{ lang: '{language}' }} }})"
        each = "given.groups.map((xs) => [xs.map((x) => script.number(x)), xs.map(script.roundedTo(xs))])"
        written = in_node("shared/numbers.js", f"({speaks}, {each})", groups=groups)
        with speaking(language):
            texts = [[[number(x) for x in group], [rounded_to(group)(x) for x in group]] for group in groups]
        assert written == texts


# ---- The browser cuts a tree off as Python does: the same cards, surface and points, at every depth


CUTS = """given.values.map(([depth, alpha]) => {
  const cut = script.cutOf(given.fold, { depth, alpha });
  const { cells, ...rest } = script.surfaceOf(given.surface, given.fold, cut);
  const surface = { ...rest, fields: cells?.fields.map((field) => [...field]) };
  return { nodes: cut.nodes, numbers: cut.numbers, surface };
})"""


def boxes(surface):
    """Each box with the node that answers there, in any order."""
    size = 2 * len(surface["axes"]) + 1
    flat = surface["boxes"]
    each = [flat[i : i + size] for i in range(0, len(flat), size)]
    return sorted([*box[:-1], surface["leaves"][box[-1]], surface["answers"][box[-1]]] for box in each)


def without_drawings(nodes):
    """Cards without the dots, which are fewer where cards are many, and without the histograms of leaves."""
    return [{k: v for k, v in one.items() if k != "dots" and (k != "hist" or "left" in one)} for one in nodes]


def values_of(tree):
    """Depths without and with prices, among them some at which splits go."""
    each = [pruning_path(prune_to(tree, depths(tree) < depth)).alpha.tolist() for depth in (2, 99)]
    plain = [(depth, 0) for depth in (1, 2, 4, None)]
    return plain + [(2, alpha) for alpha in each[0]] + [(None, alpha) for alpha in each[1][::3]]


def written(tree, data, rows):
    """The numbers above a tree, but for the baseline."""
    figures = []
    for some in (~rows, rows):
        y, said = data.y[some], shares(tree, data.X[some])
        is_right = y == said.argmax(axis=1)
        figures.append(percent(is_right.mean()) if data.is_classification else number(round(r2(y, said[:, 0]), 3)))
    return [*figures, None, str(tree.n_leaves), str(tree.depth)]


@pytest.mark.parametrize(
    ("name", "axes"), [("iris", (2, 3)), ("iris", (0,)), ("sine", (0,)), ("monks-1", (0, 4)), ("wine", (1, 0))]
)
def test_a_cut_in_the_browser_is_the_tree_of_that_depth_and_price(name, axes):
    data = samples.load(name)
    rows = ~held_out(data, HeldOut(30, 0))
    learner = CartClassifier if data.is_classification else CartRegressor
    deep = learner(categorical_features=data.categorical).fit(data.X[rows], data.y[rows]).tree_
    values, depth = values_of(deep), depths(deep)
    known = {"name": "depth", "cards": cards(deep, data, rows), "stop": depth.tolist()}
    known |= {"prices": prices_by_depth(deep), "scores": [lost(deep, data, some) for some in (~rows, rows)]}
    given = {"fold": known | fold(deep, data, axes, typical(data)), "surface": surface(deep, data, axes)}
    for (limit, alpha), got in zip(values, in_node("shared/fold.js", CUTS, **given, values=values), strict=True):
        tree = deep if limit is None else prune_to(deep, depth < limit)
        tree = prune(tree, alpha) if alpha else tree
        asked, drawn = json.loads(json.dumps([cards(tree, data, rows)["nodes"], surface(tree, data, axes)]))
        assert without_drawings(got["nodes"]) == without_drawings(asked)
        assert got["numbers"] == written(tree, data, rows)
        assert boxes(got["surface"]) == boxes(drawn)
        assert got["surface"]["points"] == drawn["points"]


def field_of(card, n_classes):
    """The grids of a surface that Python sends: of all classes but the first, or the value."""
    packed = card["cells"]["shares" if n_classes else "value"]
    steps = np.frombuffer(base64.b64decode(packed["data"]), "<u2")
    return (packed["low"] + (packed["high"] - packed["low"]) * steps / STEPS).reshape(max(n_classes - 1, 1), -1)


@pytest.mark.parametrize(
    ("name", "axes"), [("wine", (6, 12)), ("wine", (6,)), ("diabetes", (2, 8)), ("tic-tac-toe", (4, 0))]
)
def test_an_average_over_rows_is_that_of_the_tree_cut_off(name, axes):
    data = samples.load(name)
    learner = CartClassifier if data.is_classification else CartRegressor
    deep = learner(categorical_features=data.categorical).fit(data.X, data.y).tree_
    known = {
        "name": "depth",
        "cards": cards(deep, data, data.y >= 0),
        "stop": depths(deep).tolist(),
        "numbers": [],
    }
    given = {"fold": known | fold(deep, data, axes, data.X), "surface": surface(deep, data, axes)}
    values = [(limit, 0) for limit in (1, 3, None)]
    for (limit, _), got in zip(values, in_node("shared/fold.js", CUTS, **given, values=values), strict=True):
        tree = prune_to(deep, depths(deep) < (limit or 99))
        asked, drawn = json.loads(json.dumps(surface(tree, data, axes, data.X))), got["surface"]
        for mine, own in zip(drawn["axes"], asked["axes"], strict=True):
            assert mine["edges"] == pytest.approx(own["edges"], rel=1e-6)
            assert mine["smooth"] == own["smooth"]
        fields, n = np.array(drawn["fields"]), len(data.classes)
        span = 1.0 if n else float(np.ptp(fields))
        assert fields[int(n > 0) :] == pytest.approx(field_of(asked, n), abs=1.1 * span / STEPS)
        assert (drawn["points"], drawn["averaged"]) == (asked["points"], asked["averaged"])
        assert "boxes" not in drawn


@pytest.mark.parametrize("alpha", [0.0, 0.004])
def test_a_cultivated_tree_cut_off_in_the_browser_is_the_one_of_fewer_levels(alpha):
    data = samples.load("wine")
    deep = CultivatedClassifier(max_depth=30).fit(data.X, data.y).tree_
    kept = kept_by_level(deep, alpha)
    stop = stops(kept)
    known = {"name": "levels", "cards": cards(deep, data, data.y >= 0), "stop": stop, "numbers": [], "leaf": []}
    values = [1, 2, 5, None]
    code = "given.values.map((levels) => script.cutOf(given.fold, { levels }).nodes)"
    for limit, got in zip(values, in_node("shared/fold.js", code, fold=known, values=values), strict=True):
        tree = CultivatedClassifier(max_depth=limit, ccp_alpha=alpha).fit(data.X, data.y).tree_
        asked = json.loads(json.dumps(cards(tree, data, data.y >= 0)["nodes"]))
        assert [(one["id"], one.get("left"), one["shares"]) for one in got] == [
            (one["id"], one.get("left"), one["shares"]) for one in asked
        ]
        assert [set(one) for one in without_drawings(got)] == [set(one) for one in without_drawings(asked)]


SOFT = """given.values.map((levels) => {
  const cut = script.cutOf(given.fold, { levels });
  const { axes, points, cells } = script.surfaceOf(given.surface, given.fold, cut);
  const fields = cells.fields.map((field) => [...field]);
  return { edges: axes.map((axis) => axis.edges), wrong: points.wrong, fields, spread: [...cells.spread.field] };
})"""


@pytest.mark.parametrize(
    ("name", "axes", "averaged"),
    [("iris", (2, 3), True), ("wine", (6, 12), False), ("sine", (0,), False), ("tic-tac-toe", (4, 0), True)],
)
def test_the_surface_of_a_cultivated_tree_cut_off_in_the_browser_is_what_it_answers(name, axes, averaged):
    data = samples.load(name)
    learner = CultivatedClassifier if data.is_classification else CultivatedRegressor
    deep = learner(categorical_features=data.categorical).fit(data.X, data.y).tree_
    kept, held = kept_by_level(deep), data.X[::40] if averaged else typical(data)[np.newaxis]
    known = {"name": "levels", "cards": cards(deep, data, data.y >= 0), "stop": stops(kept), "numbers": []}
    known |= {"leaf": predict.leaves_and_shares(deep, data.X)[0].tolist()}
    soft = soft_fold(deep, data, axes, held) | {"wrong": [[1, "0" * len(data.y)], [3, "1" * len(data.y)]]}
    given = {"fold": known | {"soft": soft}, "surface": surface(deep, data, axes), "values": [1, 2, 5, None]}
    drawn = in_node("shared/fold.js", SOFT, **given)
    rulers = rulers_of(data, axes, deep)
    for level, got in zip((1, 2, 5, len(kept)), drawn, strict=True):
        tree = prune_to(deep, kept[level - 1])
        edges = [np.array(some) for some in got["edges"]]
        at = [r.at if len(r.edges) == len(e) else (e[1:] + e[:-1]) / 2 for r, e in zip(rulers, edges, strict=True)]
        asked = [gate.predict(tree, samples_over(axes, at, row)) for row in held]
        span = np.ptp(tree.value)
        means = np.mean([mean for mean, _ in asked], axis=0)
        fields = np.array(got["fields"]).T
        assert fields == pytest.approx(means, abs=0.002 * span)
        assert got["spread"] == pytest.approx(np.mean([spread for _, spread in asked], axis=0), abs=0.02 * span)
        if data.is_classification:
            assert set(got["wrong"]) == {int(level >= 3)}


def test_shares_are_written_as_python_writes_them():
    shares = [k / n for n in range(1, 140) for k in range(n + 1)]
    assert in_node("shared/figures.js", "given.shares.map(script.percent)", shares=shares) == list(
        map(percent, shares)
    )
