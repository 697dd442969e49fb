"""Store batches for ever and say which were acknowledged; the test kills this process."""

import sys
from datetime import date

import numpy as np

from privge.campaign import Campaign
from privge.collect.stores import Outcome, Upload, open_store

path, document, start = sys.argv[1:]
campaign = Campaign.from_json(document)
store = open_store(path)
node = int(start)
while True:
    codes = np.arange(20, dtype="<u2").tobytes()
    uploads = [Upload(node + step, codes) for step in range(37)]
    outcomes = store.put(campaign.id, uploads, day=date(2027, 2, 3))
    if set(outcomes) - {Outcome.STORED, Outcome.SAME}:
        sys.exit("a report was refused")
    sys.stdout.write(f"{node} {node + 37}\n")
    sys.stdout.flush()
    if node % (37 * 50) == 0:
        store.erase(node)
    node += 37
