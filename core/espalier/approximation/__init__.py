"""Analysis of approximation trees: fidelity to the model, and replication."""
