"""The search for the best regression tree whose values only rise, or only fall, with some columns.

First the best tree of any kind is found; where it keeps to the directions nothing more is to be done. Else all
branches are searched again, each for values between two bounds. Of a split with a direction, some middle value
lies between the values of both sides: `kernels.optimal.regression.ordered_pair` tells how it is found, there for
trees of depth two, and here for deeper ones.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator, Iterator
from typing import Any, TypeAlias

import numpy as np

from espalier.data.binarise import Questions
from espalier.kernels.optimal.regression.ordered_pair import (
    OrderedScratch,
    ValueBounds,
    best_ordered_pair,
    make_ordered,
)
from espalier.kernels.optimal.regression.ordered_stumps import COLUMN, CUT, FIT, LEAF, LEFT
from espalier.kernels.optimal.regression.rows import COUNT, TargetNode
from espalier.learners.optimal.regression.branches import (
    FoundBranch,
    Room,
    Root,
    column_order,
    deals_of,
    node_in_orders,
)
from espalier.learners.optimal.regression.problem import NEAR as PROBLEM_NEAR
from espalier.learners.optimal.regression.problem import RegressionTask, node_of_rows
from espalier.learners.optimal.regression.search import RegressionSearch
from espalier.learners.optimal.tree_search import SearchLimits, glances
from espalier.trees import LEAF as NO_QUESTION

STUMPS = 3  # splits of a whole tree of depth two
NEAR = (
    1e-6  # of the loss of a lone root: as near to the best middle of both sides trees deeper than two are proved
)
Work: TypeAlias = "Generator[None, None, Any]"  # hands control back now and then; its value is what it found


class OrderedSearch(RegressionSearch):
    """A search for the best tree that keeps to directions; the search for any tree comes first."""

    def __init__(self, questions: Questions, X: np.ndarray, task: RegressionTask, limits: SearchLimits):
        """`X` (n_samples, n_features) are the samples of the task, which has directions."""
        super().__init__(questions, X, task, limits)
        rows = self._problem.rows
        self._order = column_order(questions, self._columns, task.directions, len(rows.rank))
        self._scratch: OrderedScratch = make_ordered(len(rows.rank), len(rows.target), self._stop)
        self._best = np.inf  # the least loss of trees in order
        self._asked_best: list[int] | None = None  # the questions of that tree
        self._bound, self._is_done, self._n_pairs = 0.0, False, 0
        self._near = NEAR / PROBLEM_NEAR * rows.near
        self._work: Work | None = None
        self._settle_free()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_work": None}  # a copy begins anew, with the best tree that is known

    @property
    def is_proved(self) -> bool:
        """Whether the best tree found is proved to be the best that keeps to the directions."""
        return self._is_done

    @property
    def subproblems(self) -> int:
        """Number of sets of samples that were solved by trees of depth two."""
        return super().subproblems + self._n_pairs

    def questions(self) -> list[int]:
        """Return the best tree so far in preorder: the number of each split, answer yes first; -1 for a leaf."""
        return super().questions() if self._asked_best is None else self._asked_best

    def _settle_free(self) -> None:
        """Take the best tree of any kind as far as it is known, with its best values in order."""
        found = super().questions()
        loss = self._loss_of(found)
        if loss < self._best:
            self._best, self._asked_best = loss, found
        value, low = super()._reached()
        self._bound = max(self._bound, min(low, value))
        self._is_done = self._stack is None and self._best <= value + self._problem.rows.near

    def _loss_of(self, questions: list[int]) -> float:
        """Return the loss of a tree of these questions in the search's own units."""
        problem, n = self._problem, sum(number != NO_QUESTION for number in questions)
        if not problem.unit:
            return 0.0
        return self.tree_of(questions)[1] / problem.unit - problem.unavoidable + n * problem.rows.per_split

    def _reached(self) -> tuple[float, float]:  # type: ignore[override]
        return self._best, self._best if self._is_done else self._bound

    def _watched(self) -> Iterator[None]:
        if self._stack is not None:
            yield from super()._watched()
            self._settle_free()
        if not self._is_done:
            self._set_stop()
            yield from glances(self._go_on, self._stop)
        yield

    def _go_on(self) -> None:
        """Search until the end, or until that is stopped."""
        work = self._work = self._work or self._whole()
        while not (self._stop[0] or self._is_done):
            if next(work, NO_QUESTION) == NO_QUESTION:
                self._is_done, self._work = True, None

    # ---- branches

    def _whole(self) -> Work:
        """Search for the best tree of all rows."""
        room = Room(self.limits.max_depth, self.limits.max_splits, -np.inf, np.inf, self._bound, self._best)
        found = yield from self._solved(node_of_rows(self._problem.rows, self._all), room, is_root=True)
        self._note_best(found)

    def _note_best(self, found: FoundBranch) -> None:
        if found.loss < self._best - self._problem.rows.near:
            self._best, self._asked_best = found.loss, self._questions_of(found)

    def _solved(self, node: TargetNode, room: Room, is_root: bool = False) -> Work:
        """Return the best branch of a node within its room."""
        if room.is_small:
            return (yield from self._pair(node, room))
        small = room._replace(splits=min(room.splits, STUMPS), known=0.0, limit=np.inf)
        best = yield from self._pair(node, small)
        lows = []
        for of_left in deals_of(room):
            goal = min(best.loss, room.limit)
            if is_root:
                self._note_best(best)
            if goal <= room.known + self._problem.rows.near:
                break
            best, low = yield from self._best_root(node, room, of_left, best, is_root)
            lows.append(low)
        goal = min(best.loss, room.limit)
        return best._replace(low=max(min([goal, *lows]), room.known))

    def _best_root(self, node: TargetNode, room: Room, of_left: int, best: FoundBranch, is_root: bool) -> Work:
        """Return the best branch whose root's left side has so many splits at most, or `best`; and a bound."""
        near, settled = self._problem.rows.near, np.inf
        gaps = [(room.known, first - end, f, first, end, 0.0, 0.0) for f, first, end in self._ends(node)]
        gaps = [gap for gap in gaps if gap[1] < -1]
        heapq.heapify(gaps)
        while gaps and gaps[0][0] < min(best.loss, room.limit) - near:
            if is_root and room.splits >= 2**room.depth - 1:
                self._note_best(best)
                self._bound = max(self._bound, min(gaps[0][0], settled, self._best))
            _, _, f, first, end, left, right = heapq.heappop(gaps)
            root = self._root(node, f, (first + end) // 2, (of_left, room.splits - 1 - of_left))
            best, low, lows = yield from self._tried(node, root, room, best, (left, right))
            settled = min(settled, low)
            for start, stop, a, b in ((first, root.cut, left, lows[1]), (root.cut, end, lows[0], right)):
                if stop - start > 1:
                    bound = max(a + b + self._problem.rows.per_split, room.known)
                    heapq.heappush(gaps, (bound, start - stop, f, start, stop, a, b))
        return best, min([settled, *(gap[0] for gap in gaps[:1])])

    def _tried(
        self, node: TargetNode, root: Root, room: Room, best: FoundBranch, known: tuple[float, float]
    ) -> Work:
        """Return the best branch with this root, or `best`; a bound of such branches; and bounds of both sides."""
        rows, lows = self._problem.rows, list(known)
        goal = min(best.loss, room.limit)
        sides = []
        for at in range(2):
            rest = lows[1 - at] if at == 0 else min(sides[0].loss, goal)
            inside = self._inside(root, at, room)._replace(known=known[at], limit=goal - rest - rows.per_split)
            found = yield from self._solved(root.sides[at], inside)
            lows[at] = max(lows[at], found.low)
            sides.append(found)
            least = min(found.loss, inside.limit) + rest + rows.per_split
            if least >= goal - rows.near:
                return best, self._low_of(least, lows), lows
        lower, upper = sides if root.direction >= 0 else sides[::-1]
        if root.direction == 0 or lower.most <= upper.least:
            loss = sides[0].loss + sides[1].loss + rows.per_split
            return self._joined(root, sides, node), self._low_of(loss, lows), lows
        found, low = yield from self._between(node, root, room, best, lower, upper)
        return found, self._low_of(low, lows), lows

    def _low_of(self, low: float, lows: list[float]) -> float:
        """Return a bound of a root that holds for fewer rows, too, of which leaves may have any number."""
        return low if self._problem.rows.least <= 1 else min(low, sum(lows) + self._problem.rows.per_split)

    def _between(
        self, node: TargetNode, root: Root, room: Room, best: FoundBranch, lower: FoundBranch, upper: FoundBranch
    ) -> Work:
        """Return the best branch of a root whose sides overlap, or `best`; and a bound of such branches."""
        rows, settled = self._problem.rows, np.inf
        first, last = upper.least, lower.most  # no middle beyond is better
        spans, ends = [(lower.loss + upper.loss + rows.per_split, first, last)], [first, last]
        while spans:
            bound, first, last = spans[0] if ends else heapq.heappop(spans)
            if bound >= min(best.loss, room.limit) - self._near:
                return best, min(settled, bound)
            middle = ends.pop() if ends else self._middle(node, first, last)
            if middle is None:
                settled = min(settled, np.inf if self._task.is_absolute else bound)
                continue
            outer = (lower.loss, upper.loss)
            sides = yield from self._around(root, room, (middle, middle), (0.0, 0.0), outer)
            if sum(side.loss for side in sides) + rows.per_split < min(best.loss, room.limit) - rows.near:
                best = self._joined(root, sides if root.direction > 0 else sides[::-1], node)
            if middle in (first, last):
                continue
            for start, stop in ((first, middle), (middle, last)):
                inside = room._replace(known=bound, limit=min(best.loss, room.limit))
                low = yield from self._span_bound(root, inside, start, stop, outer)
                heapq.heappush(spans, (low, start, stop))
        return best, min(settled, best.loss)

    def _span_bound(
        self, root: Root, room: Room, first: float, last: float, outer: tuple[float, float]
    ) -> Work:  # fmt: skip
        """Return a bound of all middles in a span: by lines of both sides from its ends, where it matters.

        The room's `known` is a bound of a wider span; `outer` are bounds of both sides.
        """
        free = yield from self._around(root, room, (last, first), (0.0, 0.0), outer)
        bound = max(free[0].loss + free[1].loss + self._problem.rows.per_split, room.known)
        if self._task.is_absolute or bound >= room.limit - self._near:
            return bound
        lines = yield from self._around(root, room, (last, first), (last - first, last - first), outer)
        least = min(lines[0].loss + free[1].loss, free[0].loss + lines[1].loss)
        return max(least + self._problem.rows.per_split, bound)

    def _around(
        self, root: Root, room: Room, middles: tuple[float, float], slack: tuple[float, float],
        known: tuple[float, float],
    ) -> Work:  # fmt: skip
        """Return the lower side below a middle and the upper side above one, with these slacks."""
        below = 0 if root.direction > 0 else 1
        lower, upper = self._inside(root, below, room), self._inside(root, 1 - below, room)
        rooms = (
            lower._replace(high=middles[0], high_slack=slack[0], known=known[0]),
            upper._replace(low=middles[1], low_slack=slack[1], known=known[1]),
        )
        first = yield from self._solved(root.sides[below], rooms[0])
        second = yield from self._solved(root.sides[1 - below], rooms[1])
        return [first, second]

    def _inside(self, root: Root, at: int, room: Room) -> Room:
        """Return the room of the left (0) or right side, which has the slack of its outer bound."""
        inside = room._replace(depth=room.depth - 1, splits=root.splits[at], known=0.0, limit=np.inf)
        column = int(self._order.direction[root.column])
        if column == 0:
            return inside
        return inside._replace(high_slack=0.0) if (at == 0) == (column > 0) else inside._replace(low_slack=0.0)

    def _joined(self, root: Root, sides: list[FoundBranch], node: TargetNode) -> FoundBranch:
        """Return the branch of a root and its two sides."""
        left, right = sides
        loss = left.loss + right.loss + self._problem.rows.per_split
        least, most = min(left.least, right.least), max(left.most, right.most)
        return FoundBranch(loss, (node, root, left, right), least, most, loss)

    # ---- what the kernel does

    def _pair(self, node: TargetNode, room: Room) -> Work:
        """Return the best branch of a node by the kernel, of depth two at most."""
        budget = min(room.splits, 2**room.depth - 1, STUMPS)
        while True:
            found = self._kernel(node, budget, room)
            if not self._stop[0]:
                break
            yield  # it was stopped, and is to do it again
        self._n_pairs += 1
        yield
        return FoundBranch(found.loss, (node, room, budget, found), found.least, found.most, found.low)

    def _questions_of(self, branch: FoundBranch) -> list[int]:
        """Return the numbers of a branch's questions in preorder, -1 for a leaf."""
        node, how, *rest = branch.parts
        if isinstance(how, Root):
            below = [number for side in rest for number in self._questions_of(side)]
            return [self._asked(how.column, how.rank, node), *below]
        budget, found = rest
        if found.column < 0:
            return self._bounded_stump(node, how._replace(splits=min(budget, 1)))[1]
        root = self._root(node, found.column, found.cut, (0, 0))
        ways = [(1, 1)] if budget == STUMPS else [(0, 1), (1, 0)]
        asked = min((self._stumps(root, how, found.middle, way) for way in ways), key=lambda way: way[0])[1]
        return [self._asked(root.column, root.rank, node), *asked]

    def _kernel(self, node: TargetNode, budget: int, room: Room):
        bounds = ValueBounds(*map(float, (room.low, room.high, room.low_slack, room.high_slack)))
        limits = float(room.known), float(room.limit)
        return best_ordered_pair(self._problem.rows, self._order, node, budget, *limits, bounds, self._scratch)

    def _stumps(self, root: Root, room: Room, middle: float, splits: tuple[int, int]) -> tuple[float, list[int]]:
        """Return the loss and the questions of both sides of a root, each with so many splits."""
        loss, asked = 0.0, []
        for at, side in enumerate(root.sides):
            low, high = room.low, room.high
            if root.direction:
                low, high = (low, middle) if (at == 0) == (root.direction > 0) else (middle, high)
            of_side, questions = self._bounded_stump(side, room._replace(splits=splits[at], low=low, high=high))
            loss, asked = loss + of_side, asked + questions
        return loss, asked

    def _bounded_stump(self, node: TargetNode, room: Room) -> tuple[float, list[int]]:
        """Return the loss and the questions of the best stump, or of a leaf where there may be no split."""
        self._kernel(node, 1, room)
        fit = self._scratch.sides.fits[LEFT]
        if not room.splits or fit[COLUMN] < 0:
            return float(fit[LEAF]), [NO_QUESTION]
        root = self._root(node, int(fit[COLUMN]), int(fit[CUT]), (0, 0))
        return float(fit[FIT]), [self._asked(root.column, root.rank, node), NO_QUESTION, NO_QUESTION]

    # ---- rows

    def _ends(self, node: TargetNode) -> Iterator[tuple[int, int, int]]:
        """Return each column with two cuts of it between which both sides have enough rows for a leaf."""
        least = self._problem.rows.least
        for f, n in enumerate(node.n_cuts.tolist()):
            before = node.sums[f, :n, COUNT]
            fits = np.flatnonzero(np.minimum(before, before[-1] - before) >= least)
            if len(fits):
                yield f, max(int(fits[0]) - 1, 0), min(int(fits[-1]) + 1, n - 1)

    def _root(self, node: TargetNode, f: int, cut: int, splits: tuple[int, int]) -> Root:
        """Return the division of a node at a cut, both sides with the rows in all orders."""
        order, end, rank = node.order[:, : node.size[0]], node.cut[f, cut], self._problem.rows.rank[f]
        behind = int(rank[order[f, end]])
        is_left = rank[order] < behind
        is_free = self._order.direction[f] == 0 or behind == self._order.free[f]
        sides = (
            node_in_orders(order[is_left].reshape(len(order), -1)),
            node_in_orders(order[~is_left].reshape(len(order), -1)),
        )
        return Root(f, cut, behind, 0 if is_free else int(self._order.direction[f]), sides, splits)

    def _asked(self, column: int, rank: int, node: TargetNode) -> int:
        """Return the question that divides a node at the rank; of missing values that which asks for them."""
        if rank == self._order.free[column]:
            return int(self._asked_of[column][rank - 1])
        return self._question(column, rank, node.order[column, : node.size[0]])

    def _middle(self, node: TargetNode, first: float, last: float) -> float | None:
        """Return a value between two: of absolute error a target of the node; None if there is none."""
        if not self._task.is_absolute:
            middle = (first + last) / 2
            return middle if first < middle < last else None
        target = self._problem.rows.target[node.order[-1, : node.size[0]]]
        between = target[(target > first) & (target < last)]
        return float(between[len(between) // 2]) if len(between) else None
