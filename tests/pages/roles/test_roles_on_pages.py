"""Columns that join, order, name and weigh the rows, from the Data page to every other, which heeds them."""

from typing import Any

import numpy as np
import pytest

from espalier.data import HeldOut, RowWeights, held_out, make_dataset, row_groups, row_times, samples
from espalier.data.columns.kinds import RoleNames
from espalier.data.dataset import Feature
from espalier.data.roles import RowLabels, RowRoles
from espalier.display.boundaries.plane import mark, points
from espalier.display.tables import listed
from espalier.learners import CartClassifier, CultivatedClassifier
from espalier.learners.catalogue import Model
from pages.shared.app.frame import plain
from pages.shared.comparison import folds
from pages.shared.data import draft as drafts
from pages.shared.data import library
from pages.shared.models import drawer
from pages.shared.tree import exports, growing, report, results
from pages.shared.tree.growing import Fit
from tests.tools.on_page import address_of, begin_page, metric, paste, press, until_grown, whole, words_of

N_PATIENTS, N_VISITS = 12, 5


def visits(**roles) -> Any:
    """Visits of patients, each with a tell-tale measurement and an illness by chance."""
    rng = np.random.default_rng(6)
    patient = np.repeat(np.arange(N_PATIENTS), N_VISITS)
    X = (patient * 10 + rng.random(len(patient)))[:, None]
    ill = Feature("ill", "category", ("no", "yes"))
    given: Any = {
        "groups": row_groups("patient", patient),
        "times": row_times("day", np.tile(np.arange(N_VISITS), N_PATIENTS) + patient / 100),
    }
    given["labels"] = RowLabels("note", tuple(f"visit no. {row}" for row in range(len(patient))))
    kept = RowRoles(**{role: given[role] for role in roles})
    y = rng.permutation(np.arange(N_PATIENTS) % 2)[patient]
    return make_dataset("Visits", X, [Feature("blood")], y, ill, roles=kept)


LONE, GROUPED, ORDERED, NAMED = visits(), visits(groups=True), visits(times=True), visits(labels=True)
LINES = [
    f"p{row // N_VISITS},2021-0{1 + row % N_VISITS}-1{row // 20},{x[0]:.3f},{'yes' if y else 'no'},Visit no. {row}"
    for row, (x, y) in enumerate(zip(LONE.X, LONE.y, strict=True))
]
TABLE = "\n".join(["patient,visit,blood,ill,note", *LINES])


def open_page(name, data, **address):
    library.store().put(data)
    return begin_page(name, data=data.digest, **address)


@pytest.fixture
def pasted():
    return paste(begin_page("data"), TABLE)


def test_roles_are_offered_but_never_taken_silently_and_stay_until_the_table_is_in_use(pasted):
    page = whole(pasted)
    page.selectbox(key="target 1").set_value("ill").run()
    assert [page.selectbox(key=f"{role} 1").value for role in ("weight", "group", "time", "label")] == [""] * 4
    for role, column in {"group": "patient", "time": "visit", "label": "note"}.items():
        page = press(page, f"Take *{column}* as the {role}")
    copy: Any = drafts.shelf().find(address_of(page)["draft"])
    assert copy.roles == RoleNames("patient", "visit", "note")  # a page loaded anew has them, too
    assert not [button for button in page.button if button.label.startswith("Take")]
    dataset: Any = library.find(press(page, "use").session_state[library.CHOSEN])
    assert [feature.name for feature in dataset.features] == ["blood"]
    assert dataset.roles.groups.n_groups == N_PATIENTS
    assert dataset.roles.times.is_date
    assert dataset.roles.labels.texts[7] == "Visit no. 7"


def test_a_role_that_cannot_be_is_told_where_it_is_chosen(pasted):
    pasted.selectbox(key="target 1").set_value("ill").run()
    page = whole(pasted.selectbox(key="time 1").set_value("patient").run())
    assert "neither numbers nor dates" in words_of(page)
    assert not [button for button in page.button if button.key == "use"]


@pytest.mark.usefixtures("idle")
def test_the_data_page_names_the_columns_with_roles_and_plans_go_forward_in_time():
    assert "Group *patient*" in words_of(open_page("data", GROUPED))
    page = words_of(open_page("data", ORDERED))
    assert "Time *day*" in page
    assert "The latest rows in the order of **day** are held out" in page
    page = open_page("compare", ORDERED, m1="baseline", m2="none", repeats="3", folds="4")
    assert "Folds go forward in the order of **day**" in words_of(page)


