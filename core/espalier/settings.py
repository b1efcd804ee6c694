"""Every limit of the app in one place, and where tasks run; messages that refuse something name the limit."""

import os

PROCESSORS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
# Where tasks run: threads, processes, or the address of the scheduler of a Dask cluster.
EXECUTOR = os.environ.get("ESPALIER_CLUSTER") or os.environ.get("ESPALIER_EXECUTOR") or "threads"
MAX_WORKER_MEMORY_MB = int(
    os.environ.get("ESPALIER_WORKER_MB") or 2_000
)  # that a task in a worker process may take

MAX_UPLOAD_MB = 50  # size of an uploaded file, as sent; also in .streamlit/config.toml
MAX_UNPACKED_MB = 150  # size of an uploaded file once unpacked (guards against zip bombs)
MAX_DRAFTS_MB = 100  # all files that are being brought in, for pages loaded anew; the oldest go first
DRAFT_MINUTES = 60  # after which such a file goes
MAX_STORED_MB = 800  # all uploaded tables together that the server keeps in memory; the oldest go first
MAX_ROWS = 1_000_000
MAX_COLUMNS = 20_000
MAX_CELLS = 25_000_000  # rows times columns
MAX_CELL_CHARACTERS = 131_072  # of one cell; also what Python's reader of CSV takes
MAX_NUMBER = 1e150  # larger ones have no square; they mostly stand for missing
MAX_READ_MEMORY_MB = 1_000  # that the process which reads a file may take
MAX_READ_SECONDS = 10.0  # of work, to read a file
MAX_READERS = 2  # files that are read at the same time
MAX_CATEGORIES = 64  # categories of one feature: what a split's bit mask holds
MAX_CLASSES = 64

MAX_CARDS = 1_023  # nodes that the tree graph is given at most
MAX_POINTS = 2_000  # samples drawn on the decision surface at most
MAX_CACHED_TREES = 256
MAX_FOREST_MB = 1_500  # memory that a forest may take, by a guess beforehand
MAX_RESULTS_MB = 1_500  # all trees, forests, models and outcomes together that are kept; the oldest go first
MAX_APPROXIMATION_SECONDS = 120.0  # to ask a black box for its tree; then the page shows the part that is there
MAX_ONNX_MB = 50  # size of a model that is uploaded
MAX_ONNX_MEMORY_MB = 2_000  # address space of the process that runs it
MAX_ONNX_SECONDS = 30.0  # for a batch of rows
