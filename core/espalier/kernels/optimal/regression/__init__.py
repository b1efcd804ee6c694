"""The search for optimal regression trees over every threshold of sorted columns.

`rows` sorts and divides them; `stumps` finds the best stump on either side of some thresholds, of squared error by
sums, of absolute error and of lines in leaves by `medians` and `lines` of the rows of a side; `depth_two` and
`search` look for the best tree with them.
"""
