"""`privge serve` whose store fails on purpose, loudly, with everything it knows in the message."""

import os
import signal
import sys

from privge.cli import main
from privge.collect.service import server
from privge.collect.stores import open_store


class Faulty:
    def __init__(self, store):
        self._store = store

    def __getattr__(self, name):
        return getattr(self._store, name)

    def put(self, campaign, uploads, *, day):
        codes = [list(upload.codes) for upload in uploads]
        raise RuntimeError(f"put {campaign} {uploads!r} {codes} {day}")

    def holdings(self, node):
        try:
            {}[node]
        except KeyError as error:
            raise ValueError(f"holdings of {node}") from error

    def retire(self, today):
        raise RuntimeError("sentinel-secret in housekeeping", today)

    def campaigns(self):
        os.kill(os.getpid(), signal.SIGSEGV)


server.open_store = lambda *args, **kwargs: Faulty(open_store(*args, **kwargs))
sys.argv[0] = "privge"
main()
