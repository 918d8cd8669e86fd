"""Rows of values and their sparse entries."""
