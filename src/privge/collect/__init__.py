"""Collection: stores, tokens, the service. Sees reports, never private values."""
