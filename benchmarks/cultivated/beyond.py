"""What may be better than the paper's cultivated tree: each variant with one setting for all tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from benchmarks.cells import Cells
from benchmarks.cultivated.folds import Make, Scored, Table, areas
from benchmarks.cultivated.learned import Boosted, ChosenBag, Shrunk, WidthByNode
from benchmarks.cultivated.mixture import Mixture
from espalier.learners import CultivatedClassifier, CultivatedForestClassifier

BASE, RIVAL = "CRF-full", "random forest 500"
EQUAL = 0.001  # of area: differences that do not count


def tree(**parameters) -> Make:
    return lambda seed: CultivatedClassifier(**parameters)


def trees(**parameters) -> Make:
    return lambda seed: CultivatedForestClassifier(random_state=seed, **parameters)


papers = partial(trees, max_depth=14, min_node_weight=6)
VARIANTS: dict[str, Make] = {
    BASE: tree(),
    RIVAL: lambda seed: RandomForestClassifier(500, random_state=seed),
    "shares by gain": tree(share_power=1),
    "shares by gain^2": tree(share_power=2),
    "eta 0.15": tree(eta=0.15),
    "eta 0.6": tree(eta=0.6),
    "k cube root": tree(k="cbrt"),
    "depth 30, weight 2": tree(max_depth=30, min_node_weight=2),
    "min_fraction 0.01": tree(min_fraction=0.01),
    "pruned, 0.0001": tree(ccp_alpha=0.0001),
    "pruned, 0.001": tree(ccp_alpha=0.001),
    "10 trees": papers(),
    "10 trees, bootstrap": papers(bootstrap=True),
    "5 deep trees": trees(n_estimators=5),
    "10 deep trees": trees(),
    "50 deep trees": trees(n_estimators=50),
    "10 deep, bootstrap": trees(bootstrap=True),
    "10 deep, abstain 0.3": trees(abstain=0.3),
    "10 deep, crisper": trees(k="cbrt", eta=0.15),
    "10 deep, gain^2": trees(share_power=2),
    "width by node": lambda seed: WidthByNode(random_state=seed),
    "two neighbourhoods": tree(neighbourhoods=2),
    "three neighbourhoods": tree(neighbourhoods=3),
    "leaves shrunk": lambda seed: Shrunk(random_state=seed),
    "bag, k and eta chosen": lambda seed: ChosenBag(random_state=seed),
    "boosted, depth 3": lambda seed: Boosted(3),
    "boosted, depth 6": lambda seed: Boosted(6),
    "mixture of forests": lambda seed: Mixture(random_state=seed),
    "boosting": lambda seed: HistGradientBoostingClassifier(random_state=seed),
}


def beyond(tables: Sequence[Table], wanted: Sequence[str], folds: tuple[int, int], jobs: int, done: Cells) -> None:
    """Print each variant as soon as it is measured, beside CRF-full and, if it is wanted, the random forest."""
    names = [name for name in VARIANTS if name == BASE or any(part in name for part in wanted)]
    found: dict[str, dict[str, Scored]] = {}
    heads = f"{'modules':>9}{'decisions':>10}{'area':>8}{'gain':>9}{'better':>7}{'worse':>6}{'> forest':>9}"
    print(f"{'':<22}{heads}  " + "".join(f"{t.name[:7]:>8}" for t in tables))
    for name in names:
        scored = areas(tables, {name: VARIANTS[name]}, folds, jobs, done)
        found[name] = {table: result for (table, _), result in scored.items()}
        print(f"{name:<22}{_line(found, name)}", flush=True)


def _line(found: dict[str, dict[str, Scored]], name: str) -> str:
    area = _areas(found[name])
    gain = area - _areas(found[BASE])
    size = [np.mean([getattr(s, what) for s in found[name].values()]) for what in ("modules", "decisions")]
    counts = f"{area.mean():>8.4f}{gain.mean():>+9.4f}{np.sum(gain > EQUAL):>7}{np.sum(gain < -EQUAL):>6}"
    above = int(np.sum(area > _areas(found[RIVAL]))) if RIVAL in found else "–"
    return f"{size[0]:>9.0f}{size[1]:>10.0f}{counts}{above:>9}  " + "".join(f"{a:>8.4f}" for a in area)


def _areas(scored: dict[str, Scored]) -> np.ndarray:
    """(n_tables,): mean area under the curve of each table."""
    return np.array([s.area.mean() for s in scored.values()])
