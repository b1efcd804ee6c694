"""What all pictures share: colours, SVG, Plotly, words, trees as cards and drawings, and surfaces."""
