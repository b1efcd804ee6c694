"""The search for optimal regression trees over every threshold of sorted columns.

`rows` sorts and divides them; `stumps` finds the best stump on either side of some thresholds, by sums;
`depth_two` and `search` look for the best tree with them.
"""
