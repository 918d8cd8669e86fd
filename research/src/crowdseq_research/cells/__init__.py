"""Cells: single results, kept as they finish, each with its recipe."""
