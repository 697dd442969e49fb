"""The service: takes reports from devices, shows people what is stored about them, and erases it on request."""

from typing import TYPE_CHECKING

from privge._imports import lazy

if TYPE_CHECKING:
    from privge.collect.service.app import create_app
    from privge.collect.service.settings import Limits, Settings

__all__ = ["Limits", "Settings", "create_app"]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "privge.collect.service.app": ["create_app"],
        "privge.collect.service.settings": ["Limits", "Settings"],
    },
    what="the service",
)
