"""Visitors of the load benchmark on a real server: a control that is called otherwise by now is noticed."""

import asyncio
import random
import time
from contextlib import asynccontextmanager

import pytest

from benchmarks import load
from benchmarks.visitor import Visitor
from espalier.kernels import compile_all

SOON = 60  # seconds: far more than a page needs


@pytest.fixture(scope="module", autouse=True)
def engine():
    """The compiled kernels; without them the page would wait for them."""
    if not compile_all.is_warm():
        compile_all.main()


@asynccontextmanager
async def at_the_tree(address):
    """A visitor of the Tree page."""
    visitor = await Visitor.at(address)
    try:
        await visitor.open("", "data=iris&depth=3")
        until = time.monotonic() + SOON
        while visitor.find("Depth", "bidi_component") is None:
            assert time.monotonic() < until, "the tree has no slider that is called so"
            await visitor.rest(0.5)
            await visitor.open("Tree")
        yield visitor
    finally:
        await visitor.close()


def shown(visitor):
    """The tree that the page shows."""
    return visitor.find("graph", "bidi_component").data["cards"]["id"]


async def acted(address):
    """A visitor's acts by their names, and whether each of them changed the tree."""
    chance, changes = random.Random(0), {}
    async with at_the_tree(address) as visitor:
        for act in (load.move, load.leaf, load.click, load.other_table):
            before = shown(visitor)
            done = await act(visitor, chance)
            changes[done.name] = shown(visitor) != before
    return changes


def test_a_visitor_moves_the_sliders_clicks_a_node_and_chooses_a_table(server):
    assert asyncio.run(acted(server)) == {"depth": True, "leaf": True, "node": False, "table": True}


async def sent_twice(address):
    """Bytes that come for the page, and for the same page again."""
    async with at_the_tree(address) as visitor:
        return [(await visitor.open("Tree", "data=wine")).n_bytes for _ in range(2)]


def test_what_a_visitor_has_is_not_sent_again(server):
    first, again = asyncio.run(sent_twice(server))
    assert again < first / 2
