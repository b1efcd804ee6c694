"""The kernels that each kind of tree needs, called once on a small table: see espalier.kernels.compile_all."""
