"""A hook of mkdocs: adds the pages that are made from the code, so that none of them can be stale."""

import sys
from pathlib import Path

import api_reference
import command_reference
import http_reference
import theory_pictures
import worked_examples
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List every public package and decision in the navigation; let griffe find the extension beside this file."""
    sys.path.insert(0, str(Path(__file__).parent))
    packages = [{name: f"reference/{name.removeprefix('privge.')}.md"} for name in api_reference.public_modules()]
    for section in config.nav or []:
        section.get("Reference", []).extend(packages)
        section.get("Decisions", []).extend(_decisions(Path(config.docs_dir)))
    return config


def _decisions(docs: Path) -> list[dict[str, str]]:
    """Return the pages of the decisions by their headings, without their numbers."""
    pages = sorted((docs / "decisions").glob("*.md"))
    headings = [page.read_text(encoding="utf-8").partition("\n")[0] for page in pages]
    return [
        {heading.partition(". ")[2]: f"decisions/{page.name}"} for heading, page in zip(headings, pages, strict=True)
    ]


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the reference of commands, of the service, and of every public package; and pictures."""
    made = {"commands": command_reference.page(), "http": http_reference.page(), **api_reference.pages()}
    for name, text in made.items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    for name, picture in theory_pictures.pictures().items():
        files.append(File.generated(config, f"theory/{name}", content=picture))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Put what commands print under them."""
    return worked_examples.filled(markdown)
