"""Somebody who is asked: people and campaigns that no other test has, and what the store holds about them."""

import itertools

VALUES = [3.141, 7.25, 9.875]
people = (f"person-{number}" for number in itertools.count())
purposes = (f"Question {number}" for number in itertools.count())


def held(store, node):
    """Return what a store has of a node: campaign and bytes, None after erasure."""
    return [(each.campaign, None if each.codes is None else each.codes.hex()) for each in store.holdings(node)]
