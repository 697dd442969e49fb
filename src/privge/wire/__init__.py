"""What devices and the service say to each other, once: codes, tokens, messages, paths and limits.

A device imports none but plain modules. `privge.wire.messages` needs msgspec (the extra ``serve``): the service reads
and writes every JSON and msgpack body with it, and so does whoever sends batches.
"""
