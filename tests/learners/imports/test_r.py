"""Models of R, as docs/how-to/trees.R writes them; left out where R, or one of its packages, is not installed."""

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
from espalier.learners.imports import read_model
from espalier.learners.imports.in_table import TableForest

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


def in_r(package, program, folder):
    """Run a program of R after trees.R; skip where R or the package is not installed."""
    R = shutil.which("Rscript")
    if R is None:
        pytest.skip("Rscript is not installed")
    there = f"for (p in c('jsonlite', '{package}')) if (!requireNamespace(p)) quit(status = {ABSENT})"
    (folder / "program.R").write_text(f'{there}\nsource("{SCRIPT.as_posix()}")\nset.seed(7)\n{program}\n')
    done = subprocess.run([R, "program.R"], cwd=folder, capture_output=True, text=True, timeout=120)
    if done.returncode == ABSENT:
        pytest.skip(f"R has no package {package}, or no jsonlite")
    assert done.returncode == 0, done.stderr[-600:]


@pytest.mark.parametrize("package", MODELS)
def test_a_model_of_r_says_here_what_it_says_there(package, tmp_path):
    fit, write, predict = MODELS[package]
    table = np.column_stack([IRIS.X, IRIS.y])
    np.savetxt(tmp_path / "d.csv", table, delimiter=",", header=",".join([*NAMES, "y"]), comments="")
    read = 'd <- read.csv("d.csv"); d$y <- factor(c("one", "two", "three")[d$y + 1])'
    told = f"shares <- {predict}\nwrite.csv(shares[, levels(d$y)], 'shares.csv', row.names = FALSE)"
    in_r(package, f'{read}\nmodel <- {fit}\n{write}(model, d[, 1:4], "model.json")\n{told}', tmp_path)
    ours: Any = read_model(tmp_path / "model.json")
    theirs = np.genfromtxt(tmp_path / "shares.csv", delimiter=",", skip_header=1)
    header = (tmp_path / "shares.csv").read_text().splitlines()[0].replace('"', "").split(",")
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


@pytest.mark.parametrize("package", OF_KINDS)
def test_columns_of_every_kind_mean_in_a_table_and_in_a_frame_what_they_mean_in_r(package, tmp_path):
    write = MODELS[package][1]
    program = COLUMNS + 'write.csv(new, "new.csv", row.names = FALSE)\n'
    for name, (fit, predict) in OF_KINDS[package].items():
        program += f'm <- {fit}; {write}(m, d, "{name}.json")\n'
        program += f'write.csv(list(y = {predict}), "{name}.csv", row.names = FALSE)\n'
    in_r(package, program, tmp_path)
    new = pd.read_csv(tmp_path / "new.csv")
    frame = new.assign(day=pd.to_datetime(new["day"]), time=pd.to_datetime(new["time"], format="mixed"))
    frame["took"] = pd.to_timedelta(new["took"].to_numpy(), unit="min")
    for name in OF_KINDS[package]:
        model = read_model(tmp_path / f"{name}.json")
        said = pd.read_csv(tmp_path / f"{name}.csv")["y"]
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


@pytest.mark.parametrize("package", REFUSED)
def test_what_the_file_cannot_carry_is_refused_by_a_sentence(package, tmp_path):
    program = COLUMNS + "said <- character()\n"
    for fit, data, _ in REFUSED[package]:
        write = f'{MODELS[package][1]}({fit}, {data}, "no.json")'
        program += f'said <- c(said, tryCatch({{{write}; ""}}, error = function(wrong) conditionMessage(wrong)))\n'
    in_r(package, program + 'writeLines(said, "said.txt")', tmp_path)
    for said, (fit, _, why) in zip(
        (tmp_path / "said.txt").read_text().splitlines(), REFUSED[package], strict=True
    ):
        assert re.search(why, said), (fit, said)
