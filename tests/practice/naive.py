"""Answers to exercises from what a student sees, by plain arithmetic; None where the best is not the only one."""

import itertools
import math
from fractions import Fraction

import numpy as np

LETTERS = "ABCDEF"


def gini(counts):
    n = sum(counts)
    return 1 - sum(Fraction(c, n) ** 2 for c in counts)


def only(values, best):
    """Place of the best of the values, if it is the only one."""
    values = list(values)
    places = [n for n, value in enumerate(values) if value == best(values)]
    return places[0] if len(places) == 1 else None


def impurity(one, _):
    counts = one.table.rows[0]
    shares = [Fraction(c, sum(counts)) for c in counts]
    if "gini" in one.ask.text:
        return float(gini(counts))
    if "entropy" in one.ask.text:
        return float(sum(-float(p) * math.log2(p) for p in shares))
    return float(1 - max(shares))


def after(left, right):
    n = sum(left) + sum(right)
    return Fraction(sum(left), n) * gini(left) + Fraction(sum(right), n) * gini(right)


def gain(one, _):
    left, right = (row[1:] for row in one.table.rows)
    return float(gini([a + b for a, b in zip(left, right, strict=True)]) - after(left, right))


def split(one, _):
    rows = [row[2:] for row in one.table.rows]
    return only([after(*pair) for pair in zip(rows[::2], rows[1::2], strict=True)], min)


def node(one, level):
    if level == 1:
        return only(one.table.rows[1][1:], max)
    y = sorted(one.table.rows[0])
    half = len(y) // 2
    return sum(y) / len(y) if level == 2 else (y[half] if len(y) % 2 else (y[half - 1] + y[half]) / 2)


def end_of(tree, row):
    """The node that a row ends in."""
    n = 0
    while tree.left[n] >= 0:
        n = tree.left[n] if row[tree.feature[n]] <= tree.threshold[n] else tree.right[n]
    return n


def leaf_of(tree, row):
    """Place of a row's leaf among all leaves, which are in preorder."""
    return [i for i in range(tree.n_nodes) if tree.left[i] < 0].index(end_of(tree, row))


def letter_of(tree, row):
    """The class of a row's leaf."""
    return list(tree.value[end_of(tree, row)]).index(1)


def route(one, _):
    return leaf_of(one.tree, (one.ask.values["x"], one.ask.values["y"]))


def holds(said, x, y):
    """Whether bounds such as "2 < x ≤ 8, y > 5" hold of a place."""
    return all(eval(part.replace("≤", "<="), {}, {"x": x, "y": y}) for part in said.split(","))


def region(one, _):
    """The part with just those places, a quarter off every whole number, that end in the leaf."""
    leaf = LETTERS.index(str(one.ask.values["name"]))
    places = [(x + d, y + d) for x, y in itertools.product(range(10), repeat=2) for d in (0.25, 1)]
    inside = [leaf_of(one.tree, place) == leaf for place in places]
    fits = [[holds(said, *place) for place in places] == inside for said in one.choices]
    return fits.index(True) if fits.count(True) == 1 else None


PLACES = [(x + 0.5, y + 0.5) for x, y in itertools.product(range(10), repeat=2)]


def surface(one, _):
    """The surface that has the tree's letter at every place."""
    fits = [all(letter_of(s, place) == letter_of(one.tree, place) for place in PLACES) for s in one.surfaces]
    return fits.index(True) if fits.count(True) == 1 else None


def drawing(one, _):
    """0, what the right tree is read as, if as few questions as are said, and no fewer, part all letters."""
    (drawn,) = one.surfaces

    def least(places):
        letters = {letter_of(drawn, place) for place in places}
        if len(letters) == 1:
            return 0
        halves = [
            [[p for p in places if (p[column] <= cut) == side] for side in (True, False)]
            for column in (0, 1)
            for cut in {math.ceil(p[column]) for p in places}
        ]
        return 1 + min(least(a) + least(b) for a, b in halves if a and b and is_clean(drawn, a, b))

    return 0 if least(PLACES) == one.ask.values["n"] else None


def is_clean(tree, a, b):
    """Whether two parts have no letter in common; with a leaf for each letter, all splits are such."""
    return not {letter_of(tree, place) for place in a} & {letter_of(tree, place) for place in b}


def is_drawn(text, tree, most):
    """Whether the tree of a text like "x3 - y6 - -" has no leaf with two letters, nor too many questions."""
    words = text.split()

    def is_pure(places):
        word = words.pop(0)
        if word == "-":
            return len({letter_of(tree, place) for place in places}) <= 1
        column, cut = "xy".index(word[0]), int(word[1:])
        yes = is_pure([p for p in places if p[column] <= cut])
        return is_pure([p for p in places if p[column] > cut]) and yes

    return len(words) // 2 <= most and is_pure(PLACES)


def pruning(one, level):
    """The least rise of the errors for each leaf that goes, over all subtrees."""
    wrong = {row[0]: row[2] for row in one.table.rows}
    children = {row[0]: row[1].split(", ") for row in one.table.rows if row[1] != "–"}

    def below(name):
        return [leaf for child in children[name] for leaf in below(child)] if name in children else [name]

    rises = {
        name: Fraction(wrong[name] - sum(wrong[leaf] for leaf in below(name)), len(below(name)) - 1)
        for name in children
    }
    place = only(rises.values(), min)
    return place if level == 1 or place is None else float(min(rises.values()))


def errors(one, level):
    """The errors of every tree of the depth, one after the other."""
    cells = [(row[:3], row[3:]) for row in one.table.rows]

    def least(part, depth):
        leaf = min(sum(counts[k] for _, counts in part) for k in (0, 1))
        if not depth:
            return leaf
        halves = ([[c for c in part if c[0][f] == side] for side in (0, 1)] for f in range(3))
        return min([leaf, *(least(a, depth - 1) + least(b, depth - 1) for a, b in halves)])

    return least(cells, 1 if level == 1 else 2)


def surrogate(one, level):
    sides = [[str(cell) for cell in row[1:]] for row in one.table.rows]
    agreement = [sum(row[0] == row[k] for row in sides) for k in (1, 2, 3)]
    right = only([max(a, len(sides) - a) for a in agreement], max)
    return right if (right != only(agreement, max)) == (level > 1) else None  # later it is one that is turned


def votes(one, level):
    red = [Fraction(str(row[1])) for row in one.table.rows]
    if Fraction(1, 2) in red or sum(red) * 2 == len(red):
        return None
    if level == 1:
        return int(sum(s > Fraction(1, 2) for s in red) * 2 < len(red))
    mean = sum(red) / len(red)
    return float(mean) if level == 2 else int(mean < Fraction(1, 2))


def variance(one, level):
    """The variance of a mean from the whole matrix of covariances."""
    said = one.ask.values
    rho, variance_of_one = said["rho"], said["one"]

    def of_mean(n):
        covariances = variance_of_one * (rho * np.ones((n, n)) + (1 - rho) * np.eye(n))
        return float(np.ones(n) @ covariances @ np.ones(n)) / n**2

    if level < 3:
        return of_mean(said["n"])
    return 1 + int(np.argmin([abs(of_mean(n) - said["bound"]) for n in range(1, 30)]))


ANSWERS = {
    answer.__name__: answer
    for answer in (impurity, gain, split, node, route, region, surface, drawing, pruning, errors, surrogate, votes,
                   variance)
}  # fmt: skip
