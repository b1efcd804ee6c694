"""How many times as many examples every test that draws them tries."""

import os

TIMES = int(os.environ.get("ESPALIER_EXAMPLES", "1"))
