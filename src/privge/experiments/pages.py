"""HTML pages that need nothing else: templates, with pictures inside."""

import base64
import io
from pathlib import Path
from typing import TYPE_CHECKING

from privge._files.atomic import atomic_path

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, PRIVATE, CONTROL = "#26323a", "#0f766e", "#9aa5ad"
"""Colours of all pages."""


def write_page(template: str, path: Path, **values: object) -> None:
    """Render a template; the file is complete or absent."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("privge.experiments"), autoescape=True, undefined=jinja2.StrictUndefined
    )
    page = environment.get_template(template).render(**values)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as partial:
        partial.write_text(page, encoding="utf-8")


def embedded(figure: "Figure") -> str:
    """Return a figure as an address that holds the picture itself."""
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=130)
    return "data:image/png;base64," + base64.b64encode(picture.getvalue()).decode()