@pytest.mark.usefixtures("idle")
def test_pages_say_what_they_do_with_whole_groups():
    for name, said in [
        ("tree", "Whole groups of **patient** are held out."),
        ("compare", "Folds are made of whole groups of **patient**."),
        ("stability", "Whole groups of **patient** are drawn in place of rows."),
    ]:
        assert said in words_of(open_page(name, GROUPED, m1="baseline", m2="none", s1="cart", draws="2"))


def test_promises_for_more_groups_than_there_are_and_folds_that_a_table_cannot_have_are_refused():
    page = open_page("reliability", GROUPED, m1="cart", m2="none", level="95", folds="12")
    page = words_of(until_grown(page))
    assert plain("95 % cannot be promised: the rows come in groups, of which that takes 19") in page
    assert plain("and there are 11; promise less") in page
    assert folds.note_on(LONE, 20) == ""
    assert "too few groups of patient for 20 folds: choose 12 or fewer" in folds.note_on(GROUPED, 20)
    few = LONE._replace(roles=RowRoles(times=row_times("year", np.arange(60) // 20)))
    assert "too few times of year for 3 folds: choose 2 or fewer" in folds.note_on(few, 3)
    assert folds.note_on(few, 2) == ""


def test_the_folds_of_pruning_and_depth_keep_to_the_groups_and_times_of_the_rows_grown_on():
    for data in [GROUPED, ORDERED]:
        fit = Fit(data, HeldOut(30), Model("cart", ()))
        kept = data.roles.of(~held_out(data, HeldOut(30)))
        dealt = fit.folds(10)
        assert len(dealt) == min(10, len(np.unique(kept.groups.codes))) if kept.groups else 10
        for _, rows, fitted_to in dealt:
            if kept.groups:
                assert not set(kept.groups.codes[rows]) & set(kept.groups.codes[fitted_to])
            else:
                assert kept.times.values[fitted_to].max() < kept.times.values[rows].min()


def test_the_score_falls_to_the_honest_one_where_patients_stay_together():
    scores = {}
    for data in (LONE, GROUPED):
        opened = open_page("compare", data, folds="5", **{"m1-depth": "none", "m2": "none", "m3": "none"})
        page = until_grown(opened)
        table: Any = page.dataframe[0].value
        scores[data.digest] = float(table.loc["accuracy ↑"].iloc[0].split()[0])
    assert scores[LONE.digest] > 95  # per cent: a visit is known by the others of its patient
    assert scores[GROUPED.digest] < 60  # the illness is chance


def test_lists_points_marks_and_saved_tables_name_rows_by_their_labels():
    some = np.array([3, 0])
    assert listed(NAMED, some)["label: note"].tolist() == ["visit no. 3", "visit no. 0"]
    assert "label: note" not in listed(LONE, some)
    dots = points(NAMED, [0], lambda X: (np.zeros(len(X)), np.ones((len(X), 2))))["points"]
    assert [dots["label"][dots["row"].index(row)] for row in some] == ["note visit no. 3", "note visit no. 0"]
    saved = exports.predictions(growing.grow(NAMED, HeldOut(30), Model("cart", ()))).splitlines()
    assert saved[0].startswith("row,label: note,held out,")
    assert saved[3].startswith("3,visit no. 2,")
    assert mark(NAMED, [0], 6)["name"] == "note visit no. 6"
    assert "name" not in mark(LONE, [0], 6)


def test_a_chosen_row_is_named_by_its_label_and_the_box_for_it_has_it_beside():
    page = open_page("tree", NAMED, row="3", node="1", depth="1", tab="Rule")
    assert "note visit no. 2" in words_of(page).replace("\\", "")  # as Markdown has it
    page = until_grown(open_page("forests", NAMED, row="7", tab="One row"))
    assert plain("visit no. 6") in [caption.value for caption in page.caption]


def test_the_folds_of_the_error_by_size_are_dealt_in_groups():
    page = open_page("tree", GROUPED, tab="Error by size")
    assert drawer.together(GROUPED, "folds") in words_of(page)


IRIS = samples.load("iris")
WEIGHED = "size,people,kind\n" + "".join(
    f"{i / 10},{1 + i % 4},{'big' if i > 17 else 'small'}\n" for i in range(1, 41)
)
DIVIDED = HeldOut(30)


def weighed(values, name="people") -> Any:
    return make_dataset(
        IRIS.name, IRIS.X, IRIS.features, IRIS.y, IRIS.target, RowWeights(name, np.asarray(values, float))
    )


HEAVY = weighed(np.where(IRIS.y == 1, 6.0, 0.5))


def open_weighed(name, **address):
    """The page on the weighed data."""
    library.store().put(HEAVY)
    return begin_page(name, **({"data": HEAVY.digest} | address))


def test_a_column_becomes_the_weight_and_is_no_feature_any_more():
    weight = paste(begin_page("data"), WEIGHED).selectbox(key="weight 1")
    assert weight.value == ""
    assert list(weight.options) == ["every row counts the same", "size", "people"]
    page = weight.set_value("people").run()
    copy: Any = drafts.shelf().find(address_of(page)["draft"])
    assert copy.weight == "people"  # a page loaded anew has it, too
    dataset: Any = library.find(press(page, "use").session_state[library.CHOSEN])
    assert [feature.name for feature in dataset.features] == ["size"]
    assert dataset.row_weights is not None
    assert dataset.row_weights.name == "people"


def test_a_weight_that_cannot_be_is_told_with_its_row():
    page = paste(begin_page("data"), WEIGHED.replace("0.3,4,", "0.3,-4,"))
    page = whole(page.selectbox(key="weight 1").set_value("people").run())
    assert "negative in 1 row" in words_of(page).replace("\\", "")
    assert "row 3, with -4" in words_of(page).replace("\\", "")


@pytest.mark.usefixtures("idle")
def test_every_page_says_that_rows_count_by_the_weight():
    for name in ["tree", "forests", "compare", "stability", "reliability", "approximate", "questionnaire"]:
        page = open_weighed(name, held="30")
        assert "Rows count by weight **people**" in words_of(page)


def test_the_data_page_says_it_of_the_data_in_use_and_data_without_weights_say_nothing_of_them():
    assert "Weight *people*" in words_of(open_weighed("data"))
    assert "by weight" not in words_of(begin_page("tree"))


def grown(data, **settings) -> Any:
    model = Model(settings.pop("name", "cart"), tuple(settings.items()))
    return growing.grow(data, DIVIDED, model)


def test_the_tree_grows_and_is_scored_by_weight_and_saved_predictions_have_that_of_each_row():
    page = until_grown(open_weighed("tree", depth="1", held="30"))
    out = held_out(HEAVY, DIVIDED)
    model = CartClassifier(max_depth=1).fit(HEAVY.X[~out], HEAVY.y[~out], HEAVY.weights_of(~out))
    right = model.predict(HEAVY.X[out]) == HEAVY.y[out]
    share = np.average(right, weights=HEAVY.weights_of(out))
    assert metric(page, "accuracy, held-out") == f"{100 * share:.1f}".rstrip("0").rstrip(".") + " %"
    assert share > right.mean() + 0.1
    heading, first = exports.predictions(grown(HEAVY, depth=1)).splitlines()[:2]
    assert heading.split(",")[:4] == ["row", "held out", "weight: people", "target"]
    assert first.split(",")[2] == "0.5"


def test_equal_weights_change_no_tree_and_no_score():
    for weight in [1.0, 2.0]:
        plain, same = grown(IRIS, depth=3), grown(weighed(np.full(150, weight)), depth=3)
        assert np.array_equal(plain.tree.threshold, same.tree.threshold, equal_nan=True)
        for name in ("held-out", "training"):
            one, other = (report.headlines(tree)[name] for tree in (plain, same))
            assert one[:2] == pytest.approx(other[:2])


def test_the_inspector_weighs_rows_as_the_tree_does_and_those_of_a_cultivated_one_in_rows():
    one = grown(HEAVY, depth=3)
    for node in range(one.tree.n_nodes):
        assert results.weights(one, node).sum() == pytest.approx(one.tree.weight[node])
        curve = next((c for c in results.curves(one, node) if c.feature == one.tree.feature[node]), None)
        if curve is not None and one.tree.left[node] >= 0:
            assert curve.threshold[curve.best] == pytest.approx(one.tree.threshold[node])
    out = held_out(HEAVY, DIVIDED)
    one = grown(HEAVY, name="cultivated", depth=3)
    weight = HEAVY.weights_of(~out)
    direct = CultivatedClassifier(max_depth=3, random_state=0).fit(
        HEAVY.X[~out], HEAVY.y[~out], weight / weight.mean()
    )
    assert one.tree.weight == pytest.approx(direct.tree_.weight)
    assert results.weights(one, 0).sum() == pytest.approx(np.count_nonzero(~out))
