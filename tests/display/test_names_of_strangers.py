"""Names from anywhere: right to left, with signs that turn text around, of 200 letters, in texts and pictures."""

import html
import json
import re
from base64 import b64decode

import numpy as np
import pandas as pd

from espalier import export
from espalier.data.dataset import Feature, make_dataset
from espalier.display.boundaries.surface import surface
from espalier.display.text import trees as texts
from espalier.display.tree import cards, figures, graphviz, small_tree
from espalier.explanation import parts
from espalier.explanation.shapley import prediction_parts
from espalier.forests import surfaces
from espalier.inert import INVISIBLE, OPEN, RIGHT_TO_LEFT
from espalier.learners import CartClassifier, CultivatedClassifier, ObliqueClassifier
from espalier.notebook import static
from tests.data.test_inert import HEBREW, OVERRIDE, is_safe

BASE64 = re.compile(r"data:image/svg\+xml;base64,([\w+/=]+)")
ARABIC = "\u0639\u0645\u0631"
LONG = "how satisfied you are, all in all, with what you got from us in the last week of the month before " * 2


def table(numbers, category, categories, classes):
    """A table of two numbers and a category that all matter to the classes."""
    draw = np.random.default_rng(0)
    X = np.column_stack([draw.normal(size=(300, 2)), draw.integers(0, 3, 300)])
    y = (X[:, 0] > -0.025).astype(int) + (X[:, 1] > 0.3) * (X[:, 2] == 1)
    features = (*map(Feature, numbers), Feature(category, "category", categories))
    return make_dataset(f"table of {category}", X, features, y, Feature(category, "category", classes))


STRANGE = table(
    (f"{HEBREW} (cm)", f"a{OVERRIDE}b"),
    ARABIC,
    (f"{ARABIC} 1", f"x{OVERRIDE}", "c"),
    (HEBREW, f"q{OVERRIDE}w", ARABIC),
)
FAMILY = table(
    (f"{LONG}A", f"{LONG}B"),
    f"{LONG}C",
    tuple(f"{LONG}{end}" for end in "xyz"),
    tuple(f"{LONG}{end}" for end in "pqr"),
)


def strings(value):
    """All texts in JSON."""
    if isinstance(value, str):
        return [value]
    pairs = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in pairs for text in strings(one)]


def pictures_of(data):
    """What is drawn of a table and a tree, by name: the texts that people see, as they are in the picture."""
    tree = grown(data)
    added = prediction_parts(tree, data.X[0], 1)
    assert added is not None
    plane = surfaces.plane_of(data, (0, 2))
    answers = np.tile(np.eye(3)[0], (len(plane.samples(np.zeros(3))), 1))
    shares, matrix = tree.value[:2], np.array([[4, 1, 0], [0, 5, 0], [0, 2, 3]])
    svg = {
        "small tree": small_tree.tree_picture(tree, data.features, data.target).draw(False),
        "reasons": parts.reasons_picture(added, data, data.X[0]).draw(False),
        "surface of a forest": surfaces.picture(answers, plane, data, False),
        "legend": surfaces.legend(data, False),
        "notebook": BASE64.sub(lambda found: b64decode(found[1]).decode(), static.static_html(fitted(data))),
    }
    plotly = {
        "bar of classes": figures.class_bars(shares[0], shares[1], data.target).draw(False),
        "confusion matrix": figures.confusion_picture(matrix, data.target).draw(False),
    }
    return {
        **{
            name: [html.unescape(text) for text in re.findall(r"<text[^>]*>([^<]+)<", one)]
            for name, one in svg.items()
        },
        **{
            name: list(map(html.unescape, strings(json.loads(str(one.to_json()))))) for name, one in plotly.items()
        },
        "classical": re.findall(r'label="([^"]*)"', graphviz.to_dot(tree, data.features, data.target)),
    }


