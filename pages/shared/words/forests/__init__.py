"""Texts of the Forests page: the page, the answers of a forest, and boosting round by round."""
