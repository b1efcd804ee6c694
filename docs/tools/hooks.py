"""What MkDocs does beside building: it takes the logo from `assets`, and mends links of texts on the project."""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

PROJECT = Path(__file__).resolve().parents[2]
TAKEN = {"theme/logo.svg": "assets/logo.svg"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files of the app that the site shows."""
    for place, source in TAKEN.items():
        files.append(File.generated(config, place, abs_src_path=str(PROJECT / source)))
    return files


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str | None:
    """Let links of texts that stand in the project's root, above `docs`, lead to pages of the site."""
    if not page.file.src_uri.startswith("project/"):
        return None
    return re.sub(r'href="docs/([^"]*)\.md', r'href="../\1.html', html)
