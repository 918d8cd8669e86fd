"""Where the sums of a run are made."""
