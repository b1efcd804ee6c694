"""Work beside the pages: the runner, what pages say of it, the store of results, the compilation of kernels."""