def sentences_of(data):
    """What is said of a tree and its nodes."""
    tree, features, target = grown(data), data.features, data.target
    added = prediction_parts(tree, data.X[0], 1)
    assert added is not None
    of_nodes = [
        [texts.describe(tree, features, target, n), texts.says(tree, target, n), *texts.rule(tree, features, n)]
        for n in range(tree.n_nodes)
    ]
    splits = np.flatnonzero(tree.left >= 0).tolist()
    return [
        *(text for lines in of_nodes for text in lines),
        *(texts.condition(tree, features, n, left) for n in splits for left in (True, False)),
        small_tree.alt(tree, features, target),
        parts.reasons_picture(added, data, data.X[0]).alt,
        figures.class_bars(tree.value[0], tree.value[1], target).alt,
        figures.confusion_picture(np.eye(3, dtype=int) + 1, target).alt,
        *strings(cards.cards(tree, data, np.ones(300, bool))),
        *strings(surface(tree, data, [0, 2])),
    ]


def grown(data):
    return CartClassifier(max_depth=4, random_state=0).fit(data.X, data.y).tree_


def fitted(data):
    frame = pd.DataFrame(data.X, columns=[one.name for one in data.features])
    return CartClassifier(max_depth=3, random_state=0).fit(frame, np.array(data.classes)[data.y])


def test_no_name_turns_around_what_stands_beside_it_in_sentences_and_pictures():
    shown = [(name, text) for name, lines in pictures_of(STRANGE).items() for text in lines]
    shown += [("sentences", text) for text in sentences_of(STRANGE)]
    assert len({name for name, text in shown if RIGHT_TO_LEFT.search(text)}) == 9
    for name, text in shown:
        assert is_safe(text), (name, ascii(text))


def test_exports_for_people_are_safe_and_code_keeps_exact_names_but_comments_none_that_turn_text_around():
    features, target = STRANGE.features, STRANGE.target
    for learner in (CartClassifier, CultivatedClassifier, ObliqueClassifier):
        tree = learner(max_depth=2).fit(STRANGE.X, STRANGE.y).tree_
        for write in (export.to_rules, export.to_dot):
            assert is_safe(write(tree, features, target)), (learner, write)
        document = export.to_json(tree, features, target)
        assert not INVISIBLE.search(document)
        assert OPEN not in document
        assert export.from_json(document)[1:] == (features, target)
        for write, sign in ((export.to_python, "#"), (export.to_sql, "--")):
            source = write(tree, features, target)
            comments = [line.split(sign, 1)[1] for line in source.splitlines() if line.strip().startswith(sign)]
            assert comments
            assert all(is_safe(line) for line in comments), (learner, write, comments)
            assert target.categories[0] in source.replace(f"{OPEN}{target.categories[0]}", "")  # exact in code
            assert (sign == "--") == (OVERRIDE in source) == ("turn the text after it around" in source)


def test_pictures_stay_readable_with_names_of_200_letters_and_tell_a_family_of_them_apart():
    for name, lines in pictures_of(FAMILY).items():
        written = [line for text in lines for line in text.split(r"\n") if "…" in line]
        assert written, name
        limit = 110 if name in ("small tree", "notebook") else 60
        assert max(len(line) for line in written) <= limit, (name, max(written, key=len))
        hovers = [text for text in lines if len(text) > 200]  # the whole names stay under the pointer
        assert not hovers or name in ("bar of classes", "confusion matrix"), name
    lines = [line for text in pictures_of(FAMILY)["classical"] for line in text.split(r"\n")]
    assert len({line.partition(" ≤ ")[0] for line in lines if " ≤ " in line}) == 2
    tree = grown(FAMILY)
    tips = re.findall(r'tooltip="([^"]*)"', graphviz.to_dot(tree, FAMILY.features, FAMILY.target))
    asked = [FAMILY.features[f].name for f in tree.feature[tree.left >= 0]]
    assert all(any(name in tip for tip in tips) for name in asked)


def test_usual_names_have_no_sign_of_all_this():
    usual = table(("petal length (cm)", "Größe"), "kind", ("a", "b", "c"), ("setosa", "versicolor", "virginica"))
    for name, lines in {**pictures_of(usual), "sentences": sentences_of(usual)}.items():
        assert not any(INVISIBLE.search(text) or OPEN in text for text in lines), name
