"""What is imported when: names on first use, packages that only some installs have, plug-ins of other packages."""

from privge._imports.installed import ALONE, EXTRAS, lazy, missing_extra, needed, require

__all__ = [
    "ALONE",
    "EXTRAS",
    "lazy",
    "missing_extra",
    "needed",
    "require",
]
