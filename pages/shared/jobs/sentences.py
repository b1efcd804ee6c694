"""Sentences that several parts of a page say."""

from __future__ import annotations

from espalier.language import say, to_say

SERVER_FAULT = to_say(
    "Something went wrong on the server. Try again; whoever runs the server finds the details in its log."
)
TOO_LITTLE_MEMORY = to_say(
    "This needs more memory than the server has. It needs less with fewer rows, a smaller depth or fewer trees."
)
MINUTES_FROM = 100


def time_left(seconds: float) -> str:
    """An estimate in words.

    >>> time_left(0.3), time_left(99.2), time_left(100), time_left(1000)
    ('about 1 s left', 'about 99 s left', 'about 2 min left', 'about 17 min left')
    """
    if seconds >= MINUTES_FROM:
        return say("about {seconds} min left", seconds=round(seconds / 60))
    return say("about {seconds} s left", seconds=max(round(seconds), 1))
