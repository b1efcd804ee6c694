"""The page of all benchmarks: what is measured, and how it is told."""
