"""Hugging Face datasets."""
