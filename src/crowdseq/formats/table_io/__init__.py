"""Rows of CSV and Arrow."""
