"""Espalier: the list of pages, and the wall around the server. Start with `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from espalier.language import Texts, spoken

if __name__ != "__main__":  # secrets become variables of the environment, which the settings read, once loaded
    st.secrets.load_if_toml_exists()

from espalier import settings
from pages.shared.app import address, frame, lecture, server
from pages.shared.canvas import components
from pages.shared.data import intake
from pages.shared.jobs import watch
from pages.shared.lessons import panel
from pages.shared.models import bar

TITLES = Texts(
    {
        "data": "Data",
        "tree": "Tree",
        "forests": "Forests",
        "approximate": "One tree for a forest",
        "compare": "Compare",
        "stability": "Stability",
        "reliability": "Reliability",
        "questionnaire": "Questionnaire",
        "new_rows": "Ask it",
        "hesitation": "Hesitation",
        "basics": "Basics",
        "lessons": "Lessons",
        "practice": "Practice",
    }
)

PAGES = Path("pages")  # a text might be a link elsewhere, which Streamlit looks for at every run

if __name__ == "__main__":  # Streamlit runs this file for a page …
    frame.set_up()
    if (key := f"pages-{spoken()}") not in st.session_state:  # to make them takes a while: each looks for its file
        st.session_state[key] = {
            name: st.Page(PAGES / f"{name}.py", title=title, default=name == "tree")
            for name, title in TITLES.items()
        }
    pages = st.session_state[key]
    page = st.navigation(list(pages.values()), position="hidden")
    if intake.TABLE and intake.opens_file() and page is not pages["data"]:
        st.switch_page(pages["data"])
    watch.begin_run()
    share = bar.draw(page, pages)
    components.draw_stage(page)
    panel.draw(page, list(pages.values()))
    address.come(page.url_path)
    page.run()
    lecture.draw(share, page.url_path)
    if st.session_state.get(watch.WATCHED):
        watch.end_run()
else:  # … and imports it once for the server
    settings.check()
    app = st.App(__file__, middleware=server.MIDDLEWARE, lifespan=server.lifespan)
