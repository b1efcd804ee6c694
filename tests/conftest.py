"""Settings of hypothesis for every test: no deadline, since the first example may compile a kernel."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "espalier",
    deadline=None,
    derandomize="CI" in os.environ,  # a submission is not judged by luck; at home every run tries new examples
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("espalier")
