"""What there is of forests beside their page: files and their sizes, intervals, the film, the depth that fits."""

import re

import pytest

from espalier.data import HeldOut, samples
from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import guess_kinds
from espalier.data.table import read_table
from espalier.language import Refusal
from espalier.learners.catalogue import Model
from espalier.progress import Progress
from pages.shared.data import library
from pages.shared.forests import heading, intervals
from pages.shared.forests.forest_job import ForestJob, _megabytes, fitting
from pages.shared.forests.live import film
from tests.pages.forests.test_forests_page import open_forests
from tests.tools.on_page import open_page, pictures, sent_to, whole, words_of

FORMATS = {form.ending: form for form in heading.FORMATS}


def grown_forest(kind="random", data="iris", held=30, trees=3):
    return ForestJob(samples.load(data), HeldOut(held), Model(kind, (("trees", trees),)))(Progress())


BEGINS = {"py": "# Forest for species: 3 trees", "sql": "-- Forest for species: 3 trees"}


def test_a_forest_is_saved_as_code_and_onnx_or_has_a_reason(monkeypatch):
    for ending in BEGINS:
        text = heading.code(grown_forest(), FORMATS[ending], {"dialect": "duckdb"} if ending == "sql" else {})
        assert isinstance(text, str)
        assert text.startswith(BEGINS[ending])
    onnx = pytest.importorskip("onnx")
    model = onnx.load_from_string(heading.code(grown_forest(), FORMATS["onnx"], {}))
    assert [one.name for one in model.graph.output] == ["prediction", "shares"]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(Refusal, match="the package onnx, which is not installed here"):
        FORMATS["onnx"].check(grown_forest().forest)


