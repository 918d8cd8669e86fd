"""The terminal door: one file per command."""
