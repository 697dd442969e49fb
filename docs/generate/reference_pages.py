"""A hook of mkdocs: adds the pages that are made from the code, so that none of them can be stale."""

import api_reference
import command_reference
import http_reference
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List every public package in the navigation, below the pages of commands and of the service."""
    entries = [{name: f"reference/{name.removeprefix('privge.')}.md"} for name in api_reference.public_modules()]
    for section in config.nav or []:
        section.get("Reference", []).extend(entries)
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the reference of commands, of the service, and of every public package."""
    made = {"commands": command_reference.page(), "http": http_reference.page(), **api_reference.pages()}
    for name, text in made.items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    return files
