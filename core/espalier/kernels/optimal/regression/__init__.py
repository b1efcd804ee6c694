"""The search for optimal regression trees over every threshold of sorted columns.

`rows` sorts and divides them; `stumps` finds the best stump on either side of some thresholds, for squared error by
sums, and for absolute error and for lines in leaves by `medians` and `lines` of the rows of a side; `depth_two` and
`search` look for the best tree with them.
"""
