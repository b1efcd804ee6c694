"""Espalier: the list of pages, and the wall around the server. Start with `streamlit run app.py`."""

import streamlit as st

if __name__ != "__main__":  # secrets become variables of the environment, which the settings read, once loaded
    st.secrets.load_if_toml_exists()

from espalier import settings
from pages.shared.app import frame, lecture, server
from pages.shared.canvas import stage
from pages.shared.jobs import watch

if __name__ == "__main__":  # Streamlit runs this file for a page …
    frame.set_up()
    top = lecture.top_of_rail()
    pages = [  # the usual way from left to right; frame.css parts the groups, and every page is one click away
        st.Page("pages/data.py", title="Data"),
        st.Page("pages/tree.py", title="Tree", default=True),
        st.Page("pages/forests.py", title="Forests"),
        st.Page("pages/approximate.py", title="Approximate"),
        st.Page("pages/compare.py", title="Compare"),
        st.Page("pages/stability.py", title="Stability"),
        st.Page("pages/reliability.py", title="Reliability"),
        st.Page("pages/questionnaire.py", title="Questionnaire"),
        st.Page("pages/hesitation.py", title="Hesitation"),
    ]
    watch.begin_run()
    page = st.navigation(pages, position="top")
    stage.draw(page)
    frame.run(page)
    lecture.draw(top, page.url_path)
    watch.end_run()
else:  # … and imports it once for the server
    settings.check()
    app = st.App(__file__, middleware=server.MIDDLEWARE, lifespan=server.lifespan)
