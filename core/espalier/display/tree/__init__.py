"""Pictures of one tree: cards, drawings, curves and figures."""
