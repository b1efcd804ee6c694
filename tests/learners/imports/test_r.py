"""Models of R, as docs/how-to/trees.R writes them: its document by hand, and R itself where it is installed."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from espalier.data import samples
from espalier.data.columns.convert import TargetPlan, to_dataset
from espalier.data.columns.kinds import ColumnPlan
from espalier.language import Refusal
from espalier.learners.imports import read_model
from espalier.learners.imports.in_table import TableForest
from espalier.learners.imports.read import read_file
from tests.tools.cases import case

SCRIPT = Path(__file__).resolve().parents[3] / "docs/how-to/trees.R"
IRIS = samples.load("iris")
NAMES = ["a", "b", "c", "d"]
ABSENT = 77  # exit status where a package is not there
MODELS = {  # by the package: how it fits, what trees.R writes, and how it predicts shares
    "rpart": ("rpart::rpart(y ~ ., d)", "write_rpart", "predict(model, d)"),
    "ranger": (
        "ranger::ranger(y ~ ., d, num.trees = 5, probability = TRUE, seed = 1)", "write_ranger",
        "predict(model, d)$predictions",
    ),
    "randomForest": (
        "randomForest::randomForest(y ~ ., d, ntree = 5)", "write_random_forest",
        "predict(model, d, type = 'prob')",
    ),
}  # fmt: skip
COLUMNS = """
make <- function(n) data.frame(x = round(runif(n), 2), sure = runif(n) > .5,
  word = sample(c("u", "v", "w"), n, TRUE),
  size = factor(sample(c("low", "mid", "high"), n, TRUE), c("low", "mid", "high"), ordered = TRUE),
  code = factor(sample(c(2, 5, 10, 100), n, TRUE)),
  rare = factor(sample(c("a", "b", "c", "d"), n, TRUE, c(.5, .45, .04, .01)), c("d", "c", "a", "b")),
  day = as.Date("2021-03-01") + sample(0:400, n, TRUE),
  time = as.POSIXct("2021-03-01", tz = "UTC") + 60 * sample(0:9000, n, TRUE),
  took = as.difftime(sample(0:300, n, TRUE), units = "mins"))
d <- make(400); new <- make(400); columns <- names(d)
d$z <- with(d, sure + (size == "mid") + (code %in% c(2, 100)) + (word == "v") + 3 * (rare == "c") + (took > 100) +
  (day > as.Date("2021-09-01")) + (time > as.POSIXct("2021-03-04 05:00", tz = "UTC")) + rnorm(400) / 4)
