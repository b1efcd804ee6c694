"""Exports of forests and boosted sums as code: their trees, what each adds, and what becomes of the sums."""
