"""spaCy."""
