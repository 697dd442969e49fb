"""Pages for people: the template of a package below the head that all of them have."""

from importlib.resources import files
from string import Template

_HEAD = """<!doctype html>
<html lang="$language">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
"""


def filled_page(package: str, template: str, *, title: str, language: str = "en", **values: str) -> str:
    """Return a page; what goes into it is HTML already, so text must have been escaped."""
    rest = files(package).joinpath(template).read_text(encoding="utf-8")
    return Template(_HEAD + rest).substitute(title=title, language=language, **values)
