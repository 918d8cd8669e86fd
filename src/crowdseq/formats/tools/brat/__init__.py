"""brat."""
