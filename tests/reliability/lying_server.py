"""`privge serve` that acknowledges before it stores, erases without scrubbing, or gives a place to who only comes.

What the suites must find.
"""

import sys
import threading
import time

from privge.cli import main
from privge.collect.service.limits import Room
from privge.collect.stores import Outcome
from privge.collect.stores.sqlite import SqliteStore

put = SqliteStore.put


def put_later(store, campaign, uploads, *, day):
    def store_now():
        time.sleep(0.2)
        put(store, campaign, uploads, day=day)

    threading.Thread(target=store_now).start()
    return [Outcome.STORED] * len(uploads)


enter = Room.enter


def enter_at_once(room, node=None):
    room._take_place()
    arrival = enter(room, node)
    arrival.working = True
    return arrival


if "--early" in sys.argv:
    sys.argv.remove("--early")
    SqliteStore.put = put_later
if "--leave" in sys.argv:
    sys.argv.remove("--leave")
    SqliteStore._scrub = lambda _: None
if "--greedy" in sys.argv:
    sys.argv.remove("--greedy")
    Room.enter, Room.admit = enter_at_once, lambda room, arrival: room._arriving.pop(arrival)
sys.argv[0] = "privge"
main()
