"""Background work: the queue of jobs, and the compilation of kernels."""
