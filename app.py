"""Espalier: the list of pages, and the wall around the server. Start with `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from espalier.language import Texts

if __name__ != "__main__":  # secrets become variables of the environment, which the settings read, once loaded
    st.secrets.load_if_toml_exists()

from espalier import settings
from pages.shared.app import frame, lecture, server
from pages.shared.canvas import stage
from pages.shared.data import intake
from pages.shared.jobs import watch
from pages.shared.lessons import panel

PAGE_TITLES = Texts(
    {
        "data": "Data",
        "tree": "Tree",
        "forests": "Forests",
        "approximate": "Approximate",
        "compare": "Compare",
        "stability": "Stability",
        "reliability": "Reliability",
        "questionnaire": "Questionnaire",
        "new_rows": "New rows",
        "hesitation": "Hesitation",
        "basics": "Basics",
        "lessons": "Lessons",
    }
)

PAGES = Path("pages")  # a text might be a link elsewhere, which Streamlit looks for at every run

if __name__ == "__main__":  # Streamlit runs this file for a page …
    frame.set_up()
    top = lecture.top_of_rail()
    pages = [  # the usual way from left to right; frame.css parts the groups, and every page is one click away
        st.Page(PAGES / "data.py", title=PAGE_TITLES["data"]),
        st.Page(PAGES / "tree.py", title=PAGE_TITLES["tree"], default=True),
        st.Page(PAGES / "forests.py", title=PAGE_TITLES["forests"]),
        st.Page(PAGES / "approximate.py", title=PAGE_TITLES["approximate"]),
        st.Page(PAGES / "compare.py", title=PAGE_TITLES["compare"]),
        st.Page(PAGES / "stability.py", title=PAGE_TITLES["stability"]),
        st.Page(PAGES / "reliability.py", title=PAGE_TITLES["reliability"]),
        st.Page(PAGES / "questionnaire.py", title=PAGE_TITLES["questionnaire"]),
        st.Page(PAGES / "new_rows.py", title=PAGE_TITLES["new_rows"]),
        st.Page(PAGES / "hesitation.py", title=PAGE_TITLES["hesitation"]),
        st.Page(PAGES / "basics.py", title=PAGE_TITLES["basics"]),
        st.Page(PAGES / "lessons.py", title=PAGE_TITLES["lessons"]),
    ]
    watch.begin_run()
    page = st.navigation(pages, position="top")
    if intake.opens_file() and page is not pages[0]:
        st.switch_page(pages[0])
    stage.draw(page)
    panel.draw(page, pages)
    frame.run(page)
    lecture.draw(top, page.url_path)
    watch.end_run()
else:  # … and imports it once for the server
    settings.check()
    app = st.App(__file__, middleware=server.MIDDLEWARE, lifespan=server.lifespan)
