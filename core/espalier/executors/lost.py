"""The error of a task whose worker ended before the task did."""

from __future__ import annotations

from espalier.language import PhraseError


class LostTask(PhraseError, RuntimeError):
    """The worker of a task ended, or ran out of memory. The message says so in a sentence, and what to do."""
