"""Take the guide's pictures of the real app, in light and in dark: needs a Chromium, Playwright and Pillow.

python -m docs.tools.screenshots [name …]
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.tools.in_browser import PATIENCE_SECONDS, Quiet, eventually, find_browser, running_app

PICTURES = Path(__file__).resolve().parents[1] / "pictures"
WIDTH, HEIGHT = 1280, 800
STILL_SECONDS = 2.5  # in which a page does not change: it is complete, and its transitions are over
QUALITY = 80
SKELETON = '[data-testid="stSkeleton"]'  # in the place of a figure whose code is still on its way
SCHEMES = ("light", "dark")
TO_TOP = "part => { part.style.scrollMarginTop = '80px'; part.scrollIntoView(); }"  # below the list of pages
TABLE = "height;colour;kind\n" + "1,5;red;a\n2,5;blue;b\n1,25;red;a\n3,5;;b\n2,75;blue;b\n1,75;green;a\n" * 5


class Picture(NamedTuple):
    """A picture of a page: where it is, and a text or element that it must show."""

    name: str
    place: str
    shows: str
    height: int = HEIGHT
    from_text: str = ""  # scrolled to, so that it stands at the top
    pasted: str = ""  # into the Data page


PAGES = (
    Picture("data", "data", "First rows", pasted=TABLE, height=1000),
    Picture("tree", "?data=iris&depth=4&node=2", ".espalier-curve svg", height=1080),
    Picture("cultivated", "?data=iris&model=cultivated&depth=3&row=71", ".espalier-surface canvas"),
    Picture("optimal", "?data=xor&model=optimal&depth=2", "Other trees as good", height=1080),
    Picture("model-trees", "?data=sine&model=model-tree&node=5&tab=Formula", "Values beyond", height=1180),
    Picture("oblique", "?data=wine&model=oblique&depth=3", ".espalier-curve svg", height=1080),
    Picture("forests", "forests?data=wine&tab=Error", "What limits the error", height=900),
    Picture("forest-trees", "forests?data=wine", "Open tree"),
    Picture("approximate", "approximate?data=wine", "Click a node"),
    Picture("fidelity", "approximate?data=wine&tab=Fidelity", "By class", from_text="Still gaining"),
    Picture("questionnaire", "questionnaire?data=questionnaire", "I do not know"),
    Picture("compare", "compare?data=breast-cancer", "Row minus column", height=900),
    Picture("reliability", "reliability?data=breast-cancer", "Marks: at the goal", height=900),
    Picture("stability", "stability?data=iris", "In numbers", height=900),
    Picture("new_rows", "new_rows?data=breast-cancer&rows=held", "Tick a row", height=1280),
    Picture("hesitation", "hesitation", "First split of CART"),
    Picture("impurity", "basics?view=impurity", "after the split", height=940),
    Picture("bagging", "basics?view=bagging&rows=far&fit=line", "influence of row 15", height=900),
)


def settle(page: Page) -> None:
    """Wait until nothing happens on the page any more."""
    quiet = Quiet(page)
    for _ in range(20 * PATIENCE_SECONDS):
        quiet.look()
        if quiet.seconds > STILL_SECONDS and not page.locator(SKELETON).count():
            return
        page.wait_for_timeout(50)


def is_shown(page: Page, shows: str) -> bool:
    """Whether the page shows an element (a selector begins with a dot) or a text."""
    return (page.locator(shows) if shows.startswith(".") else page.get_by_text(shows)).first.is_visible()


def take(browser: Browser, address: str, picture: Picture, scheme: str) -> None:
    """Take one picture in one colour scheme."""
    size: Any = {"width": WIDTH, "height": picture.height}
    colours: Any = scheme
    page = browser.new_context(viewport=size, color_scheme=colours).new_page()
    page.goto(f"{address}/{picture.place}")
    if picture.pasted:
        page.get_by_label("Paste a table").fill(picture.pasted)
        page.get_by_text("Read the pasted table").click()
    eventually(page, lambda: is_shown(page, picture.shows))
    settle(page)
    if picture.from_text:
        page.get_by_text(picture.from_text).first.evaluate(TO_TOP)
        settle(page)
    image = Image.open(io.BytesIO(page.screenshot()))
    image.save(PICTURES / f"{picture.name}-{scheme}.webp", quality=QUALITY, method=6)
    page.context.close()


def main(names: Iterable[str]) -> None:
    """Take the pictures of these names, or all of them."""
    wanted = set(names) or {picture.name for picture in PAGES}
    PICTURES.mkdir(exist_ok=True)
    with running_app() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        for picture in (picture for picture in PAGES if picture.name in wanted):
            for scheme in SCHEMES:
                take(browser, address, picture, scheme)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
