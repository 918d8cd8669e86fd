"""The arithmetic: arrays in, arrays out."""
