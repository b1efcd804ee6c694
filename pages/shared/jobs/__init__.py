"""Work beside the pages: the runner, notes on jobs, the store of results, the compilation of kernels."""
