"""The list of rows whose class trees as good do not settle."""

import numpy as np

from espalier.analysis.reliability.reliability import answered, ask
from espalier.analysis.reliability.unsettled import Unsettled
from espalier.data import samples
from espalier.data.rows.folds import Folds
from espalier.data.rows.roles import RowLabels, RowRoles
from espalier.learners import CartClassifier
from espalier.views.reliability import tables


def test_rows_that_are_not_settled_have_the_labels_of_the_table():
    iris = samples.load("iris")
    names = tuple(f"{1000 + row}" for row in range(len(iris.y)))
    data = iris._replace(roles=RowRoles(labels=RowLabels("customer", names)))
    models = ask(CartClassifier(max_depth=2), data, Folds(3))
    found = Unsettled(np.array([4, 7]), np.ones((2, 3), bool), 150, 0.0, 0.0, 0.0)
    table = tables.unsettled(models, answered(models), found, 9)
    assert table["customer"].tolist() == [str(999 + row) for row in table["row"]]
