"""The tree graph's cards with a mark on the splits that a test did not decide."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any


def with_unsure(cards: dict[str, Any], nodes: Sequence[int]) -> dict[str, Any]:
    """Return the cards of `display.tree.cards` with "unsure" on the splits `nodes`, with an id of their own."""
    if not nodes:
        return cards
    unsure = set(nodes)
    marked = [card | {"unsure": True} if card["id"] in unsure else card for card in cards["nodes"]]
    name = hashlib.blake2b(repr((cards["id"], sorted(unsure))).encode(), digest_size=8).hexdigest()
    return cards | {"id": name, "nodes": marked}
