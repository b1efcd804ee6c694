"""Streamlit code that pages share: the frame, the address, controls, caches and the two canvases."""
