"""Corpora that are read without ever being held: portions to scratch files, scratch files to shards."""
