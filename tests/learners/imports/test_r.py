"""Models of R, as docs/how-to/trees.R writes them; left out where R, or one of its packages, is not installed."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from espalier.data import samples
from espalier.learners.imports import read_model

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


def in_r(package, program, folder):
    """Run a program of R, with the table at hand as `d`; skip where R or the package is not installed."""
    R = shutil.which("Rscript")
    if R is None:
        pytest.skip("Rscript is not installed")
    table = np.column_stack([IRIS.X, IRIS.y])
    np.savetxt(folder / "d.csv", table, delimiter=",", header=",".join([*NAMES, "y"]), comments="")
    there = f"for (p in c('jsonlite', '{package}')) if (!requireNamespace(p)) quit(status = {ABSENT})"
    read = 'd <- read.csv("d.csv"); d$y <- factor(c("one", "two", "three")[d$y + 1])'
    text = f'{there}\nsource("{SCRIPT.as_posix()}")\n{read}\nset.seed(1)\n{program}\n'
    done = subprocess.run([R, "-e", text], cwd=folder, capture_output=True, text=True, timeout=120)
    if done.returncode == ABSENT:
        pytest.skip(f"R has no package {package}, or no jsonlite")
    assert done.returncode == 0, done.stderr[-600:]


@pytest.mark.parametrize("package", MODELS)
def test_a_model_of_r_says_here_what_it_says_there(package, tmp_path):
    fit, write, predict = MODELS[package]
    told = f"shares <- {predict}\nwrite.csv(shares[, levels(d$y)], 'shares.csv', row.names = FALSE)"
    in_r(package, f'model <- {fit}\n{write}(model, d[, 1:4], "model.json")\n{told}', tmp_path)
    ours: Any = read_model(tmp_path / "model.json")
    theirs = np.genfromtxt(tmp_path / "shares.csv", delimiter=",", skip_header=1)
    header = (tmp_path / "shares.csv").read_text().splitlines()[0].replace('"', "").split(",")
    order = [list(ours.classes_).index(name) for name in header]
    assert np.allclose(ours.predict_proba(IRIS.X)[:, order], theirs, atol=1e-9)
    assert [feature.name for feature in ours.features_] == NAMES
