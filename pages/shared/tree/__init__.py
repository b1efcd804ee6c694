"""The tree page: growing, results, explorer and inspector."""