d$y <- factor(ifelse(d$z > median(d$z), "yes", "no"))
N <- c("took", "x", "time", "sure", "day")
"""
KINDS = {
    "x": "number", "sure": "yes/no", "word": "category", "size": "ordered", "code": "category", "rare": "category",
    "day": "date", "time": "date", "took": "duration",
}  # fmt: skip
KEEP = "rpart::rpart.control(cp = 0, minsplit = 4, maxsurrogate = 0)"
OF_KINDS = {  # by the package: how it fits, and what it says of new rows, a class or a number
    "rpart": {
        "classes": (
            f'rpart::rpart(y ~ ., d[c("y", columns)], control = {KEEP})', 'predict(m, new, type = "class")',
        ),
        "priors": (
            f'rpart::rpart(y ~ ., d[c("y", columns)], control = {KEEP}, parms = list(prior = c(.8, .2)))',
            'predict(m, new, type = "class")',
        ),
        "numbers": (f'rpart::rpart(z ~ ., d[c("z", columns)], control = {KEEP})', "predict(m, new)"),
        "weights": (f'rpart::rpart(z ~ ., d[c("z", columns)], runif(400), control = {KEEP})', "predict(m, new)"),
        "counts": (
            f'rpart::rpart(k ~ ., cbind(d[columns], k = round(abs(d$z))), method = "poisson", control = {KEEP})',
            "predict(m, new)",
        ),
    },
    "ranger": {
        "classes": ('ranger::ranger(y ~ ., d[c("y", N)], num.trees = 7, seed = 1)', "predict(m, new)$predictions"),
        "numbers": (
            'ranger::ranger(z ~ ., d[c("z", N)], num.trees = 7, seed = 1, splitrule = "extratrees")',
            "predict(m, new)$predictions",
        ),
    },
    "randomForest": {
        "classes": ('randomForest::randomForest(y ~ ., d[c("y", N)], ntree = 7)', "predict(m, new)"),
        "numbers": ("randomForest::randomForest(d[N], d$z, ntree = 7)", "predict(m, new)"),
    },
}  # fmt: skip
REFUSED = {  # by the package: what is fitted, what it is written with, and what the script says
    "rpart": [
        ("rpart::rpart(y ~ x + size, d, parms = list(loss = matrix(c(0, 9, 1, 0), 2)))", "d", "matrix of losses"),
        ("rpart::rpart(y ~ log(x + 1), d)", "d", "no column of the data"),
        ("rpart::rpart(y ~ code, d)", "transform(d, code = as.character(code))", "was factor"),
        ("rpart::rpart(y ~ I(x), d)", "cbind(d, `I(x)` = I(d$x))", "no column|the class AsIs"),
        ('rpart::rpart(y ~ day, berlin <- transform(d, day = as.POSIXct(format(day), tz = "Europe/Berlin")))',
         "berlin", "not in UTC"),
        ("rpart::rpart(survival::Surv(x, sure) ~ z, d)", "d", "method exp"),
    ],
    "ranger": [
        ("ranger::ranger(y ~ word, d)", "d", "column word holds categories"),
        ('ranger::ranger(y ~ code, d, respect.unordered.factors = "order")', "d", "column code holds categories"),
        ('ranger::ranger(y ~ code, d, respect.unordered.factors = "partition")', "d", "holds categories"),
        ("ranger::ranger(y ~ size, d)", "d", "column size holds categories"),
        ("ranger::ranger(k ~ x, cbind(d, k = 1:2), classification = TRUE)", "d", "target is no factor"),
        ("ranger::ranger(y ~ x, d, write.forest = FALSE)", "d", "has no trees"),
        ("ranger::ranger(y ~ x, d)", "rbind(d, NA)", "missing values"),
    ],
    "randomForest": [
        ("randomForest::randomForest(y ~ word, d)", "d", "column word holds categories"),
        ("randomForest::randomForest(y ~ code, d)", "d", "column code holds categories"),
        ("randomForest::randomForest(y ~ x, d, cutoff = c(.7, .3))", "d", "cutoff"),
        ("randomForest::randomForest(z ~ x, d, corr.bias = TRUE)", "d", "corrects its bias"),
        ("randomForest::randomForest(y ~ x, d, keep.forest = FALSE)", "d", "has no trees"),
    ],
}  # fmt: skip


OTHERS = (pytest.param(name, marks=pytest.mark.slow) for name in MODELS if name != "rpart")


@pytest.fixture(scope="module", params=["rpart", *OTHERS])
def package(request):
    """A package of R, where it is installed."""
    return request.param


@pytest.fixture(scope="module")
def folder(package, tmp_path_factory):
    """What R says of its models after trees.R, and wrote of them, all by one run of it."""
    R = shutil.which("Rscript")
    if R is None:
        pytest.skip("Rscript is not installed")
    folder = tmp_path_factory.mktemp(package)
    table = np.column_stack([IRIS.X, IRIS.y])
    np.savetxt(folder / "d.csv", table, delimiter=",", header=",".join([*NAMES, "y"]), comments="")
    fit, write, predict = MODELS[package]
    program = [
        f"for (p in c('jsonlite', '{package}')) if (!requireNamespace(p)) quit(status = {ABSENT})",
        f'source("{SCRIPT.as_posix()}")\nset.seed(7)',
        'd <- read.csv("d.csv"); d$y <- factor(c("one", "two", "three")[d$y + 1])',
        f'model <- {fit}\n{write}(model, d[, 1:4], "model.json")\nshares <- {predict}',
        'write.csv(shares[, levels(d$y)], "shares.csv", row.names = FALSE)',
        f'set.seed(7)\n{COLUMNS}\nwrite.csv(new, "new.csv", row.names = FALSE)',
    ]
    for name, (fit, predict) in OF_KINDS[package].items():
        program.append(f'm <- {fit}; {write}(m, d, "{name}.json")')
        program.append(f'write.csv(list(y = {predict}), "{name}.csv", row.names = FALSE)')
    program.append("said <- character()")
    for fit, data, _ in REFUSED[package]:
        refused = f'{write}({fit}, {data}, "no.json")'
        program.append(
            f'said <- c(said, tryCatch({{{refused}; ""}}, error = function(wrong) conditionMessage(wrong)))'
        )
    (folder / "program.R").write_text("\n".join([*program, 'writeLines(said, "said.txt")\n']))
    done = subprocess.run([R, "program.R"], cwd=folder, capture_output=True, text=True, timeout=600)
    if done.returncode == ABSENT:
        pytest.skip(f"R has no package {package}, or no jsonlite")
    assert done.returncode == 0, done.stderr[-600:]
    return folder


def test_a_model_of_r_says_here_what_it_says_there(folder):
    ours: Any = read_model(folder / "model.json")
    theirs = np.genfromtxt(folder / "shares.csv", delimiter=",", skip_header=1)
    header = (folder / "shares.csv").read_text().splitlines()[0].replace('"', "").split(",")
    order = [list(ours.classes_).index(name) for name in header]
    assert np.allclose(ours.predict_proba(IRIS.X)[:, order], theirs, atol=1e-9)
    assert [feature.name for feature in ours.features_] == NAMES


def as_page(frame, target):
    """R's table with what it says of each row as its target, as the page Data takes it."""
    cells = frame.assign(took=[f"{minutes // 60:.0f}h {minutes % 60:.0f}m" for minutes in frame["took"]])
    for name in ("sure", "code"):
        cells[name] = cells[name].astype(str)
    orders = {"size": ("low", "mid", "high"), "sure": ("False", "True")}
    plans = [ColumnPlan(name, kind, orders.get(name, ()), parts=("date",)) for name, kind in KINDS.items()]  # type: ignore[arg-type]
    is_number = pd.api.types.is_numeric_dtype(target)
    plan = ColumnPlan("y", "number" if is_number else "category")
    task = "regression" if is_number else "classification"
    return to_dataset(cells.assign(y=target), [*plans, plan], TargetPlan("y", task), "t")[0]


