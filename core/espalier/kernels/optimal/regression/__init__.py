"""The search for optimal regression trees over every threshold of sorted columns.

`rows` sorts and divides them; `squares` and `medians` find the best stump on either side of some thresholds, for
squared and for absolute error; `depth_two` and `search` look for the best tree with them.
"""
