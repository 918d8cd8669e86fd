"""Counting votes, confusions, back-off."""