def test_columns_of_every_kind_mean_in_a_table_and_in_a_frame_what_they_mean_in_r(package, folder):
    new = pd.read_csv(folder / "new.csv")
    frame = new.assign(day=pd.to_datetime(new["day"]), time=pd.to_datetime(new["time"], format="mixed"))
    frame["took"] = pd.to_timedelta(new["took"].to_numpy(), unit="min")
    for name in OF_KINDS[package]:
        model = read_model(folder / f"{name}.json")
        said = pd.read_csv(folder / f"{name}.csv")["y"]
        data = as_page(new, said)
        answers = TableForest(model, data.features, data.classes).predict(data.X)
        if data.is_classification:
            assert (np.array(data.classes)[answers] == said).all(), name
            assert (model.predict(frame) == said).all(), name
        else:
            rows = said.isin(leaf_values(model)) | (package != "rpart")
            assert rows.mean() > 0.95, name
            assert np.allclose(answers[rows], said[rows], rtol=1e-12), name
            assert np.allclose(model.predict(frame)[rows], said[rows], rtol=1e-12), name


def leaf_values(model):
    """What the leaves of rpart's tree say, as R writes it; where two sides are equal, R itself stops at a node."""
    tree = model.forest_.trees[0]
    return [float(f"{value:.15g}") for value in tree.value[tree.feature < 0, 0]]


