"""Check a built site: every link and anchor leads somewhere, and nothing is loaded from elsewhere.

python docs/tools/check_site.py site
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class SitePage(HTMLParser):
    """Anchors of a page, what it links to, and what it loads."""

    def __init__(self, path: Path):
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what one element says."""
        given = {name: value for name, value in attrs if value}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        if given.get(LOADED.get(tag, "")) and given.get("rel") != "canonical":
            self.loaded.add(given[LOADED[tag]])


def faults(site: Path) -> Iterator[str]:
    """Yield what is wrong with a site, in sentences."""
    pages = {path.resolve(): SitePage(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        where = path.relative_to(site.resolve()).as_posix()
        yield from (f"{where} loads {url}" for url in sorted(page.loaded) if urlsplit(url).netloc)
        for url in sorted(page.links | page.loaded):
            from_root = f"{site.resolve()}{url}" if url.startswith("/") else url  # as the page for errors has them
            if not leads_somewhere(from_root, path, pages):
                yield f"{where} has a broken link: {url}"


def leads_somewhere(url: str, path: Path, pages: dict[Path, SitePage]) -> bool:
    """Whether an address on a page is of another site, or of a file and an anchor that are there."""
    parts = urlsplit(url)
    if parts.scheme or parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target not in pages:
        return target.is_file()
    return not parts.fragment or unquote(parts.fragment) in pages[target].anchors


def main(site: str) -> int:
    """Print what is wrong; return how many faults there are, as the program's exit code."""
    wrong = list(faults(Path(site)))
    print("\n".join(wrong))
    return min(len(wrong), 1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
