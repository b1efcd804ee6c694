"""Kernels of gradient boosting: bins, gradients, histograms, and trees that grow leaf by leaf."""
