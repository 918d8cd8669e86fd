"""Word vectors for a run: made, tried, and used where they help."""
