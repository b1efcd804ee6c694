"""The search for optimal trees over every threshold of sorted columns.

`samples` sorts and divides them, and keeps what is known of a column's thresholds and follows for those between;
`stumps` finds the best stump on either side of 16 or 32 thresholds at once; `depth_two` and `search` look for the
best tree with them.
"""
