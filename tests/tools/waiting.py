"""Waits for what other threads and processes do."""

import time

SOON = 60  # seconds: far more than any wait of a test needs


def until(is_so):
    """Wait until it is so, or long enough; whether it is."""
    end = time.monotonic() + SOON
    while not is_so() and time.monotonic() < end:
        time.sleep(0.01)
    return is_so()
