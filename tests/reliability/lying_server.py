"""`privge serve` that acknowledges before it stores, and erases without scrubbing: what the suites must find."""

import sys
import threading
import time

from privge.cli import main
from privge.collect.stores import Outcome
from privge.collect.stores.sqlite import SqliteStore

put = SqliteStore.put


def put_later(store, campaign, uploads, *, day):
    def store_now():
        time.sleep(0.2)
        put(store, campaign, uploads, day=day)

    threading.Thread(target=store_now).start()
    return [Outcome.STORED] * len(uploads)


if "--early" in sys.argv:
    sys.argv.remove("--early")
    SqliteStore.put = put_later
if "--leave" in sys.argv:
    sys.argv.remove("--leave")
    SqliteStore._scrub = lambda _: None
sys.argv[0] = "privge"
main()
