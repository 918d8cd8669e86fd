"""JSON in and out: strict, bounded, one value at a time."""
