"""Sentences that several parts of a page say."""

from __future__ import annotations

from espalier.language import to_say

TABLE_NOTES = to_say(
    "In brackets the 95 % interval. *Found* is the recall of a class, its sensitivity; "
    "*right, of those answered* is its precision. An error costs 1, or as many times as "
    "much as you say."
)
CURVE_NOTES = to_say(
    "The mark is the decision as it is; bands are 95 % intervals. If a curve is clearly "
    "lower elsewhere, the model's shares are not true, and a threshold of its own would "
    "cost less: test it on other rows before you rely on it. Dotted: always or never "
    "answering the class."
)
GROUPS_NOTES = to_say(
    "Each group is set against all other rows; what is named differs by more than chance "
    "alone would make one of all these comparisons differ (5 % together). A group that "
    "differs may differ for good reasons: ask why before you judge, and remember that "
    "equal rates of all kinds at once are seldom possible."
)
