"""The operator's room: campaigns and their life, participation, health, embeddings. Counts, and no values of people."""
