"""Every link of the table of figures is understood by its page, and shows what the table says."""

import re

from espalier.data.samples.painted import painted_of
from espalier.learners import CartClassifier, OptimalClassifier
from espalier.lessons import BUNDLED, from_folder, lesson_in
from espalier.lessons.record import Link
from espalier.paths import APP
from pages.shared.lessons import opening, place
from tests.tools.on_page import engine

__all__ = ["engine"]

TABLE = (APP / "docs" / "figures.md").read_text("utf-8")
LINKS = list(dict.fromkeys(re.findall(r"\]\(http://localhost:8501([^)]*)\)", TABLE)))
OF_LESSONS = [link for link in LINKS if f"{place.LESSON}=" in link]
STEP = re.compile(r"/\?lesson=(\w+)&step=(\d+)(r?)")


def test_every_link_of_the_table_is_understood_by_its_page():
    problems = {link: opening.problems_of_link(Link.of(link)) for link in LINKS if link not in OF_LESSONS}
    assert problems
    assert not {link: found for link, found in problems.items() if found}


def test_a_link_to_a_lesson_opens_a_step_that_there_is():
    for link in OF_LESSONS:
        ((name, step, revealed),) = STEP.findall(link)
        there = lesson_in(from_folder(BUNDLED / name)).steps[int(step) - 1]
        assert there.reveal or not revealed, link


def test_four_boxes_around_a_fifth_take_six_leaves():
    """No split leaves all five whole (figure 8.3 of ISLP), so that a tree of five leaves errs somewhere."""
    (text,) = {Link.of(link).parameters["data"] for link in LINKS if "Pinwheel" in link}
    table = painted_of(text)
    assert table
    data = table.dataset
    assert CartClassifier().fit(data.X, data.y).tree_.n_leaves == 6
    five = OptimalClassifier(max_depth=4, max_splits=4, max_thresholds=None).fit(data.X, data.y)
    assert five.proof_.proved
    assert (five.predict(data.X) != data.y).sum() > 0
