"""What MkDocs does beside building: it takes logo and font from `assets`, where the app has them."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

PROJECT = Path(__file__).resolve().parents[2]
TAKEN = {"theme/logo.svg": "assets/logo.svg"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files of the app that the site shows."""
    for place, source in TAKEN.items():
        files.append(File.generated(config, place, abs_src_path=str(PROJECT / source)))
    return files
