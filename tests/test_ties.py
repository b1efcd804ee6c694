"""Where classes tie, everything that speaks of an answer says what `predict` says."""

import json
import re
import subprocess

import numpy as np
import pandas as pd
import pytest

from espalier import export, predict
from espalier.analysis import TableModel, score_rows
from espalier.approximation.fidelity import class_agreement, fidelity
from espalier.comparison.cross_validation import answers_of, prediction_of, try_fold, validate
from espalier.comparison.scores import class_scores, class_shares
from espalier.data.dataset import Feature, make_dataset
from espalier.data.folds import Folds, folds_of
from espalier.display import ink
from espalier.display.boundaries.surface import surface
from espalier.display.components import COMPONENTS
from espalier.display.cultivated import answer_sentence
from espalier.display.text.trees import class_fills, class_words, describe, says
from espalier.display.theme import colours_of
from espalier.display.tree.cards import cards
from espalier.display.tree.graphviz import fills, to_dot
from espalier.display.tree.small_tree import alt, leaf_colours, plane_picture
from espalier.forests.growth import judge
from espalier.kernels.forest.out_of_bag import WeightedTarget
from espalier.language import speaking
from espalier.learners import (
    BaggedForestClassifier,
    CartClassifier,
    CultivatedClassifier,
    ObliqueClassifier,
    RandomForestClassifier,
)
from espalier.learners.forests.forest import judge_any
from espalier.new_rows.words import ANSWER, expert_table, scored_file, scored_table
from espalier.predict import NO_PRIOR, prior_among, prior_of, winner, winners
from espalier.questionnaire.questionnaire import Questionnaire
from espalier.questionnaire.sheet import Heading, ending, sheet
from espalier.questionnaire.words import perhaps, verdict
from espalier.reliability import explanation_words
from espalier.reliability.changeable import other_class
from espalier.reliability.explanation import answers_of_refit, story
from espalier.reliability.reliability import answered, ask, ask_fold
from espalier.tree.modules import answer as fractions_over_leaves
from espalier.tree.nodes import impurity_curves, splits_as_good
from tests.tools.exported import scope_of
from tests.tools.node import node

# Two trees of a forest say different classes of many rows, and the class that comes last is the most frequent, so
# that the first of equals is not what the forest predicts.
MODELS = {
    "random forest": RandomForestClassifier(n_estimators=2, max_features=1, random_state=0),
    "votes": RandomForestClassifier(n_estimators=2, max_features=1, voting="majority", random_state=0),
    "bagged": BaggedForestClassifier(CartClassifier(max_depth=3), n_estimators=2, random_state=0),
    "one tree": CartClassifier(max_depth=2),
    "cultivated": CultivatedClassifier(max_depth=2),
}


