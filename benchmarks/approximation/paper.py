"""What others report of section 4.1 of Zhou & Hooker (2016): the paper, and a reference written from it alone.

The reference's numbers are those of an independent implementation of the paper, on one machine of its own, with
forests of scikit-learn; its stability is that of one forest (data seed 1), like ours.
"""

from __future__ import annotations

# Method → predictive accuracy, agreement with the forest (uniform, kernel points), L1 of the probabilities (both).
ACCURACY = {
    "forest": ("", ".891 (.005)"),
    "CART": ("", ".884 (.007), .966 / –, L1 .084 / –"),
    "10,000": ("agrees on about 95 %", ".890 (.008), .975 / .967, L1 .068 / .074"),
    "100,000": ("the same", ".890 (.008), .976 / .967, L1 .068 / .074"),
    "1,000,000": ("the same", ""),
    "exact": ("", ".890 (.008), .976 / .967, L1 .068 / .074"),
}

# Method and samples → numbers of structures at the depths 1/2/3/4 (share of the most frequent) by three notions:
# exact thresholds, thresholds within 0.05, features alone.
STABILITY = {
    ("tree", 10_000): ("9/25/69/99 (2 %)", "1/1/9/22", "1/1/6/19 (52 %)"),
    ("tree", 100_000): ("4/4/5/21 (31 %)", "1/1/2/2", "1/1/2/2 (99 %)"),
    ("tree", 1_000_000): ("2/2/4/5 (73 %)", "1/1/1/1 (100 %)", "1/1/1/1 (100 %)"),
    ("CART", 100_000): ("all different", "1/1/6/21", "1/1/4/19 (37 %)"),
    ("CART", 1_000_000): ("all different (10 runs)", "1/1/4/4", "1/1/4/4 (60 %)"),
}
PAPER_STABILITY = {("tree", 1_000_000): "one structure at depth 4"}

SPEED = {"100,000": 0.97, "1,000,000": 3.85, "exact": 1.1}  # seconds for a tree, one core
TRUSTEE = ".932 / .924, L1 .156; 20 of 20 different, by features too; 11 s"