def test_a_database_whose_dates_are_not_written_has_a_reason_in_place_of_the_button():
    """On both pages, as soon as it is chosen."""
    days = [f"{2019 + i % 4}-{i % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(120)]
    text = "sent,late\n" + "".join(f"{day},{'yes' if day > '2021' else 'no'}\n" for day in days)
    read = read_table(text.encode(), "letters.csv")
    plans = guess_kinds(read.frame)
    data = to_dataset(read.frame, plans, "late", "letters", read.origins)[0]
    library.store().put(data)
    of_forests = {"a-trees": "3", "b-trees": "3"}
    for name, opened, box in (
        ("tree", "export menu", "SQL dialect"),
        ("forests", "forest exports", "SQL dialect of forests"),
    ):
        page = open_page(name, {opened: True}, data=data.digest, **(of_forests if name == "forests" else {}))
        n_files = len([button for button in page.get("download_button") if "(.sql" in button.proto.label])
        assert n_files == (2 if name == "forests" else 1)
        whole(page.selectbox(key=box).select("sqlite").run())
        assert not [button for button in page.get("download_button") if "(.sql" in button.proto.label]
        reasons = [one.value for one in page.caption if "SQL for SQLite is not written for dates" in one.value]
        assert len(reasons) == n_files


def test_the_page_offers_both_forests_as_code_and_says_how_large_the_files_are():
    page = open_page("forests", {"forest exports": True}, a_trees="9", b_trees="9")
    labels = [button.proto.label for button in page.get("download_button")]
    for side in "AB":
        for begin in (f"Python function of forest {side} (.py, ", f"ONNX file of forest {side} (.onnx, "):
            (size,) = [label.removeprefix(begin) for label in labels if label.startswith(begin)]
            assert 1 < int(size.removesuffix(" kB)")) < 100
        assert any(re.fullmatch(rf"Forest {side} \(\.json, \d+ kB\)", label) for label in labels)
        assert any(re.fullmatch(rf"Trees of forest {side} \(\.zip of \.json, \d+ kB\)", label) for label in labels)


def test_the_page_draws_how_often_intervals_hold_and_a_row_has_one_of_trees_that_did_not_grow_on_it():
    page = open_forests(data="diabetes", b="extra", view="Error")
    assert not page.error
    assert "Intervals, and how often they hold" in words_of(page)
    assert "intervals that state 95 % hold" in pictures(page)[-1]
    page = open_forests(data="diabetes", view="One row", row="3")
    assert not page.error
    assert "interval, by trees that did not grow on it" in words_of(page)


def test_classes_and_forests_of_cultivated_trees_have_no_intervals():
    assert "how often they hold" not in words_of(open_forests(view="Error"))
    assert intervals.line_of_row(grown_forest(), 0) == ""
    assert intervals.measured(grown_forest("cultivated-forest", "diabetes")) is None


def test_trees_that_saw_every_row_have_intervals_of_held_out_rows_and_the_table_has_a_row_for_each():
    judged = intervals.measured(grown_forest("extra", "diabetes", trees=9))
    assert judged is not None
    assert judged.n_samples == grown_forest("extra", "diabetes", trees=9).held.sum()
    assert intervals.measured(grown_forest("extra", "diabetes", trees=9, held=0)) is None
    assert "all grew on it" in intervals.line_of_row(grown_forest("extra", "diabetes", trees=9, held=0), 0)
    one = grown_forest(data="diabetes", trees=9)
    found = intervals.measured(one)
    assert found is not None
    lines = intervals.csv_of([intervals.CoverageLine("A", 0, found)]).splitlines()
    assert len(lines) == 1 + len(found.stated)


def test_the_film_has_two_surfaces_of_each_forest_and_the_errors_at_every_step_but_not_of_sums():
    page = open_forests(view="Film", a_trees="9", b_trees="5")
    player = sent_to(page, "espalier_player")[0]
    titles = [panel["title"] for panel in player["panels"]]
    assert titles[:2] == ["Forest A: average of its trees", "Forest A: the tree that joined last"]
    assert len(titles) == 5
    assert len(player["texts"]) == 9
    assert all(len(panel["frames"]) == len(panel["alts"]) == 9 for panel in player["panels"])
    assert player["texts"][4].startswith("5 of 9 trees. Error: A, out of bag ")
    average, newest = (player["panels"][i]["frames"] for i in (0, 1))
    assert average[0] == newest[0]  # the average of one tree
    assert player["panels"][2]["frames"][4] == player["panels"][2]["frames"][8]  # forest B has no more than five
    page = open_forests(view="Film", a="gradient", a_trees="4", b_trees="4")
    assert any("Round by round" in caption.value for caption in page.caption)
    titles = [panel["title"] for panel in sent_to(page, "espalier_player")[0]["panels"]]
    assert not any("Forest A" in title for title in titles)
    for n_trees in [1, 2, 12, 13, 40, 101, 1000]:
        steps = film.steps(n_trees)
        assert (steps[0], steps[-1]) == (1, n_trees)
        assert steps == sorted(set(steps))
        assert len(steps) <= 24


def forest(trees=100, depth=None, *others):
    return Model("random", (("trees", trees), ("depth", depth), *others))


def test_a_forest_of_a_large_table_is_as_deep_as_fits_where_nobody_asked_for_a_depth():
    assert fitting(forest(), 10_000, 750) == forest()
    assert fitting(forest(100, 40), 1_000_000, 750) == forest(100, 40)
    assert fitting(forest(100_000), 1_000_000, 750) == forest(100_000)
    found = fitting(forest(100, None, ("leaf", 5)), 500_000, 750)
    assert ("leaf", 5) in found.settings
    assert ("trees", 100) in found.settings
    for n_rows in [200_000, 350_000, 500_000, 1_000_000]:
        found = fitting(forest(), n_rows, 750)
        assert _megabytes(found, n_rows) <= 750
        assert found.depth is not None
        assert _megabytes(forest(100, found.depth + 1), n_rows) > 750
    grown = ForestJob(samples.load("iris"), HeldOut(30), forest(trees=3))(Progress())
    assert grown.surely_held.sum() == grown.held.sum() == 45
    assert not grown._replace(may_have_seen=True).surely_held.any()
