"""Beyond the paper: the graph for nothing, and private answers that are worth something beside it."""
