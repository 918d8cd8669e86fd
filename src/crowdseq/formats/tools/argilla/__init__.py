"""Argilla."""
