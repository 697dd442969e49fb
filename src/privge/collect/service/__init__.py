"""The service: takes reports from devices, shows people what is stored about them, and erases it on request."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privge.collect.service.app import create_app
    from privge.collect.service.settings import Limits, Settings

_HOMES = {
    "Limits": "privge.collect.service.settings",
    "Settings": "privge.collect.service.settings",
    "create_app": "privge.collect.service.app",
}

__all__ = ["Limits", "Settings", "create_app"]


def __getattr__(name: str) -> object:
    """Import what is asked for: whoever wants the secrets of a service alone needs no web framework."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from privge._extras import needed

    with needed("the service"):
        return getattr(import_module(_HOMES[name]), name)