def table_of_ties(n=90):
    """Few different rows, each with every class; classes 0, 1 and 2, the last ones more frequent."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (n, 3)).astype(float), rng.choice(3, n, p=[0.2, 0.3, 0.5])
    features = tuple(Feature(name) for name in "abc")
    return make_dataset("ties", X, features, y, Feature("y", "category", ("u", "v", "w")))


DATA = table_of_ties()


@pytest.fixture(params=MODELS)
def model(request):
    """One of each kind of model."""
    return MODELS[request.param]


def ties(shares) -> int:
    """How many rows (n, n_classes) have two greatest shares."""
    top = np.sort(shares, axis=1)
    return int((top[:, -1] - top[:, -2] < 1e-9).sum())


def test_the_table_makes_ties_that_a_forest_breaks_unlike_the_first_of_equals():
    forest = MODELS["votes"].fit(DATA.X, DATA.y)
    shares = forest.predict_proba(DATA.X)
    assert ties(shares) > 5
    assert (shares.argmax(axis=1) != forest.predict(DATA.X)).any()


def test_what_a_model_says_out_of_fold_is_what_it_predicts(model):
    plan = Folds(3)
    for fold in folds_of(DATA, plan):
        prediction = ask_fold(model, DATA, fold).prediction
        assert np.array_equal(prediction, model.predict(DATA.X[fold.rows]))
        tried, answers, own = try_fold(model, DATA, fold)
        assert np.array_equal(own, model.predict(DATA.X[fold.rows]))
        assert tried.scores == class_scores(DATA.y[fold.rows], answers, own)
        assert class_scores(DATA.y[fold.rows], answers, own).accuracy == pytest.approx(
            np.mean(own == DATA.y[fold.rows])
        )
        assert np.array_equal(own, winners(answers, prior_among(model, 3)))


def test_reliability_and_comparison_count_the_same_answers_right(model):
    plan = Folds(3)
    found, tried = ask(model, DATA, plan), validate(model, DATA, plan)
    answers = answered(found)
    assert tried.prediction is not None
    assert np.array_equal(answers.answer[np.argsort(answers.row)], tried.prediction)
    share, is_so = class_shares(DATA.y, tried.predicted, None, tried.prediction)
    assert is_so.mean() == pytest.approx(1 - answers.loss.mean())
    assert share == pytest.approx(tried.predicted.max(axis=1))


def test_a_story_tells_of_the_class_that_is_predicted(model):
    model.fit(DATA.X, DATA.y)
    for row in range(0, 90, 6):
        told = story(model, DATA, DATA.X[row])
        assert told.answer == model.predict(DATA.X[[row]])[0]
        assert told.runner_up != told.answer
        if told.flip is not None and len(told.flip.changes) == 1:
            changed = DATA.X[[row]].copy()
            changed[0, told.flip.changes[0].feature] = told.flip.changes[0].after
            assert model.predict(changed)[0] != told.answer
    again = answers_of_refit(model, DATA, np.arange(4), 0)
    assert set(again.sum(axis=1)) == {1.0}


def test_errors_out_of_bag_are_those_of_what_the_forest_would_predict():
    for name in ("random forest", "votes", "bagged"):
        forest = MODELS[name].fit(DATA.X, DATA.y)
        grown, in_bag = forest.forest_, forest.in_bag()
        found = judge(grown, DATA.X, DATA.y, in_bag)
        known = np.isfinite(found.value).all(axis=1)
        off = winners(found.value[known], grown.prior) != DATA.y[known]
        assert found.errors[-1] == pytest.approx(off.mean()), name
        target = WeightedTarget(DATA.y.astype(float), np.ones(90), True, grown.prior)
        slowly = judge_any(grown, None, np.asfortranarray(DATA.X), in_bag, target)
        assert slowly.errors == pytest.approx(found.errors, nan_ok=True)
    whole = judge(grown, DATA.X, DATA.y)
    assert whole.errors[-1] == pytest.approx(np.mean(forest.predict(DATA.X) != DATA.y))


def test_fidelity_asks_what_the_forest_predicts():
    forest = MODELS["votes"].fit(DATA.X, DATA.y)
    shares, prediction = forest.predict_proba(DATA.X), forest.predict(DATA.X)
    told = np.eye(3)[prediction]
    assert fidelity(shares, told, True, prior_of(forest)).agreement == 1
    assert [n for n, _ in class_agreement(shares, told, prior_of(forest))] == np.bincount(prediction).tolist()


# The rule


def test_a_tree_takes_the_first_of_equals_and_a_forest_the_most_frequent_and_then_the_first():
    shares = np.array([[0.4, 0.2, 0.4], [0.5, 0.5 + 1e-12, 0.0], [0.1, 0.2, 0.7]])
    assert winners(shares).tolist() == [0, 1, 2]
    assert winners(shares, np.array([0.2, 0.3, 0.5])).tolist() == [2, 1, 2]
    assert winners(shares, np.array([0.5, 0.25, 0.25])).tolist() == [0, 0, 2]
    assert winners(shares, np.ones(3) / 3).tolist() == [0, 0, 2]
    assert winner(shares[0], np.array([0.2, 0.3, 0.5])) == 2
    assert other_class(2, np.array([0.2, 0.3, 0.5]))(shares).tolist() == [False, True, False]


def test_a_forest_that_has_not_seen_every_class_has_a_prior_for_all_and_scores_take_the_classes_given():
    inside = DATA.y != 1
    forest = MODELS["votes"].fit(DATA.X[inside], DATA.y[inside])
    answers = answers_of(forest, DATA, DATA.X)
    assert prior_among(forest, 3)[1] == 0
    assert np.array_equal(prediction_of(forest, DATA, answers), forest.predict(DATA.X))
    assert prior_of(CartClassifier()) is NO_PRIOR
    shares = np.array([[0.5, 0.5], [0.5, 0.5]])
    assert class_scores(np.array([1, 1]), shares).accuracy == 0
    assert class_scores(np.array([1, 1]), shares, np.array([1, 1])).accuracy == 1


KIND = Feature("kind", "category", ("ash", "beech", "cedar"))
FEATURES = (Feature("height"), Feature("width"))
TIE = "tie: ash, beech"
TIED, CEDAR = 1, 2  # leaves of the tree; at its root all three classes tie


def table():
    """Nine low trees, of which three are ash, three beech and three, the wide ones, cedar."""
    X = np.asfortranarray([[0.0, 0.0]] * 6 + [[1.0, 0.0]] * 3)
    return make_dataset("trees", X, FEATURES, np.repeat([0, 1, 2], 3), KIND)


def grown():
    data = table()
    tree = CartClassifier(max_depth=1).fit(data.X, data.y)
    assert tree.tree_.value[TIED].tolist() == [0.5, 0.5, 0]
    return tree, data


def test_every_text_on_a_leaf_where_classes_tie_names_them_all_by_the_same_words():
    estimator, data = grown()
    tree, row = estimator.tree_, data.X[0]
    form = Questionnaire(tree, FEATURES, np.zeros(2, bool))
    told = story(estimator, data, row)
    every, ends = np.ones(9, bool), ((0.0, 1.0), (0.0, 1.0))
    found = score_rows(TableModel(estimator, data, every, ~every), pd.DataFrame({"height": [0.0], "width": [0.0]}))
    oblique = ObliqueClassifier(max_depth=1).fit(data.X, data.y).tree_
    soft = CultivatedClassifier(max_depth=1, eta=0).fit(data.X, data.y).tree_
    where = tree, FEATURES, KIND
    texts = {
        "inspector, reports, promises": says(tree, KIND, TIED),
        "screen readers": describe(tree, FEATURES, KIND, TIED),
        "small drawing": alt(*where),
        "small surface": plane_picture(tree, FEATURES, KIND, ends).draw(False),
        "Classical": to_dot(*where),
        "rules": export.to_rules(*where),
        "Python": export.to_python(*where),
        "SQL": export.to_sql(*where),
        "Python of an oblique tree": export.to_python(oblique, FEATURES, KIND),
        "SQL of an oblique tree": export.to_sql(oblique, FEATURES, KIND),
        "rules of an oblique tree": export.to_rules(oblique, FEATURES, KIND),
        "rules of a cultivated tree": export.to_rules(soft, FEATURES, KIND),
        "answer of a cultivated tree": answer_sentence(fractions_over_leaves(soft, row), KIND),
        "questionnaire": verdict(tree.value[TIED], KIND, 0.0, "It says", n=6).lower(),
        "questionnaire, values not known": perhaps(tree.value[TIED], KIND),
        "questionnaire as a table": ending(tree.value[TIED], KIND, 0.0, 6),
        "questionnaire on paper": re.sub(r"</?b>", "", sheet(form, KIND, Heading("Trees", (), "rows", 0.0))),
        "explanation": explanation_words.says(data, told.answers, told.answer, 6),
        "new rows": scored_table(found, data, np.arange(1))[ANSWER].iloc[0],
        "new rows as a file": scored_file(found, data, np.arange(1))[ANSWER].iloc[0],
        "new rows on paper": expert_table(found, data, np.arange(1))[ANSWER].iloc[0],
    }
    assert {view for view, text in texts.items() if TIE not in text} == set()
    assert "3 of 6 each" in texts["inspector, reports, promises"]
    assert says(tree, KIND, 0) == "tie: ash, beech, cedar, 3 of 9 each"
    assert says(tree, KIND, CEDAR) == "cedar, 3 of 3"
    with speaking("de"):
        assert says(tree, KIND, TIED) == "gleichauf: ash, beech, je 3 von 6"


def test_every_picture_has_a_colour_of_no_class_where_classes_tie_in_light_and_dark():
    tree = grown()[0].tree_
    for theme in ("light", "dark"):
        palette, dark = colours_of(KIND)[theme], theme == "dark"
        assert ink.TIE[theme] not in palette
        assert class_fills(KIND, tree.value, dark) == [ink.TIE[theme], ink.TIE[theme], palette[2]]
        assert leaf_colours(tree, KIND, dark)[TIED] == ink.TIE[theme]
        paler = [ink.mix(colour, ink.PAPER[theme], s / 100) for colour in palette for s in range(101)]
        assert fills(tree, KIND, theme)[TIED] not in paler


def test_the_tree_predicts_the_first_class_of_a_tie_and_so_do_exports():
    estimator, data = grown()
    assert predict.classes(estimator.tree_, data.X[:1]).tolist() == estimator.predict(data.X[:1]).tolist() == [0]
    said = scope_of(export.to_python(estimator.tree_, FEATURES, KIND))["predict"]({"height": 0.0, "width": 0.0})
    assert said[0] == "ash"


SCRIPT = """
import { colourOf } from "./tree/parts.js";
import { hint, inWords, leafWords } from "./tree/words.js";
import { BOXES } from "./surface/boxes.js";
const { cards, surface } = JSON.parse(process.argv[1]);
const theme = { tie: "#8a8d98", dark: false, paper: "#ffffff", ink: "#000000" };
const s = { cards, theme, byId: new Map(), open: new Map() };
for (const node of cards.nodes) s.byId.set(node.id, { ...node, key: node.id === 1 ? "L" : "", kids: [] });
const leaf = { ...s.byId.get(1), up: s.byId.get(0) };
s.byId.set(1, leaf);
const fills = [];
globalThis.devicePixelRatio = 1;
const createElement = () => ({ getContext: () => ({ fillRect() {} }) });
globalThis.document = { createElement, documentElement: { lang: "en" } };
const plane = { data: { surface, show: "class" }, theme, lit: new Set(), g: { X: (v) => v, Y: (v) => v } };
BOXES.read(plane);
BOXES.paint(plane, { path: (d, { fill }) => fill && fills.push(fill) });
console.log(JSON.stringify({
  words: leafWords(s, leaf), hint: hint(s, leaf), root: hint(s, s.byId.get(0)),
  line: inWords(s, { id: 1 }).join(""),
  colour: colourOf(s, leaf), place: BOXES.says(plane, { x: 0, y: 0 })[0].join("; "), fills,
}));
"""


def test_cards_film_stage_and_surface_say_and_show_a_tie_in_the_browser():
    """Film and stage draw the cards' nodes; what is folded to a node has its card, too."""
    estimator, data = grown()
    tree = estimator.tree_
    card = cards(tree, data, np.arange(9))
    plane = surface(tree, data, (0, 1))
    run = subprocess.run(
        [node(), "--input-type=module", "--eval", SCRIPT, json.dumps({"cards": card, "surface": plane})],
        cwd=COMPONENTS, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    seen = json.loads(run.stdout)
    assert seen["words"] == TIE
    assert f"{TIE}, 3 of 6 each" in seen["hint"]
    assert f"{TIE}, 3 of 6 each" in seen["line"]
    assert "tie: ash, beech, cedar, 3 of 9 each" in seen["root"]
    assert seen["colour"] == "#8a8d98"
    assert seen["place"].startswith(f"{TIE}; ash 50 %; beech 50 %; 6 rows")
    red, green, blue = (int(seen["fills"][0][i : i + 2], 16) for i in (1, 3, 5))
    assert max(red, green, blue) - min(red, green, blue) < 16  # grey
    assert seen["fills"][0] != seen["fills"][1]


def test_a_lead_below_rounding_is_a_tie_and_a_lead_of_one_row_is_none():
    assert class_words(KIND, np.array([0.1 + 0.2, 0.3, 0.4 - 1e-12])) == "cedar"
    assert class_words(KIND, np.array([0.5, 0.5 - 1e-12, 0])) == TIE
    assert class_words(KIND, np.array([501, 500, 0]) / 1001) == "ash"
    many = Feature("many", "category", tuple("abcdefg"))
    assert class_words(many, np.full(7, 1 / 7)) == "tie: a, b, c, d, 3 classes more"


def test_splits_that_gain_as_much_are_those_of_brute_force():
    """Whole numbers in few places tie often: every column and every cut is tried."""
    random = np.random.default_rng(0)
    for _ in range(30):
        X, y = np.asfortranarray(random.integers(0, 3, (14, 3)).astype(float)), random.integers(0, 2, 14)
        features = tuple(Feature(name) for name in "abc")
        data = make_dataset("t", X, features, y, Feature("y", "category", ("no", "yes")))
        tree = CartClassifier(max_depth=1).fit(X, y).tree_
        if tree.n_nodes == 1:
            continue
        left = {(f, cut): X[:, f] <= cut for f in range(3) for cut in (0.5, 1.5)}
        after = {
            split: sum(len(y[side]) * 2 * y[side].mean() * (1 - y[side].mean()) for side in (on, ~on))
            for split, on in left.items()
            if 0 < on.sum() < 14
        }
        own = int(tree.feature[0]), float(tree.threshold[0])
        ties = {split for split, value in after.items() if abs(value - min(after.values())) < 1e-9} - {own}
        found = splits_as_good(impurity_curves(data, np.ones(14, bool), None, "gini"), *own)
        assert {(curve.feature, cut) for curve, cut in found} == ties
