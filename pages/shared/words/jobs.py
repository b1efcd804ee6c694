"""Texts on work beside the pages: the engine while it is compiled, how far a job is, and how it ended."""

# The engine, while it is compiled


def engine(seconds: float, expected: int) -> str:
    """Note in place of a tree that waits for the engine."""
    return (
        f"**Preparing the engine.** It is compiled once on this computer, usually in about {expected} s; "
        f"the page then goes on by itself ({seconds:.0f} s so far)."
    )


def engine_beside(seconds: float, expected: int) -> str:
    """Note beside a small tree, which need not wait."""
    return (
        f"**Preparing the engine** ({seconds:.0f} s so far, usually about {expected} s, once on this computer). "
        "Until then trees of small tables only, and each takes a few seconds."
    )


# Jobs

CANCEL = "Cancel"
KEEPS = "Stops the work. What is done so far is kept."
GO_ON = "Go on"
TRY_AGAIN = "Try again"
SERVER_FAULT = (
    "Something went wrong on the server. Try again; whoever runs the server finds the details in its log."
)
TOO_LITTLE_MEMORY = (
    "This needs more memory than the server has. It needs less with fewer rows, a smaller depth or fewer trees."
)
MINUTES_FROM = 100  # seconds: from here on times are in minutes


KEEP_RUNNING = "Keep running"
KEPT = (
    "The work goes on when you leave this page, for half an hour at most. Without this it stops when you leave; "
    "what is done is kept, and goes on when you come back."
)


def begins_now(title: str) -> str:
    """Note on a job that nothing keeps from beginning."""
    return f"{title} begins …"


def holder(title: str, is_own: bool) -> str:
    """The job that another one waits for, in a sentence."""
    return f"“{title or 'another job'}”" + ("" if is_own else ", another visitor's")


def begins_after(title: str, holder: str, place: int, seconds_left: float | None) -> str:
    """Note on a job that has to wait for others.

    >>> begins_after("Growing the forest", "“Comparing models”", 1, 12.0)
    'Growing the forest begins after “Comparing models” (about 12 s left)'
    >>> begins_after("Growing the forest", "“Comparing models”, another visitor's", 3, None)
    'Growing the forest is number 3 in the queue, after “Comparing models”, another visitor's'
    """
    left = "" if seconds_left is None else f" ({time_left(seconds_left)})"
    queue = "begins" if place == 1 else f"is number {place} in the queue,"
    return f"{title} {queue} after {holder}{left}"


def stopping(title: str) -> str:
    """Note on a job that was cancelled and has not ended yet."""
    return f"{title}: stopping …"


def waits_for_engine(title: str, seconds: float) -> str:
    """Note on a job whose kernels are being compiled."""
    return f"{title} waits until the engine is compiled, once on this computer ({seconds:.0f} s so far) …"


def under_way(text: str, seconds_left: float | None) -> str:
    """Text beside a bar, with the time that is left, if there is an estimate."""
    return f"{text} …" if seconds_left is None else f"{text}, {time_left(seconds_left)} …"


def time_left(seconds: float) -> str:
    """An estimate in words.

    >>> time_left(0.3), time_left(99.2), time_left(100), time_left(1000)
    ('about 1 s left', 'about 99 s left', 'about 2 min left', 'about 17 min left')
    """
    if seconds >= MINUTES_FROM:
        return f"about {round(seconds / 60)} min left"
    return f"about {max(round(seconds), 1)} s left"


def failed(title: str, why: str) -> str:
    """A job that could not be done, and why."""
    return f"**{title}** {why}" if title else why


def much_to_do(amount: str) -> str:
    """Note above the button that begins long work."""
    return f"There is much to do: {amount}"
