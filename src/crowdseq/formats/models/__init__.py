"""Taggers on disk."""
