"""Sentences that several parts of a page say."""

from __future__ import annotations

from espalier.language import to_say

NO_SUCH_LESSON = to_say(
    "The link names a lesson that is not on this server. Its teacher may bring it again on the page Lessons."
)