def test_what_the_file_cannot_carry_is_refused_by_a_sentence(package, folder):
    for said, (fit, _, why) in zip((folder / "said.txt").read_text().splitlines(), REFUSED[package], strict=True):
        assert re.search(why, said), (fit, said)


STUMP = {"feature": [0, -1, -1], "left": [1, -1, -1], "right": [2, -1, -1], "threshold": [1.5, None, None]}
SHARES, NUMBERS = {"value": [None, [1, 0], [0, 1]]}, {"value": [None, 3, 4]}
BY_SET = {"threshold": [None] * 3, "categories_left": [[0], [], []]}
PLAIN = {"name": "x", "kind": "number"}


def read(tree, feature, **head):
    usual = {"format": "espalier-trees", "version": 2, "combine": "mean", "features": [feature]}
    return read_file(json.dumps(usual | head | {"trees": [STUMP | tree]}).encode())


OLD = {"version": 1}
CLASSES = {"classes": ["no", "yes"]}


def test_a_first_version_that_may_answer_otherwise_than_r_is_refused_with_what_to_do():
    for head, why in (
        ({"library": "R, rpart"}, "matrix of losses"),
        ({"library": "R, randomForest", "combine": "votes"}, "cutoff"),
        ({"library": "R, ranger", "combine": "votes"}, "which class is which"),
    ):
        with pytest.raises(Refusal, match=f"{why}.*write it again with the present script"):
            read(SHARES, {"name": "x", "categories": []}, **OLD, **CLASSES, **head)
    for tree, names in (BY_SET, []), ({}, ["low", "high"]):  # a set of no names, codes of an order
        with pytest.raises(Refusal, match=r"which categories the column x has.*write it again"):
            read(tree | NUMBERS, {"name": "x", "categories": names}, **OLD)


def test_what_is_sure_in_a_first_version_is_read_as_ever():
    x = {"name": "x", "categories": []}
    for library in ("R, rpart", "R, randomForest", "R, ranger", "another"):
        assert read(NUMBERS, x, **OLD, library=library).predict([[1], [2]]).tolist() == [3, 4]
    assert read(SHARES, x, **OLD, **CLASSES, library="R, ranger").predict([[1], [2]]).tolist() == ["no", "yes"]
    assert read(SHARES, x, **OLD, **CLASSES, combine="votes").predict([[1], [2]]).tolist() == ["no", "yes"]
    named = read(BY_SET | NUMBERS, {"name": "x", "categories": ["a", "b"]}, **OLD, library="R, rpart")
    assert named.predict([[0], [1]]).tolist() == [3, 4]


SAY_TOO_LITTLE: list[dict[str, Any]] = [
    {"kind": "ordered", "categories": ["a", "b"]}, {"kind": "category"},
    {"kind": "number", "categories": ["a", "b"]}, {"kind": "date"}, {"kind": "date", "unit": 3600},
    {"kind": "duration", "unit": 0.5},
]  # fmt: skip


def test_a_column_of_a_kind_that_says_too_little_or_split_otherwise_is_refused():
    for feature in SAY_TOO_LITTLE:
        with case(feature), pytest.raises(Refusal, match="column x is of the kind"):
            read(NUMBERS, {"name": "x"} | feature)
    for tree, feature in (BY_SET, PLAIN), ({}, {"name": "x", "kind": "category", "categories": ["a", "b"]}):
        with case(feature), pytest.raises(Refusal, match="damaged: a split on the column x"):
            read(tree | NUMBERS, feature)


@pytest.mark.parametrize("library", ["R, rpart", "R, randomForest", "R, ranger"])
def test_what_becomes_of_missing_values_of_r_is_said(library):
    model = read(NUMBERS, PLAIN, library=library)
    assert "a missing value" in str(model.unused_[0])
    assert np.isfinite(model.predict([[np.nan]])).all()
    assert read(NUMBERS, PLAIN).unused_ == ()


def test_a_version_that_is_not_known_is_refused():
    with pytest.raises(Refusal, match="version 3 of its format; this program knows 1 and 2"):
        read(NUMBERS, PLAIN, version=3)
