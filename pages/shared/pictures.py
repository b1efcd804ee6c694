"""SVG on a page: as an image, since Streamlit strips it from HTML; what is in an image can do nothing."""

from __future__ import annotations

import base64
import html

import streamlit as st


def show(svg: str, alt: str, width: int) -> None:
    """The picture, at most so many pixels wide, with words for those who do not see it."""
    packed = base64.b64encode(svg.encode()).decode()
    style = f"width: 100%; max-width: {width}px; height: auto"
    st.html(f'<img alt="{html.escape(alt)}" style="{style}" src="data:image/svg+xml;base64,{packed}">')
