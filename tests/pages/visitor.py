"""Somebody in the operator's room: keeps the cookie, reads forms out of pages, and sends them."""

import re
from html import unescape
from html.parser import HTMLParser
from urllib.parse import urlencode

from collect.service.harness import ADMIN, InProcess
from privge.pages.operations import operations
from privge.pages.room.options import RoomOptions

FORM = "application/x-www-form-urlencoded"


def opened(folder, *, options=RoomOptions(), strings=None, **rest):  # noqa: B008 (frozen)
    """Return a service with its pages."""
    return InProcess(folder, pages=operations(options, strings), **rest)


class Visitor:
    """One browser, without a script."""

    def __init__(self, service, host="localhost"):
        self.service, self.host, self.cookie = service, host, None

    def send(self, method, path, *, fields=None, headers=()):
        fields_of = [("host", self.host), *headers]
        if self.cookie:
            fields_of.append(("cookie", self.cookie))
        body = b"" if fields is None else urlencode(fields).encode()
        kind = None if fields is None else FORM
        reply = self.service.call(method, path, body=body, content_type=kind, headers=fields_of)
        if "set-cookie" in reply.headers:
            self.cookie = reply.headers["set-cookie"].partition(";")[0]
        return reply

    def get(self, path="/operator"):
        return self.send("GET", path)

    def post(self, path, *, headers=(), **fields):
        return self.send("POST", path, fields=fields, headers=headers)

    def enter(self, token=ADMIN, **fields):
        return self.post("/operator/enter", token=token, **fields)

    def form(self, page, action):
        """Return the hidden fields of the form of a page that goes to an address."""
        text = self.get(page).body.decode()
        form = re.search(rf'<form[^>]*action="{re.escape(action)}"[^>]*>(.*?)</form>', text, re.DOTALL).group(1)
        hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form)
        return {name: unescape(value) for name, value in hidden}


class Seen(HTMLParser):
    """What a browser would make of a page: its elements, their attributes, its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attributes]

    def handle_data(self, data):
        self.text += data
