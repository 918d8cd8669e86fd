"""Prodigy."""
