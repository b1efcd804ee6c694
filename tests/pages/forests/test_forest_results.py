"""What there is of forests beside their page: files, the film, the depth that fits."""

import pytest

from espalier.data import HeldOut, samples
from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import guess_kinds
from espalier.data.table import read_table
from espalier.language import Refusal
from espalier.learners.catalogue import Model
from espalier.progress import Progress
from pages.shared.data import library
from pages.shared.forests import film, heading
from pages.shared.forests.forest_job import ForestJob, _megabytes, fitting
from tests.pages.forests.test_forests_page import open_forests
from tests.tools.on_page import open_page, sent_to, whole

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
    page = open_page("forests", {"forest exports": True}, a_trees="9", b_trees="9")
    labels = [button.proto.label for button in page.get("download_button")]
    assert [label for label in labels if "report" not in label] == ["JSON", "Python", "SQL", "ONNX"] * 2
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
        n_files = len([button for button in page.get("download_button") if "SQL" in button.proto.label])
        assert n_files == (2 if name == "forests" else 1)
        whole(page.selectbox(key=box).select("sqlite").run())
        assert not [button for button in page.get("download_button") if "SQL" in button.proto.label]
        reasons = [one.value for one in page.caption if "SQL for SQLite is not written for dates" in one.value]
        assert len(reasons) == n_files


def test_the_film_has_two_surfaces_of_each_forest_and_the_errors_at_every_step_but_not_of_sums():
    page = open_forests(view="Film", a_trees="9", b_trees="5")
    player = sent_to(page, "espalier_player")[0]
    titles = [panel["title"] for panel in player["panels"]]
    assert titles[:2] == ["Forest A: all so far", "Forest A: the last tree"]
    assert len(titles) == 5
    assert len(player["texts"]) == 9
    assert all(len(panel["frames"]) == len(panel["alts"]) == 9 for panel in player["panels"])
    assert player["texts"][4].startswith("5 of 9. Error: A, out of bag ")
    average, newest = (player["panels"][i]["frames"] for i in (0, 1))
    assert average[0] == newest[0]  # the average of one tree
    assert player["panels"][2]["frames"][4] == player["panels"][2]["frames"][8]  # forest B has no more than five
    page = open_forests(view="Film", a="gradient", a_trees="4", b_trees="4")
    titles = [panel["title"] for panel in sent_to(page, "espalier_player")[0]["panels"]]
    assert titles[:2] == ["Forest A: all so far", "Forest B: all so far"]  # a step of a sum says nothing alone
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
