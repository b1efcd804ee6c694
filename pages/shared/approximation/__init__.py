"""One tree that stands in for a black box: which box, how the tree is grown, and what is shown of both."""
