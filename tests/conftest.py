"""Settings of hypothesis for every test: no deadline, since the first example may compile a kernel.

Also the fixtures of the tests in a browser, which know them by these names.
"""

import os

from hypothesis import HealthCheck, settings

from tests.in_browser import app, browser, open_page, server

__all__ = ["app", "browser", "open_page", "server"]

settings.register_profile(
    "espalier",
    deadline=None,
    derandomize="CI" in os.environ,  # a submission is not judged by luck; at home every run tries new examples
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("espalier")
