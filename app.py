"""Espalier: the list of pages, and the wall around the server. Start with `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

if __name__ != "__main__":  # secrets become variables of the environment, which the settings read, once loaded
    st.secrets.load_if_toml_exists()

from espalier import settings
from pages.shared.app import frame, lecture, server
from pages.shared.canvas import stage
from pages.shared.data import intake
from pages.shared.jobs import watch
from pages.shared.lessons import panel
from pages.shared.words import menu as words

PAGES = Path("pages")  # a text might be a link elsewhere, which Streamlit looks for at every run

if __name__ == "__main__":  # Streamlit runs this file for a page …
    frame.set_up()
    top = lecture.top_of_rail()
    pages = [  # the usual way from left to right; frame.css parts the groups, and every page is one click away
        st.Page(PAGES / "data.py", title=words.PAGES["data"]),
        st.Page(PAGES / "tree.py", title=words.PAGES["tree"], default=True),
        st.Page(PAGES / "forests.py", title=words.PAGES["forests"]),
        st.Page(PAGES / "approximate.py", title=words.PAGES["approximate"]),
        st.Page(PAGES / "compare.py", title=words.PAGES["compare"]),
        st.Page(PAGES / "stability.py", title=words.PAGES["stability"]),
        st.Page(PAGES / "reliability.py", title=words.PAGES["reliability"]),
        st.Page(PAGES / "questionnaire.py", title=words.PAGES["questionnaire"]),
        st.Page(PAGES / "new_rows.py", title=words.PAGES["new_rows"]),
        st.Page(PAGES / "hesitation.py", title=words.PAGES["hesitation"]),
        st.Page(PAGES / "basics.py", title=words.PAGES["basics"]),
        st.Page(PAGES / "lessons.py", title=words.PAGES["lessons"]),
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
