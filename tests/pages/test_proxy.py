"""The proxy that comes with the package shows nothing that is the operator's."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from privge.collect.service.routes.operations import OPERATIONS
from privge.pages.operations import operations
from privge.pages.room.options import RoomOptions

CADDYFILE = Path(__file__).parent.parent.parent / "deploy" / "Caddyfile"
ALL = (*OPERATIONS, *operations(RoomOptions()))


def hidden(method, path):
    """Say whether a matcher of the file that is answered with 404 takes a request."""
    text = CADDYFILE.read_text(encoding="utf-8")
    for name, matcher in re.findall(r"^\t(@\w+) \{\n(.*?)\n\t\}", text, re.MULTILINE | re.DOTALL):
        assert f"respond {name} 404" in text
        wanted = dict(line.split(maxsplit=1) for line in matcher.strip().splitlines())
        paths = any(fnmatchcase(path, pattern) for pattern in wanted["path"].split())
        if paths and wanted.get("method", method) == method:
            return True
    return False


@pytest.mark.parametrize("operation", ALL, ids=lambda each: f"{each.method} {each.path}")
def test_what_is_the_operators_stays_inside_and_all_else_is_shown(operation):
    assert hidden(operation.method, operation.path) == (operation.access == "operator")
