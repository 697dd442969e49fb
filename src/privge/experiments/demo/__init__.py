"""The demonstration: the graph alone, the paper's private vectors, an answered question, and no privacy."""
