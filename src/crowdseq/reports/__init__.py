"""Nouns to something that a person reads."""
