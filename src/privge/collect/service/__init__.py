"""The service: takes reports from devices, shows people what is stored about them, and erases it on request."""

from privge.collect.service.app import create_app
from privge.collect.service.settings import Limits, Settings

__all__ = ["Limits", "Settings", "create_app"]
