"""The search for optimal trees over every threshold of sorted columns: one search, and a task for each target.

`nodes` divides sorted rows, and keeps what is known of a column's thresholds and follows for those between;
`depth_two` and `search` look for the best tree with them. A task says what rows count for and finds the best stump
on either side of many thresholds at once: `classes` and `stumps`, whose nodes tell something of others
(`solved_nodes`), or `numbers`.
"""
