"""Analysis of one tree: its nodes, rules, size, costs and features."""
