"""Plotly figures as still pictures in SVG, for paper: lines, bands, dots, bars and cells."""
